"""Vectors of tasks: their ids, and texts that every implementation must refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import derived_tasks
import edge_cases
import without_values
from catalogue import (
    ABOUT_TASKS,
    COIN_TASKS,
    COLLISION_TASKS,
    COMPACT_TASKS,
    NAMING_TASKS,
    REFUSE_TASKS,
    SERIES,
    SIZE_TASKS,
    TASKS,
    TUNED_TASKS,
)
from discovery_tasks import DISCOVERY_COIN_TASKS, DISCOVERY_TASKS, refused_discoveries
from level_tasks import LEVEL_COIN_TASKS, LEVEL_TASKS, refused_level_tasks
from mixed_tasks import LANGUAGE_TASKS, MIXED_SERIES, MIXED_TASKS, refused_language_tasks, refused_mixed_tasks
from pckv.contract.task import Task
from unlisted_tasks import HASHED_TASKS, OTHER_TASKS, UNLISTED_COIN_TASKS, refused_unlisted_tasks


def task_vectors() -> Iterator[dict[str, Any]]:
    """Yield tasks with their ids, and texts that are not tasks."""
    yield from map(_described, TASKS)
    good = TASKS[0].to_json()
    yield from _refused(
        ("canonical", good + " "),
        ("canonical", good.replace(",", ", ")),
        ("canonical", good.replace("alien", "\\u0061lien")),
        ("unknown", good.replace('"version":1', '"version":1,"zeal":1')),
        ("missing", good.replace('"padding":2,', "")),
        ("twice", good.replace('"padding":2', '"padding":2,"padding":2')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":"1.0"')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":1')),
        ("at most 20", good.replace('"epsilon":"1"', '"epsilon":"20.5"')),
        ("above 0", good.replace('"epsilon":"1"', '"epsilon":"0"')),
        ("below high", good.replace('"high":"5"', '"high":"1"')),
        ("appears twice", good.replace("heat", "alien")),
        ("is empty", good.replace("heat", "")),
        ("at least 1", good.replace('"padding":2', '"padding":0')),
        ("not an integer", good.replace('"padding":2', '"padding":2.0')),
        ("version", good.replace('"version":1', '"version":2')),
        ("names a mechanism", good.replace('"name":"ue"', '"name":"oue"')),
        ("choose from", good.replace('"allocation":"optimized"', '"allocation":"best"')),
        ("not a task", good[:-1]),
    )
    yield from map(_described, COMPACT_TASKS)
    good = COMPACT_TASKS[0].to_json()
    yield from _refused(
        ("needs q", good.replace(',"q":3', "")),
        ("q must be a prime", good.replace('"q":3', '"q":9')),
        ("q must be a prime", good.replace('"q":3', '"q":2')),
        ("q must be a prime", good.replace('"q":3', '"q":-3')),
        ("q must be a prime", good.replace('"q":3', '"q":3037000507')),
        ("q must be a whole number", good.replace('"q":3', '"q":"3"')),
        ("q must be a whole number", good.replace('"q":3', '"q":true')),
        ("q must be a whole number", good.replace('"q":3', '"q":null')),
        ("not an integer", good.replace('"q":3', '"q":3.0')),
        ("no parameter 'allocation'", good.replace('{"name"', '{"allocation":"optimized","name"')),
        ("no parameter 'q'", good.replace('"ue-compact"', '"ue"')),
        (
            "more than 63 bits",
            good.replace('["alien","heat","up"]', "2147483648").replace('"q":3', '"q":2097169'),
        ),
    )
    yield from _tuned_tasks()
    yield from _collision_tasks()
    yield from _size_tasks()
    yield from _coin_tasks()
    yield from _about_tasks()
    yield from _rounds()
    yield from map(_described, edge_cases.allowed_tasks())
    yield from edge_cases.refused_tasks()
    yield from map(_described, (*LEVEL_TASKS, *LEVEL_COIN_TASKS))
    yield from _refused(*refused_level_tasks())
    yield from map(_described, (*OTHER_TASKS, *HASHED_TASKS, *UNLISTED_COIN_TASKS))
    yield from _refused(*refused_unlisted_tasks())
    yield from map(_described, (*DISCOVERY_TASKS, *DISCOVERY_COIN_TASKS))
    yield from _refused(*refused_discoveries())
    yield from map(_described, (*MIXED_TASKS, MIXED_SERIES[0].task_of(2), *LANGUAGE_TASKS))
    yield from _refused(*refused_mixed_tasks(), *refused_language_tasks())
    yield from map(_described, without_values.ALL_TASKS)
    yield from _refused(*without_values.refused_without_values())
    yield from map(_described, derived_tasks.ALL_TASKS)
    yield from _refused(*derived_tasks.refused_derived_tasks())


def _tuned_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, TUNED_TASKS)
    good = TUNED_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"o":0,"q":3,"r":1')),
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"q":3,"r":1')),
        ("r must be at least 1", good.replace('"r":2', '"r":3')),
        ("o must be at least 1", good.replace('"o":1', '"o":0')),
        ("below r = 2", good.replace('"o":1', '"o":2')),
        ("r must be a whole number", good.replace('"r":2', '"r":"2"')),
        ("together with q", good.replace('"q":3,', "")),
    )
    good = TUNED_TASKS[3].to_json()
    yield from _refused(
        ("canonical", good.replace('"0.2"', '"0.20"')),
        ("canonical", good.replace('"beta":"0.2",', "")),
        ("beta go together", good.replace('"tuned"', '"optimized"')),
        ("beta must be at least 0.000001", good.replace('"0.2"', '"0"')),
        ("at most 0.499999", good.replace('"0.2"', '"0.5"')),
        ("beta must be a number", good.replace('"0.2"', "null")),
        ("not an integer", good.replace('"0.2"', "0.2")),
    )


def _collision_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, (*COLLISION_TASKS, *NAMING_TASKS))
    good, many = COLLISION_TASKS[0].to_json(), COLLISION_TASKS[3].to_json()
    generator, positions, symbols = '"generator":2539', '"positions":4099', '"symbols":8'
    assert all(member in good for member in (generator, positions, symbols))  # noqa: S101
    yield from _refused(
        *(
            (reason, good.replace(symbols, f'"symbols":{value}'))
            for reason, values in (
                ("more than the padding", ("2", "-8", "0")),
                ("symbols must be at most 134,217,727", ("134217728", "2147483648")),
                ("symbols must be a whole number", ('"8"', "true", "null")),
                ("not an integer", ("8.0",)),
            )
            for value in values
        ),
        *(
            (reason, good.replace(positions, f'"positions":{value}'))
            for reason, values in (
                ("positions must be from 4,096 to 2,147,483,647", ("0", "-4099")),
                # The last three look like primes to tests that are not exact.
                ("positions must be a prime", ("4096", "4097", "2147483645", "6601", "1373653", "25326001")),
                ("positions must be a whole number", ('"4099"', "true", "null")),
                ("not an integer", ("4099.0",)),
            )
            for value in values
        ),
        *(
            (reason, good.replace(generator, f'"generator":{value}'))
            for reason, values in (
                # Too few powers by a factor of 2, 3 and 683; then 4101, which is the primitive root 2 once more.
                (
                    "generator must be a primitive root",
                    ("4", "3", "2018", "1", "0", "-2", "4098", "4099", "4101"),
                ),
                ("generator must be a whole number", ('"2539"', "true", "null")),
                ("not an integer", ("2539.0",)),
            )
            for value in values
        ),
        ("needs generator", good.replace(f"{generator},", "")),
        # What is chosen instead has other primitive roots.
        ("primitive root modulo 65,537", good.replace(f"{positions},", "")),
        ("needs symbols", good.replace(f",{symbols}", "")),
        ("no parameter 'q'", good.replace(symbols, '"q":3')),
        # Primes on both sides of the range, with a primitive root.
        *(
            (
                "positions must be from 4,096 to 2,147,483,647",
                good.replace(positions, f'"positions":{prime}').replace(generator, f'"generator":{root}'),
            )
            for prime, root in ((4093, 2), (2_147_483_659, 2))
        ),
        # Fewer than three positions per key, and than sixteen per symbol.
        ("positions must be from", many.replace('"keys":10000', '"keys":29700')),
        ("positions must be from", many.replace('"symbols":5560', '"symbols":5561')),
        ("at most 536,870,911 keys", COLLISION_TASKS[-1].to_json().replace("536870911", "536870912")),
    )


def _size_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, (*SIZE_TASKS, *REFUSE_TASKS))
    good, refusing = SIZE_TASKS[0].to_json(), REFUSE_TASKS[0].to_json()
    planes, full = TASKS[0].to_json(), REFUSE_TASKS[4].to_json()
    share, none, asked = '"size_share":"0.5"', '"size_share":"0"', '"size_share":"0.05"'
    yield from _refused(
        ("at most 0.5", good.replace(share, '"size_share":"0.6"')),
        ("at most 0.5", good.replace(share, f'"size_share":"0.5{"0" * 30}1"')),
        ("at most 0.5", good.replace(share, '"size_share":"1"')),
        ("at least 0", good.replace(share, '"size_share":"-0.05"')),
        *(
            ("size_share must be a plain decimal", good.replace(share, f'"size_share":{value}'))
            for value in ("0", "null", "true", '""', '".5"', '"0.50"', '"5e-1"', '"-0"', '["0.5"]')
        ),
        ("not an integer", good.replace(share, '"size_share":0.5')),
        ("missing", good.replace(f",{share}", "")),
        ("where more pairs than the padding are refused", refusing.replace(none, asked)),
        ("whose reports are not words", planes.replace(none, asked)),
        (
            "need a mechanism whose reports are words",
            re.sub(r'"keys":\[[^]]*\]', f'"keys":{2**18 + 1}', planes),
        ),
        ("nobody can hold more pairs", full.replace(none, asked)),
        ("more must be", good.replace('"more":"sample"', '"more":"Sample"')),
        *(
            ("more must be", good.replace('"more":"sample"', f'"more":{value}'))
            for value in ('""', '"refused"', "null", "true", "[]", '["sample"]', '{"sample":1}')
        ),
        ("missing", good.replace('"more":"sample",', "")),
        ("at most the number of keys", good.replace('"padding":2', '"padding":4')),
        ("at most the number of keys", refusing.replace('"padding":2', '"padding":2147483648')),
        ("kind", good.replace('"kind":"pairs"', '"kind":"sizes"')),
        ("names a mechanism", good.replace('"name":"grr"', '"name":"buckets"')),
    )


def _coin_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, COIN_TASKS)
    good, device, server = COIN_TASKS[0].to_json(), '"coin":"device"', '"coin":"server"'
    yield from _refused(
        *(
            ("coin must be 'device' or 'server'", good.replace(server, f'"coin":{value}'))
            for value in ('""', '"Server"', '"none"', "null", "true", "0", "[]", '["server"]', '{"server":1}')
        ),
        ("missing", good.replace(f"{server},", "")),
        ("coin must be 'device' for 'ue'", TASKS[0].to_json().replace(device, server)),
        ("coin must be 'device' for 'grr'", TASKS[1].to_json().replace(device, server)),
    )


def _about_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, ABOUT_TASKS)
    good, question = ABOUT_TASKS[0].to_json(), '"question":"Which?"'
    middle = '"middle_label":""'
    about = "about must be an object of"
    long = "é" * 2048
    yield from _refused(
        (about, good.replace(f"{question},", "")),
        (about, good.replace(question, f'"answer":"",{question}')),
        (about, good.replace(f"{middle},", "")),
        ("middle_label must be text", good.replace(middle, '"middle_label":null')),
        ("middle_label holds a control character", good.replace(middle, '"middle_label":"so\\nso"')),
        ("middle_label is longer than 256 bytes", good.replace(middle, f'"middle_label":"{"é" * 129}"')),
        *(
            (about, re.sub(r'"about":\{.*?"unit":""\}', f'"about":{value}', good))
            for value in ("null", "[]", '""', "{}")
        ),
        ("canonical", good.replace(question, '"question":"Which\\u003f"')),
        *(("question must be text", good.replace(question, f'"question":{value}')) for value in ("null", "1", "[]")),
        ("question holds a control character", good.replace(question, '"question":"Which\\n?"')),
        ("question holds a control character", good.replace(question, '"question":"Which\\t?"')),
        ("question is not in Unicode normal form C", good.replace(question, '"question":"e\u0301"')),
        ("question is longer than 256 bytes", good.replace(question, f'"question":"{"é" * 129}"')),
        ("description is longer than 4,096 bytes", good.replace("Two\\nlines", f"{long}.")),
        ("description holds a control character", good.replace("Two\\nlines", "Two\\rlines")),
    )


def _rounds() -> Iterator[dict[str, Any]]:
    yield from map(_described, (SERIES[0].task_of(1), SERIES[3].task_of(1000)))
    good = SERIES[0].task_of(12).to_json()
    series, member = SERIES[0].id, r'"series":\{[^}]*\}'
    wrong = ("[]", '""', "1", "{}", f'{{"id":"{series}","panels":4}}')
    counts = ("0", "-1", "true", "null", '"4"')
    yield from _refused(
        ("canonical", re.sub(member, f'"series":{{"panels":4,"id":"{series}","round":12}}', good)),
        *(("null, or an object of", re.sub(member, f'"series":{value}', good)) for value in wrong),
        ("null, or an object of", good.replace('"round":12}', '"round":12,"w":1}')),
        ("missing", re.sub(member + ",", "", good)),
        *(("panels must be", good.replace('"panels":4', f'"panels":{n}')) for n in (*counts, "1001")),
        *(("round must be", good.replace('"round":12}', f'"round":{n}}}')) for n in (*counts, "1000001")),
        *(("id of a series", good.replace(series, text)) for text in (series[:-1], f"Q{series[1:]}", f"{series}A")),
        ("round of a series has days", good.replace("round 12", "round 13")),
        ("round of a series has days", good.replace(", round 12", " 12")),
        *(
            ("round of a series has days", re.sub(f'"{day}":"[^"]*"', f'"{day}":null', good))
            for day in ("opens", "closes")
        ),
    )


def _refused(*cases: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield texts that are not tasks, and what the refusal says."""
    for reason, text in cases:
        yield {"json": text, "fails_at": "task", "reason": reason}


def _described(task: Task) -> dict[str, Any]:
    return {
        "json": task.to_json(),
        "id": task.id,
        "realised_epsilon": task.realised_epsilon,
        "word_limit": task.word_limit,
    }
