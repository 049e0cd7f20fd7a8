"""Random reports that several benches and experiments count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_planes(keys: int, size: int) -> NDArray[np.uint8]:
    """Return `ue` bodies of about `size` bytes in all: no sign without presence, no bit past the last key."""
    rng = np.random.default_rng(keys)
    width = -(-keys // 8)
    presence, sign = rng.integers(0, 256, (2, size // (2 * width), width), np.uint8)
    presence[:, -1] &= 0xFF >> (-keys % 8)
    return np.concatenate([presence, sign & presence], axis=1)
