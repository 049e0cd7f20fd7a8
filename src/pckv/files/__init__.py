"""Files: pairs in, reports in and out, spilling to disk, outputs that are whole or absent."""
