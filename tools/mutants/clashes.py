"""Rules that replace others by mistake: a missing `proceed`, and two conflicting refinements."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rulesdsl.author.testing import mutants
from rulesdsl.language.model import ast
from tools.mutants.mutant import Line, Mutant
from tools.mutants.shipped import Ruleset, expansions, rulesets, strangers

_ASKS = {
    "feature": ("{}.cells > 3", "{}.ends == 0", "closed({})"),
    "segment": ("{}.feature.cells > 2", "closed({}.feature)"),
    "tile": ("on_board({})", "count(segments({})) > 2"),
    "figure": ("owned({})", "on_board({})"),
    "card": ("owned({})",),
    "player": ("seat({}) > 1", "{} == first(players)"),
    "int": ("{} > 2", "{} < 9"),
}
"""Conditions on a parameter of each type, in builtins only."""
_ALWAYS = ("count(players) > 2", "count(players) < 5")
_GIVES = {"int": ("17", "previous + 2", "0"), "bool": ("true", "not previous", "false")}
"""Results for refinements of values of each type."""


def without_proceed(random: Random) -> Iterator[Mutant]:
    """Yield hooks of `around` without `proceed`.

    These are existing ones, other hooks rewritten as `around`, and ones that count the runs of an
    action.
    """
    for ruleset in rulesets().values():
        if ruleset.rules is None:
            continue
        forgotten = {id(each.node): each for each in mutants.proceeds(ruleset.module)}
        for node in ruleset.module.declarations:
            if isinstance(node, ast.HookDecl) and node.when == "around":
                if id(node) in forgotten:
                    change, name = forgotten[id(node)], ruleset.rules.name
                    at = ((name, node.span.line),)
                    place = change.start, change.end, change.new
                    yield Mutant("there", ruleset.id, name, *place, at)
            elif isinstance(node, ast.HookDecl):
                yield from _rewritten(ruleset, node)
            elif isinstance(node, ast.ActionDecl | ast.ChoiceDecl):
                yield from _counted(random, ruleset, node)


def _rewritten(ruleset: Ruleset, hook: ast.HookDecl) -> Iterator[Mutant]:
    """Yield a `before` or `after` rewritten as an `around`, with its guard in front or inside."""
    assert ruleset.rules is not None
    source = ruleset.rules
    head = f"around {hook.target}({', '.join(param.name for param in hook.params)})"
    body = [source.text[each.span.start : each.span.end] for each in hook.body.statements]
    if any("\n" in each for each in body):
        return
    guard = "" if hook.guard is None else source.text[hook.guard.span.start : hook.guard.span.end]
    ways = {"in front": (f" when {guard}" if guard else "", "    ")}
    if guard:
        ways["inside"] = ("", f"    if {guard}:\n        ")
    for sort, (when, indent) in ways.items():
        inside = ("\n" + " " * len(indent.rpartition("\n")[2])).join(body)
        lines = [f"{indent}{inside}", "    proceed"]
        lines = lines if hook.when == "before" else lines[::-1]
        sound = "\n".join((f"{head}{when}:", *lines))
        new = sound.replace("\n    proceed", "")
        start, end = hook.span.start, _end(hook)
        yield Mutant(
            f"hook rewritten, guard {sort}", ruleset.id, source.name, start, end, new, sound=sound
        )


def _counted(
    random: Random, ruleset: Ruleset, node: ast.ActionDecl | ast.ChoiceDecl
) -> Iterator[Mutant]:
    """Yield counters of an action or choice, in the ruleset itself or in one that builds on it."""
    if node.name in ("game", "finish"):
        return
    for id in dict.fromkeys((ruleset.id, *_builders(random, ruleset))):
        other = rulesets()[id]
        if other.rules is None:
            continue
        end = len(other.rules.text)
        head = f"around {node.name}({', '.join(param.name for param in node.params)})"
        sound = (
            f"\nstate game.often: int 0..9999 = 0\n\n{head} when often < 9999:\n"
            "    proceed\n    often += 1\n"
        )
        new = sound.replace("    proceed\n", "")
        lines = _appended(other, new)
        yield Mutant("counter", id, other.rules.name, end, end, new, lines, sound=sound)


def clashing(random: Random) -> Iterator[Mutant]:
    """Yield pairs of refinements that can both apply.

    Either a second one is added to an existing one, in its ruleset or in an unrelated one, or both
    are new.
    """
    for ruleset in rulesets().values():
        for node in ruleset.module.declarations if ruleset.rules else ():
            if isinstance(node, ast.Contribution) and node.verb == "refine":
                yield from _second(random, ruleset, node)
            elif isinstance(node, ast.ValueDecl) and node.policy == "unique":
                yield from _two(random, ruleset, node)


def _second(random: Random, ruleset: Ruleset, node: ast.Contribution) -> Iterator[Mutant]:
    assert ruleset.rules is not None
    value = next(
        each
        for id in ruleset.loaded
        for each in _declarations(id)
        if isinstance(each, ast.ValueDecl) and each.name == str(node.target)
    )
    party = (ruleset.rules.name, node.span.line)
    head = f"refine {node.target}({', '.join(param.name for param in node.params)})"
    gives = _GIVES.get(_type(value), ("previous",))
    # A rule with a guard beats one without: they clash if both have one, or neither.
    asks = [f" when {each}" for each in _asks(node.params, value)] if node.guard else [""]
    owner = next(id for id in ruleset.loaded if value in _declarations(id))
    for ask in asks:
        for id in (ruleset.id, *strangers(ruleset.id)):
            if owner not in rulesets()[id].loaded:
                continue
            other, beside = rulesets()[id], () if id == ruleset.id else (ruleset.id,)
            new = f"\n{head}{ask}: {random.choice(gives)}\n"
            sort = "in one ruleset" if id == ruleset.id else "of strangers"
            yield from _append(sort, other, new, (party,), beside)


def _two(random: Random, ruleset: Ruleset, value: ast.ValueDecl) -> Iterator[Mutant]:
    gives = _GIVES.get(_type(value))
    if gives is None:
        return
    head = f"refine {value.name}({', '.join(param.name for param in value.params)})"
    asks = _asks(value.params, value)
    for id in _builders(random, ruleset):
        one, two = random.sample(asks, 2) if len(asks) > 1 else (asks * 2)[:2]
        a, b = random.sample(gives, 2)
        new = f"\n{head} when {one}: {a}\n\n{head} when {two}: {b}\n"
        yield from _append("both new", rulesets()[id], new, (), ())


def _declarations(id: str) -> tuple[ast.Decl, ...]:
    ruleset = rulesets()[id]
    return ruleset.module.declarations if ruleset.rules else ()


def _append(
    sort: str, other: Ruleset, new: str, parties: tuple[Line, ...], beside: tuple[str, ...]
) -> Iterator[Mutant]:
    if other.rules is not None:
        end = len(other.rules.text)
        lines = (*parties, *_appended(other, new))
        yield Mutant(sort, other.id, other.rules.name, end, end, new, lines, beside)


def _appended(other: Ruleset, new: str) -> tuple[Line, ...]:
    """Return the lines of a text appended to the rules."""
    assert other.rules is not None
    last = other.rules.text.count("\n")
    return tuple((other.rules.name, last + n + 1) for n in range(new.count("\n")))


def _asks(names: tuple[ast.Param, ...], value: ast.ValueDecl) -> list[str]:
    """Return conditions that the parameters of a value allow, by their new names."""
    found = [
        each.format(name.name)
        for name, param in zip(names, value.params, strict=True)
        if param.type is not None
        for each in _ASKS.get(str(param.type.name), ())
    ]
    return [*found, *_ALWAYS]


def _type(value: ast.ValueDecl) -> str:
    return "" if value.type.is_set or value.type.optional else str(value.type.name)


def _builders(random: Random, ruleset: Ruleset) -> list[str]:
    """Return some rulesets that may extend the declarations of this one."""
    if len(ruleset.loaded) > 1:
        return [ruleset.id]
    found = list(expansions(ruleset.id))
    return random.sample(found, min(3, len(found))) or [ruleset.id]


def _end(hook: ast.HookDecl) -> int:
    return hook.body.statements[-1].span.end
