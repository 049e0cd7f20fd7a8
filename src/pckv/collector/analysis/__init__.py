"""Estimates, trends and discoveries of stored reports."""
