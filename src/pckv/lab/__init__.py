"""Simulation and comparison; everything here is seeded and made up."""
