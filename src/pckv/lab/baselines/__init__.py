"""The mechanisms that the paper compares PCKV with, for simulation only."""
