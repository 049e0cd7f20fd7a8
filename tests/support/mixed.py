"""The mixer that tests of what people read about mixed tasks name."""

from __future__ import annotations

from pckv.contract.mixer import Mixer

# A public key of RFC 9180's test vectors (A.1).
_KEY = "OUjP4K0d22ldeA5ZB3GV2mxWUGsCcyl5SrAryoCBXE0"
# Claims no more than a report of its own has, so that the claim holds for any task of ε = 1.
MIXER = Mixer(
    url="https://mix.example",
    operator="Example Foundation",
    key=_KEY,
    batch=10_000,
    honest=7_500,
    epsilon=1,
    delta="0.0000005",
)
