"""What every request passes: protocol, limits, access, answers."""
