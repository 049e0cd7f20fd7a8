"""Frequent texts that nobody listed, found prefix by prefix (proofs/discovery.md)."""
