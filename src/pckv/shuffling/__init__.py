"""Shuffling: the second party's work, which takes from reports whose they were."""
