"""`rulesdsl list` and the list of `rulesdsl replay`: rulesets, and saved games."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from rulesdsl.base.texts import FALLBACK, languages
from rulesdsl.cli.console import CLEAN, Console, Styled
from rulesdsl.cli.loading import parts, read_source
from rulesdsl.cli.words import CommandTexts, written
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.model import nodes
from rulesdsl.language.read.files import SUFFIX, DiskFolder
from rulesdsl.language.read.find import FolderSearch, FoundFile, search_folders, with_suffix
from rulesdsl.language.read.manifest import ManifestHeader, read_ruleset
from rulesdsl.play.names import form
from rulesdsl.play.records import Record, games_folder, read_record, saved_games

_SHOWN = 20
"""The number of saved games that are listed unless all are asked for."""


def rulesets(arguments: Namespace, console: Console) -> int:
    """List the games that are found, each with its expansions and all settings."""
    report = Report()
    paths = [*map(_folder_of, arguments.folders), *parts(arguments.path)]
    search = FolderSearch(search_folders([DiskFolder.at(".")], paths, report))
    found = {each.id: each for each in reversed(search.found) if each.header}
    headers = {id: each.header for id, each in found.items() if each.header}
    texts = CommandTexts(arguments.lang)
    for game in sorted(id for id, each in headers.items() if not extended(each)):
        console.write(_described(found[game], arguments.lang, ""))
        names = sorted(family(headers, game), key=lambda each: found[each].is_apart)
        for apart, group in groupby(names, lambda each: found[each].is_apart):
            if apart:
                console.say((f"  {texts('apart')}", "help"))
            for name in group:
                console.write(_described(found[name], arguments.lang, "  "))
        console.say()
    console.show(report)
    if arguments.lang not in languages():
        there = {
            *languages(),
            *(each for one in found.values() for each in _manifest(one).get("labels", ())),
        }
        if arguments.lang not in there:
            console.note(f"no texts in `{arguments.lang}`; there are {', '.join(sorted(there))}")
    console.say((texts("play-one"), "help"))
    console.say((texts("choose-setting"), "help"))
    return CLEAN


def _folder_of(given: str) -> str:
    """Return the folder that contains a manifest; another name as it is."""
    is_file = os.path.isfile(with_suffix(given)) and not given.endswith(SUFFIX)
    return os.path.dirname(given) or "." if is_file else given


def extended(header: ManifestHeader) -> set[str]:
    """Return the rulesets that a ruleset extends, or whose meeting it describes."""
    return {*header.requires, *header.parties}


def family(headers: Mapping[str, ManifestHeader], game: str) -> list[str]:
    """Return the rulesets that extend a game, directly or through others, sorted."""
    reached = {game}
    while more := {i for i, each in headers.items() if extended(each) & reached} - reached:
        reached |= more
    return sorted(reached - {game})


def _manifest(found: FoundFile) -> Any:
    """Return the manifest of a ruleset as plain data, empty if it cannot be read."""
    ruleset = read_ruleset(found.folder, found.file, Report())
    return nodes.plain(ruleset.manifest) if ruleset else {}


def _described(found: FoundFile, language: str, indent: str) -> Iterator[Styled]:
    assert found.header is not None, "as above"
    manifest = _manifest(found)
    tongues = manifest.get("labels", {})
    labels = {**tongues.get(FALLBACK, {}), **tongues.get(language, {})}
    label = form(str(labels.get(found.id, "")), 1)
    texts = CommandTexts(language)
    note = f"  {texts('with-parties')}" if found.header.interaction else ""
    yield [indent, (found.id, "title"), f"  {label}" if label else "", (note, "faint")]
    if manifest.get("description"):
        yield [(f"{indent}    {manifest['description']}", "faint")]
    credited = [", ".join(manifest.get("authors", ())), *map(manifest.get, ("licence", "homepage"))]
    if any(credited):
        yield [(f"{indent}    {' · '.join(filter(None, credited))}", "faint")]
    for others in found.header.excludes:
        yield [(f"{indent}    {texts('not-with', others=', '.join(others))}", "faint")]
    for name, setting in manifest.get("settings", {}).items():
        text = form(str(labels.get(name, "")), 1)
        yield [
            f"{indent}    {found.id}.{name}={written(setting['default'])}",
            (f"  {values_shown(setting, texts)}{f': {text}' if text else ''}", "faint"),
        ]


def values_shown(setting: Mapping[str, Any], texts: CommandTexts) -> str:
    """Return the values that a setting can have, in words."""
    if "range" in setting:
        return texts("range", low=setting["range"][0], high=setting["range"][1])
    if "values" not in setting:
        return texts("or", first=texts("true"), last=texts("false"))
    *others, last = map(written, setting["values"])
    return texts("or", first=", ".join(others), last=last) if others else last


def values_of(setting: Mapping[str, Any]) -> Iterable[object]:
    """Return the values that a setting can have, if they are few."""
    low, high = setting.get("range", (0, -1))
    return setting.get("values") or range(low, min(high, low + 20) + 1) or (True, False)


def games(arguments: Namespace, console: Console) -> int:
    """List the games that people played, the last one first."""
    saved = saved_games()
    if not saved:
        console.say("no game has been saved yet; to play one: rulesdsl run base")
        return CLEAN
    for path in saved if arguments.all else saved[:_SHOWN]:
        try:
            record = read_record(read_source(os.fspath(path), console.input))
        except RulesError as error:
            console.show(error.diagnostics)
            continue
        console.write(_shown(path, record))
    if len(saved) > _SHOWN and not arguments.all:
        console.say((f"{len(saved) - _SHOWN} more; to see them: rulesdsl replay --all", "faint"))
    console.say()
    console.say(("to continue the last one: rulesdsl run --resume last", "help"))
    console.say(("to see one again: rulesdsl replay NAME", "help"))
    console.say(("all of them are in ", "faint"), (os.fspath(games_folder() or ""), "faint"))
    return CLEAN


def _shown(path: Path, record: Record) -> Iterator[Styled]:
    header, scores = record.header, record.result or {}
    yield [(path.stem, "title"), f"  {datetime.fromtimestamp(path.stat().st_mtime):%Y-%m-%d %H:%M}"]
    names = " with ".join(filter(None, (header.root, ", ".join(header.expansions))))
    players = ", ".join(
        f"{colour} ({who})" + (f" {scores[colour]}" if colour in scores else "")
        for colour, who in header.seats.items()
    )
    played = len(record.entries)
    state = f"{played} move{'s' * (played != 1)} so far"
    if record.result is not None:
        state = f"won by {', '.join(record.winners)}" if record.winners else "over"
    yield [f"    {names}; {players or f'{header.players} players'}; {state}"]
