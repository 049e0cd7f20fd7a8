"""The device half of discovery: texts in, one report about prefixes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pckv.base.errors import PairsError
from pckv.base.randomness import Tape
from pckv.mechanisms.collision.device import choose, send
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import PrefixTree


def read_texts(tree: PrefixTree, texts: Iterable[str]) -> list[str]:
    """Return what of the texts can be found, each once, in the order given.

    A text that cannot be found is left out without an error: a refusal would tell what the participant holds.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise PairsError("a discovery takes a list of texts, not one text or number")
    found: dict[str, None] = {}
    for text in texts:
        if not isinstance(text, str):
            raise PairsError(f"key {text!r} is not a text")
        if shown := tree.cut(text):
            found[shown] = None
    return list(found)


def perturb(  # noqa: PLR0917
    law: DiscoveryLaw,
    tree: PrefixTree,
    digest: bytes,
    texts: Sequence[str],
    tape: Tape,
    function: int | None = None,
) -> int:
    """Send prefixes of texts to symbols by a function, given or random, which says how long they are.

    The draws, in order: which texts (only with more of them than the padding), the function (unless it is
    given), the symbol, and the other symbol if it is not one of theirs.
    """
    chosen = choose(texts, law.padding, tape)
    if function is None:
        function = tape.below(law.functions)
    group = law.group_of(function)
    items = [tree.item(digest, tree.prefix(text, group), group) for text in chosen]
    return send(law, function, items, tape)
