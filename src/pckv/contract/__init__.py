"""The contract of a collection: tasks, series, and their members."""
