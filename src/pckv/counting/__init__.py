"""Counting report files: a job, its engines, deduplication, checkpoints."""
