"""The store in SQL: one module per group of tables."""
