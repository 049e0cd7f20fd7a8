"""Which tests run when: `make test` runs all but those with the marker `verify`, `make verify` runs all.

A change that leaves a planted fault without its text fails `make test`, whatever the marker.

A test gets the marker where it is written, or by the lists below, which say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from support.faults import Fault

# Files that `make verify` alone runs.
VERIFIED = {
    "packages, images, guides and the site are built as users do": (
        "packages|npm_package|containers|workflows|site|newcomer|tutorial|figures|system/test_extras"
        "|series_guides|unlisted_guide|levels_guide"
    ),
    "many repeats, many reports, or long runs": (
        "bayes_accuracy|size_question_cost|large_batches|collision_bias|soak|cluster|counting/test_collision|event_loop"
    ),
    "pages and clients in a browser, beyond one of each kind": (
        "browser/test_charts|client_(admission|answers|ledger|reports|requests|series|tabs)"
        "|join_(admission|discovery|levels|mixed|pictures|states|unlisted)"
        "|level_results|browser/test_impossible|new_task_(copies|mixed|unlisted)|unlisted_results|browser/test_(dashboard|discovery|segments|series|tasks|tasks_mixed|together)"
    ),
}
# Single tests that take seconds, in files of which `make test` runs others that fail for most of the same faults.
LONG = {
    "statistics over many simulated collections": (
        "liars_who_(search|follow)|intervals_of_a_round|lab_counts_dummies|estimates_are_between|lone_key|few_equal_keys"
        "|order_of_keys|tuned_sets|reference_(numbers|figures)|simulated_counts|figure_is_drawn|errors_are_those_of_theory"
        "|keeps_the_influence|covariances_between|intervals_that_know_nothing|what_is_hidden|baseline_frequency_error"
        "|theory_includes|intervals_of_means_contain|no_interval_that_is_learned|false_discovery_rate|every_order_of_magnitude|q_is_the_one"
        "|audits_at_any_size|standard_audits_ask|shared_symbols|claim_can_be_judged|few_counts_are"
        "|epsilon_reaches_delta|means_far_from|intervals_hold_where|lower_limit_above|rows_do_not_depend_on_the_workers"
        "|light_is_monotone|intervals_of_shares_quantiles|labels_are_known_better|keys_that_padding_makes_rarer"
        "|a_padding_that_suffices|truncation_stays_within|improve_the_objective|within_10_percent"
        "|well_measured_keys_that_few|intervals_contain_events|short_padding_is_told_and_covered|false_coverage_rate_holds|where_the_bound_is_reached|two_levels_and_five"
    ),
    "processes that are started, killed or short of memory": (
        "two_workers_are_one|answer_while_others_are_restarted|nor_computations_delay_the_end|two_collectors_share|one_of_two_collectors|its_report_removed|records_nothing"
        "|memory_does_not_grow|huge_line|compiled_loop_is_loaded|pandas_is_whole|on_a_terminal|participants_that_fail"
        "|a_frame_of_a_user|a_task_that_always_fails|only_a_terminal_has|a_killed_writer_loses_nothing"
        "|kills_catch_planted_faults|may_be_killed_at_some_step|same_kills_catch_a_client|many_reports_with_failing_tasks"
        "|killed_at_any_moment_there_is_one_report|many_reports_on_every_engine|databases_behave_like_the_store"
    ),
    "pages that other tests open, too": (
        "form_plans_for_what_it_says|plan_that_is_overtaken_is_given_up|functions_the_collector_draws"
        "|a_task_is_duplicated|phone_with_a_dark_theme|settings_are_in_the_address|first_chart_needs_no_script"
        "|what_would_help_is_planned|all_parts_of_a_page_are_from_one_snapshot"
        "|signing_out_deletes_the_preview|levels_with_names_are_the_range"
    ),
    "large counts, and every place where a file may break off": (
        "test_large_sets|four_rows_are_uniform_where|too_many_words_only_chosen|test_many_paddings|all_laws_are_between"
        "|broken_run_goes_on|points_do_not_depend_on_the_workers|test_javascript_audit.py::test_every_draw|huge_counts|rows_of_any_width|test_compiled.py::test_planes|breaks_off_anywhere|test_support_layout.py::test_any_partition"
    ),
    "the same words and numbers in another way": (
        "vectors_are_what_the_code_writes|what_json_says|plan_from_sizes|after_the_table|two_faults_at_once|rounds_only_go_up"
    ),
    "examples of documents that take long": r"(shuffling|choose-panels|choose-padding|rounds)\.md",
}
# Tests of which `make test` runs the first case per function: one planted fault, mechanism, engine or seed.
REPRESENTED = {
    "planted faults": r"mutant|fault|is_caught",
    "enumeration and replay of the samplers": r"tests/audit/|test_javascript|tests/mechanisms/",
    "simulation and long searches": (
        r"tests/lab/|tests/planning/|test_(tuning|selection|simulation|model|series_schedules|processes|crash|demo)"
    ),
    "statistics of estimates": (
        r"test_(alarms|bayes|common_mean|detection|hostile|larger_sets|profiles|round_sampling|shares|sentences|holders"
        r"|derived_results|results_both_ways|without_values)"
    ),
    "the same reports in many ways": (
        r"tests/(counting|shuffling|tally)/|test_(arrow_uploads|decoding|openapi|supports|compact_decoding)"
    ),
    "the same command or form with other inputs": (
        r"cli/test_(estimate|extras|outputs|plan|table)|test_(mixed_form|new_task)|utf_8_in_any_locale|left_anywhere|library_texts"
    ),
    "pages": r"tests/web/browser/",
}


def wide(*values: Any) -> list[Any]:
    """Return values for `parametrize` that `make verify` alone runs: others take the same code path."""
    return [pytest.param(value, marks=pytest.mark.verify) for value in values]


def plants_nothing(item: pytest.Item) -> bool:
    """Return whether a test is of a planted fault whose texts the product does not have any more."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and any(isinstance(one, Fault) and one.is_outdated for one in callspec.params.values())


def mark_for_verify(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that the lists leave to `make verify`."""
    verified = re.compile(rf"/(test_)?({'|'.join(VERIFIED.values())})\.py")
    long = re.compile("|".join(LONG.values()))
    represented = re.compile("|".join(REPRESENTED.values()))
    functions: set[str] = set()
    for item in items:
        function, has_cases, _ = item.nodeid.partition("[")
        is_repeated = bool(has_cases) and function in functions and represented.search(function) is not None
        if verified.search(function) or long.search(function) or is_repeated:
            item.add_marker(pytest.mark.verify)
        functions.add(function)
