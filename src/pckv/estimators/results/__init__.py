"""What an estimation returns, as tables that can be written and read."""
