"""Trends: what the rounds of a series say together."""
