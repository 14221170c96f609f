"""Linker: many rulesets become one game.

Settings are chosen, names are resolved and components are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rulesdsl.language.builtins import report_taken
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.link import attributes, places
from rulesdsl.language.link.attributes import labels
from rulesdsl.language.link.box import BoxBuilder, Draw, draw, gather_extensions
from rulesdsl.language.link.components import Components, small_enough
from rulesdsl.language.link.copies import check_totals
from rulesdsl.language.link.names import RulesetFamily, arrange, gather
from rulesdsl.language.link.settings import (
    Constants,
    ConstantTyper,
    SettingValue,
    check_refusals,
    choose_settings,
    refused,
)
from rulesdsl.language.link.styles import styles
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.game import LinkedGame, Roles, Ruleset
from rulesdsl.language.model.uses import Uses, declared, word

__all__ = ["link"]


def link(
    rulesets: Sequence[Ruleset],
    settings: Mapping[str, SettingValue],
    typed: ConstantTyper,
    report: Report,
    draw: Draw = draw,
    *,
    modules: Mapping[str, ast.Module] | None = None,
    uses: Uses | None = None,
    backwards: bool = False,
) -> LinkedGame | None:
    """Return the box of the game these rulesets make, in whatever order they are given.

    `settings` chooses values by `ruleset.name`, or `name` where only one ruleset has it; a value
    may be given as its text. `typed` types the expressions of manifests; `draw` derives segments
    from drawings. `modules` are the rules by ruleset, of which only the names of `with` blocks and
    the orders of layers matter here. The meanings of names are recorded in `uses`. `backwards`
    links unrelated rulesets in the opposite order of their names, which must not change how a
    checked game plays. Mistakes are reported and broken parts are left out; the result is None only
    when no ruleset is a whole game.
    """
    family = arrange(rulesets, modules or {}, report, backwards=backwards)
    roles = _roles(family, report)
    if roles is None:
        return None
    names = gather(family, report, uses or Uses())
    _note_rulesets(family, names.uses, report)
    chosen = choose_settings(names, settings, report)
    bare = LinkedGame(family.rulesets, family.reach, family.visible, roles, tuple(chosen.values()))
    constants = Constants(bare, names.uses, typed, report)
    check_refusals(names)
    bare = replace(bare, refused=refused(family, constants, report))
    extensions = gather_extensions(names, report)
    constants = replace(constants, game=bare)
    box = BoxBuilder(family, names, constants, roles, report, extensions, draw)
    return _filled(box, modules or {})


def _filled(box: BoxBuilder, modules: Mapping[str, ast.Module]) -> LinkedGame:
    attributes.fill_enums(box)
    attributes.fill_features(box)
    attributes.fill_attributes(box)
    places.fill_zones(box)
    places.fill_tracks(box)
    grids = places.grids(box, modules)
    box.cells = places.cells_of(box, grids)
    made = Components(box)
    for entry in small_enough(box):
        made.add(entry)
    check_totals(box)
    places.check_sides(box, grids, made.kinds, box.cells)
    texts, unresolved, braced = labels(box)
    return replace(
        box.constants.game,
        enums=tuple(box.enums.values()),
        attributes=tuple(box.attributes.values()),
        feature_kinds=tuple(box.features.values()),
        grids=grids,
        zones=tuple(box.zones.values()),
        tracks=tuple(box.tracks.values()),
        tables=places.tables(box),
        kinds=tuple(made.kinds),
        pieces=tuple(made.pieces),
        labels=texts,
        label_spans=unresolved,
        text_spans=braced,
        parts=box.family.parts,
        absent=frozenset(box.absent),
        styles=styles(box, grids, made.kinds),
        cells=box.cells,
        removed=tuple(made.removed),
    )


def _report_no_game(family: RulesetFamily, report: Report) -> None:
    if not family.rulesets:
        if report.ok:  # what could not be loaded is reported
            report.error("ruleset-missing", "no ruleset is loaded")
        return
    names = ", ".join(f"`{ruleset.id}`" for ruleset in family.rulesets)
    id = family.rulesets[-1].manifest.get("ruleset")
    report.error(
        "ruleset-missing",
        f"none of {names} is a complete game",
        None if id is None else id.span,
        help=(
            "a complete game has `game` and `players`",
            "a ruleset that extends one names it: `requires: [ID]`",
        ),
    )


DECISIONS = 100_000
"""Maximum number of decisions in a game that does not declare its `limit`."""


def _roles(family: RulesetFamily, report: Report) -> Roles | None:
    """Return the parts of the one ruleset that is a whole game; None after reporting."""
    roots = [ruleset for ruleset in family.rulesets if ruleset.manifest.get("game") is not None]
    if not roots:
        _report_no_game(family, report)
        return None
    root = roots[0]
    for other in roots[1:]:
        report.error(
            "ruleset-conflict",
            f"`{root.id}` and `{other.id}` are both complete games",
            _span(other, "game"),
            labels=(Label(_span(root, "game"), f"`{root.id}` is one"),),
            help=("load one of them",),
        )
    game, players = root.manifest.get("game"), root.manifest.get("players")
    return Roles(
        root.id,
        nodes.text(game, "play"),
        nodes.text(game, "finish"),
        nodes.text(game, "score"),
        nodes.text(game, "wins") == "fewest",
        nodes.number(players, "min", 1),
        nodes.number(players, "max", 1),
        nodes.words(nodes.get(players, "colours")),
        nodes.number(game, "limit", DECISIONS),
        _span(root, "game"),
        {str(key.value): value.span for key, value in nodes.entries(game)},
    )


def _note_rulesets(family: RulesetFamily, uses: Uses, report: Report) -> None:
    """Note the ids of rulesets, those that they need, and the colours of players.

    Names that are taken are reported.
    """
    for ruleset in family.rulesets:
        for id in nodes.scalars(ruleset.manifest.get("ruleset")):
            uses.add_last(id.span, word("ruleset", ruleset.id), declares=True)
            report_taken(ruleset.id, "ruleset", id.span, report)
        parties = (each for group in ruleset.interaction for each in group)
        for need in (*ruleset.requires, *parties):
            uses.add_last(need.span, word("ruleset", need.name))
        for colour in nodes.scalars(nodes.get(ruleset.manifest.get("players"), "colours")):
            key = f"{ruleset.id}/{nodes.shown(colour.value)}"
            uses.add_last(colour.span, declared("colour", key), declares=True)
            report_taken(nodes.shown(colour.value), "colour", colour.span, report)


def _span(ruleset: Ruleset, key: str) -> Span:
    found = ruleset.manifest.key(key)
    return ruleset.manifest.span if found is None else found.span
