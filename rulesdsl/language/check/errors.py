"""Reports of errors that are found in more than one place, and help lines for conflicts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from rulesdsl.language.check.types import CLASSES, disjoint, fits, required
from rulesdsl.language.diagnostics import Fix, Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import checked, types
from rulesdsl.language.model.game import KindDef
from rulesdsl.language.model.names import owner_of, parties_of, short_name

_COMMENT = re.compile(r"#[^\n]*")
_LOOSE = re.compile(r"\b(or|if)\b")


def an(words: str) -> str:
    """Return words with their indefinite article."""
    return f"an {words}" if words[:1] in "aeio" else f"a {words}"


def quoted(words: Iterable[str]) -> str:
    """Return words as a list such as: `a`, `b` or `c`."""
    return listed([f"`{word}`" for word in words])


def one_line(node: checked.Node | None) -> str:
    """Return a node as written, in one line without comments, an empty text for None."""
    return "" if node is None else " ".join(_COMMENT.sub("", node.span.text).split())


def bracketed(text: str) -> str:
    """Return a condition as a part of another one."""
    return f"({text})" if _LOOSE.search(text) else text


def described(found: types.Type) -> str:
    """Return a type in words."""
    if found == types.NONE:
        return "`none`"
    if isinstance(found, types.IntType):
        return "`int`"
    return "nothing" if found == types.UNIT else f"`{found}`"


def unknown(
    report: Report,
    what: str,
    name: str,
    span: Span,
    known: Iterable[str] = (),
    *,
    slug: str = "unknown-name",
    help: Iterable[str] = (),
) -> None:
    """Report that there is no `what` called `name`."""
    known = [each for each in known if each != name]
    report.error(
        slug, f"there is no {what} `{name}`", span, help=(*did_you_mean(name, known), *help)
    )


def ambiguous(report: Report, name: str, span: Span, meanings: Collection[str]) -> None:
    """Report a name with several meanings; `meanings` are the unambiguous spellings."""
    report.error(
        "ambiguous-name",
        f"`{name}` can mean {len(meanings)} things here",
        span,
        help=(f"write {quoted(meanings)}",),
    )


def duplicate(report: Report, name: str, span: Span, other: Span | None, limit: str = "") -> None:
    """Report a second declaration of a name; `limit` is the text of a limit if that makes it."""
    message = f"`{name}` is declared twice"
    made = span.text == "once" != name
    if made:
        message = f"`{limit}` needs a state `game.{name}`, and there is one already"
    help_lines = ("give the option or action another name",) if made else ()
    labels = (Label(other, "declared here first"),) if other else ()
    report.error("duplicate-name", message, span, labels=labels, help=help_lines)


def mismatch(
    report: Report,
    found: checked.Expr,
    wanted: types.Type,
    why: str = "",
    unowned: Sequence[KindDef] = (),
    changed: Span | None = None,
    help: tuple[str, ...] = (),
) -> None:
    """Report an expression of one type where another is expected.

    `unowned` are the kinds of components without an owner because of which it may be none,
    `changed` is the statement because of which it may be none again. Without `help`, the types say
    what to write.
    """
    place = why or "this"
    text = found.span.text
    if isinstance(found.type, types.OptionalType) and fits(found.type.item, wanted):
        message = f"{place} may be none, but {described(wanted)} is needed"
        maybe_none(report, found, message, unowned, changed)
        return
    if isinstance(found.type, types.SetType) and unowned:
        message = f"{place} may hold none, but {described(wanted)} is needed"
        maybe_none(report, found, message, unowned)
        return
    report.error(
        "type-mismatch",
        f"{place} is {described(found.type)}, but {described(wanted)} is needed",
        found.span,
        mark=f"is {described(found.type)}",
        help=help or _way_from(found.type, required(wanted), text),
    )


def maybe_none(
    report: Report,
    found: checked.Expr,
    message: str,
    unowned: Sequence[KindDef] = (),
    changed: Span | None = None,
) -> None:
    """Report an expression that may be none but must not be; the rest is as in `mismatch`."""
    labels: tuple[Label, ...] = ()
    if unowned:
        first, *others = unowned
        more = f" and {len(others)} more have" if others else " has"
        message = f"{message}: `{first.name}` of `{first.ruleset}`{more} no owner"
        labels = (Label(first.span, "belongs to no player"),)
    mark = f"`{found.type}`"
    help_lines = _maybe_none_help(found, bool(unowned))
    called = isinstance(found, checked.Local) and found.name.startswith("$")
    if isinstance(found.type, types.OptionalType) and not called:
        help_lines += (f"or write `the({found.span.text})` if it is certain not to be none here",)
    if changed is not None:
        labels = (*labels, Label(changed, "may change it after the test"))
        help_lines = (f"give it a name before: `let x = {found.span.text}`, `if x is not none:`",)
    report.error("maybe-none", message, found.span, mark=mark, labels=labels, help=help_lines)


def _maybe_none_help(found: checked.Expr, is_owner: bool) -> tuple[str, ...]:
    text = found.span.text
    match found:
        case checked.Local(name=name) if not name.startswith("$"):
            return (f"test `if {text} is not none:` first",)
        case checked.CallBuiltin(function="owner", arguments=(checked.Local(span=span),)):
            return (f"test `owned({span.text})` first, or which kind `{span.text}` is",)
        case checked.Comprehension() if is_owner:
            return ("keep only components with an owner: `where owned(x)`",)
        case (
            checked.ReadState()
            | checked.ReadAttribute()
            | checked.AttributeAt()
            | checked.CallValue()
        ):
            return (f"test `if {text} is not none:` first",)
    return (f"give it a name and test that: `let x = {text}`, `if x is not none:`",)


def _way_from(found: types.Type, wanted: types.Type, text: str) -> tuple[str, ...]:
    if found == types.SEGMENT and wanted == types.FEATURE:
        return (f"write `{text}.feature`",)
    if found == types.ZONE and wanted in (types.PIECE, *CLASSES.values()):
        return (
            f"one component of it, of a kind: `one({text}, KIND)`",
            f"all that lies there: `move_all({text}, ZONE)`",
        )
    if found == types.KIND and wanted in (types.PIECE, *CLASSES.values()):
        return (f"a component of this kind in a zone: `one(ZONE, {text})`",)
    if found == types.PIECE and wanted in CLASSES.values():
        return (f"test `{text} is {wanted}` first",)
    if isinstance(found, types.SetType) and fits(found.item, wanted):
        return (f"write `the(x in {text})` or `first(x in {text})`",)
    if isinstance(wanted, types.SetType) and fits(found, wanted.item):
        return (f"write `{{{text}}}`",)
    return ()


def no_common_type(
    report: Report, span: Span, a: types.Type, b: types.Type, what: str, help: tuple[str, ...] = ()
) -> None:
    """Report two expressions that have no common type but need one."""
    message = f"{what} are {described(a)} and {described(b)}, which have nothing in common"
    report.error("type-mismatch", message, span, help=help)


def check_range(report: Report, found: checked.Expr, wanted: types.Type) -> None:
    """Report a number that is certainly outside the range of its place."""
    wanted = required(wanted)
    if not isinstance(found.type, types.IntType) or not isinstance(wanted, types.IntType):
        return
    if disjoint(found.type, wanted):
        low, high = found.type.low, found.type.high
        number = f"{low}" if low == high else f"something from {low} to {high}"
        message = f"{number} is outside {wanted.low}..{wanted.high}"
        report.error("range", message, found.span)


def arity(
    report: Report,
    name: str,
    span: Span,
    found: int,
    wanted: str,
    other: Span | None = None,
    help: Iterable[str] = (),
) -> None:
    """Report a wrong number of arguments; `wanted` is the right number in words."""
    given = "none is given" if found == 0 else f"{found} {'is' if found == 1 else 'are'} given"
    labels = (Label(other, "declared here"),) if other else ()
    message = f"`{name}` takes {wanted}, but {given}"
    report.error("arity", message, span, labels=labels, help=help)


def call(name: str, params: Iterable[checked.Parameter], given: Sequence[checked.Expr]) -> str:
    """Return help on a call with a wrong number of arguments: the call with all its parameters.

    Each argument given stays where a parameter takes its type; capitals stand for the others.
    """
    rest, words = list(given), []
    for param in params:
        kept = bool(rest) and fits(rest[0].type, param.type)
        named = isinstance(param.type, types.NamedType | types.EnumType)
        capitals = short_name(str(param.type)) if named else param.name
        words.append(" ".join(rest.pop(0).span.text.split()) if kept else capitals.upper())
    return f"write `{name}({', '.join(words)})`"


def counted(params: Collection[object], word: str = "argument") -> str:
    """Return a count in words: `no arguments`, `1 argument`, `2 arguments`."""
    number = len(params)
    several = "indices" if word == "index" else f"{word}s"
    return f"{number or 'no'} {word if number == 1 else several}"


def asks(report: Report, name: str, span: Span, why: str, help: Iterable[str] = ()) -> None:
    """Report something that acts where only values are computed; `why` says what it does."""
    report.error("asks-in-value", f"`{name}` {why}", span, help=help)


def misplaced(report: Report, message: str, span: Span, help: Iterable[str] = ()) -> None:
    """Report a statement where it has no meaning."""
    report.error("misplaced", message, span, help=help)


def set_in_set(report: Report, value: checked.Expr) -> bool:
    """Report a set as a member of a set, and say whether it is one."""
    if not isinstance(required(value.type), types.SetType):
        return False
    message = "a set cannot be in a set"
    help_lines = ("unite sets with `+`, or add a binder: `{x for f in fs, x in figures(f)}`",)
    report.error("type-mismatch", message, value.span, mark=f"is `{value.type}`", help=help_lines)
    return True


def parties(*parts: str) -> list[str]:
    """Return all rulesets that parts of rules belong to or name, sorted."""
    return sorted({party for part in parts for party in parties_of(part)})


def pasted(line: str, span: Span, part: str, *others: str) -> str:
    """Return a help line with a fix that appends it to the file of `span`, in the rules of `part`.

    The line stands below `with` if it is about `others` too.
    """
    every = parties(part, *others)
    if others and len(every) == len(parties_of(part)):
        return line
    owner = owner_of(part)
    named = ", ".join(each for each in every if each != owner)
    head = f"with {named}:\n    " if named else ""
    text = span.source.text
    before = "\n" if text.endswith("\n") else "\n\n"
    return Fix(line, f"{before}{head}{line.strip()}\n", span.source.span(len(text), len(text)))


def settling(
    one: str, other: str, names: tuple[str, str], span: Span | None, if_one: str, if_other: str
) -> tuple[str, ...]:
    """Return the lines that settle the order of two parts of rules, each with its meaning.

    `names` are what the lines name of each part. `if_one` is the meaning of the order with `one`
    first, `if_other` of the other one. `span` is a place in the rules of `one`, if it has any.
    """
    a, b = (f"{owner_of(part)}.{name}" for part, name in zip((one, other), names, strict=True))
    lines = {
        f"order {a} before {b}": if_one,
        f"order {b} before {a}": if_other,
        f"independent {a}, {b}": "either order is right",
    }
    width = max(map(len, lines))
    texts = [f"    {line:{width}}  # {meaning}" for line, meaning in lines.items()]
    if span is not None:
        texts = [pasted(text, span, one, other) for text in texts]
    return f"write one of these lines {places(one, other)}:", *texts


def places(*parts: str) -> str:
    """Return the places where a conflict between parts of rules can be settled, in words.

    These are the rules of either ruleset, below `with`, or an interaction.
    """
    every = parties(*parts)
    blocks: list[str] = []
    for part in sorted(parts):
        # Rules below the same `with` as the part itself have no higher rank than it.
        if set(parties_of(part)) != set(every):
            others = ", ".join(party for party in every if party != owner_of(part))
            what = "those" if blocks else "the rules"
            blocks.append(f"below `with {others}:` in {what} of {owner_of(part)}")
    return listed([*blocks, f"in a ruleset with `interaction: [{', '.join(every)}]`"])
