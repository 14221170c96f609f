"""Validation of nodes against the JSON Schemas of the project, with plain messages.

The words come from the schemas: `title` names the value ("a count"), `description` lists what is
allowed. Of JSON Schema, `_RULES` has what the schemas use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice
from typing import Any

from rulesdsl.diagnostics import Diagnostic, Report, Span
from rulesdsl.diagnostics.report import did_you_mean, listed, nearest
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence, entries, plain
from rulesdsl.read.files import in_value, shipped
from rulesdsl.read.yaml import shorten
from rulesdsl.records import dataclass

Schema = dict[str, Any]
MAX_FINDINGS = 100
_MOST_LISTED = 20
"""Maximum number of allowed words in a message; if there are more, the help lists them."""

_TYPES = {
    "integer": "a whole number",
    "boolean": "`true` or `false`",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
}


def validate(node: Node, schema: str, report: Report) -> bool:
    """Return whether `node` satisfies `schemas/<schema>.schema.json`.

    Each violation is reported once, at most `MAX_FINDINGS`.
    """
    found = _violations(_Place(node), _linked(schema))
    leaves = _without_others_of_mistyped(list(islice(found, MAX_FINDINGS)))
    explained = list(islice((each for leaf in leaves for each in _explain(leaf)), MAX_FINDINGS))
    report.extend(explained)
    return not explained


@cache
def load(name: str) -> Schema:
    """Return a schema."""
    text = (shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


@cache
def _linked(name: str) -> Schema:
    """Return a schema in which each `$ref` is the schema that it refers to."""
    root: Schema = json.loads(json.dumps(load(name)))

    def link(part: object) -> None:
        if isinstance(part, dict):
            if isinstance(path := part.get("$ref"), str):
                part["$ref"] = root
                for step in path.removeprefix("#/").split("/"):
                    part["$ref"] = part["$ref"][step]
            for key, each in part.items():
                if key != "$ref":
                    link(each)
        elif isinstance(part, list):
            for each in part:
                link(each)

    link(root)
    return root


# --- the rules -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """A value in a document, with its name in messages.

    `key` is its key, None in a list; `holder` is the collection around it. `is_key` is set for the
    key itself, whose form the schema restricts.
    """

    node: Node
    key: Scalar | None = None
    name: str = "the file"
    holder: Node | None = None
    is_key: bool = False

    @property
    def mark(self) -> Span:
        """The value itself if it is a scalar, otherwise its head."""
        return self.node.span if isinstance(self.node, Scalar) else self.head

    @property
    def head(self) -> Span:
        """The key of the value; without one its first key or character."""
        if self.key is not None:
            return self.key.span
        if isinstance(self.node, Mapping) and self.node.entries:
            return self.node.entries[0][0].span
        span = self.node.span
        return span.source.span(span.start, min(span.start + 1, span.end))

    @cached_property
    def entries(self) -> dict[str, _Place]:
        """The entries of a mapping by their keys."""
        words = ((str(key.value), key, node) for key, node in entries(self.node))
        return {word: _Place(e, key, f"`{shorten(word)}`", self.node) for word, key, e in words}

    @cached_property
    def items(self) -> list[_Place]:
        """The items of a list."""
        items = self.node if isinstance(self.node, Sequence) else ()
        return [_Place(e, None, f"item {n}", self.node) for n, e in enumerate(items, 1)]

    def key_span(self, key: str) -> Span:
        """Return the span of `key` of the value."""
        return self.entries[key].head


@dataclass(frozen=True)
class _Violation:
    """A rule of the schema that a value breaks; `expected` is the value of the keyword `rule`."""

    at: _Place
    rule: str
    expected: Any
    schema: Schema

    @property
    def title(self) -> str:
        """The noun for the expected value."""
        return str(self.schema.get("title", "what is allowed here"))

    @property
    def description(self) -> tuple[str, ...]:
        """The allowed values as a help line."""
        return (str(self.schema["description"]),) if "description" in self.schema else ()

    @property
    def known(self) -> dict[str, Schema]:
        """The schemas of the keys that the schema names."""
        properties: dict[str, Schema] = self.schema.get("properties", {})
        return properties


def _violations(at: _Place, schema: Schema) -> Iterator[_Violation]:
    """Yield the rules of a schema that a value breaks, in their order.

    Alternatives are replaced by the violations of the one that was meant.
    """
    for rule, expected in schema.items():
        if rule in _INNER:
            for inner, wanted in _INNER[rule](at, expected, schema):
                yield from _violations(inner, wanted)
        if rule in _RULES and not _RULES[rule][0](at.node, expected, schema):
            broken = _Violation(at, rule, expected, schema)
            yield from _meant(broken) if rule == "anyOf" else [broken]


def _meant(broken: _Violation) -> list[_Violation]:
    """Return the violations of the only alternative whose type fits the value, or `broken`."""
    at, branches = broken.at, broken.expected
    found = [list(_violations(at, each)) for each in branches]
    fitting = [each for each in found if not any(v.rule == "type" and v.at is at for v in each)]
    return fitting[0] if len(fitting) == 1 else [broken]


def _fits(at: _Place, schema: Schema) -> bool:
    return next(_violations(at, schema), None) is None


def _without_others_of_mistyped(found: list[_Violation]) -> Iterator[_Violation]:
    """Yield each violation once; a value of the wrong type has no other ones."""
    once = {(id(v.at.node), v.at.is_key, id(v.schema), v.rule): v for v in found}
    mistyped = {id(each.at.node) for each in found if each.rule == "type"}
    for each in once.values():
        if each.rule == "type" or id(each.at.node) not in mistyped:
            yield each


_Inner = Iterable[tuple[_Place, Schema]]


def _condition(at: _Place, expected: Schema, schema: Schema) -> _Inner:
    chosen = schema.get("then" if _fits(at, expected) else "else")
    return () if chosen is None else ((at, chosen),)


def _additional(at: _Place, expected: Schema | bool, schema: Schema) -> _Inner:
    known = schema.get("properties", {})
    others = (each for key, each in at.entries.items() if key not in known)
    return ((each, expected) for each in others) if isinstance(expected, dict) else ()


_INNER: dict[str, Callable[[_Place, Any, Schema], _Inner]] = {
    "$ref": lambda at, expected, schema: ((at, expected),),
    "if": _condition,
    "additionalProperties": _additional,
    "properties": lambda at, expected, schema: (
        (each, expected[key]) for key, each in at.entries.items() if key in expected
    ),
    "propertyNames": lambda at, expected, schema: (
        (replace(each, node=each.key, is_key=True), expected)
        for each in at.entries.values()
        if each.key is not None
    ),
    "prefixItems": lambda at, expected, schema: zip(at.items, expected, strict=False),
    "items": lambda at, expected, schema: (
        (each, expected) for each in at.items[len(schema.get("prefixItems", ())) :]
    ),
}
"""The schemas in a schema that parts of a value must satisfy, by their keywords."""


_TYPE_OF = {Mapping: "object", Sequence: "array", bool: "boolean", int: "integer", str: "string"}


def _type(node: Node) -> str:
    return _TYPE_OF[type(node.value) if isinstance(node, Scalar) else type(node)]


def _is_listed(node: Node, words: Iterable[object]) -> bool:
    value = node.value if isinstance(node, Scalar) else None
    return any(type(word) is type(value) and word == value for word in words)


def _identity(item: Node) -> str:
    """Return a text that is the same for equal values only."""
    return json.dumps(plain(item), sort_keys=True)


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Compile a pattern with the semantics of JSON Schema.

    Its `$` matches only at the end of the text, never before a final line end.
    """
    return re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)


