"""Alarms: whether the random parts of reports look as they must if everybody follows the mechanism."""
