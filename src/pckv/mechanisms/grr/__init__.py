"""PCKV-GRR, of the paper."""
