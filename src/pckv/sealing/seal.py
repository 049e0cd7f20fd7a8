"""The device's half: a body in, sealed bytes out, which the owner of the recipient's private key alone can open.

The format is in `envelope.py`. The key pair of each report comes from OpenSSL's randomness and is not kept: a device
cannot open what it sealed. Sealing twice gives other bytes, so a device seals once, stores the sealed bytes, and sends
the same ones again.
"""

from __future__ import annotations

from pckv.base.errors import PckvError, first_line, require
from pckv.sealing.envelope import EXTRA, info_of, suite, x25519
from pckv.sealing.public_key import check_public_key


def seal(body: bytes, public_key: bytes, digest: bytes) -> bytes:
    """Return the sealed bytes of a report's body.

    Args:
        body: The perturbed message, whose length depends on the task alone.
        public_key: The recipient's key, 32 bytes.
        digest: The task's digest, 32 bytes.

    Raises:
        ParameterError: If the key or the digest is none.
        MissingExtra: If the extra `sealed` is not installed.
    """
    key = x25519().X25519PublicKey.from_public_bytes(check_public_key(public_key))
    sealed: bytes = suite().encrypt(body, key, info=info_of(digest))
    return sealed


def try_seal(body_bytes: int, public_key: bytes, digest: bytes) -> None:
    """Seal a body of zeros, so that a device that cannot seal finds out before anything is perturbed.

    Raises:
        ParameterError: If the key or the digest is none.
        MissingExtra: If the extra `sealed` is not installed.
        PckvError: If the OpenSSL of this machine does not have the algorithms.
    """
    unsupported = require("cryptography.exceptions", extra=EXTRA).UnsupportedAlgorithm
    try:
        seal(bytes(body_bytes), public_key, digest)
    except unsupported as error:
        raise PckvError(f"this machine cannot seal reports: {first_line(error)}", code="cannot_seal") from error
