"""Reading participants' pairs from CSV and Parquet."""
