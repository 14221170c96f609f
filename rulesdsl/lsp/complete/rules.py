"""What can be written at a place in rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.check.collect import OWNERS
from rulesdsl.check.draft import Draft
from rulesdsl.check.rules import VERBS
from rulesdsl.check.symbols import Routine
from rulesdsl.diagnostics import Source
from rulesdsl.lsp.complete.expressions import at_place, of_qualifier
from rulesdsl.lsp.complete.items import Item, distinct, keywords
from rulesdsl.lsp.complete.marker import Place, chunk_at
from rulesdsl.lsp.headings import signature
from rulesdsl.model.names import owner_of, ruleset_of
from rulesdsl.model.types import NAMED, SIDE
from rulesdsl.parse.layout import IS_WITH, Chunk
from rulesdsl.parse.words import DECLARATIONS

_PREFIX = re.compile(r"(?:'[\w-]*|\b[A-Za-z_]\w*)\Z", re.ASCII)
_CONTRIBUTION = re.compile(r"(refine|add|require|allow|include)\s+(?:(\w+)\.)?\Z")
_HOOK = re.compile(r"(?:before|after|around|instead)\s+((?:\w+\.)*)\Z")
_OPTION = re.compile(r"(?:option|forbid)\s+((?:\w+\.)*)\Z")
_ORDER = re.compile(r"(?:order|independent)\b.*?(?:\s|,)((?:\w+\.)*)\Z", re.S)
_WITH = re.compile(r"with\s+(?:\w+\s*,\s*)*\Z")
_STATE = re.compile(r"state\s+\Z")
_ALLOWED = re.compile(r"\ballowed\((?:(\w+)\.)?\Z")
_POLICY = re.compile(r"value\b[^:\n(]*\([^)\n]*\)\s*->[^,\n]*,\s*\Z")
_TYPE = re.compile(
    r"(?:->\s*(?:set\s+of\s+)?"
    r"|\A(?:value|(?:step\s+)?action|choice)\b[^\n]*\([^()\n]*:\s*(?:set\s+of\s+)?"
    r"|\Astate\b[^=\n]*[:\[]\s*(?:set\s+of\s+)?"
    r"|\b(?:let|var)\s+\w+\s*:\s*(?:set\s+of\s+)?)\Z"
)
_QUALIFIER = re.compile(r"(?:\b(\w+)\.)?\b(\w+)\.\Z")
_LINE_START = re.compile(r"(?:\n[ \t]+|:\s*)\Z")


@dataclass(frozen=True)
class Asked:
    """A place in the rules of `ruleset`: what begins there at `start` is written up to `end`.
    `look` has the checker look at it, which takes a while; `others` are the ids of what else
    extends the game."""

    source: Source
    ruleset: str
    draft: Draft
    start: int
    end: int
    look: Callable[[], Place | None]
    others: Callable[[], Iterable[str]] = tuple


def prefix(text: str, offset: int) -> int:
    """Where the word begins that ends at an offset."""
    found = _PREFIX.search(text, max(0, offset - 100), offset)
    return found.start() if found else offset


def complete(asked: Asked) -> list[Item]:
    """All words that fit, those that fit best first."""
    before = asked.source.text[: asked.start]
    if "#" in before.rpartition("\n")[2]:
        return []
    chunk = chunk_at(asked.source, asked.start)
    head = before[chunk.start :] if chunk is not None and chunk.start <= asked.start else before
    if not before or before.endswith("\n"):
        return _declarations()
    if chunk is not None and _begins(chunk, before.rpartition("\n")[2]):
        return _declarations()
    if not head.strip() and chunk is None:
        return []
    found = _of_declaration(asked, head.lstrip("\n"))
    if found is None:
        found = [*_qualified(asked, head), *_inside(asked, head)]
    return distinct(found)


def _begins(chunk: Chunk, line: str) -> bool:
    """Can a declaration of a `with` block begin behind a line that is blank so far?"""
    if chunk.base:
        return line == " " * chunk.base
    return IS_WITH.match(chunk.text) is not None and line.isspace()


def _declarations() -> list[Item]:
    return [
        Item(word, "keyword", snippet=_SNIPPETS.get(word, f"{word} "), rank=1)
        for word in DECLARATIONS
    ]


_SNIPPETS = {
    "state": "state ${1:player}.${2:name}: ${3:int} = ${4:0}",
    "value": "value ${1:name}(${2:p: player}) -> ${3:int}:\n    $0",
    "action": "action ${1:name}($2):\n    $0",
    "step": "step action ${1:name}($2):\n    $0",
    "choice": "choice ${1:name}(${2:p: player}) by ${3:p}:\n    option ${4:pass}:\n        $0",
    "with": "with ${1:ruleset}:\n    $0",
    "always": "always for ${1:x} in ${2:figures} where $3:\n    $0",
}


def _of_declaration(asked: Asked, head: str) -> Iterable[Item] | None:
    """What fits into the first line of a declaration; None where an expression stands."""
    if found := _CONTRIBUTION.fullmatch(head):
        return _targets(asked, found[1], found[2])
    if found := _HOOK.fullmatch(head):
        return _hooked(asked, found[1])
    if found := _OPTION.fullmatch(head):
        return _choices(asked, found[1])
    if _WITH.fullmatch(head):
        return _others(asked)
    if found := _ORDER.fullmatch(head):
        return _ordered(asked, found[1])
    if _STATE.fullmatch(head):
        return [Item(name, "type", snippet=f"{name}.", rank=1) for name in OWNERS]
    if found := _ALLOWED.search(head):
        return (_routine(each) for each in _routines(asked, found[1]) if each.what == "action")
    if _POLICY.fullmatch(head):
        return keywords((policy for policy in VERBS if policy != "unique"), 1)
    if _TYPE.search(head):
        return _types(asked)
    return None


# --- what rules add to --------------------------------------------------------------------------


def _routines(asked: Asked, qualifier: str | None = None) -> Iterator[Routine]:
    symbols = asked.draft.symbols
    for name in symbols.seen(symbols.routines, asked.ruleset, qualifier):
        found = symbols.find(symbols.routines, name, asked.ruleset, qualifier)
        yield from found[:1]


def _routine(routine: Routine, rank: int = 1) -> Item:
    """A routine with the names of its parameters."""
    params = ", ".join(
        f"${{{number}:{param.name}}}" for number, param in enumerate(routine.params, 1)
    )
    snippet = f"{routine.name}({params})"
    return Item(routine.name, routine.what, signature(routine), snippet=snippet, rank=rank)


def _targets(asked: Asked, verb: str, qualifier: str | None) -> Iterator[Item]:
    for routine in _routines(asked, qualifier):
        fits = routine.what == "value" and VERBS[routine.policy] == verb
        if fits or (verb == "require" and routine.what == "action"):
            yield _routine(routine)
    if verb == "refine":
        symbols = asked.draft.symbols
        for name in symbols.seen(symbols.attributes, asked.ruleset, qualifier):
            yield Item(name, "attribute", "attribute", snippet=f"{name}(${{1:x}})", rank=2)
    yield from _rulesets(asked, qualifier)


def _hooked(asked: Asked, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    choice = next((r for r in _routines(asked) if parts and r.name == parts[-1]), None)
    if choice is not None:
        yield from _options(asked, choice)
        return
    for routine in _routines(asked, parts[0] if parts else None):
        if routine.what != "value":
            yield _routine(routine)
    yield from _rulesets(asked, parts[0] if parts else None)


def _choices(asked: Asked, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    for routine in _routines(asked):
        if routine.what == "choice" and not parts:
            yield Item(
                routine.name, "choice", signature(routine), snippet=f"{routine.name}.", rank=1
            )
        elif routine.what == "choice" and routine.name == parts[-1]:
            yield from _options(asked, routine)


def _options(asked: Asked, choice: Routine) -> Iterator[Item]:
    for option in asked.draft.options.get(choice.key, []):
        names = [name for name, _ in option.arguments]
        params = ", ".join(f"${{{number}:{name}}}" for number, name in enumerate(names, 1))
        snippet = f"{option.name}({params})" if names else option.name
        yield Item(option.name, "option", f"option of {choice.name}", snippet=snippet, rank=1)


def _ordered(asked: Asked, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    if not parts:
        yield from _rulesets(asked, None)
        return
    for key in asked.draft.hooks:
        name = key.partition("/")[2]
        yield Item(name, "action", ruleset_of(key), rank=1)


def _others(asked: Asked) -> Iterator[Item]:
    """The rulesets that a block can be about."""
    sight = asked.draft.symbols.game.visible[owner_of(asked.ruleset)]
    for id in sorted(set(asked.others()).difference(sight)):
        yield Item(id, "ruleset", "ruleset", rank=1)


def _rulesets(asked: Asked, qualifier: str | None) -> Iterator[Item]:
    if qualifier is None:
        for id in sorted(map(owner_of, asked.draft.symbols.game.reach[asked.ruleset])):
            yield Item(id, "ruleset", "ruleset", snippet=f"{id}.", rank=6)


def _types(asked: Asked) -> Iterator[Item]:
    symbols = asked.draft.symbols
    for name in (*NAMED, "int", SIDE.name):
        yield Item(name, "type", rank=2)
    yield Item("set of", "keyword", snippet="set of ", rank=3)
    for name in symbols.seen(symbols.nouns, asked.ruleset):
        for each in symbols.find(symbols.nouns, name, asked.ruleset):
            if each.what == "enum":
                yield Item(name, each.what, "enum", rank=1)


# --- what stands inside -------------------------------------------------------------------------


def _qualified(asked: Asked, head: str) -> Iterator[Item]:
    """What follows `settings.`, `game.`, an enum or a ruleset and a dot."""
    if found := _QUALIFIER.search(head):
        yield from of_qualifier(asked.draft.symbols, asked.ruleset, found[2], found[1])


def _inside(asked: Asked, head: str) -> Iterator[Item]:
    place = asked.look()
    if place is not None:
        quoted = asked.source.text[asked.start : asked.start + 1] == "'"
        yield from at_place(place, _LINE_START.search(head) is not None, quoted)
