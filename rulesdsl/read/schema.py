"""Validation of nodes against the JSON Schemas of the project, with plain messages.

The words come from the schemas: `title` names the value ("a count"), `description` lists what is
allowed. Of JSON Schema, `_RULES` has what the schemas use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
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
    root = deepcopy(load(name))

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
        words = ((str(key.value), key, node) for key, node in entries(self.node))
        return {word: _Place(e, key, f"`{shorten(word)}`", self.node) for word, key, e in words}

    @cached_property
    def items(self) -> list[_Place]:
        items = self.node if isinstance(self.node, Sequence) else ()
        return [_Place(e, None, f"item {n}", self.node) for n, e in enumerate(items, 1)]


@dataclass(frozen=True)
class _Violation:
    """A rule of the schema that a value breaks; `expected` is the value of the keyword `rule`."""

    at: _Place
    rule: str
    expected: Any
    schema: Schema

    @property
    def title(self) -> str:
        return str(self.schema.get("title", "what is allowed here"))

    @property
    def description(self) -> tuple[str, ...]:
        return (str(self.schema["description"]),) if "description" in self.schema else ()

    @property
    def known(self) -> dict[str, Schema]:
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
        if rule in _RULES and not _keeps(at.node, rule, expected, schema):
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


def _size(node: Node) -> int:
    match node:
        case Mapping():
            return len(node.entries)
        case Sequence():
            return len(node.items)
        case Scalar(value=value):
            return value if isinstance(value, int) else len(value)


def _keeps(node: Node, rule: str, expected: Any, schema: Schema) -> bool:
    """Return whether a value keeps to a rule of a schema, each of which is about some types."""
    if rule in _LIMITS:
        if _type(node) != _LIMITS[rule][0]:
            return True
        measured, limit = _size(node), int(expected)
        return measured >= limit if rule.startswith("min") else measured <= limit
    match rule, node:
        case "type", _:
            return _type(node) in ([expected] if isinstance(expected, str) else expected)
        case "const" | "enum", Scalar(value=value):
            words = expected if rule == "enum" else [expected]
            return any(type(word) is type(value) and word == value for word in words)
        case "const" | "enum", _:
            return False
        case "pattern", Scalar(value=str(text)):
            return _expression(expected).search(text) is not None
        case "uniqueItems", Sequence():
            return len(set(map(_identity, node))) == len(node.items)
        case "contains", Sequence():
            return any(_fits(_Place(each), expected) for each in node)
        case "required", Mapping():
            return all(map(node.key, expected))
        case "dependentRequired", Mapping():
            given = (each for key, each in expected.items() if node.key(key))
            return all(node.key(partner) for partners in given for partner in partners)
        case "additionalProperties", Mapping() if expected is False:
            return all(str(key.value) in schema.get("properties", {}) for key, _ in node)
        case "not", _:
            return not _fits(_Place(node), expected)
        case "anyOf", _:
            return any(_fits(_Place(node), each) for each in expected)
    return True


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
    return _RULES[v.rule](v)


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
            yield Diagnostic("unknown-key", message, v.at.entries[key].head, help=help)


def _instead(v: _Violation) -> tuple[str, ...]:
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
                yield Diagnostic("missing-key", message, v.at.entries[key].head)


def _wrong_type(v: _Violation, types: list[str] | None = None) -> Iterator[Diagnostic]:
    """Explain a value of another type than `types`, those in the schema if None is given."""
    types = types or ([v.expected] if isinstance(v.expected, str) else v.expected)
    help = (*_instead_of(v, types), *v.description)
    if "string" not in types and isinstance(v.at.node, Scalar) and v.at.node.quoted:
        help = ("remove the quotes if you mean a number or a boolean", *help)
    wanted = listed([_TYPES[kind] for kind in types])
    message = f"{v.at.name} must be {wanted}, not {_kind(v.at.node)}"
    yield Diagnostic("wrong-type", message, v.at.mark, help=help)


def _instead_of(v: _Violation, types: list[str]) -> tuple[str, ...]:
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
        yield from _wrong_type(v, types)
    else:
        yield from _otherwise(v)


def _out_of_place(v: _Violation) -> Iterator[Diagnostic]:
    message = f"{v.at.name} cannot be combined with the other keys here"
    yield Diagnostic("unknown-key", message, v.at.head, help=v.description)


def _otherwise(v: _Violation) -> Iterator[Diagnostic]:
    yield Diagnostic("bad-value", f"{v.at.name} is not {v.title}", v.at.mark, help=v.description)


def _listed(words: list[str]) -> str:
    return listed([f"`{word}`" for word in words])


_LIMITS = {
    "minimum": ("integer", "be at least {}"),
    "maximum": ("integer", "be at most {}"),
    "minLength": ("string", "not be empty"),
    "maxLength": ("string", "have at most {} character{}"),
    "minItems": ("array", "have at least {} item{}"),
    "maxItems": ("array", "have at most {} item{}"),
    "minProperties": ("object", "have at least {} key{}"),
    "maxProperties": ("object", "have at most {} key{}"),
}
"""The type of the values that each keyword limits, and what they must do."""


def _out_of_limit(v: _Violation) -> Iterator[Diagnostic]:
    words = _LIMITS[v.rule][1].format(v.expected, "" if v.expected == 1 else "s")
    yield Diagnostic("bad-value", f"{v.at.name} must {words}", v.at.mark, help=v.description)


_RULES: dict[str, Callable[[_Violation], Iterator[Diagnostic]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_keys,
    "dependentRequired": _missing_partners,
    "type": _wrong_type,
    "enum": _not_listed,
    "const": _not_listed,
    "pattern": _no_match,
    "uniqueItems": _repeated,
    "contains": _otherwise,
    "not": _out_of_place,
    "anyOf": _no_alternative,
    **dict.fromkeys(_LIMITS, _out_of_limit),
}
"""For each keyword of the schemas, the findings for a value that does not keep to it."""
