"""How what a participant holds becomes one report: the law, its ε, the size question, the coin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from pckv.base.budget import is_within
from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import (
    COINS,
    DEVICE_COIN,
    DISCOVERY,
    HASHED_MECHANISM,
    MAX_BODY_BYTES,
    MORE,
    REFUSE,
    REPORT_ID_BYTES,
    SAMPLE,
    SERVER_COIN,
    Numeric,
    check_choice,
    check_epsilon,
    check_padding,
)
from pckv.base.wire import MessageFormat, Words
from pckv.contract.domain import Domain, check_fixed
from pckv.contract.members import read_decimal
from pckv.mechanisms import registry
from pckv.mechanisms.base import Law
from pckv.mechanisms.derivation import build_law
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import PrefixTree
from pckv.mechanisms.size_question.law import SizeQuestion

# Of two keys, both must be kept.
MIN_PADDING_TOGETHER = 2


@dataclass(frozen=True)
class Reporting:
    """The law of a report, and the size question, where a share of the reports answers that.

    ε and the share are decimal texts, exactly as the task's JSON has them.
    """

    epsilon: str
    law: Law
    # How many pairs a report stands for at most; of derived items the law's own padding is larger.
    padding: int
    more: str
    size_share: str
    size_question: SizeQuestion | None
    coin: str

    MEMBERS: ClassVar = ("coin", "epsilon", "mechanism", "more", "padding", "size_share")

    @classmethod
    def of(
        cls,
        law: Law,
        domain: Domain,
        *,
        epsilon: str,
        padding: int | None = None,
        more: str = SAMPLE,
        size_share: Numeric = 0,
        coin: str = DEVICE_COIN,
    ) -> Reporting:
        """Return how a law reports a domain, or refuse what cannot be or would lose more than ε.

        The `padding` of pairs is the law's own unless items are derived.
        """
        padding = law.padding if padding is None else padding
        _check_law(law, domain, padding)
        share = decimal_text(size_share, "size_share")
        question = _checked_question(law, domain, padding, Fraction(share), check_choice(more, "more", MORE))
        if check_choice(coin, "coin", COINS) == SERVER_COIN and law.functions is None:
            raise ParameterError(
                f"coin must be 'device' for {law.name!r}, whose reports name no function that a coin could choose"
            )
        reporting = cls(epsilon, law, padding, more, share, question, coin)
        if not is_within(reporting.realised, Fraction(epsilon)):
            raise ParameterError(f"the reports of this task would lose more than ε = {epsilon}")
        return reporting

    @classmethod
    def from_members(cls, members: Mapping[str, Any], domain: Domain) -> Reporting:
        """Return what a task's members name for this domain."""
        mechanism = members["mechanism"]
        if not isinstance(mechanism, dict) or mechanism.get("name") not in list(registry.LAWS):
            raise ParameterError("mechanism must be an object that names a mechanism")
        epsilon, size_share = (
            check_epsilon(read_decimal(members, "epsilon")),
            read_decimal(members, "size_share"),
        )
        if domain.kind == DISCOVERY:
            check_fixed(members, {"more": SAMPLE, "size_share": "0"})
        padding = check_padding(members["padding"])
        law = _read_law(domain, padding, Fraction(epsilon), mechanism)
        more, coin = members["more"], members["coin"]
        return cls.of(law, domain, epsilon=epsilon, padding=padding, more=more, size_share=size_share, coin=coin)

    def to_members(self) -> dict[str, object]:
        """Return the members of the task."""
        return {
            "coin": self.coin,
            "epsilon": self.epsilon,
            "mechanism": {"name": self.law.name, **self.law.parameters},
            "more": self.more,
            "padding": self.padding,
            "size_share": self.size_share,
        }

    @property
    def realised(self) -> Fraction:
        """e^ε of the shipped integers: the larger, since it is public which question a report answers."""
        of_pairs = self.law.realised
        return of_pairs if self.size_question is None else max(of_pairs, self.size_question.realised)

    @property
    def claim(self) -> Fraction:
        """e^ε as it is proved, of either question."""
        question = self.size_question
        return self.law.claim if question is None else max(self.law.claim, question.claim)

    @property
    def word_limit(self) -> int | None:
        """Words, with those that answer the size question, are below this; None where a report is bit planes."""
        pairs, question = self.law.word_limit, self.size_question
        return pairs if pairs is None or question is None else pairs + len(question.ends)

    @property
    def message_format(self) -> MessageFormat:
        """How a report's message is encoded."""
        limit = self.word_limit
        return self.law.message_format if limit is None else Words(limit)

    @property
    def report_bytes(self) -> int:
        """The size of a report, its id included."""
        return REPORT_ID_BYTES + self.law.body_bytes


def _read_law(domain: Domain, padding: int, epsilon: Fraction, mechanism: Mapping[str, object]) -> Law:
    """Return the law that a task names, with all of its parameters."""
    parameters = dict(mechanism)
    name = str(parameters.pop("name"))
    if isinstance(domain.keys, PrefixTree):
        if name != HASHED_MECHANISM:
            raise ParameterError(f"mechanism of a discovery must be {HASHED_MECHANISM!r}")
        law: Law = DiscoveryLaw.of_groups(domain.keys.groups, padding, epsilon, parameters)
    else:
        law = build_law(
            name,
            domain.key_count,
            padding,
            epsilon,
            parameters,
            levels=domain.values.level_count,
            derivation=domain.derivation,
        )
    if missing := sorted(law.parameters.keys() - parameters.keys()):
        raise ParameterError(f"mechanism {name!r} needs {' and '.join(missing)}")
    return law


def _check_law(law: Law, domain: Domain, padding: int) -> None:
    """Refuse a law that cannot report what is in a domain, or only in huge reports."""
    if domain.is_hashed and law.name != HASHED_MECHANISM:
        raise ParameterError(f"hashed keys need mechanism {HASHED_MECHANISM!r}, not {law.name!r}")
    if padding > domain.key_count:
        raise ParameterError(f"padding must be at most the number of keys, {domain.key_count:,}, not {padding:,}")
    if domain.together and padding < MIN_PADDING_TOGETHER:
        raise ParameterError(f"padding must be at least {MIN_PADDING_TOGETHER} for together: one key has no partner")
    if law.body_bytes > MAX_BODY_BYTES:
        raise ParameterError(
            f"a report of {law.name!r} would have {law.body_bytes:,} bytes, of at most {MAX_BODY_BYTES:,}: "
            f"{domain.key_count:,} keys need a mechanism whose reports are words"
        )


def _checked_question(law: Law, domain: Domain, padding: int, share: Fraction, more: str) -> SizeQuestion | None:
    """Return the question that a share of the reports answers; None if that is 0."""
    if share == 0:
        return None
    if more == REFUSE:
        raise ParameterError("size_share must be 0 where more pairs than the padding are refused")
    if law.word_limit is None:
        raise ParameterError(f"size_share must be 0 for {law.name!r}, whose reports are not words")
    # No law has more than 2^63 - 2^32 words, so there is room for the few answers in any case.
    order = 1 if domain.derivation is None else domain.derivation.order
    # The question is about the pairs that are held, of which items are derived.
    return SizeQuestion(domain.key_count, padding, law.epsilon, share, order)
