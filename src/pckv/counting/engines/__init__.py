"""One module per counting engine; each has a function `count`, and all give the same tally."""
