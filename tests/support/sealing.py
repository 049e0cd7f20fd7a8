"""Sealed reports by another implementation of HPKE, and the checks that whatever seals or opens them must pass."""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, OpenError
from pyhpke.keys.x25519_key import X25519Key

from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.wire import Report
from pckv.sealing import opening, public_key, recipient_key
from support.client_vectors import VECTORS

SUITE = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
# RFC 9180, A.1.1: base mode of the same algorithms, the first message.
RFC_9180 = {
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "ephemeral_public": "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
    "ephemeral_private": "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
    "recipient_public": "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
    "recipient_private": "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8",
    "key": "4531685d41d65f03dc48f6b8302c05b0",
    "nonce": "56d890e5accaaf011cff4b7d",
    "plaintext": "4265617574792069732074727574682c20747275746820626561757479",
    "aad": "436f756e742d30",
    "ciphertext": "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
}
DIGESTS = tuple(hashlib.sha256(name.encode()).digest() for name in ("one task", "another task"))
SECRETS = tuple(hashlib.sha256(name.encode()).digest() for name in ("one key", "another key"))
KEYS = tuple(X25519PrivateKey.from_private_bytes(each).public_key().public_bytes_raw() for each in SECRETS)
WORD = bytes(range(8))
# Bodies that ought to be as long as each other once they are sealed.
ALIKE = (bytes(8), b"\xff" * 8, b"a" + bytes(7), bytes(7) + b"a", WORD)
# The largest body that a report may have.
LONG_BODY = bytes(range(256)) * 256

# Seals bodies for a key and the digest of a task.
SealAll = Callable[[Sequence[bytes], bytes, bytes], list[bytes]]


def sealed_elsewhere(body: bytes, key: bytes, digest: bytes) -> bytes:
    """Return what the other implementation seals."""
    enc, context = SUITE.create_sender_context(X25519Key.from_public_bytes(key), b"pckv sealed report\x01" + digest)
    return enc + context.seal(body)


def opened_elsewhere(entry: bytes, secret: bytes, digest: bytes) -> bytes | None:
    """Return the body that the other implementation finds in an entry, if it opens it."""
    info = b"pckv sealed report\x01" + digest
    try:
        context = SUITE.create_recipient_context(entry[:32], X25519Key.from_private_bytes(secret), info)
        return context.open(entry[32:])
    except (OpenError, ValueError):
        return None


def require_equal(got: object, expected: object, what: str) -> None:
    if got != expected:
        raise AuditFailure(f"{what}: {got!r:.100}, not {expected!r:.100}")


def check_another_implementation_opens(seal_all: SealAll) -> None:
    """Check the whole format: algorithms, info, aad and the order of the parts."""
    for secret, key in zip(SECRETS, KEYS, strict=True):
        for digest in DIGESTS:
            bodies = [*ALIKE, b"x"]
            for body, entry in zip(bodies, seal_all(bodies, key, digest), strict=True):
                require_equal(opened_elsewhere(entry, secret, digest), body, "opened elsewhere")
    [entry] = seal_all([LONG_BODY], KEYS[0], DIGESTS[0])
    require_equal(opened_elsewhere(entry, SECRETS[0], DIGESTS[0]), LONG_BODY, "opened elsewhere")


def check_every_report_has_a_key_pair(seal_all: SealAll) -> None:
    """Check that no key pair, and so no nonce, is used for two reports, be they alike or not."""
    bodies = [*ALIKE, *ALIKE]
    entries = [entry for digest in DIGESTS for key in KEYS for entry in seal_all(bodies, key, digest)]
    require_equal(len({entry[:32] for entry in entries}), len(entries), "different keys")


def check_lengths_depend_on_the_task(seal_all: SealAll) -> None:
    """Check that bodies of one length are sealed in one length, 48 bytes more."""
    require_equal({len(entry) for entry in seal_all(ALIKE, KEYS[0], DIGESTS[0])}, {56}, "lengths")
    require_equal([len(entry) for entry in seal_all([b"", bytes(1000)], KEYS[0], DIGESTS[0])], [48, 1048], "lengths")


SEALING_CHECKS = (
    check_another_implementation_opens,
    check_every_report_has_a_key_pair,
    check_lengths_depend_on_the_task,
)


