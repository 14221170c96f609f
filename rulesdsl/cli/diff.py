"""`rulesdsl diff`: what a new version of a ruleset changes for players."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rulesdsl.author.versions.changes import ADDED, REMOVED, Raise, VersionChange, changes
from rulesdsl.author.versions.games import PlayedVersions, VersionPair, choices_of, played_versions
from rulesdsl.author.versions.verdict import VersionVerdict
from rulesdsl.cli.console import Console, Styled, bad_argument, exit_code, refusing
from rulesdsl.cli.loading import parts, settings
from rulesdsl.language.diagnostics import Diagnostic, Report, Span
from rulesdsl.language.diagnostics.report import inert_json, numbers
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.study.playing import Variant
from rulesdsl.study.report import bounds, sections, value

LINES = 5
"""The most lines of statistics that are shown of a section."""


def command(arguments: Namespace, console: Console) -> int:
    """Compare two versions, and return whether the new number claims as much as has changed."""
    paths = arguments.old, arguments.new
    expansions = tuple(parts(arguments.expansions))
    chosen = tuple(sorted((name, str(each)) for name, each in settings(arguments.set).items()))
    named = zip(("old", "new"), paths, strict=True)
    versions = tuple(Variant(name, expansions, chosen, path) for name, path in named)
    pair = VersionPair(versions, tuple(arguments.path), arguments.engine)
    choices = list(choices_of(pair))
    old, new = _rulesets(paths, arguments.path)
    found = changes([[each.checked for each in games] for _, games in choices])
    played = None
    if arguments.games:
        limits = arguments.players, arguments.games, arguments.seed
        with refusing():
            played = played_versions(choices, found, *limits)
    level = max((each.level for each in found), default=Raise.NONE)
    if played is not None and played.differ is not None:
        level = Raise.MAJOR
    verdict = VersionVerdict(old.version, new.version, level)
    compared = old.id, found, played, verdict
    if arguments.format == "json":
        console.document(inert_json(_plain(compared), indent=1) + "\n")
    else:
        console.write(_lines(compared))
    wrong = [] if verdict.honest else [_finding(new, verdict)]
    console.show(wrong)
    return exit_code(wrong)


def _rulesets(paths: Sequence[str], folders: Sequence[str]) -> tuple[Ruleset, Ruleset]:
    # The last one is named, the others are those that it requires.
    old, new = (load_rulesets(path, paths=folders, report=Report())[-1] for path in paths)
    if old.id != new.id:
        message = f"`{paths[0]}` is the ruleset `{old.id}`, and `{paths[1]}` is `{new.id}`"
        raise bad_argument(message, "name two versions of one ruleset")
    return old, new


def _finding(new: Ruleset, verdict: VersionVerdict) -> Diagnostic:
    """Return the error for a number that claims less than what has changed."""
    written = new.manifest.get("version")
    claim = "is lower" if verdict.claimed is None else f"claims {_CLAIMS[verdict.claimed]}"
    message = f"{verdict.new} after {verdict.old} {claim}, and there is {_CLAIMS[verdict.level]}"
    help = f"the lowest honest number is {verdict.number}"
    span = written.span if written is not None else None
    return Diagnostic("version-claim", message, span, help=(help,))


_CLAIMS = {
    Raise.NONE: "no change",
    Raise.PATCH: "a patch",
    Raise.MINOR: "a minor change",
    Raise.MAJOR: "a major change",
}


# --- output ------------------------------------------------------------------------------------


_Compared = tuple[str, list[VersionChange], PlayedVersions | None, VersionVerdict]
"""The id of a ruleset, its changes, the games and the verdict."""


def _lines(compared: _Compared) -> Iterator[Styled]:
    id, found, played, verdict = compared
    yield ((f"{id} {verdict.old} and {verdict.new}", "title"),)
    section = ""
    for each in found:
        if each.section != section:
            section = each.section
            yield ((section, "label"),)
        text = f" ({each.text})" if each.text else ""
        yield f"  {_SIGNS.get(each.what, '~')} {each.name}{text}", (_where(each), "faint")
    if not section:
        yield ("no difference in the files",)
    if played is not None:
        yield from _games(played)
    claimed = "lower" if verdict.claimed is None else _CLAIMS[verdict.claimed]
    yield (f"changed: {_CLAIMS[verdict.level]}; the number claims: {claimed}",)


def _games(played: PlayedVersions) -> Iterator[Styled]:
    if not played.players:
        yield ("no random games, as no number of players is for both",)
        return
    choices = f", with {played.choices + 1} choices of settings" if played.choices else ""
    yield ((f"random games for {numbers(played.players)}{choices}", "label"),)
    differ = played.differ
    if differ is None:
        yield (f"  {played.games} are alike, position by position",)
        if played.ended:
            yield (f"  {played.ended:,} others end alike",)
        return
    moves = "1 move" if len(differ.moves) == 1 else f"{len(differ.moves)} moves"
    yield (f"  they differ after {moves} in {differ.why}",)
    for each in played.rules:
        yield f"  it ran: {each.name}", (_where(each), "faint")
    yield (f"  this scenario holds in the {differ.holds} version:",)
    yield from ((f"    {line}",) for line in differ.scenario)
    measures = played.measures
    for one in [*measures][:1]:
        yield ((f"{one.games:,} random games: difference, 95 % interval", "label"),)
    for section, found in sections([one for one in measures if one.telling]):
        for one in sorted(found, key=lambda one: -one.telling)[:LINES]:
            was, now = map(value, measures[one])
            yield (f"  {section}, {one.label}: {value(one)} ({bounds(one)}); {now}, was {was}",)


_SIGNS = {ADDED: "+", REMOVED: "-"}


def _where(change: VersionChange) -> str:
    places = [_place(each) for each in (change.new, change.old) if each is not None]
    return f"  {places[0]}" + (f", was {places[1]}" if len(places) > 1 else "") if places else ""


def _place(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


def _plain(compared: _Compared) -> dict[str, object]:
    """Return everything as plain data, as `schemas/diff.schema.json` describes it."""
    id, found, played, verdict = compared
    return {
        "format": 1,
        "ruleset": id,
        "old": verdict.old,
        "new": verdict.new,
        "changes": [
            {
                "section": each.section,
                "what": each.what,
                "name": each.name,
                "text": each.text,
                "level": each.level.word,
                "old": each.old and _place(each.old),
                "new": each.new and _place(each.new),
            }
            for each in found
        ],
        "games": played and _plain_games(played),
        "changed": verdict.level.word,
        "claimed": None if verdict.claimed is None else verdict.claimed.word,
        "honest": verdict.honest,
        "number": verdict.number,
    }


def _plain_games(played: PlayedVersions) -> dict[str, object]:
    differ = played.differ
    return {
        "players": list(played.players),
        "choices": played.choices + 1,
        "games": played.games,
        "ended": played.ended,
        "difference": differ
        and {
            "why": differ.why,
            "moves": list(differ.moves),
            "rules": [each.name for each in played.rules],
            "scenario": "\n".join(differ.scenario) + "\n",
            "holds": differ.holds,
        },
        "measures": [
            {
                "section": each.section,
                "label": each.label,
                "old": asdict(old.interval),
                "new": asdict(new.interval),
                "difference": asdict(each.interval),
            }
            for each, (old, new) in played.measures.items()
        ],
    }
