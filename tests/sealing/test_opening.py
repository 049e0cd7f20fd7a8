"""The recipient's half: private keys in files, opening on all cores, and the ids of opened reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pckv.base.canonical import base64url
from pckv.base.errors import DataError, ParameterError, PckvError
from pckv.sealing import opening
from pckv.sealing.opening import Opener
from pckv.sealing.recipient_key import RecipientKey
from pckv.sealing.seal import seal
from support.faults import Fault, in_place
from support.sealing import (
    DIGESTS,
    KEYS,
    SECRETS,
    WORD,
    check_many_are_opened_like_one,
    check_opened_reports,
    check_processes_show_no_key,
    check_what_does_not_open,
    require_equal,
)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few entries are enough for processes."""
    monkeypatch.setattr(opening, "MIN_ENTRIES_FOR_PROCESSES", 2)
    monkeypatch.setattr(opening, "CHUNK_ENTRIES", 7)


CHECKS = (check_opened_reports, check_what_does_not_open, check_many_are_opened_like_one, check_processes_show_no_key)


@pytest.mark.parametrize("check", CHECKS)
def test_opening_passes(check: Callable[[], None]) -> None:
    check()


def test_what_a_device_sealed_is_opened() -> None:
    key = RecipientKey.generate()
    assert key.public_key != RecipientKey.generate().public_key
    with Opener(key, DIGESTS[0], 8) as opener:
        report = opener.open(seal(WORD, key.public_key, DIGESTS[0]))
    assert report is not None
    assert report.body == WORD


FILE = "sealing/opening.py"
ID = "hmac.digest(self._id_secret, entry,"
OPENED = "opened = iter("
OPENING_FAULTS = (
    in_place("ids do not depend on the key", FILE, {ID: 'hmac.digest(b"pckv report id", entry,'}, check_opened_reports),
    in_place("ids are made with the private key itself", FILE, {'    extracted = hmac.digest(bytes(32), secret, "sha256")\n': "    return secret\n    extracted = secret\n"}, check_opened_reports),
    in_place("ids depend on the body", FILE, {ID: "hmac.digest(self._id_secret, body,"}, check_opened_reports),
    in_place("ids leave enc out", FILE, {ID: "hmac.digest(self._id_secret, entry[32:],"}, check_opened_reports),
    in_place("other lengths are opened", FILE, {"if len(entry) != self.entry_bytes:": "if len(entry) < 48:"}, check_what_does_not_open),
    in_place("entries are cut to their length", FILE, {"self._suite.decrypt(entry,": "self._suite.decrypt(entry[: self.entry_bytes],", "if len(entry) != self.entry_bytes:": "if len(entry) < self.entry_bytes:"}, check_what_does_not_open),
    in_place("chunks begin one too late", FILE, {"entries[first : first + CHUNK_ENTRIES]": "entries[first + (first > 0) : first + CHUNK_ENTRIES]"}, check_many_are_opened_like_one),
    in_place("the answers of a process are reversed", FILE, {OPENED: "opened = reversed("}, check_many_are_opened_like_one),
    in_place("the key is an argument of a process", FILE, {"_CHILD, *sys.path],": "_CHILD, *sys.path, self._head.hex()],"}, check_processes_show_no_key),
    in_place("the key is in the environment of a process", FILE, {"start_new_session=True,": "start_new_session=True, env={**os.environ, 'KEY': self._head.hex()},"}, check_processes_show_no_key),
    in_place("entries that are not sent are left out", FILE, {" else None for entry in entries]": ' else Report(b"", b"") for entry in entries if len(entry) == self._single.entry_bytes]'}, check_many_are_opened_like_one),
)  # fmt: skip


@pytest.mark.parametrize("fault", OPENING_FAULTS, ids=str)
def test_a_fault_of_opening_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def test_a_process_that_ends_is_one_line_and_the_next_batch_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [seal(WORD, KEYS[0], DIGESTS[0]) for _ in range(20)]
    with Opener(RecipientKey(SECRETS[0]), DIGESTS[0], 8, processes=2) as opener:
        expected = opener.open_many(entries)
        started = list(opener._started)
        started[0].kill()
        started[0].wait()
        # It ended after it was chosen.
        with monkeypatch.context() as patch:
            patch.setattr(opener, "_processes", lambda: started)
            with pytest.raises(
                PckvError, match="a process that opens reports ended with code -9; open the batch again"
            ):
                opener.open_many(entries)
        assert opener.open_many(entries) == expected
    assert all(process.poll() is not None for process in started)


