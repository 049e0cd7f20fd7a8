"""The device's half: the format, keys of recipients, and what a device is told that cannot seal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from pyhpke import KEMKeyPair
from pyhpke.keys.x25519_key import X25519Key

from pckv.base.canonical import from_base64url
from pckv.base.errors import MissingExtra, ParameterError, PckvError
from pckv.sealing import envelope, seal
from pckv.sealing.public_key import check_public_key, read_public_key, write_public_key
from support.faults import Fault, in_place
from support.scripts import run_script
from support.sealing import (
    DIGESTS,
    KEYS,
    RFC_9180,
    SEALING_CHECKS,
    SUITE,
    WORD,
    SealAll,
    check_another_implementation_opens,
    check_every_report_has_a_key_pair,
    check_keys,
    check_lengths_depend_on_the_task,
    sealed_cases,
)

FIELD, CURVE = 2**255 - 19, 486662


def sealer(module: ModuleType = seal) -> SealAll:
    """Return the product's sealing, or that of a faulty module."""

    def seal_all(bodies: Sequence[bytes], key: bytes, digest: bytes) -> list[bytes]:
        return [module.seal(body, key, digest) for body in bodies]

    return seal_all


@pytest.mark.parametrize("check", SEALING_CHECKS)
def test_sealed_reports_pass(check: Callable[[SealAll], None]) -> None:
    check(sealer())


def test_the_algorithms_are_those_of_rfc_9180() -> None:
    """Opened by the product's library, and sealed with the RFC's key pair by the other implementation."""
    given = {name: bytes.fromhex(digits) for name, digits in RFC_9180.items()}
    private = X25519PrivateKey.from_private_bytes(given["recipient_private"])
    entry = given["ephemeral_public"] + given["ciphertext"]
    opened = openssl.hpke._decrypt_with_aad(envelope.suite(), entry, private, info=given["info"], aad=given["aad"])
    assert opened == given["plaintext"]
    pair = (X25519Key.from_private_bytes(given["ephemeral_private"]), X25519Key.from_public_bytes(entry[:32]))
    recipient = X25519Key.from_public_bytes(given["recipient_public"])
    enc, context = SUITE.create_sender_context(recipient, given["info"], eks=KEMKeyPair(*pair))
    assert enc + context.seal(given["plaintext"], given["aad"]) == entry


def in_module(fault: str, replaced: dict[str, str], check: Callable[[SealAll], None]) -> Fault:
    return Fault(fault, "sealing/seal.py", replaced, lambda module: check(sealer(module)))


def in_envelope(fault: str, replaced: dict[str, str], check: Callable[[SealAll], None]) -> Fault:
    return in_place(fault, "sealing/envelope.py", replaced, lambda: check(sealer()))


ENCRYPT = "suite().encrypt(body, key, info=info_of(digest))"
WITH_AAD = 'require("cryptography.hazmat.bindings._rust", extra="").openssl.hpke._encrypt_with_aad(suite(), body, key, info=info_of(digest), aad=b"x")'
INFO = "_INFO_PREFIX + _VERSION + digest"

SEALING_FAULTS = (
    in_envelope("info without the digest", {INFO: "_INFO_PREFIX + _VERSION"}, check_another_implementation_opens),
    in_envelope("info without the version", {INFO: "_INFO_PREFIX + digest"}, check_another_implementation_opens),
    in_module("aad is not empty", {ENCRYPT: WITH_AAD}, check_another_implementation_opens),
    in_module("enc is left out", {ENCRYPT: f"{ENCRYPT}[32:]"}, check_another_implementation_opens),
    in_module("enc comes last", {ENCRYPT: f"(lambda done: done[32:] + done[:32])({ENCRYPT})"}, check_another_implementation_opens),
    in_module("other algorithms", {ENCRYPT: f'(lambda hpke: hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305))(require("cryptography.hazmat.primitives.hpke", extra="")).{ENCRYPT.removeprefix("suite().")}'}, check_another_implementation_opens),
    in_module("a body is sealed once", {"\n\ndef seal(": "\n\n@require('functools', extra='').cache\ndef seal("}, check_every_report_has_a_key_pair),
    in_module("zeros at the end are left out", {ENCRYPT: ENCRYPT.replace("body", r'body.rstrip(b"\0")')}, check_lengths_depend_on_the_task),
)  # fmt: skip


@pytest.mark.parametrize("fault", SEALING_FAULTS, ids=str)
def test_a_fault_of_sealing_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def test_keys_are_taken_or_refused_as_the_vectors_say() -> None:
    check_keys()
    for case in sealed_cases(None):
        assert write_public_key(read_public_key(case["public_key"])) == case["public_key"]


KEYS_FILE = "sealing/public_key.py"
SMALL = "if point in _SMALL_ORDER:"
KEY_FAULTS = (
    in_place("keys of small order are taken", KEYS_FILE, {SMALL: "if False:"}, check_keys),
    in_place("keys of order 8 are taken", KEYS_FILE, {SMALL: "if point in (0, 1, _FIELD - 1):"}, check_keys),
    in_place("the twist is forgotten", KEYS_FILE, {SMALL: "if point in _SMALL_ORDER - {_FIELD - 1}:"}, check_keys),
    in_place("keys are reduced", KEYS_FILE, {'int.from_bytes(key, "little")': 'int.from_bytes(key, "little") % _FIELD'}, check_keys),
    in_place("the top bit is ignored", KEYS_FILE, {'int.from_bytes(key, "little")': 'int.from_bytes(key, "little") % _TOP_BIT'}, check_keys),
    in_place("2^255 - 19 is taken", KEYS_FILE, {"point >= _FIELD": "point > _FIELD"}, check_keys),
    in_place("padding is taken", KEYS_FILE, {"from_base64url(text)": 'from_base64url(text.rstrip("="))'}, check_keys),
    in_place("other lengths are taken", KEYS_FILE, {"len(key) != KEY_BYTES": "not key"}, check_keys),
)  # fmt: skip


