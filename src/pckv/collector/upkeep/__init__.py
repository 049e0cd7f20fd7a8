"""Maintenance of a collector without requests: compaction, erasure, alarms."""
