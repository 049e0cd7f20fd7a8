"""The JavaScript client rewritten for tracing: every operator, test, call and index becomes a call of `$`.

What the rewriting does not know is refused, so that nothing a sampler does with its draws goes unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

TRACING = Path(__file__).parent / "javascript" / "tracing.mjs"
_PARSER = Parser(Language(tree_sitter_javascript.language()))

# Parts of the language in which nothing happens to a value besides what their own parts do.
_COPIED = frozenset(
    [
        "arguments",
        "array",
        "array_pattern",
        "arrow_function",
        "assignment_expression",
        "assignment_pattern",
        "await_expression",
        "catch_clause",
        "class",
        "class_body",
        "class_declaration",
        "class_heritage",
        "comment",
        "else_clause",
        "empty_statement",
        "export_statement",
        "expression_statement",
        "false",
        "field_definition",
        "for_in_statement",
        "formal_parameters",
        "function_declaration",
        "identifier",
        "import",
        "import_clause",
        "import_specifier",
        "import_statement",
        "lexical_declaration",
        "member_expression",
        "method_definition",
        "named_imports",
        "null",
        "number",
        "object",
        "object_assignment_pattern",
        "object_pattern",
        "optional_chain",
        "pair",
        "pair_pattern",
        "parenthesized_expression",
        "private_property_identifier",
        "program",
        "property_identifier",
        "regex",
        "rest_pattern",
        "return_statement",
        "sequence_expression",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "spread_element",
        "statement_block",
        "string",
        "super",
        "template_string",
        "this",
        "throw_statement",
        "true",
        "try_statement",
        "undefined",
        "variable_declarator",
    ]
)
_VERBATIM = frozenset({"comment", "escape_sequence", "import_statement", "regex", "string", "string_fragment"})
# Modules that send and explain reports, and see no draw.
SENDING = frozenset({"collector.js", "index.js", "ledger.js", "series.js", "storage.js", "words.js"})
# What may be evaluated twice.
_SIMPLE = frozenset({"identifier", "this", "member_expression", "property_identifier", "private_property_identifier"})
_PURE = _SIMPLE | {"number", "binary_expression", "subscript_expression"}


def rewrite_client(folder: Path) -> None:
    """Rewrite the modules in which reports are made, in a copy of the client: all but those that send and explain them."""
    for path in folder.rglob("*.js"):
        if path.name not in SENDING:
            path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")


@cache
def rewritten(source: str) -> str:
    """Return a module that does the same by calls of `$`."""
    root = _PARSER.parse(source.encode()).root_node
    if root.has_error:
        raise ValueError("this is not JavaScript")
    return f'import {{ $ }} from "{TRACING.as_uri()}";\n{_emit(root)}'


def _emit(node: Node) -> str:
    if not node.is_named or node.type in _VERBATIM:
        return _text(node)
    special = _RULES.get(node.type)
    if special is not None:
        return special(node)
    if node.type not in _COPIED:
        raise ValueError(f"line {node.start_point[0] + 1}: a {node.type} cannot be traced")
    return _copy(node)


def _copy(node: Node, emit: Callable[[Node], str] | None = None) -> str:
    """Return the text of a node with its parts rewritten."""
    assert node.text is not None
    parts, start, end = [], node.start_byte, node.start_byte
    for child in node.children:
        parts += [node.text[end - start : child.start_byte - start].decode(), (emit or _emit)(child)]
        end = child.end_byte
    return "".join(parts) + node.text[end - start :].decode()


def _text(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def _part(node: Node, name: str) -> Node:
    part = node.child_by_field_name(name)
    if part is None:
        raise ValueError(f"line {node.start_point[0] + 1}: a {node.type} without {name}")
    return part


def _uses_only(node: Node, types: frozenset[str]) -> bool:
    return node.type in types and all(_uses_only(child, types) for child in node.named_children)


def _binary(node: Node) -> str:
    operator = _text(_part(node, "operator"))
    left, right = _emit(_part(node, "left")), _emit(_part(node, "right"))
    if operator in {"&&", "||"}:
        # Inside a function of its own there would be nothing to await.
        _check("await" not in right, node)
        return f"$.{'and' if operator == '&&' else 'or'}({left}, () => {right})"
    if operator in {"??", "instanceof", "in"}:
        return f"{left} {operator} {right}"
    _check(operator not in {"==", "!="}, node)
    return f'$["{operator}"]({left}, {right})'


def _unary(node: Node) -> str:
    operator = _text(_part(node, "operator"))
    names = {"!": "not", "-": "minus", "typeof": "type"}
    _check(operator in names, node)
    return f"$.{names[operator]}({_emit(_part(node, 'argument'))})"


def _target(node: Node) -> str:
    """Return what is assigned to, and read too."""
    _check(_uses_only(node, _PURE), node)
    return _emit(node)


def _update(node: Node) -> str:
    target, step = _target(_part(node, "argument")), "1n" if _text(_part(node, "operator")) == "++" else "-1n"
    stepped = f"{target} = $.step({target}, {step})"
    return f"({stepped})" if node.children[0].type in {"++", "--"} else f"[{target}, {stepped}][0]"


def _augmented(node: Node) -> str:
    operator = _text(_part(node, "operator"))[:-1]
    target, value = _target(_part(node, "left")), _emit(_part(node, "right"))
    _check(operator not in {"&&", "||"}, node)
    return f"{target} ??= {value}" if operator == "??" else f'({target} = $["{operator}"]({target}, {value}))'


def _subscript(node: Node) -> str:
    _check(node.child_by_field_name("optional_chain") is None, node)
    holder, index = _part(node, "object"), _emit(_part(node, "index"))
    if _uses_only(holder, _SIMPLE):
        return f"{_emit(holder)}[$.index({_emit(holder)}, {index})]"
    return f"$.get({_emit(holder)}, {index})"


def _call(node: Node) -> str:
    called, arguments = _part(node, "function"), _part(node, "arguments")
    _check(arguments.type == "arguments", node)
    given = [_emit(argument) for argument in arguments.named_children if argument.type != "comment"]
    if called.type in {"super", "import"}:
        return f"{_text(called)}({', '.join(given)})"
    if _has_optional_chain(node):
        return f"{_emit(called)}{'?.' * (node.child_by_field_name('optional_chain') is not None)}({', '.join(f'$.plain({each})' for each in given)})"
    listed = f"[{', '.join(given)}]"
    if called.type == "member_expression":
        name = _part(called, "property")
        _check(name.type == "property_identifier" and _part(called, "object").type != "super", node)
        return f'$.invoke({_emit(_part(called, "object"))}, "{_text(name)}", {listed})'
    if called.type == "subscript_expression":
        return f"$.invoke({_emit(_part(called, 'object'))}, {_emit(_part(called, 'index'))}, {listed})"
    return f"$.apply({_emit(called)}, {listed})"


def _has_optional_chain(node: Node) -> bool:
    """Return whether a call or what it is called on may be skipped."""
    links = {"call_expression": "function", "member_expression": "object", "subscript_expression": "object"}
    while node.type in links:
        if node.child_by_field_name("optional_chain") is not None:
            return True
        node = _part(node, links[node.type])
    return False


def _new(node: Node) -> str:
    given = [_emit(argument) for argument in _part(node, "arguments").named_children]
    return f"$.create({_emit(_part(node, 'constructor'))}, [{', '.join(given)}])"


def _ternary(node: Node) -> str:
    condition, chosen, other = (_emit(_part(node, name)) for name in ("condition", "consequence", "alternative"))
    return f"($.truth({condition}) ? {chosen} : {other})"


def _tested(node: Node) -> str:
    """Return an `if` or a loop whose condition is looked at."""
    condition = _part(node, "condition")
    return _copy(node, lambda part: f"($.truth{_emit(part)})" if part == condition else _emit(part))


def _for(node: Node) -> str:
    condition = node.child_by_field_name("condition")
    test = "" if condition is None or condition.type == "empty_statement" else f"$.truth({_emit(condition)})"
    increment = node.child_by_field_name("increment")
    start = _emit(_part(node, "initializer")).rstrip(";")
    return f"for ({start}; {test}; {_emit(increment) if increment else ''}) {_emit(_part(node, 'body'))}"


def _substitution(node: Node) -> str:
    return f"${{$.plain({_emit(node.named_children[0])})}}"


def _check(holds: bool, node: Node) -> None:
    if not holds:
        raise ValueError(f"line {node.start_point[0] + 1}: {_text(node)} cannot be traced")


_RULES: dict[str, Callable[[Node], str]] = {
    "augmented_assignment_expression": _augmented,
    "binary_expression": _binary,
    "call_expression": _call,
    "for_statement": _for,
    "if_statement": _tested,
    "new_expression": _new,
    "subscript_expression": _subscript,
    "template_substitution": _substitution,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "update_expression": _update,
    "while_statement": _tested,
}
