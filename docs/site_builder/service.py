"""The reference of collector and mixer: routes, problem types, metrics and settings, made from their code.

What each means is in docs/reference/descriptions.toml, one sentence each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from pckv.collector.http.metrics import Metrics
from pckv.collector.http.problem_details import REFUSAL_REASONS, ProblemKind
from pckv.collector.http.settings import PREFIX, ServiceSettings, Settings
from pckv.collector.service import openapi
from pckv.mixing.app import create_mixer
from pckv.mixing.settings import PREFIX as MIXER_PREFIX
from pckv.mixing.settings import MixerSettings
from pckv.mixing.sqlite import SqliteMixerStore
from pckv.store.sqlite import SqliteStore
from pckv.web.site import create_site
from site_builder.commands import cell, prose
from site_builder.pages import Fault

Descriptions = Mapping[str, Mapping[str, str]]
# An operation of a document, with its parameters.
Route = tuple[dict[str, Any], list[dict[str, Any]]]
# Statuses that every request can have are explained once, above the list.
EVERY_REQUEST = {"408", "413", "415", "429"}


class Service:
    """Everything that a collector and a mixer show of themselves, with what each part means."""

    def __init__(self, descriptions: Descriptions) -> None:
        self.descriptions = descriptions
        self.collector: dict[str, Any] = openapi(create_site(SqliteStore("unused"), Settings()))
        self.mixer: dict[str, Any] = openapi(create_mixer(SqliteMixerStore("unused"), MixerSettings()))
        self.problems = {kind.value.name: kind.value for kind in ProblemKind}
        self.metrics = {metric.name: metric for metric in Metrics().collect()}

    def faults(self) -> Iterator[Fault]:
        """Yield what nothing describes, and descriptions of what does not exist."""
        parts: dict[str, Iterable[str]] = {
            "settings": _defaults(Settings) | _defaults(MixerSettings),
            "problems": self.problems,
            "metrics": self.metrics,
            "reasons": REFUSAL_REASONS,
            "parameters": {parameter["name"] for _, _, route in self._all_routes() for parameter in route[1]},
        }
        for part, names in parts.items():
            described = self.descriptions[part].keys()
            for name in sorted(set(names) - described):
                yield Fault("docs/reference/descriptions.toml", f"undocumented name in [{part}]: {name}")
            for name in sorted(described - set(names)):
                yield Fault("docs/reference/descriptions.toml", f"no such name in [{part}]: {name}")
        for method, path, (operation, _) in self._all_routes():
            if not operation.get("summary"):
                yield Fault(f"{method} {path}", "undocumented route")

    def routes(self) -> str:
        """Return a section per route of a collector."""
        return self._sections(self.collector)

    def mixer_routes(self) -> str:
        """Return a section per route of a mixer."""
        return self._sections(self.mixer)

    def problem_table(self) -> str:
        """Return the problem types with their statuses."""
        rows = [
            f"| `{kind.name}` | {kind.status} | {self._text('problems', name)} |"
            for name, kind in self.problems.items()
        ]
        return "\n".join(("| type | status | meaning |", "|---|---|---|", *rows))

    def reason_table(self) -> str:
        """Return the reasons for which single reports are refused."""
        rows = [f"| `{name}` | {self._text('reasons', name)} |" for name in REFUSAL_REASONS]
        return "\n".join(("| reason | meaning |", "|---|---|", *rows))

    def metric_table(self) -> str:
        """Return the metrics with their types, under the names that a scrape shows."""
        rows = []
        for name, metric in self.metrics.items():
            shown = f"{name}_total" if metric.type == "counter" else name
            rows.append(f"| `{shown}` | {metric.type} | {self._text('metrics', name)} |")
        return "\n".join(("| metric | type | meaning |", "|---|---|---|", *rows))

    def setting_table(self) -> str:
        """Return the settings of a collector with their defaults and environment variables."""
        return self._settings(Settings, PREFIX)

    def mixer_setting_table(self) -> str:
        """Return the settings of a mixer with their defaults and environment variables."""
        return self._settings(MixerSettings, MIXER_PREFIX)

    def _settings(self, settings: type[ServiceSettings], prefix: str) -> str:
        rows = []
        for name, default in _defaults(settings).items():
            shown = "–" if default in {None, ""} else f"`{default}`"
            rows.append(f"| `{name}` | `{prefix}{name.upper()}` | {shown} | {self._text('settings', name)} |")
        return "\n".join(("| setting | environment | default | meaning |", "|---|---|---|---|", *rows))

    def _all_routes(self) -> Iterator[tuple[str, str, Route]]:
        yield from _routes(self.collector)
        yield from _routes(self.mixer)

    def _sections(self, document: Mapping[str, Any]) -> str:
        return "\n".join(line for route in _routes(document) for line in self._route(*route))

    def _route(self, method: str, path: str, route: Route) -> Iterator[str]:
        operation, parameters = route
        yield from (f"### `{method} {path}`", "", f"**{operation['summary']}.**", "")
        if operation.get("description"):
            yield from (prose_lines(operation["description"]), "")
        asked = [parameter for parameter in parameters if parameter["in"] != "path"]
        if asked:
            rows = [f"| `{one['name']}` | {self._text('parameters', one['name'])} |" for one in asked]
            yield from ("| parameter | meaning |", "|---|---|", *rows, "")
        answers = {
            status: answer["description"]
            for status, answer in operation["responses"].items()
            if status not in EVERY_REQUEST
        }
        yield from (f"- {status}: {cell(prose(text))}" for status, text in sorted(answers.items()))
        yield ""

    def _text(self, part: str, name: str) -> str:
        return cell(self.descriptions[part][name])


def _routes(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Route]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, (operation, operation.get("parameters", []))


def _defaults(settings: type[ServiceSettings]) -> dict[str, object]:
    return {field.name: field.default for field in fields(settings)}


def prose_lines(text: str) -> str:
    """Return the paragraphs of a docstring as Markdown; what is in backquotes stays code."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))