# --- in words ------------------------------------------------------------------------------------


def _explain(v: _Violation) -> Iterable[Diagnostic]:
    """Return the diagnostics of one violation."""
    node = v.at.node
    if isinstance(node, Scalar):
        cut = _cut_by_commas(v.at.holder, node) if v.expected == "string" else None
        if v.rule == "type" and cut is not None:
            return [_comma(cut)] if cut[1] is node else []
        what = f"the key {v.at.name}" if v.at.is_key else v.at.name
        if v.rule == "pattern":
            code = _expression(v.expected).search("\n") is not None
            if (found := in_value(str(node.value), what, v.at.mark, code=code)) is not None:
                return [found]
        if v.at.is_key:
            message = f"{what} is not {v.title}"
            return [Diagnostic("bad-value", message, v.at.mark, help=v.description)]
    return _RULES[v.rule][1](v)


def _cut_by_commas(holder: Node | None, item: Scalar) -> list[Scalar] | None:
    """Return items of a list that would be one text without commas: words, then numbers.

    None if `item` is not one of these numbers, or the list is not written in brackets.
    """
    if not isinstance(holder, Sequence) or not holder.span.text.startswith("["):
        return None
    items = holder.items
    first = end = next(number for number, each in enumerate(items) if each is item)
    while first > 0 and _is_number(items[first]):
        first -= 1
    while end < len(items) and _is_number(items[end]):
        end += 1
    found = [each for each in items[first:end] if isinstance(each, Scalar) and not each.quoted]
    words = str(found[0].value).split() if found else []
    return found if len(found) == end - first > 1 < len(words) else None


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and type(node.value) is int