@pytest.mark.parametrize("fault", KEY_FAULTS, ids=str)
def test_a_fault_of_keys_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def test_all_points_of_small_order_are_refused_and_no_others() -> None:
    """The u-coordinates whose order divides 8, on the curve and its twist: the roots in the field of one polynomial."""
    divides_2 = times([0, 1], [1, CURVE, 1])
    divides_4 = times(divides_2, [-1, 0, 1])
    # Doubling gives (u² - 1)² / (4u(u² + Au + 1)): 1 or -1 for a point of order 8.
    square, tangent = times([-1, 0, 1], [-1, 0, 1]), [4 * each for each in divides_2]
    to_one, to_minus_one = ([a - sign * b for a, b in zip(square, [*tangent, 0], strict=True)] for sign in (1, -1))
    polynomial = times(divides_4, times(to_one, to_minus_one))
    stated = [
        int.from_bytes(from_base64url(case["public_key"]), "little")
        for case in sealed_cases("key")
        if "small order" in case["reason"]
    ]
    assert len(set(stated)) == len(stated) == count_of_roots(polynomial)
    for point in stated:
        assert value_at(polynomial, point) == 0
        key = X25519PublicKey.from_public_bytes(point.to_bytes(32, "little"))
        with pytest.raises(ValueError):
            X25519PrivateKey.generate().exchange(key)


def times(one: list[int], other: list[int]) -> list[int]:
    """Multiply polynomials over the field; coefficients begin with the constant one."""
    product = [0] * (len(one) + len(other) - 1)
    for place, factor in enumerate(one):
        for second, each in enumerate(other):
            product[place + second] = (product[place + second] + factor * each) % FIELD
    return product


def remainder(dividend: list[int], divisor: list[int]) -> list[int]:
    """Divide polynomials; the divisor's last coefficient is not 0."""
    rest, inverse = [each % FIELD for each in dividend], pow(divisor[-1], -1, FIELD)
    while len(rest) >= len(divisor):
        factor = rest[-1] * inverse
        for place, each in enumerate(divisor, len(rest) - len(divisor)):
            rest[place] = (rest[place] - factor * each) % FIELD
        rest.pop()
    while rest and not rest[-1]:
        rest.pop()
    return rest


def count_of_roots(polynomial: list[int]) -> int:
    """Return how many elements of the field are roots: the degree of its greatest common divisor with x^p - x."""
    power = [1]
    for bit in f"{FIELD:b}":
        power = remainder(times(power, power), polynomial)
        power = remainder([0, *power], polynomial) if bit == "1" else power
    power += [0] * (2 - len(power))
    power[1] -= 1
    one, other = polynomial, remainder(power, polynomial)
    while other:
        one, other = other, remainder(one, other)
    return len(one) - 1


def value_at(polynomial: list[int], point: int) -> int:
    return sum(each * pow(point, place, FIELD) for place, each in enumerate(polynomial)) % FIELD


def test_a_digest_or_key_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="the digest of a task has 32 bytes, not 31"):
        seal.seal(WORD, KEYS[0], DIGESTS[0][1:])
    with pytest.raises(ParameterError, match="the recipient's key is not 32 bytes"):
        seal.seal(WORD, KEYS[0][1:], DIGESTS[0])
    with pytest.raises(ParameterError, match="of small order"):
        check_public_key(bytes(32))


def test_a_trial_tells_a_device_that_it_cannot_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    seal.try_seal(8, KEYS[0], DIGESTS[0])
    with pytest.raises(ParameterError, match="of small order"):
        seal.try_seal(8, bytes(32), DIGESTS[0])

    def refuse(*_: object, **__: object) -> None:
        raise UnsupportedAlgorithm("X25519 is not supported by this version of OpenSSL.")

    monkeypatch.setattr(seal, "seal", refuse)
    with pytest.raises(PckvError, match="this machine cannot seal reports: X25519") as told:
        seal.try_seal(8, KEYS[0], DIGESTS[0])
    assert told.value.code == "cannot_seal"


def test_a_trial_tells_a_device_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    envelope.suite.cache_clear()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.hpke", None)
    with pytest.raises(MissingExtra, match=r"this needs 'cryptography\.[\w.]+': pip install 'pckv\[sealed\]'$"):
        seal.try_seal(8, KEYS[0], DIGESTS[0])


def test_only_sealing_loads_the_package_and_no_device_the_other_half() -> None:
    run_script(
        "import sys, pckv, pckv.client, pckv.device.perturb\n"
        "from pckv.sealing import public_key, seal\n"
        f"public_key.read_public_key({write_public_key(KEYS[0])!r})\n"
        "assert 'cryptography' not in sys.modules\n"
        f"seal.try_seal(8, {KEYS[0]!r}, bytes(32))\n"
        "assert 'cryptography' in sys.modules\n"
        "assert not [name for name in sys.modules if 'opening' in name or 'recipient' in name]"
    )
