"""The recipient's private key: made for one task or series, kept in a file that its owner alone can read.

The file is one line of text, of mode 0600 or narrower:

    pckv-private-key-1:<the 32 bytes of the X25519 private key in base64url without padding, 43 characters>\n

The holder of this file can open every report that was sealed for it, also one that a mixer or another party has kept;
without the file a report cannot be opened. Keep it outside the store and its backups, and delete it once it is not
needed.
"""

from __future__ import annotations

from pathlib import Path

from pckv.base.canonical import base64url, from_base64url
from pckv.base.durable import PRIVATE_MODE, read_private, write_new
from pckv.base.errors import DataError, ParameterError, ReportError
from pckv.sealing.envelope import x25519
from pckv.sealing.public_key import KEY_BYTES

_PREFIX = "pckv-private-key-1:"
# More is not read: a file of this length is none.
_MAX_FILE_BYTES = 256


class RecipientKey:
    """A private key of X25519, which opens what was sealed for its public key.

    Args:
        secret: The 32 bytes of the private key.

    Attributes:
        secret: The same bytes; no text of this object shows them.
        public_key: The 32 bytes of the public key, which a task has.
    """

    __slots__ = ("public_key", "secret")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != KEY_BYTES:
            raise ParameterError(f"a private key has {KEY_BYTES} bytes, not {len(secret)}")
        private = x25519().X25519PrivateKey.from_private_bytes(secret)
        self.secret = secret
        self.public_key: bytes = private.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"RecipientKey(public_key={base64url(self.public_key)!r})"

    @classmethod
    def generate(cls) -> RecipientKey:
        """Return a new key, from OpenSSL's randomness."""
        return cls(x25519().X25519PrivateKey.generate().private_bytes_raw())

    def write(self, path: Path) -> None:
        """Write the key to a new file that its owner alone can read; a file that exists is a `ParameterError`."""
        try:
            # Under its own name at once: a process that is killed leaves no copy of the key under another one.
            write_new(path, f"{_PREFIX}{base64url(self.secret)}\n".encode(), PRIVATE_MODE)
        except FileExistsError:
            raise ParameterError(f"{path} exists, and a private key never replaces a file: name another one") from None

    @classmethod
    def read(cls, path: Path) -> RecipientKey:
        """Return the key of a file, or raise a `DataError` if others can read it or it is not a private key."""
        content = read_private(path, "a private key", _MAX_FILE_BYTES)
        return cls(_secret_in(content, path))


def is_private_key(text: str) -> bool:
    """Return whether the text of a file begins as that of a private key."""
    return text.startswith(_PREFIX)


def _secret_in(content: bytes, path: Path) -> bytes:
    """Return the private key in the content of a file; no message shows any of it."""
    try:
        text = content.decode("ascii")
        secret = from_base64url(text.removeprefix(_PREFIX).removesuffix("\n"))
    except (UnicodeDecodeError, ReportError):
        text, secret = "", b""
    if len(secret) != KEY_BYTES or text != f"{_PREFIX}{base64url(secret)}\n":
        raise DataError("not a private key", place=path) from None
    return secret
