"""Foreign kinds of features that options accept although no rule mentions them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from rulesdsl.check.compose.advice import places
from rulesdsl.check.compose.guards import FINDING, TooMuch, Work, normal
from rulesdsl.check.compose.unfolded import Unfolder, item_type, preconditions
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Label, Report
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import walk
from rulesdsl.model.game import FeatureKindDef, Game
from rulesdsl.model.names import owner_of, written_name
from rulesdsl.model.types import FEATURE, SEGMENT


def check_newcomers(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report `new-kind`, a warning, for options that may take a feature of an unknown kind.

    The kind is one that the option's ruleset does not know, and no rule that knows both decides
    whether the option is open. The search ends early if it takes too long.
    """
    with suppress(TooMuch):
        _check(checked, contents, report, Work())


def _check(checked: tree.Checked, contents: Contents, report: Report, work: Work) -> None:
    game = checked.game
    for choice in checked.choices.values():
        for option in choice.options:
            reach = game.reach[option.ruleset]
            kinds = [kind for kind in game.feature_kinds if kind.ruleset not in reach]
            names = [
                name
                for binder in option.binders
                if item_type(binder) in (SEGMENT, FEATURE)
                for name in binder.names
            ]
            if not kinds or not names:
                continue
            named = set(_named(checked, contents, option, work))
            for kind in kinds:
                if not any(name == kind.key and kind.ruleset in game.reach[r] for r, name in named):
                    taken = [
                        n
                        for n in names
                        if _takes(Unfolder(checked, contents, work, {n: kind.key}), option)
                    ]
                    if taken:
                        work.spend(FINDING)
                        alike = [o for o in choice.options if o.name == option.name]
                        target = option.name
                        if len(alike) > 1:
                            target = f"{owner_of(option.ruleset)}.{target}"
                        _report(option, target, taken[0], kind, game, report)


def _takes(unfolder: Unfolder, option: tree.OptionDef) -> bool:
    """Say whether an option can be open under the assumed kinds."""
    return bool(normal(unfolder.opened(option), ()))


def _named(
    checked: tree.Checked, contents: Contents, option: tree.OptionDef, work: Work
) -> Iterator[tuple[str, str]]:
    """Yield the kinds of features named by rules that decide whether an option is open.

    Each comes with the ruleset that names it.
    """
    for ruleset, rule in _said(checked, contents, option, work):
        for node in walk(rule):
            if isinstance(node, tree.IsKind) and node.test == "feature":
                yield ruleset, node.name


def _said(
    checked: tree.Checked, contents: Contents, option: tree.OptionDef, work: Work
) -> Iterator[tuple[str, object]]:
    """Yield all rules that decide whether an option is open."""
    yield option.ruleset, (option.binders, option.guard)
    yield from ((forbid.ruleset, (forbid.guard,)) for forbid in option.forbids)
    yield from ((rule.ruleset, rule) for rule in preconditions(checked, option))
    conditions = (option.binders, option.guard, option.forbids, preconditions(checked, option))
    calls = [node.value for node in walk(conditions) if isinstance(node, tree.CallValue)]
    met = set[str]()
    while calls:
        value = calls.pop()
        if value not in met:
            met.add(value)
            work.spend(len(contents.values[value]))
            yield from ((rule.ruleset, rule) for rule in checked.values[value].rules)
            calls += [node.value for node in contents.values[value].of(tree.CallValue)]


def _report(
    option: tree.OptionDef,
    target: str,
    name: str,
    kind: FeatureKindDef,
    game: Game,
    report: Report,
) -> None:
    alike = [each for each in game.feature_kinds if each.name == kind.name]
    short = kind.name if len(alike) == 1 else written_name(kind.key)
    choice = option.name.partition(".")[0]
    arguments = ", ".join(_plain(n) for binder in option.binders for n in binder.names)
    where = f"in `{kind.ruleset}`"
    if option.ruleset not in game.reach[kind.ruleset]:
        where = places(kind.ruleset, option.ruleset)
    report.warning(
        "new-kind",
        f"`{option.name}` of `{option.ruleset}` accepts the new kind `{short}` as its "
        f"`{_plain(name)}`, and no rule says whether it should",
        kind.span,
        labels=(Label(option.span, f"this option of `{choice}`"),),
        help=(
            f"to forbid it, write {where}:",
            f"    forbid {target}({arguments}) when {_plain(name)} is {short}",
            "if it is meant, say so where the kind is declared:",
            f"    {_line(kind)}  # allow: new-kind",
        ),
    )


def _line(kind: FeatureKindDef) -> str:
    """Return the line of a manifest that declares a kind."""
    text, start = kind.span.source.text, kind.span.start
    begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
    return text[begin : end if end >= 0 else len(text)].strip()


def _plain(name: str) -> str:
    """Return the name of a local as it is written."""
    return name.partition("$")[0]
