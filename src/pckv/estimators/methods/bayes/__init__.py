"""Empirical Bayes: estimates shrunk toward a distribution that is learned from all keys (proofs/bayes.md)."""
