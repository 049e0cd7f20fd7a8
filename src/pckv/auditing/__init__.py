"""Checking the guarantee instead of believing it."""
