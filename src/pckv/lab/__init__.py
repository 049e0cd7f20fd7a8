"""Simulation and comparison of mechanisms; all randomness is seeded."""