def sealed_cases(step: str | None) -> list[dict[str, Any]]:
    """Return the vectors that fail at a step, or none of whose steps fails."""
    everything = json.loads((VECTORS / "sealed.json").read_text(encoding="utf-8"))
    chosen = [case for case in everything if case.get("fails_at") == step]
    assert chosen
    return chosen


def check_keys() -> None:
    """Check that every key of the vectors is taken or refused with its reason."""
    for case in [*sealed_cases(None), *sealed_cases("key")]:
        try:
            public_key.read_public_key(case["public_key"])
            got = None
        except ParameterError as error:
            got = str(error)
        require_equal(got, case.get("reason"), f"the key {case['public_key']}")


def id_elsewhere(secret: bytes, entry: bytes) -> bytes:
    """Return the id of an opened entry, written out."""
    extracted = hmac.new(bytes(32), secret, hashlib.sha256).digest()
    derived = hmac.new(extracted, b"pckv report id\x01\x01", hashlib.sha256).digest()
    return hmac.new(derived, entry, hashlib.sha256).digest()[:16]


def check_opened_reports() -> None:
    """Check bodies and ids of what another implementation sealed: equal bodies have different ids, equal entries one."""
    for secret, key in zip(SECRETS, KEYS, strict=True):
        opener = opening.EntryOpener(recipient_key.RecipientKey(secret), DIGESTS[0], 8)
        for body in (*ALIKE, *ALIKE):
            entry = sealed_elsewhere(body, key, DIGESTS[0])
            expected = Report(id_elsewhere(secret, entry), body)
            require_equal((opener.open(entry), opener.open(entry)), (expected, expected), "opened")


def check_what_does_not_open() -> None:
    """Check that an entry with any bit changed, of another length, task or key does not open."""
    opener = opening.EntryOpener(recipient_key.RecipientKey(SECRETS[0]), DIGESTS[0], 8)
    entry = sealed_elsewhere(WORD, KEYS[0], DIGESTS[0])
    number = int.from_bytes(entry, "big")
    wrong = [(number ^ (1 << bit)).to_bytes(56, "big") for bit in range(8 * 56)]
    wrong += [b"", entry[:-1], entry + b"\0", entry[32:]]
    # Keys that X25519 makes no secret of, or that it reduces.
    refused = [case["public_key"] for case in sealed_cases("key") if "base64url" not in case["reason"]]
    wrong += [from_base64url(key) + entry[32:] for key in refused]
    wrong += [sealed_elsewhere(WORD, KEYS[1], DIGESTS[0]), sealed_elsewhere(WORD, KEYS[0], DIGESTS[1])]
    # Sound, but not as long as the reports of the task.
    wrong += [sealed_elsewhere(body, KEYS[0], DIGESTS[0]) for body in (b"", WORD[1:], WORD + WORD)]
    require_equal([opener.open(each) for each in wrong], [None] * len(wrong), "what does not open")


def check_many_are_opened_like_one() -> None:
    """Check that processes return what one entry after the other would be, in their order."""
    entries = [sealed_elsewhere(bytes([number] * 8), KEYS[0], DIGESTS[0]) for number in range(40)]
    entries[3:3] = [b"", entries[0][:-1], entries[1] + b"\0"]
    entries[20] = sealed_elsewhere(WORD, KEYS[1], DIGESTS[0])
    with opening.Opener(recipient_key.RecipientKey(SECRETS[0]), DIGESTS[0], 8, processes=2) as opener:
        expected = [opener.open(entry) for entry in entries]
        require_equal(opener.open_many(entries), expected, "opened by processes")
        # The processes go on.
        require_equal(opener.open_many(entries[::-1]), expected[::-1], "opened by processes")


def check_processes_show_no_key() -> None:
    """Check that neither the arguments nor the environment of a process, which others may list, hold the private key."""
    secret = SECRETS[0]
    forms = (secret, secret.hex().encode(), base64url(secret).encode(), b64encode(secret))
    entries = [sealed_elsewhere(WORD, KEYS[0], DIGESTS[0])] * 20
    with opening.Opener(recipient_key.RecipientKey(secret), DIGESTS[0], 8, processes=2) as opener:
        opener.open_many(entries)
        for process in opener._started:
            folder = Path(f"/proc/{process.pid}")
            shown = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            require_equal([form for form in forms if form in shown], [], "keys that a process shows")
