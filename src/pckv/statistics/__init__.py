"""Statistics that planning and estimation share."""
