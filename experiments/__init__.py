"""What measures accuracy, or writes tables and pictures for the documents: one module per experiment."""
