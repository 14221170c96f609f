"""Violations of a JSON Schema, as plain messages at the key or value concerned.

The words come from the schemas: `title` names the value ("a count"), `description` lists what is
allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed, nearest
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence, plain
from rulesdsl.language.read.files import in_value
from rulesdsl.language.read.schema import MAX_FINDINGS, load
from rulesdsl.language.read.yaml import shorten

_MOST_LISTED = 20
"""Maximum number of allowed words in a message; if there are more, the help lists them."""

_TYPES = {
    "integer": "a whole number",
    "boolean": "`true` or `false`",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
}


def violations(node: Node, schema: str) -> list[Diagnostic]:
    """Return what is wrong with a node by a schema: each violation once, at most `MAX_FINDINGS`."""
    errors = islice(_checker(schema).iter_errors(plain(node)), MAX_FINDINGS)
    explained = (found for error in _leaves(errors) for found in _explain(error, node))
    return list(islice(explained, MAX_FINDINGS))


def _identity(item: object) -> str:
    """Return a text that is the same for equal values only."""
    return json.dumps(item, sort_keys=True)


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Compile a pattern with the semantics of JSON Schema.

    Its `$` matches only at the end of the text, never before a final line end.
    """
    return re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)


def _unique_items(
    _validator: object, unique: bool, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if unique and isinstance(instance, list) and len(set(map(_identity, instance))) < len(instance):
        yield ValidationError("items repeat")


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _expression(pattern).search(instance):
        yield ValidationError("does not match")


@cache
def _checker(name: str) -> Any:
    """Return the validator of a schema, which takes 2 ms to make.

    The library takes `$` as Python does; it is slow on lists of mixed types and on references.
    """

    def reference(
        validator: Any, path: str, instance: object, _schema: object
    ) -> Iterator[ValidationError]:
        found: Any = load(name)
        for step in path.removeprefix("#/").split("/"):
            found = found[step]
        yield from validator.descend(instance, found)

    own = {"uniqueItems": _unique_items, "pattern": _pattern, "$ref": reference}
    made: Any = extend  # the library has no type hints
    return made(Draft202012Validator, own)(load(name))


def _leaves(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """Yield the errors to explain.

    Alternatives are replaced by the one that was meant, each rule is given once at each place, and
    a value of the wrong type has no other errors.
    """
    meant = {
        (tuple(leaf.absolute_path), tuple(leaf.absolute_schema_path)): leaf
        for error in errors
        for leaf in _meant(error)
    }
    mistyped = {path for (path, _), error in meant.items() if error.validator == "type"}
    for (path, _), error in meant.items():
        if error.validator == "type" or path not in mistyped:
            yield error


def _meant(error: ValidationError) -> Iterator[ValidationError]:
    """Return `error`, or for alternatives the errors of the only one whose type fits the value."""
    if error.validator not in ("anyOf", "oneOf"):
        yield error
        return
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    fitting = [
        branch
        for branch in branches.values()
        if not any(e.validator == "type" and not e.relative_path for e in branch)
    ]
    if len(fitting) == 1:
        yield from _leaves(fitting[0])
    else:
        yield error


@dataclass(frozen=True)
class _Violation:
    """A rule of the schema that a value breaks.

    `expected` is the value of the keyword in `schema`; `key` is the key of `node`, None in a list;
    `name` is used for it in messages.
    """

    rule: str
    expected: Any
    schema: dict[str, Any]
    node: Node
    key: Scalar | None
    name: str

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

    @property
    def title(self) -> str:
        """The noun for the expected value."""
        return str(self.schema.get("title", "what is allowed here"))

    @property
    def description(self) -> tuple[str, ...]:
        """The allowed values as a help line."""
        return (str(self.schema["description"]),) if "description" in self.schema else ()

    @property
    def keys(self) -> list[str]:
        """The keys of the value, which is a mapping."""
        assert isinstance(self.node, Mapping)
        return [str(key.value) for key, _ in self.node]

    @property
    def known(self) -> dict[str, dict[str, Any]]:
        """The schemas of the keys that the schema names."""
        properties: dict[str, dict[str, Any]] = self.schema.get("properties", {})
        return properties

    def key_span(self, key: str) -> Span:
        """Return the span of `key` of the value."""
        assert isinstance(self.node, Mapping)
        found = self.node.key(key)
        assert found is not None
        return found.span


def _explain(error: ValidationError, root: Node) -> Iterator[Diagnostic]:
    node, key, name = root, None, "the file"
    holder: Node = root
    for step in error.absolute_path:
        holder = node
        if isinstance(node, Mapping):
            entry = next(entry for entry in node.entries if entry[0].value == step)
            (key, node), name = entry, f"`{shorten(str(step))}`"
        else:
            assert isinstance(node, Sequence)
            node, key, name = node.items[int(step)], None, f"item {int(step) + 1}"
    schema: Any = error.schema
    rule = str(error.validator)
    if rule == "type" and error.validator_value == "string" and isinstance(node, Scalar):
        cut = _cut_by_commas(holder, node)
        if cut is not None:
            yield from [_comma(cut)] if cut[1] is node else []
            return
    violation = _Violation(rule, error.validator_value, schema, node, key, name)
    path = error.absolute_schema_path
    is_key = len(path) > 1 and path[-2] == "propertyNames"
    if rule == "pattern" and (found := _hidden(violation, str(error.instance), is_key)) is not None:
        yield found
    elif is_key:
        bad = str(error.instance)
        message = f"the key `{shorten(bad)}` is not {violation.title}"
        place, help = violation.key_span(bad), violation.description
        yield Diagnostic("bad-value", message, place, help=help)
    else:
        yield from _EXPLAIN.get(rule, _otherwise)(violation)


def _cut_by_commas(holder: Node, item: Scalar) -> list[Scalar] | None:
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


def _hidden(v: _Violation, text: str, is_key: bool) -> Diagnostic | None:
    """Return the finding for a character that would control the display of the text."""
    code = _expression(v.expected).search("\n") is not None
    if is_key:
        return in_value(text, f"the key `{shorten(text)}`", v.key_span(text), code=code)
    return in_value(text, v.name, v.mark, code=code)


def _unknown_keys(v: _Violation) -> Iterator[Diagnostic]:
    for key in v.keys:
        if key not in v.known:
            help = did_you_mean(key, v.known) or _instead(v)
            message = f"the key `{shorten(key)}` is not known here"
            yield Diagnostic("unknown-key", message, v.key_span(key), help=help)


def _instead(v: _Violation) -> tuple[str, ...]:
    """Return help on an unknown key that resembles no other."""
    known = f"known keys: {_listed(sorted(v.known))}"
    lacking = [key for key in v.schema.get("required", ()) if key not in v.keys]
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
        unknown = [key for key in v.keys if key not in v.known]
        misspelt = {nearest(key, v.known) for key in unknown}
        if None in misspelt:  # the finding for the unknown key names the missing ones
            return
    what = "there is no" if v.name == "the file" else f"{v.name} has no"
    for key in v.expected:
        if key not in v.keys and key not in misspelt:
            described = v.known.get(key, {}).get("description")
            help = (f"`{key}`: {described}",) if described else _MISSING.get(key, ())
            yield Diagnostic("missing-key", f"{what} `{key}`", v.head, help=help)


def _missing_partners(v: _Violation) -> Iterator[Diagnostic]:
    for key, partners in v.expected.items():
        for partner in partners:
            if key in v.keys and partner not in v.keys:
                message = f"`{key}` is given but `{partner}` is not"
                yield Diagnostic("missing-key", message, v.key_span(key))


def _wrong_type(v: _Violation) -> Iterator[Diagnostic]:
    yield _mistyped(v, [v.expected] if isinstance(v.expected, str) else v.expected)


def _mistyped(v: _Violation, types: list[str]) -> Diagnostic:
    help = (*_instead_of(v, types), *v.description)
    if "string" not in types and isinstance(v.node, Scalar) and v.node.quoted:
        help = ("remove the quotes if you mean a number or a boolean", *help)
    wanted = listed([_TYPES[kind] for kind in types])
    message = f"{v.name} must be {wanted}, not {_kind(v.node)}"
    return Diagnostic("wrong-type", message, v.mark, help=help)


def _instead_of(v: _Violation, types: list[str]) -> tuple[str, ...]:
    """Return help on a value of the wrong type: what to write, where it can be said."""
    items = v.schema.get("items", {})
    if "array" in types and isinstance(v.node, Scalar) and "object" in str(items.get("type")):
        return ("write a list with one entry after each `- `",)
    if "array" in types and isinstance(v.node, Scalar):
        return (f"write a list: `{_as_list(v.node, items)}`",)
    if "array" in types and isinstance(v.node, Mapping):
        return ("begin each entry of the list with `- `",)
    if types == ["object"] and v.known and isinstance(v.node, Scalar):
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
    written, help = _kind(v.node), v.description
    if isinstance(v.node, Scalar):
        written = f"`{shorten(v.node.span.text)}`"
        help = did_you_mean(str(v.node.value), words) or help
    message = f"{v.name} must be {_listed(words)}, not {written}"
    if len(words) > _MOST_LISTED:
        message = f"{v.name} must be {v.title}, not {written}"
        help = help if help != v.description else (f"known values: {_listed(words)}",)
    yield Diagnostic("bad-value", message, v.mark, help=help)


def _no_match(v: _Violation) -> Iterator[Diagnostic]:
    message = f"`{shorten(str(plain(v.node)))}` is not {v.title}"
    yield Diagnostic("bad-value", message, v.mark, help=v.description)


def _repeated(v: _Violation) -> Iterator[Diagnostic]:
    assert isinstance(v.node, Sequence)
    seen: set[str] = set()
    for number, item in enumerate(v.node, 1):
        value = _identity(plain(item))
        if value in seen:
            what = f"`{shorten(item.span.text)}`" if isinstance(item, Scalar) else f"item {number}"
            yield Diagnostic("bad-value", f"{what} is listed twice in {v.name}", item.span)
        seen.add(value)


def _limit(words: str) -> Callable[[_Violation], Iterator[Diagnostic]]:
    def explain(v: _Violation) -> Iterator[Diagnostic]:
        message = f"{v.name} must {words.format(v.expected, '' if v.expected == 1 else 's')}"
        yield Diagnostic("bad-value", message, v.mark, help=v.description)

    return explain


def _alternatives(v: _Violation) -> Iterator[Diagnostic]:
    """Explain alternatives of which none, or more than one, has the value's type."""
    if all(set(branch) == {"required"} for branch in v.expected):
        required = [key for branch in v.expected for key in branch["required"]]
        help = tuple(
            f"`{key}`: {v.known[key]['description']}"
            for key in required
            if "description" in v.known.get(key, {})
        )
        keys = listed([f"`{key}`" for key in required])
        yield Diagnostic("missing-key", f"{v.name} has no {keys}", v.head, help=help)
        return
    types = [branch["type"] for branch in v.expected if "type" in branch]
    is_type = Draft202012Validator.TYPE_CHECKER.is_type
    if len(types) == len(v.expected) and not any(is_type(plain(v.node), kind) for kind in types):
        yield _mistyped(v, types)
    else:
        yield from _otherwise(v)


def _out_of_place(v: _Violation) -> Iterator[Diagnostic]:
    message = f"{v.name} cannot be combined with the other keys here"
    yield Diagnostic("unknown-key", message, v.head, help=v.description)


def _otherwise(v: _Violation) -> Iterator[Diagnostic]:
    yield Diagnostic("bad-value", f"{v.name} is not {v.title}", v.mark, help=v.description)


def _listed(words: list[str]) -> str:
    return listed([f"`{word}`" for word in words])


_EXPLAIN: dict[str, Callable[[_Violation], Iterator[Diagnostic]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_keys,
    "dependentRequired": _missing_partners,
    "type": _wrong_type,
    "enum": _not_listed,
    "const": _not_listed,
    "pattern": _no_match,
    "uniqueItems": _repeated,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "not": _out_of_place,
    "minimum": _limit("be at least {}"),
    "maximum": _limit("be at most {}"),
    "minLength": _limit("not be empty"),
    "maxLength": _limit("have at most {} character{}"),
    "minItems": _limit("have at least {} item{}"),
    "maxItems": _limit("have at most {} item{}"),
    "minProperties": _limit("have at least {} key{}"),
    "maxProperties": _limit("have at most {} key{}"),
}
