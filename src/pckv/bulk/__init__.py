"""Files: participants' pairs in, report files in and out."""