def _comma(cut: list[Scalar]) -> Diagnostic:
    """Return the finding for a text that its commas cut into items of a list."""
    first, last = cut[0].span, cut[-1].span
    span = first.source.span(first.start, last.end)
    text = " ".join(span.text.split())
    quoted = "'" + text.replace("'", "''") + "'"
    advice = f"if it is one text, write it in quotes: {quoted}"
    help = advice if shorten(text) == text else "if it is one text, write it in quotes"
    message = f"`{shorten(text)}` is {len(cut)} items, because each comma ends one"
    return Diagnostic("wrong-type", message, span, help=(help,))


def _unknown_keys(v: _Violation) -> Iterator[Diagnostic]:
    for key in v.at.entries:
        if key not in v.known:
            help = did_you_mean(key, v.known) or _instead(v)
            message = f"the key `{shorten(key)}` is not known here"
            yield Diagnostic("unknown-key", message, v.at.key_span(key), help=help)


def _instead(v: _Violation) -> tuple[str, ...]:
    """Return help on an unknown key that resembles no other."""
    known = f"known keys: {_listed(sorted(v.known))}"
    lacking = [key for key in v.schema.get("required", ()) if key not in v.at.entries]
    described = {key: v.known.get(key, {}).get("description", "") for key in lacking}
    return (*(f"`{key}` is missing: {text}".rstrip(": ") for key, text in described.items()), known)


_MISSING = {
    "range": ("a number has a range: write `range: [LOW, HIGH]`",),
    "values": ("a name has values: write `values: [NAME, NAME]`",),
    "expect": ("say what must hold: `expect: {scores: {red: 3}}`",),
}
"""Help on missing keys that the schema around them does not describe."""


def _missing_keys(v: _Violation) -> Iterator[Diagnostic]:
    misspelt = set()
    if v.schema.get("additionalProperties") is False:
        unknown = [key for key in v.at.entries if key not in v.known]
        misspelt = {nearest(key, v.known) for key in unknown}
        if None in misspelt:  # the finding for the unknown key names the missing ones
            return
    what = "there is no" if v.at.name == "the file" else f"{v.at.name} has no"
    for key in v.expected:
        if key not in v.at.entries and key not in misspelt:
            described = v.known.get(key, {}).get("description")
            help = (f"`{key}`: {described}",) if described else _MISSING.get(key, ())
            yield Diagnostic("missing-key", f"{what} `{key}`", v.at.head, help=help)


def _missing_partners(v: _Violation) -> Iterator[Diagnostic]:
    for key, partners in v.expected.items():
        for partner in partners:
            if key in v.at.entries and partner not in v.at.entries:
                message = f"`{key}` is given but `{partner}` is not"
                yield Diagnostic("missing-key", message, v.at.key_span(key))


def _wrong_type(v: _Violation) -> Iterator[Diagnostic]:
    yield _mistyped(v, [v.expected] if isinstance(v.expected, str) else v.expected)


