"""Work that a collector does by itself: compaction, maintenance, alarms."""
