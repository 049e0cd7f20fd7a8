"""Sealed reports of the JavaScript client: the RFC's key schedule, and bytes that Python and another package open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pckv.base.canonical import base64url
from pckv.base.errors import AuditFailure
from pckv.sealing.opening import EntryOpener
from pckv.sealing.recipient_key import RecipientKey
from support.client_vectors import check_vectors
from support.faults import Fault
from support.node import CLIENT, node
from support.sealing import (
    ALIKE,
    DIGESTS,
    KEYS,
    RFC_9180,
    SEALING_CHECKS,
    SECRETS,
    SealAll,
    check_another_implementation_opens,
    check_every_report_has_a_key_pair,
    check_lengths_depend_on_the_task,
    require_equal,
    sealed_cases,
)

NEW_PAIR = ["X25519", False, ["deriveBits"]]


def sealer(client: Path) -> SealAll:
    """Return a client's sealing; it must ask the browser for a key pair per report, which no script can read."""

    def seal_all(bodies: Sequence[bytes], key: bytes, digest: bytes) -> list[bytes]:
        texts = [body.hex() for body in bodies]
        [answer] = node(client).ask({"do": "sealed", "bodies": texts, "key": base64url(key), "digest": digest.hex()})
        require_equal(answer["asked"], [NEW_PAIR] * len(bodies), "key pairs of the browser")
        return [bytes.fromhex(text) for text in answer["sealed"]]

    return seal_all


def in_client(check: Callable[[SealAll], None]) -> Callable[[Path], None]:
    """Return a check of a client."""
    return lambda client: check(sealer(client))


def check_key_schedule(client: Path) -> None:
    """Check the key and the nonce of RFC 9180, with which its first message is sealed."""
    pair = {"privateKey": RFC_9180["ephemeral_private"], "publicKey": RFC_9180["ephemeral_public"]}
    request = {"do": "exchanged", **pair, "recipient": RFC_9180["recipient_public"], "info": RFC_9180["info"]}
    [made] = node(client).ask(request)
    expected = {"enc": pair["publicKey"], "key": RFC_9180["key"], "nonce": RFC_9180["nonce"]}
    require_equal(made, expected, "the key schedule")
    nonce, plaintext, aad = (bytes.fromhex(RFC_9180[name]) for name in ("nonce", "plaintext", "aad"))
    ciphertext = AESGCM(bytes.fromhex(made["key"])).encrypt(nonce, plaintext, aad)
    require_equal(ciphertext.hex(), RFC_9180["ciphertext"], "the first message")


def check_keys_of_recipients(client: Path) -> None:
    """Check that keys are taken or refused as the vectors say."""
    unasked: dict[str, list[dict[str, Any]]] = {name: [] for name in ("thresholds", "tasks", "levels", "keys", "prefixes", "reports", "coins")}  # fmt: skip
    check_vectors(client, unasked | {"sealed": [*sealed_cases(None), *sealed_cases("key")]})


def check_trials(client: Path) -> None:
    """Check that a browser without the algorithms is told so, and one that has them is not."""
    told = {"code": "cannot_seal", "message": "this browser cannot seal reports; nothing was perturbed"}
    for without, key, expected in (
        ("nothing", KEYS[0], None),
        ("X25519", KEYS[0], told),
        ("subtle", KEYS[0], told),
        # No task has such a key; if one had, browsers would refuse it once more.
        ("nothing", bytes(32), told),
    ):
        request = {"do": "tried", "without": without, "key": base64url(key), "digest": DIGESTS[0].hex()}
        require_equal(node(client).ask(request), [expected], f"without {without}")


CHECKS = [check_key_schedule, check_keys_of_recipients, check_trials, *map(in_client, SEALING_CHECKS)]


def test_the_client_seals_as_the_standard_says() -> None:
    for check in CHECKS:
        check(CLIENT)


