"""Which mechanism and which padding: those with the least predicted error for the people expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from pckv.base.errors import ParameterError
from pckv.base.limits import AUTO, HASHED_MECHANISM, MAX_BODY_BYTES, SERVER_COIN
from pckv.base.wire import BitPlanes
from pckv.mechanisms.base import Law
from pckv.mechanisms.derivation import mechanisms_of_items
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.ue.law import TUNED
from pckv.planning.assessment import Assessment
from pckv.planning.influence import TooMuchInfluence
from pckv.planning.people import Expectations, Question
from pckv.planning.prediction import MSE, Objective
from pckv.planning.sections import LIGHTS
from pckv.planning.tuning import LawSpec, best_beta, tuned_parameters

# What is cheaper is preferred where its squared error is at most this factor larger.
TOLERATED_ERROR_FACTOR = 1.05
# The paddings that are compared: all small ones, then steps of this factor, and these percentiles of the sizes.
MAX_DENSE_PADDING, PADDING_STEP = 10, 1.25
PERCENTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
# What a reference padding hides of the most frequent key, relative to the frequency of the rarest that matters:
# about the noise of a key that just stands out.
MAX_HIDDEN = 0.2


def choose_law(epsilon: Fraction, mechanism: Mapping[str, object], padding: int | None, expected: Expectations) -> Law:
    """Return the law for the people expected; what is left open is chosen by predicted error.

    `mechanism` has a name, or `auto`, and parameters; a padding of None is chosen, too. `ue` and `grr` by their
    names alone are the paper's, with its optimized allocation. A mechanism that does not exist, or cannot be
    what was asked for, is a `ParameterError`.
    """
    parameters = dict(mechanism)
    name = str(parameters.pop("name", None))
    paddings = candidate_paddings(expected) if padding is None else (padding,)
    specs = law_specs(expected, paddings, epsilon)
    if name != AUTO:
        return best_of_mechanism(name, specs, parameters, expected).law
    able = able_mechanisms(expected, parameters)
    if not able:
        raise ParameterError(f"no mechanism has the parameters {', '.join(sorted(parameters))}")
    reference = reference_laws(expected, epsilon) if padding is None and not parameters else []
    return choose_mechanism(best_of_each(able, specs, parameters, expected), reference).law


def law_specs(expected: Expectations, paddings: Iterable[int], epsilon: Fraction) -> list[LawSpec]:
    """Return what laws are built for with each of some paddings."""
    question = expected.question
    return [LawSpec(question.keys, padding, epsilon, question.levels, question.derivation) for padding in paddings]


def able_mechanisms(expected: Expectations, parameters: Iterable[str] = ()) -> list[str]:
    """Return the mechanisms that have these parameters and can do what is asked."""
    question = expected.question
    return [
        name
        for name, law in LAWS.items()
        if law.options >= set(parameters) and law.max_levels >= question.levels and name in _mechanisms_of(question)
    ]


def _mechanisms_of(question: Question) -> Collection[str]:
    """The mechanisms that take what is asked: one for hashed keys, and few for derived items."""
    if question.candidates is not None:
        return (HASHED_MECHANISM,)
    return LAWS if question.derivation is None else mechanisms_of_items(question.levels)


def candidate_paddings(expected: Expectations) -> tuple[int, ...]:
    """Return the paddings to compare; only one that fits all people where larger sets are refused."""
    sizes, least = expected.people.sizes, expected.question.least_padding
    largest = max(sizes.largest, least)
    if expected.question.refuses_more:
        return (largest,)
    found = {largest, *(sizes.percentile(share) for share in PERCENTILES)}
    step = 1
    while step < largest:
        found.add(step)
        step = step + 1 if step < MAX_DENSE_PADDING else round(step * PADDING_STEP)
    return tuple(sorted(padding for padding in found if padding >= least))


def best_of_each(
    names: Iterable[str], specs: Sequence[LawSpec], parameters: Mapping[str, object], expected: Expectations
) -> list[Assessment]:
    """Return each mechanism that can be built with its best padding; if none can, the reason is raised.

    Where a server draws the functions of reports, only mechanisms that have public functions are meant.
    """
    found: list[Assessment] = []
    refusals: list[ParameterError] = []
    for name in names:
        try:
            found.append(best_of_mechanism(name, specs, parameters, expected, tune=True))
        except ParameterError as error:
            refusals.append(error)
    if found:
        return found
    too_much = [error for error in refusals if isinstance(error, TooMuchInfluence)]
    raise min(too_much, key=lambda error: error.smallest) if too_much else refusals[-1]


def choose_mechanism(assessments: Sequence[Assessment], reference: Sequence[Assessment] = ()) -> Assessment:
    """Return the one that `auto` chooses: that with the least error, unless a `reference` has a better light."""
    eligible = _eligible(assessments)
    if not eligible:
        name, why = assessments[0].law.name, exclusion_reason(assessments[0])
        raise ParameterError(f"auto does not choose {name}, for {why}: ask for it by name")
    chosen = least_error(eligible)
    best = max((each.light for each in reference), key=LIGHTS.index, default=chosen.light)
    if LIGHTS.index(chosen.light) >= LIGHTS.index(best):
        return chosen
    return least_error([each for each in reference if each.light == best])


def _eligible(assessments: Sequence[Assessment]) -> list[Assessment]:
    """Those that `auto` may choose; where few mechanisms take what is asked, all of these, whatever they cannot do."""
    return [
        each for each in assessments if _mechanisms_of(each.expected.question) != LAWS or not exclusion_reason(each)
    ]


def reference_laws(expected: Expectations, epsilon: Fraction) -> list[Assessment]:
    """Return every mechanism that `auto` may choose at one padding, with plain parameters.

    That padding depends neither on the number of people nor on ε: it is the least that hides little of the
    most frequent key, relative to the rarest that is to stand out.
    """
    people = expected.people

    def hides_little(padding: int) -> bool:
        hidden = people.frequencies[0] - expected.shown(padding)[0]
        return hidden <= MAX_HIDDEN * people.rarest

    paddings = candidate_paddings(expected)
    specs = law_specs(expected, [next(filter(hides_little, paddings), paddings[-1])], epsilon)
    found: list[Assessment] = []
    for name in able_mechanisms(expected):
        # Not every mechanism exists at every padding and ε, or has as little influence as was asked for.
        with suppress(ParameterError):
            found += _within_influence(_buildable(name, specs, {}, expected), expected.wanted.most_influence)
    return _eligible(found)


def best_of_mechanism(
    name: str,
    specs: Sequence[LawSpec],
    parameters: Mapping[str, object],
    expected: Expectations,
    *,
    tune: bool = False,
) -> Assessment:
    """Return a mechanism with the padding that suits the people expected best.

    Truncation may not exceed the noise where another padding avoids that, unless the objective is `mse`.
    Paddings are compared with plain parameters: tuning takes long, and changes all of them much alike.
    """
    wanted = expected.wanted

    def rank(each: Assessment) -> tuple[bool, bool, float]:
        truncates = not each.truncates_within_noise and wanted.objective != MSE
        return exclusion_reason(each) != "", truncates, each.padding_score

    plain = _within_influence(_buildable(name, specs, parameters, expected), wanted.most_influence)
    by_padding = {spec.padding: spec for spec in specs}
    tuned: list[Assessment] = []
    for each in sorted(plain, key=rank):
        spec = by_padding[each.padding]
        law = _finished_law(name, spec, parameters, expected.aim, tune=tune)
        finished = each if law is None else Assessment(law, expected)
        tuned.append(finished if _is_within(finished, wanted.most_influence) else each)
        # Better parameters leave less noise for the truncation to hide in.
        if tuned[-1].truncates_within_noise or wanted.objective == MSE:
            return tuned[-1]
    return tuned[0]


def _buildable(
    name: str, specs: Sequence[LawSpec], parameters: Mapping[str, object], expected: Expectations
) -> list[Assessment]:
    """A mechanism with every padding that it can have; if it can have none, the reason is raised."""
    found: list[Assessment] = []
    refusal = ParameterError("no mechanism can do this")
    for spec in specs:
        try:
            law = spec.build(name, {} if _wants_beta(name, parameters) else parameters)
        except ParameterError as error:
            refusal = error
            continue
        if expected.question.coin == SERVER_COIN and law.functions is None:
            raise ParameterError(
                f"coin must be 'device' for {name!r}, whose reports name no function that a coin could choose"
            )
        found.append(Assessment(law, expected))
    if not found:
        raise refusal
    return found


def _within_influence(found: Sequence[Assessment], most: float | None) -> Sequence[Assessment]:
    """Those with which a hostile report counts as at most this many people; if none, the least is named."""
    fit = [each for each in found if _is_within(each, most)]
    if most is not None and not fit:
        raise TooMuchInfluence(most, min(each.influence for each in found))
    return fit


def _is_within(assessment: Assessment, most: float | None) -> bool:
    return most is None or assessment.influence <= most


def _wants_beta(name: str, parameters: Mapping[str, object]) -> bool:
    return name == "ue" and parameters.get("allocation") == TUNED and "beta" not in parameters


def _finished_law(
    name: str, spec: LawSpec, parameters: Mapping[str, object], aim: Objective, *, tune: bool
) -> Law | None:
    """The law with tuned parameters where those are left open, or None if there is nothing to tune."""
    if _wants_beta(name, parameters):
        return spec.build(name, {**parameters, "beta": best_beta(spec, aim)})
    if not parameters and (tune or name == "ue-compact"):
        return tuned_law(name, spec, aim)
    return None


def tuned_law(name: str, spec: LawSpec, objective: Objective) -> Law:
    """Return a mechanism with the parameters that suit the objective best."""
    return spec.build(name, tuned_parameters(name, spec, objective))


def exclusion_reason(assessment: Assessment) -> str:
    """Return why `auto` does not choose a law; empty if it may."""
    law = assessment.law
    if law.body_bytes > MAX_BODY_BYTES:
        return f"its reports have {law.body_bytes:,} bytes"
    if not law.decodes_all:
        return f"its {law.word_limit:,} words are too many to decode all keys together"
    if assessment.unmeasured:
        noun = assessment.expected.question.noun
        return f"its reports cannot say how many {noun}s people hold, and no largest number of {noun}s is known"
    return ""


def least_error(assessments: Sequence[Assessment]) -> Assessment:
    """Return the law with the least error, or a cheaper one whose error is not much larger.

    A word is cheaper than bit planes, and one counter per report than several.
    """
    least = min(each.score for each in assessments)
    near = [each for each in assessments if each.score <= TOLERATED_ERROR_FACTOR * least]

    def cost(candidate: Assessment) -> tuple[bool, bool, float]:
        law = candidate.law
        return (isinstance(law.message_format, BitPlanes), law.steps_per_report > 1, candidate.score)

    return min(near, key=cost)
