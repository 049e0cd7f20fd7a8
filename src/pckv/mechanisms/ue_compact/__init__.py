"""PCKV-UE in one word per report."""
