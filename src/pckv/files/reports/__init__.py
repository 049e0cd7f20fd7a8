"""Report files and streams: their format, and finding the ones that were named."""
