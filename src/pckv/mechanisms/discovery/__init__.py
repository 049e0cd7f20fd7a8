"""Unknown texts by prefixes."""
