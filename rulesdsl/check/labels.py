"""Labels that name nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.check.draft import Option
from rulesdsl.check.symbols import Symbols
from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.uses import Symbol, declared


def check_labels(
    symbols: Symbols,
    options: Mapping[str, Sequence[Option]],
    absent: Mapping[str, Set[str]],
    report: Report,
) -> None:
    """Report labels whose names neither the box nor the rules declare; `absent` are the words in
    `with` blocks that do not count, by ruleset."""
    names: dict[str, set[str]] = {}
    for key, spans in symbols.game.label_spans.items():
        ruleset, _, name = key.partition("/")
        if ruleset not in names:
            names[ruleset] = _names(symbols, options, ruleset)
        known = names[ruleset]
        for symbol in _meant(symbols, options, ruleset, name)[:1]:
            for span in spans:
                symbols.uses.add_last(span, symbol)
        if name in known or set(name.split(".")) <= absent[ruleset]:
            continue
        if any(symbols.broken.get(r) for r in symbols.game.reach[ruleset]):
            continue
        message = f"there is nothing called `{name}` to be labelled"
        report.error(
            "label-unknown",
            message,
            spans[0],
            help=did_you_mean(name, known | _box(symbols, ruleset)),
        )


def _meant(
    symbols: Symbols, options: Mapping[str, Sequence[Option]], ruleset: str, name: str
) -> list[Symbol]:
    """What the rules declare under the name of a label."""
    owner, _, short = name.rpartition(".")
    routines = symbols.find(symbols.routines, name, ruleset)
    choices = symbols.find(symbols.routines, owner, ruleset)
    return [
        *(declared(routine.what, routine.key) for routine in routines),
        *(
            declared("option", option.key)
            for choice in choices
            for option in options.get(choice.key, ())
            if option.name == short
        ),
        *(declared("state", datum.key) for datum in symbols.find(symbols.data, name, ruleset)),
    ]


def _box(symbols: Symbols, ruleset: str) -> set[str]:
    """All that a ruleset sees declared in manifests, and the words of settings."""
    game = symbols.game
    settings = [each for each in game.settings if each.ruleset in game.visible[ruleset]]
    return {
        *symbols.seen(symbols.settings, ruleset),
        *(f"{each.name}.{value}" for each in settings for value in each.values),
        *symbols.seen(symbols.nouns, ruleset),
        *symbols.seen(symbols.components, ruleset),
        *symbols.seen(symbols.features, ruleset),
    }


def _names(symbols: Symbols, options: Mapping[str, Sequence[Option]], ruleset: str) -> set[str]:
    """All that a ruleset may label: what it sees declared in rules, its options, and words of the
    language."""
    names = {*FUNCTIONS, *FORMS, *EFFECTS, *PROPERTIES}
    for part in (each.id for each in symbols.game.parts if each.ruleset == ruleset):
        names.update(symbols.seen(symbols.routines, part))
        for name in symbols.seen(symbols.data, part):
            names |= {name, name.partition(".")[2]}
    for found in options.values():
        names.update(f"{option.choice.name}.{option.name}" for option in found)
    return names
