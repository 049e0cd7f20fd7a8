"""What every other package stands on: errors, numbers and texts, limits, wire format, randomness."""
