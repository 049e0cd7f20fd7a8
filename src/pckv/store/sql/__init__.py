"""The store in SQL: one module of transactions per group of tables."""
