"""Tasks of which items are derived, by group or together, with their reports, and texts that are almost such tasks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from catalogue import MOVIES
from pckv.base.seeded import seeded_source
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.mechanisms.derivation import Segment
from tapes import many_pairs, rejected_size_draws, report_vector, seeded_reports, size_draws

AGES = Segment("age", ["under 30", "30 to 60", "over 60"])
SIXTEEN = Segment("größe", [f"größe {number}" for number in range(16)])


def _task(symbols: int, **members: Any) -> Task:
    """Return a task of three keys by age, unless members say otherwise."""
    usual: dict[str, Any] = {"name": "by group", "keys": MOVIES, "epsilon": 1, "padding": 2, "size_share": 0}
    return Task(**(usual | {"mechanism": {"name": "collision", "symbols": symbols}} | members))


GROUP_TASKS = (
    _task(9, segment=AGES, size_share="0.25"),
    _task(9, segment=AGES, values=(1, 5), levels=5),
    _task(7, segment=SIXTEEN, keys=20, values=(0, 1), padding=3, epsilon="0.3", size_share="0.2"),
    _task(9, segment=AGES, values=(1, 5), other="other", size_share="0.05"),
    _task(8, segment=AGES, padding=1, more="refuse"),
    # As many items as there may be.
    _task(8, segment=SIXTEEN, keys=2**26 - 2, padding=1, epsilon=2),
)
TOGETHER_TASKS = (
    _task(14, together=True, size_share="0.25"),
    _task(40, together=True, keys=20, padding=3, epsilon="0.3", size_share="0.2"),
    _task(75, together=True, keys=500, padding=5, size_share="0.05"),
    _task(29, together=True, padding=3, epsilon=4),
    _task(9, together=True, keys=["a", "b"], more="refuse"),
)
GRR = {"name": "grr"}
SAMPLED_TASKS = (
    _task(0, mechanism=GRR, segment=AGES, size_share="0.25"),
    _task(0, mechanism=GRR, segment=SIXTEEN, keys=20, padding=3, epsilon="0.3", size_share="0.2", other="other"),
    _task(0, mechanism=GRR, together=True, size_share="0.25"),
    _task(0, mechanism=GRR, together=True, keys=500, padding=5, epsilon=4, size_share="0.05"),
    _task(0, mechanism=GRR, together=True, padding=3, epsilon=4),
)
COIN_TASKS = (
    _task(9, segment=AGES, coin="server", size_share="0.25"),
    _task(14, together=True, coin="server", size_share="0.25"),
)
SERIES = Series(task=_task(9, segment=AGES), first="2026-12-28", period=7, panels=4, rounds=52)
ALL_TASKS = (*GROUP_TASKS, *TOGETHER_TASKS, *COIN_TASKS, SERIES.task_of(3), *SAMPLED_TASKS)


def derived_reports() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes with all labels, and what cannot be perturbed."""
    for number, task in enumerate((*GROUP_TASKS, *TOGETHER_TASKS, *SAMPLED_TASKS), 900):
        tape = seeded_source(number)(16 + 8 * (task.draws + 4))
        if task.more == "sample":
            yield from seeded_reports(number, task)
        for label in task.segment.labels if task.segment else ():
            yield report_vector(task, {}, tape, label)
            yield report_vector(task, {task.key_name(0): task.ends[0]}, tape, label)
        yield from _refused_labels(task)
        if task.size_question is not None:
            yield from size_draws(task)
            yield from rejected_size_draws(task)
    # Keys in any order have the same items; where one is sampled, in that order.
    for task in (TOGETHER_TASKS[3], SAMPLED_TASKS[4]):
        for keys in permutations(MOVIES):
            yield report_vector(task, keys, seeded_source(0)(16 + 8 * (task.draws + 4)))
    yield from many_pairs(TOGETHER_TASKS[2])
    yield from many_pairs(SAMPLED_TASKS[3])


def _refused_labels(task: Task) -> Iterator[dict[str, Any]]:
    """Yield a label that is missing, and ones that the task does not have."""
    held: dict[str, Any] = {"pairs": {}} if task.has_values else {"keys": []}
    wrong: tuple[tuple[str, str | None], ...] = (
        ("is not one of the segment", "30 to 60 "),
        ("is not one of the segment", ""),
        ("needs a label", None),
    )
    if task.segment is None:
        wrong = (("has no segment", "under 30"), ("has no segment", ""))
    for reason, label in wrong:
        stated = {} if label is None else {"segment": label}
        yield {"task": task.to_json(), **held, **stated, "fails_at": "pairs", "reason": reason}


