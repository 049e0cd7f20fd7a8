"""PCKV-UE, of the paper."""
