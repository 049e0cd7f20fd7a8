"""Reports come in: admission, decoding, commit."""