def check_files(folder: Path) -> None:
    """Check that a key's file is for its owner alone, whatever the mask, stays, and is not read if others can read it."""
    path, key = folder / f"key {os.urandom(4).hex()}", RecipientKey(SECRETS[0])
    before = os.umask(0)
    try:
        key.write(path)
    finally:
        os.umask(before)
    require_equal(oct(path.stat().st_mode & 0o777), oct(0o600), "the mode")
    content = path.read_bytes()
    require_equal(content, b"pckv-private-key-1:" + base64url(SECRETS[0]).encode() + b"\n", "the file")
    require_equal(RecipientKey.read(path).secret, SECRETS[0], "the key")
    with suppress(ParameterError):
        RecipientKey(SECRETS[1]).write(path)
    require_equal(path.read_bytes(), content, "the file")
    for mode in (0o400, 0o600, *(0o600 | 1 << bit for bit in (0, 1, 2, 3, 4, 5, 6, 9, 10, 11))):
        path.chmod(mode)
        reason = None
        try:
            RecipientKey.read(path)
        except DataError as error:
            reason = error.reason
        expected = None if mode <= 0o600 else f"the permissions of a private key are at most 0600, not {mode:04o}"
        require_equal(reason, expected, f"mode {mode:o}")


def test_a_private_key_is_a_file_for_its_owner_alone(tmp_path: Path) -> None:
    check_files(tmp_path)
    (tmp_path / "taken").touch()
    with pytest.raises(
        ParameterError, match=r"/taken exists, and a private key never replaces a file: name another one$"
    ):
        RecipientKey(SECRETS[0]).write(tmp_path / "taken")


KEY_FILE, READING = "sealing/recipient_key.py", "base/durable.py"
FILE_FAULTS = (
    in_place("a file is replaced", KEY_FILE, {"write_new(path,": "path.unlink(missing_ok=True) or write_new(path,"}, check_files),
    in_place("others may read a new file", KEY_FILE, {".encode(), PRIVATE_MODE)": ".encode(), 0o644)"}, check_files),
    in_place("a group may read a file", READING, {"& ~PRIVATE_MODE:": "& 0o007:"}, check_files),
    in_place("permissions are not looked at", READING, {"& ~PRIVATE_MODE:": "& 0:"}, check_files),
)  # fmt: skip


@pytest.mark.parametrize("fault", FILE_FAULTS, ids=str)
def test_a_fault_of_files_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, tmp_path)


TEXT = b"pckv-private-key-1:" + base64url(SECRETS[0]).encode()


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", TEXT, TEXT + b"\r\n", TEXT + b"\n\n", TEXT[:-1] + b"\n", TEXT + b"=\n", TEXT[19:] + b"\n", b" " + TEXT + b"\n",
     TEXT.replace(b"-1:", b"-2:") + b"\n", TEXT[:-1] + b"\xff\n", TEXT + b"\n" + TEXT + b"\n", bytes(10**6)],
)  # fmt: skip
def test_a_file_that_is_no_private_key_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_bytes(content)
    with pytest.raises(DataError) as told:
        RecipientKey.read(path)
    assert str(told.value) == f"{path}: not a private key"


def test_what_is_no_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"key: No such file or directory$"):
        RecipientKey.read(tmp_path / "key")
    with pytest.raises(DataError, match=r"is not a file$"):
        RecipientKey.read(tmp_path)
    # Nothing waits for what comes through a pipe.
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(DataError, match=r"is not a file$"):
        RecipientKey.read(tmp_path / "pipe")


def test_no_text_shows_a_private_key() -> None:
    key = RecipientKey(SECRETS[0])
    assert str(key) == repr(key) == f"RecipientKey(public_key={base64url(KEYS[0])!r})"
    with pytest.raises(ParameterError, match="a private key has 32 bytes, not 31") as told:
        RecipientKey(SECRETS[0][1:])
    assert SECRETS[0].hex()[2:] not in str(told.value)
