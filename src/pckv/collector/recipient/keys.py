"""The private keys of mixed tasks and the tokens for their mixers: files outside the store and its backups.

One folder, the setting `mixer_keys`, has two files per key, which the operator puts there, or has the collector write,
before the task or series:

    PUBLIC-KEY.key     the private key, as `pckv mix key` writes it
    PUBLIC-KEY.token   one line: the recipient's token, which the mixer's operator handed over

PUBLIC-KEY is the text that the task has as its mixer's `key`. Both files have mode 0600 or narrower. The collector
keeps the batch of a task beside them while it opens it, still sealed (TASK.batch), and deletes all three once they
are not needed.
"""

from __future__ import annotations

import stat
from pathlib import Path

from pckv.base.canonical import base64url
from pckv.base.durable import PRIVATE_MODE, read_private, sync, write_new
from pckv.base.errors import DataError, ParameterError
from pckv.contract.mixer import Mixer
from pckv.sealing.public_key import read_public_key
from pckv.sealing.recipient_key import RecipientKey
from pckv.store.open_store import SQLITE

# How the names of files end, after a public key or a task's id.
KEY, TOKEN, BATCH = ".key", ".token", ".batch"
MAX_TOKEN_BYTES = 1024
# What a token may consist of: ASCII without spaces and control characters.
FIRST_PRINTABLE, LAST_PRINTABLE = ord("!"), ord("~")


class MixerKeys:
    """The folder of private keys and tokens.

    Args:
        folder: The folder; None if the collector has none.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else Path(folder)

    @property
    def is_set(self) -> bool:
        """Whether the collector has a folder of private keys."""
        return self._folder is not None

    def create(self) -> str:
        """Make a key pair, put the private key into the folder, and return the public one."""
        key = RecipientKey.generate()
        name = base64url(key.public_key)
        path = self._path(name + KEY)
        try:
            key.write(path)
        except OSError as error:
            raise DataError(error.strerror or str(error), place=path) from error
        return name

    def set_token(self, key: str, token: str) -> None:
        """Put the recipient's token beside the private key of a public one, in place of an earlier one."""
        read_public_key(key)
        path = self._path(key + TOKEN)
        if not self._path(key + KEY).exists():
            raise DataError("this collector has no private key of this public key", place=key)
        content = token.strip().encode("utf-8", "surrogatepass")
        _check_token(content, "the recipient's token")
        try:
            # Under its own name at once: a process that is killed leaves no copy under another one.
            path.unlink(missing_ok=True)
            write_new(path, content + b"\n", PRIVATE_MODE)
        except OSError as error:
            raise DataError(error.strerror or str(error), place=path) from error

    def find(self, mixer: Mixer) -> RecipientKey:
        """Return the private key of a task, or raise a `DataError` that says what is wrong with its file."""
        path = self._path(mixer.key + KEY)
        if not path.exists():
            raise DataError("the private key of this task is missing: put its file there", place=path)
        key = RecipientKey.read(path)
        if base64url(key.public_key) != mixer.key:
            raise DataError("this is the private key of another public key", place=path)
        return key

    def token(self, mixer: Mixer) -> str:
        """Return the recipient's token for a mixer, or raise a `DataError` that says what is wrong with its file."""
        path = self._path(mixer.key + TOKEN)
        if not path.exists():
            raise DataError("the recipient's token for the mixer is missing: put its file there", place=path)
        return _read_token(path)

    def delete(self, key: str) -> None:
        """Delete the private key of a public one, and its token, for good; what is gone already stays gone."""
        for suffix in (KEY, TOKEN):
            self._delete(key + suffix)

    def held_keys(self) -> set[str]:
        """Return the public keys that there are files of."""
        return self._names(KEY) | self._names(TOKEN)

    def batch_file(self, task_id: str) -> Path:
        """Return where the sealed batch of a task is kept until it is opened."""
        return self._path(task_id + BATCH)

    def held_batches(self) -> set[str]:
        """Return the tasks whose sealed batches are here."""
        return self._names(BATCH)

    def delete_batch(self, task_id: str) -> None:
        """Delete the sealed batch of a task."""
        self._delete(task_id + BATCH)

    def _names(self, suffix: str) -> set[str]:
        paths = self._folder.glob(f"*{suffix}") if self._folder is not None else ()
        return {path.name.removesuffix(suffix) for path in paths}

    def _delete(self, name: str) -> None:
        if self._folder is not None and (self._folder / name).exists():
            (self._folder / name).unlink(missing_ok=True)
            sync(self._folder)

    def _path(self, name: str) -> Path:
        if self._folder is None:
            raise DataError("this collector has no folder of private keys: set mixer_keys (PCKV_MIXER_KEYS)")
        return self._folder / name


def check_key_folder(folder: str | None, store: str) -> None:
    """Refuse a folder of private keys that is none, that others can write to, or that the store is in."""
    if folder is None:
        return
    place = Path(folder)
    if not place.is_dir():
        raise ParameterError(f"mixer_keys: {folder} is not a folder")
    if place.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ParameterError(f"mixer_keys: others can write to {folder}: its permissions are at most 0755")
    if store.startswith(SQLITE) and place.resolve() in Path(store.removeprefix(SQLITE)).resolve().parents:
        raise ParameterError(f"mixer_keys: the store is in {folder}: keep private keys apart from it and its backups")


def _read_token(path: Path) -> str:
    """Return the token of a file that its owner alone can read; no message shows any of it."""
    content = read_private(path, "a token", MAX_TOKEN_BYTES + 1)
    _check_token(content.strip(), path, len(content))
    return content.strip().decode("ascii")


def _check_token(token: bytes, place: Path | str, size: int = 0) -> None:
    """Refuse what is no token; no message shows any of it."""
    printable = all(FIRST_PRINTABLE <= byte <= LAST_PRINTABLE for byte in token)
    if not token or max(len(token), size) > MAX_TOKEN_BYTES or not printable:
        raise DataError("not a token: one line of ASCII characters without spaces", place=place)
