"""The device half: pairs in, one report out. Standard library only, `vectorised` apart."""
