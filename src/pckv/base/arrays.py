"""Names for the kinds of numpy arrays that the project passes around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
# Many messages: words in one row, or one row of plane bytes per message.
Messages = Integers | Bytes
