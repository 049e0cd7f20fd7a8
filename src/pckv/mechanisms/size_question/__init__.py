"""The question how many pairs a participant holds."""
