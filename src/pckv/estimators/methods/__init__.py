"""Estimation methods: one file or folder per method."""
