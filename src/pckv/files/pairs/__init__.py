"""Reading participants' pairs from text, Parquet and tables in memory."""
