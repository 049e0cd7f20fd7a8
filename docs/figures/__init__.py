"""The drawings of the documents, one module each; `python -m figures` writes them again."""
