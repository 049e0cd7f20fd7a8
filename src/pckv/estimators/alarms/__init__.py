"""Alarms: whether the random parts of reports look as they must if all devices follow the mechanism."""