def test_python_opens_what_the_client_sealed() -> None:
    opener = EntryOpener(RecipientKey(SECRETS[0]), DIGESTS[0], 8)
    opened = map(opener.open, sealer(CLIENT)(ALIKE, KEYS[0], DIGESTS[0]))
    assert [report and report.body for report in opened] == list(ALIKE)


FILE = "mixed.js"
OPENS, FRESH, LENGTHS = map(
    in_client, (check_another_implementation_opens, check_every_report_has_a_key_pair, check_lengths_depend_on_the_task)
)
INFO = 'join("pckv sealed report\\x01", digestOfId(id))'
GENERATE = 'await crypto.subtle.generateKey("X25519", false, ["deriveBits"])'
SMALL = "!isOfSmallOrder(point)"
ENCRYPTED = 'encrypt({ name: "AES-GCM", iv: made.nonce }, aes, body)'
FAULTS = (
    Fault("info without the digest", FILE, {INFO: INFO.replace(", digestOfId(id)", "")}, OPENS),
    Fault("info without the version", FILE, {INFO: INFO.replace("\\x01", "")}, OPENS),
    Fault("aad is not empty", FILE, {"iv: made.nonce": "iv: made.nonce, additionalData: digestOfId(id)"}, OPENS),
    Fault("enc is left out", FILE, {"join(made.enc, await": "join(await"}, OPENS),
    Fault("a short tag", FILE, {"iv: made.nonce": "iv: made.nonce, tagLength: 96"}, OPENS),
    Fault("a key pair is used again", FILE, {GENERATE: f"(globalThis.kept ??= {GENERATE})"}, FRESH, "key pairs"),
    Fault("a key pair is used again, which another one hides", FILE, {GENERATE: f"[{GENERATE}].map((made) => (globalThis.hidden ??= made))[0]"}, FRESH, "different keys"),
    Fault("a key pair that scripts can read", FILE, {GENERATE: GENERATE.replace("false", "true")}, FRESH, "key pairs"),
    Fault("zeros at the end are left out", FILE, {ENCRYPTED: ENCRYPTED.replace("body", "body.slice(0, body.findLastIndex(Boolean) + 1)")}, LENGTHS),
    Fault("a nonce of zeros", FILE, {"iv: made.nonce": "iv: new Uint8Array(12)"}, OPENS),
    Fault("labels without a version", FILE, {"HPKE-v1HPKE": "HPKE"}, check_key_schedule),
    Fault("enc is not bound", FILE, {"shared_secret`, enc, publicKey": "shared_secret`, publicKey, publicKey"}, check_key_schedule),
    Fault("info is not bound", FILE, {"info_hash`, info": "info_hash`"}, check_key_schedule),
    Fault("keys of small order are taken", FILE, {SMALL: "true"}, check_keys_of_recipients),
    Fault("keys of order 8 are taken", FILE, {SMALL: "![0n, 1n, FIELD - 1n].includes(point)"}, check_keys_of_recipients),
    Fault("numbers from 2^255 - 19 on are taken", FILE, {"point < FIELD && ": ""}, check_keys_of_recipients),
    Fault("keys are reduced", FILE, {"BigInt(byte), 0n);": "BigInt(byte), 0n) % FIELD;"}, check_keys_of_recipients),
    Fault("the top bit is ignored", FILE, {"BigInt(byte), 0n);": "BigInt(byte), 0n) % 2n ** 255n;"}, check_keys_of_recipients),
    Fault("an alias of a text is taken", FILE, {"{42}[AEIMQUYcgkosw048]$": "{43}$"}, check_keys_of_recipients),
    Fault("padding is taken", FILE, {"048]$/": "048]=?$/"}, check_keys_of_recipients),
    Fault("nothing is tried", FILE, {"await seal(task, new Uint8Array(8)).catch(() => false)": "true"}, check_trials),
    Fault("what is missing is not told", FILE, {".catch(() => false)": ""}, check_trials),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_sealing_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AuditFailure)