def refused_derived_tasks() -> Iterator[tuple[str, str]]:
    """Yield what refusals say, and texts that are not tasks."""
    good = GROUP_TASKS[0].to_json()
    segment = '"segment":{"labels":["under 30","30 to 60","over 60"],"name":"age"}'
    assert segment in good  # noqa: S101
    many = ",".join(f'"{number}"' for number in range(17))
    for reason, member in (
        ("must be null or an object", '"age"'),
        ("must be null or an object", '["age"]'),
        ("must be null or an object", '{"labels":["a","b"]}'),
        ("must be null or an object", '{"labels":["a","b"],"name":"age","zeal":1}'),
        ("labels must be a list", '{"labels":"ab","name":"age"}'),
        ("labels must be a list", '{"labels":3,"name":"age"}'),
        ("labels must be a list", '{"labels":null,"name":"age"}'),
        ("2 to 16 labels, not 1", '{"labels":["a"],"name":"age"}'),
        ("2 to 16 labels, not 0", '{"labels":[],"name":"age"}'),
        ("2 to 16 labels, not 17", f'{{"labels":[{many}],"name":"age"}}'),
        ("appears twice", '{"labels":["a","a"],"name":"age"}'),
        ("label 2 is empty", '{"labels":["a",""],"name":"age"}'),
        ("label 2 must be text", '{"labels":["a",2],"name":"age"}'),
        ("normal form C", '{"labels":["a","e\u0301"],"name":"age"}'),
        ("the segment's name is empty", '{"labels":["a","b"],"name":""}'),
        ("the segment's name must be text", '{"labels":["a","b"],"name":null}'),
    ):
        yield reason, good.replace(segment, f'"segment":{member}')
    yield "canonical", good.replace(segment, '"segment":{"name":"age","labels":["under 30","30 to 60","over 60"]}')
    yield "missing", good.replace(f"{segment},", "")
    yield "missing", good.replace('"together":false,', "")
    yield "together must be false where there is a segment", good.replace('"together":false', '"together":true')
    yield "more than the padding", good.replace('"symbols":9', '"symbols":3')
    yield "items, not 16 labels", GROUP_TASKS[5].to_json().replace(str(2**26 - 2), str(2**26 - 1))
    pair = TOGETHER_TASKS[0].to_json()
    for value in ('"true"', "1", "null", "[]"):
        yield "together must be true or false", pair.replace('"together":true', f'"together":{value}')
    yield "padding must be at least 2 for together", pair.replace('"padding":2', '"padding":1')
    yield "more than the padding", pair.replace('"symbols":14', '"symbols":3')
    yield "leave out other", pair.replace('"other":null', '"other":"other"')
    yield "2 to 500 keys, not 501", TOGETHER_TASKS[2].to_json().replace('"keys":500', '"keys":501')
    yield "2 to 500 keys, not 1", TOGETHER_TASKS[2].to_json().replace('"keys":500', '"keys":1')
    values = {'"between":null': '"between":"round"', '"high":null': '"high":"5"', '"low":null': '"low":"1"'}
    rated = pair.replace('"levels":1', '"levels":2')
    for absent, given in values.items():
        rated = rated.replace(absent, given)
    yield "together is for keys without values", rated
    hashed = '"keys":"hashed"'
    names = '"keys":["alien","heat","up"]'
    yield "together needs a list of keys", pair.replace(names, hashed)
    yield "a segment needs a list of keys", good.replace(names, hashed)
    plain = _task(0, mechanism={"name": "ue-compact"}).to_json()
    yield "together needs mechanism 'collision' or 'grr'", plain.replace('"together":false', '"together":true')
    yield "a segment needs mechanism 'collision' or 'grr'", plain.replace('"segment":null', segment)
    rated = _task(0, mechanism=GRR, values=(1, 5)).to_json()
    yield "a segment with values needs mechanism 'collision'", rated.replace('"segment":null', segment)
    sampled = SAMPLED_TASKS[1].to_json()
    assert '"keys":20' in sampled  # noqa: S101
    yield "items, not 16 labels", sampled.replace('"keys":20', f'"keys":{2**26 - 2}')
    found = Task.discovery(name="terms", epsilon=1).to_json()
    yield "segment of a discovery must be null", found.replace('"segment":null', segment)
    yield "together of a discovery must be False", found.replace('"together":false', '"together":true')
