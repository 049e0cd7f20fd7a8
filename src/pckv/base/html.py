"""Tables as HTML, for notebooks: everything is escaped, and what is left out is counted."""

from __future__ import annotations

import html
from collections.abc import Sequence

ROWS_SHOWN = 20
# On white, the contrast of this grey is 4.5 to 1.
GREY = "#767676"
# Notebooks align cells to the right, which is for numbers alone.
LEFT = "text-align: left; padding: 0.1em 0.6em"


def html_table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    grey: Sequence[bool] = (),
    hidden: int = 0,
    what: str = "rows",
) -> str:
    """Return a table as HTML; `header` may be empty, and `grey` says which rows are written in grey.

    The last line says how many rows are `hidden`, and `what` they are.

    >>> html_table("", (), [("x", "a < b")], hidden=1200, what="keys").rpartition("em\\">")[2]
    'a &lt; b</td></tr></tbody></table><p>… and 1,200 more keys, not shown</p>'
    """
    marks = grey or [False] * len(rows)
    head = f"<thead>{_row(header, 'th')}</thead>" if header else ""
    body = "".join(_row(row, "td", grey=mark) for row, mark in zip(rows, marks, strict=True))
    rest = f"<p>… and {hidden:,} more {what}, not shown</p>" if hidden else ""
    title = f'<caption style="{LEFT}; font-weight: bold">{html.escape(caption)}</caption>'
    return f"<table>{title}{head}<tbody>{body}</tbody></table>{rest}"


def html_paragraphs(sentences: Sequence[str]) -> str:
    """Return sentences as HTML, one paragraph each."""
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)


def _row(cells: Sequence[str], tag: str, *, grey: bool = False) -> str:
    style = f' style="color: {GREY}"' if grey else ""
    opening = f'<{tag} style="{LEFT}">'
    return f"<tr{style}>{''.join(f'{opening}{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"