def _mistyped(v: _Violation, types: list[str]) -> Diagnostic:
    help = (*_instead_of(v, types), *v.description)
    if "string" not in types and isinstance(v.at.node, Scalar) and v.at.node.quoted:
        help = ("remove the quotes if you mean a number or a boolean", *help)
    wanted = listed([_TYPES[kind] for kind in types])
    message = f"{v.at.name} must be {wanted}, not {_kind(v.at.node)}"
    return Diagnostic("wrong-type", message, v.at.mark, help=help)


def _instead_of(v: _Violation, types: list[str]) -> tuple[str, ...]:
    """Return help on a value of the wrong type: what to write, where it can be said."""
    items = v.schema.get("items", {})
    if "array" in types and isinstance(v.at.node, Scalar) and "object" in str(items.get("type")):
        return ("write a list with one entry after each `- `",)
    if "array" in types and isinstance(v.at.node, Scalar):
        return (f"write a list: `{_as_list(v.at.node, items)}`",)
    if "array" in types and isinstance(v.at.node, Mapping):
        return ("begin each entry of the list with `- `",)
    if types == ["object"] and v.known and isinstance(v.at.node, Scalar):
        required = [key for key in v.known if key in v.schema.get("required", ())]
        shown = ", ".join(f"{key}: …" for key in required or list(v.known)[:1])
        return (f"write `{{{shown}}}`; its keys are {_listed(list(v.known))}",)
    return ()


def _as_list(node: Scalar, items: dict[str, Any]) -> str:
    """Return a text or number as the list that was probably meant."""
    text = " ".join(node.span.text.split())
    if items.get("type") == "integer":
        return f"[{', '.join(re.findall('[0-9]+', text)) or text}]"
    words = re.split(", *| +", text)
    if not node.quoted and all(re.fullmatch(r"[\w/-]+", word) for word in words):
        return f"[{', '.join(words)}]"
    return f"[{text}]" if node.quoted or re.fullmatch(r"[\w. =+-]+", text) else f"['{text}']"


def _kind(node: Node) -> str:
    match node:
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"
        case Scalar(value=bool()):
            return f"`{node.span.text}`"
        case Scalar(value=int()):
            return "a number"
        case Scalar():
            return "text"


def _not_listed(v: _Violation) -> Iterator[Diagnostic]:
    words = [str(word) for word in (v.expected if v.rule == "enum" else [v.expected])]
    written, help = _kind(v.at.node), v.description
    if isinstance(v.at.node, Scalar):
        written = f"`{shorten(v.at.node.span.text)}`"
        help = did_you_mean(str(v.at.node.value), words) or help
    message = f"{v.at.name} must be {_listed(words)}, not {written}"
    if len(words) > _MOST_LISTED:
        message = f"{v.at.name} must be {v.title}, not {written}"
        help = help if help != v.description else (f"known values: {_listed(words)}",)
    yield Diagnostic("bad-value", message, v.at.mark, help=help)


def _no_match(v: _Violation) -> Iterator[Diagnostic]:
    assert isinstance(v.at.node, Scalar)
    message = f"`{shorten(str(v.at.node.value))}` is not {v.title}"
    yield Diagnostic("bad-value", message, v.at.mark, help=v.description)


def _repeated(v: _Violation) -> Iterator[Diagnostic]:
    assert isinstance(v.at.node, Sequence)
    seen: set[str] = set()
    for number, item in enumerate(v.at.node, 1):
        value = _identity(item)
        if value in seen:
            what = f"`{shorten(item.span.text)}`" if isinstance(item, Scalar) else f"item {number}"
            yield Diagnostic("bad-value", f"{what} is listed twice in {v.at.name}", item.span)
        seen.add(value)


def _no_alternative(v: _Violation) -> Iterator[Diagnostic]:
    """Explain alternatives of which none, or more than one, has the value's type."""
    if all(set(branch) == {"required"} for branch in v.expected):
        required = [key for branch in v.expected for key in branch["required"]]
        help = tuple(
            f"`{key}`: {v.known[key]['description']}"
            for key in required
            if "description" in v.known.get(key, {})
        )
        keys = listed([f"`{key}`" for key in required])
        yield Diagnostic("missing-key", f"{v.at.name} has no {keys}", v.at.head, help=help)
        return
    types = [branch["type"] for branch in v.expected if "type" in branch]
    if len(types) == len(v.expected) and _type(v.at.node) not in types:
        yield _mistyped(v, types)
    else:
        yield from _otherwise(v)


