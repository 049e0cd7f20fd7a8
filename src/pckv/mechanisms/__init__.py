"""The mechanisms, one folder each: `law.py` has the exact probabilities, `device.py` draws from them."""
