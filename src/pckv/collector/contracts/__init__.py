"""Tasks, series and their rounds on a collector."""