def _out_of_place(v: _Violation) -> Iterator[Diagnostic]:
    message = f"{v.at.name} cannot be combined with the other keys here"
    yield Diagnostic("unknown-key", message, v.at.head, help=v.description)


def _otherwise(v: _Violation) -> Iterator[Diagnostic]:
    yield Diagnostic("bad-value", f"{v.at.name} is not {v.title}", v.at.mark, help=v.description)


def _listed(words: list[str]) -> str:
    return listed([f"`{word}`" for word in words])


def _limit(kind: str, keeps: Callable[[Any, int], bool], words: str) -> _Rule:
    """Return the rule that values of one type keep to a limit, and the words for it."""

    def explain(v: _Violation) -> Iterator[Diagnostic]:
        message = f"{v.at.name} must {words.format(v.expected, '' if v.expected == 1 else 's')}"
        yield Diagnostic("bad-value", message, v.at.mark, help=v.description)

    return lambda node, limit, schema: _type(node) != kind or keeps(node, limit), explain


_Rule = tuple[
    Callable[[Any, Any, Schema], bool],
    Callable[[_Violation], Iterator[Diagnostic]],
]
_RULES: dict[str, _Rule] = {
    "additionalProperties": (
        lambda node, said, schema: (
            said is not False
            or {str(key.value) for key, _ in entries(node)} <= schema.get("properties", {}).keys()
        ),
        _unknown_keys,
    ),
    "required": (
        lambda node, keys, schema: not isinstance(node, Mapping) or all(map(node.key, keys)),
        _missing_keys,
    ),
    "dependentRequired": (
        lambda node, partners, schema: all(
            node.key(partner)
            for key, _ in entries(node)
            for partner in partners.get(str(key.value), ())
        ),
        _missing_partners,
    ),
    "type": (
        lambda node, types, schema: _type(node) in ([types] if isinstance(types, str) else types),
        _wrong_type,
    ),
    "enum": (lambda node, words, schema: _is_listed(node, words), _not_listed),
    "const": (lambda node, word, schema: _is_listed(node, [word]), _not_listed),
    "pattern": (
        lambda node, pattern, schema: (
            _type(node) != "string" or _expression(pattern).search(node.value) is not None
        ),
        _no_match,
    ),
    "uniqueItems": (
        lambda node, unique, schema: (
            not isinstance(node, Sequence) or len(set(map(_identity, node))) == len(node.items)
        ),
        _repeated,
    ),
    "contains": (
        lambda node, inner, schema: (
            not isinstance(node, Sequence) or any(_fits(_Place(each), inner) for each in node)
        ),
        _otherwise,
    ),
    "not": (lambda node, other, schema: not _fits(_Place(node), other), _out_of_place),
    "anyOf": (
        lambda node, others, schema: any(_fits(_Place(node), each) for each in others),
        _no_alternative,
    ),
    "minimum": _limit("integer", lambda node, least: node.value >= least, "be at least {}"),
    "maximum": _limit("integer", lambda node, most: node.value <= most, "be at most {}"),
    "minLength": _limit("string", lambda node, least: len(node.value) >= least, "not be empty"),
    "maxLength": _limit(
        "string", lambda node, most: len(node.value) <= most, "have at most {} character{}"
    ),
    "minItems": _limit(
        "array", lambda node, least: len(node.items) >= least, "have at least {} item{}"
    ),
    "maxItems": _limit(
        "array", lambda node, most: len(node.items) <= most, "have at most {} item{}"
    ),
    "minProperties": _limit(
        "object", lambda node, least: len(node.entries) >= least, "have at least {} key{}"
    ),
    "maxProperties": _limit(
        "object", lambda node, most: len(node.entries) <= most, "have at most {} key{}"
    ),
}
"""For each keyword of the schemas: whether a value keeps to it, and the words if it does not."""
