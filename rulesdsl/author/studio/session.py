"""A session of the studio: it answers the calls of a page about one project."""

from __future__ import annotations

import os
import re
import sys
import traceback
import zlib
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from time import monotonic
from xml.etree import ElementTree

from rulesdsl.author.lint.played import comparison, failing_game, other_order
from rulesdsl.author.lsp.family import Refused
from rulesdsl.author.lsp.hover import plain
from rulesdsl.author.lsp.workspace import fixes, merged, outline, text
from rulesdsl.author.studio.project import VERSION, Data, Project, checked
from rulesdsl.author.why.answer import lines
from rulesdsl.author.why.played import LAST, ask_record, turn_with
from rulesdsl.author.why.points import PointsQuestion
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.engine.build import Memory, remembering
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Source, Span
from rulesdsl.language.diagnostics.report import inert
from rulesdsl.language.model.names import RulesetId
from rulesdsl.play import Game, load
from rulesdsl.play.moves import wanted
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import (
    Failed,
    FailedExpectation,
    try_within,
)
from rulesdsl.play.scenario.write import NotRetold, OtherGame, added_to, new_file, scenario_of
from rulesdsl.show.draw.board import board_svg
from rulesdsl.show.draw.pieces import Pieces
from rulesdsl.show.page.plan import module_of, node, shared, tree

_WIDE = re.compile("[\U00010000-\U0010ffff]")


class Offsets:
    """Converts places in a text: Python counts characters, the page counts units of UTF-16."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _wide(self) -> list[int]:
        return [] if self._text.isascii() else [m.start() for m in _WIDE.finditer(self._text)]

    def to_page(self, offset: int) -> int:
        """Return the number of units before a character."""
        return offset + bisect_right(self._wide, offset - 1)

    def from_page(self, units: int) -> int:
        """Return the number of characters in the first units; places outside are moved inside."""
        low, high = 0, min(max(units, 0), len(self._text))
        while low < high:
            middle = (low + high) // 2
            if self.to_page(middle) < units:
                low = middle + 1
            else:
                high = middle
        return low


class Language:
    """Answers questions about the texts of a project.

    Places are given and returned as `Offsets` counts them for the page.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    # --- findings

    def findings(self, names: Iterable[str]) -> Data:
        """Return the findings of the rulesets that files belong to, by file.

        Files in which nothing is found have an empty list; findings elsewhere are at the ruleset.
        """
        workspace = self.project.workspace
        roots = dict.fromkeys(r for name in names for r in workspace.roots(self.project.path(name)))
        found = merged(workspace.check(root) for root in roots)
        shown: Data = {name: [] for name in names}
        for path, listed in found.items():
            name = self.project.name(path)
            if name is not None:
                shown.setdefault(name, []).extend(map(self.finding, listed))
        return shown

    def finding(self, found: Diagnostic) -> Data:
        """Return a finding with the edits that fix it; one without a place is at the start."""
        return {
            **(self.place(found.span) if found.span else {"file": None, "from": 0, "to": 0}),
            "severity": found.severity.name.lower(),
            "slug": found.slug,
            "message": text(found),
            "fixes": [
                {"title": title, "edits": [{**self.place(span), "text": written}]}
                for title, span, written in fixes(found)
            ],
        }

    def place(self, span: Span) -> Data:
        """Return a span: the name of its file, None outside of the project, and its ends."""
        offsets = Offsets(span.source.text)
        name = self.project.name(span.source.name)
        return {
            "file": name,
            "from": offsets.to_page(span.start),
            "to": offsets.to_page(span.end),
            "line": span.line,
        }

    # --- names

    def _offset(self, name: str, at: int) -> tuple[str, Source, int]:
        source = self.project.source(name)
        return self.project.path(name), source, Offsets(source.text).from_page(at)

    def complete(self, name: str, at: int) -> Data:
        """Return the items that fit at a place, and the start of the word that they replace."""
        path, source, offset = self._offset(name, at)
        start, items = self.project.workspace.complete(path, offset)
        return {
            "from": Offsets(source.text).to_page(start),
            "items": [
                {
                    "label": e.label,
                    "what": e.what,
                    "detail": e.detail,
                    "doc": e.doc,
                    "snippet": e.snippet,
                }
                for e in items
            ],
        }

    def hover(self, name: str, at: int) -> Data | None:
        """Return what is known about the name, aggregate or key at a place, as Markdown."""
        path, _, offset = self._offset(name, at)
        workspace = self.project.workspace
        found = workspace.hover(path, offset, lambda at: plain(f"{_file(at.source)}:{at.line}"))
        return None if found is None else {**self.place(found[0]), "markdown": found[1]}

    def definition(self, name: str, at: int) -> Data | None:
        """Return where the name at a place is declared.

        If that is outside of the project, `title` and `text` are the file's.
        """
        path, _, offset = self._offset(name, at)
        found = self.project.workspace.definition(path, offset)
        if found is None:
            return None
        place, source = self.place(found), found.source
        return place if place["file"] else {**place, "title": _file(source), "text": source.text}

    def rename(self, name: str, at: int, new: str) -> Data:
        """Return the edits that rename what is named at a place, by file.

        Raises Refused if it cannot be renamed, or is also in files outside of the project.
        """
        path, _, offset = self._offset(name, at)
        family, use = self.project.workspace.at(path, offset)
        if use is None:
            raise Refused("there is no name here that could be renamed")
        edits, unsure = self.project.workspace.rename(family, use.symbol, new)
        shown = {}
        for path, listed in edits.items():
            file = self.project.name(path)
            if file is None:
                outside = os.path.basename(path)
                raise Refused(f"the name is also in `{outside}`, outside of the project")
            shown[file] = [{**self.place(span), "text": written} for span, written in listed]
        return {"edits": shown, "also": unsure}

    # --- texts

    def format(self, name: str) -> Data:
        """Return the text of a file in the usual format; raises Refused if it has errors."""
        return {"text": self.project.workspace.formatted(self.project.known(name))}

    def colours(self, name: str) -> Data:
        """Return the tokens of a file: start, end, kind, and whether they declare a name."""
        path, offsets = self.project.known(name), Offsets(self.project.source(name).text)
        return {
            "tokens": [
                [offsets.to_page(t.start), offsets.to_page(t.end), t.kind, t.declares]
                for t in self.project.workspace.tokens(path)
            ]
        }

    def components(self, name: str) -> Data:
        """Return the components that a manifest declares, with their places."""
        path, source = self.project.known(name), self.project.source(name)
        if self.project.workspace.kind(path) != "ruleset":
            return {"components": []}
        ruleset = self.project.workspace.own(path).ruleset_of(path)
        return {
            "components": [
                {"kind": f"{ruleset}/{each.name}", **self.place(each.whole)}
                for section in outline(source)
                for each in section.inside
                if each.what == "component"
            ]
        }


def _file(source: Source) -> str:
    return source.name.replace("\\", "/").rpartition("/")[2]


# --- the session ---------------------------------------------------------------------------------


SECONDS = 10.0
"""The seconds after which rules that do not end are stopped."""
_PART = 0.3
"""The seconds after which other calls have their turn between scenarios."""
_LONGEST = 5.0
"""The seconds that one scenario may take for the others to be run after it."""
_MOST_EXPORTS = 4


class Session(Language):
    """Answers the calls of `project.FIELDS`."""

    def __init__(self, project: Project, *, saves: bool) -> None:
        """Begin a session; with `saves` the page may write the files of the project."""
        super().__init__(project)
        self._saves = saves
        self._memory = Memory()
        self._memory.known = project.workspace.known
        self._game: Game | None = None
        self._comparison: Iterator[Diagnostic | None] = iter(())
        self._exports: dict[tuple[str, int], Data] = {}

    def answer(self, request: object) -> Data:
        """Return `{"result": …}`, or `{"error": reason}` if the request is refused.

        An error of the program itself is written to standard error, and the session goes on.
        """
        try:
            call, fields = checked(request)
            with under(Deadline(SECONDS)):
                return {"result": getattr(self, call)(*fields.values())}
        except (Refused, OutOfTime) as error:
            return {"error": str(error)}
        except RulesError as error:
            return {"error": error.diagnostics[0].message}
        except Exception:
            sys.stderr.write(inert(traceback.format_exc()))
            return {"error": "internal error: the log of the program has it; please report it"}

    # --- files

    def open(self, version: int) -> Data:
        if version != VERSION:
            raise Refused(f"the page speaks version {version} of the protocol, its host {VERSION}")
        return self._files()

    def load(self, files: dict[str, str]) -> Data:
        self.project.load(files)
        return self._files()

    def _files(self) -> Data:
        project = self.project
        return {
            "version": VERSION,
            "name": os.path.basename(project.folder),
            "saves": self._saves,
            "problems": project.problems,
            "files": dict(sorted(project.texts.items())),
            **self._kinds(),
        }

    def _kinds(self) -> Data:
        return {
            "manifests": self.project.manifests,
            "scenarios": self.project.scenarios,
            "unsaved": self.project.unsaved if self._saves else [],
        }

    def change(self, file: str, text: str) -> Data:
        """Replace the text of a file and return the findings of its ruleset."""
        self.project.change(file, text)
        return {"findings": self.findings([file]), **self._kinds()}

    def check(self) -> Data:
        return {"findings": self.findings(list(self.project.texts)), **self._kinds()}

    def remove(self, file: str) -> Data:
        """Take a file away that is not on disk."""
        self.project.remove(file)
        return self._kinds()

    def save(self) -> Data:
        if not self._saves:
            raise Refused("nothing is saved here: download the files")
        return {"saved": self.project.save(), **self._kinds()}

    # --- games

    def over(self, kind: str) -> Data:
        """Return what the rules know of a tile that has an image, to be drawn over it."""
        game = self._game
        style = None if game is None else game.checked.game.styles.get(kind)
        if game is None or style is None or style.image is None:
            return {"drawn": []}
        tiles = (i for i, each in enumerate(game.checked.game.kinds)
                 if each.key == kind and each.outline is not None)  # fmt: skip
        drawn = (Pieces(game).tile(index).geometry() for index in tiles)
        return {"drawn": tree(next(drawn, []))}

    @contextmanager
    def _looking(self) -> Iterator[None]:
        with self.project.workspace.looking(), remembering(self._memory):
            yield

    def build(self, main: str, expansions: list[str], players: int) -> Data:
        """Return the plan of a game and its module for a number of players.

        For `players` that the game is not for, the nearest number is taken. Without a game,
        `findings` say why.
        """
        path = self.project.known(main)
        given = [self._named(each) for each in expansions]
        try:
            with self._looking():
                self._game = game = load(path, given, engine=READY_ENGINE, paths=self.project.paths)
                count = min(game.players, key=lambda number: abs(number - players))
                return self._exported(game, count)
        except RulesError as error:
            self._game = None
            return {"plan": None, "findings": [*map(self.finding, error.diagnostics)]}

    def play(self, main: str, expansions: list[str], players: int, seed: int) -> Data:
        """Return the finding of the random game of a seed, in which the page saw a rule fail."""
        game, _, _ = self._loaded(main, expansions, players)
        with self._looking():
            found = failing_game(game.checked, players, seed)
        return {"findings": [] if found is None else [self.finding(found)]}

    def compare(self, main: str, expansions: list[str], players: int, first: int) -> Data:
        """Compare random games under both orders of names, for a fraction of a second.

        `first` is the number of the next position, 0 to begin; `next` is None at the end.
        """
        begun = monotonic()
        if first <= 0:
            game, path, given = self._loaded(main, expansions, players)
            with self._looking():
                other = other_order(game, path, given, {}, self.project.paths)
            looks = other is not None or bool(game.checked.invariants)
            self._comparison = comparison(game.checked, other, players) if looks else iter(())
        with self._looking():
            for number, found in enumerate(self._comparison, max(first, 0) + 1):
                if found is not None:
                    return {"findings": [self.finding(found)], "next": None}
                if monotonic() - begun > _PART:
                    return {"findings": [], "next": number}
        return {"findings": [], "next": None}

    def _loaded(
        self, main: str, expansions: list[str], players: int
    ) -> tuple[Game, str, list[str]]:
        path, given = self.project.known(main), [self._named(each) for each in expansions]
        with self._looking():
            game = load(path, given, engine=READY_ENGINE, paths=self.project.paths)
        if players not in game.players:
            raise Refused(f"`{main}` is not a game for {players} players")
        return game, path, given

    def _exported(self, game: Game, players: int) -> Data:
        """Return a game as `build` does; the last few are kept, for edits that are taken back."""
        key = game.digest, players
        found = self._exports.pop(key, None)
        if found is None:
            module, data = module_of(game, players, optimised=False)
            found = {
                "plan": {**shared(game), "games": [data]},
                "module": b64encode(zlib.compress(module, 1)).decode(),
                "players": players,
                "counts": list(game.players),
            }
        self._exports[key] = found
        for oldest in list(self._exports)[:-_MOST_EXPORTS]:
            del self._exports[oldest]
        return found

    def _named(self, expansion: str) -> str:
        """Return the path of an expansion in the project; any other name is an id."""
        there = expansion in self.project.texts
        return self.project.path(expansion) if there else RulesetId(expansion)

    def test(self, file: str, first: int) -> Data:
        """Run the scenarios of a file from the given number on, for a fraction of a second.

        `next` is the number of the next one, None at the end, or if they take too long.
        """
        source = self.project.source(file)
        with self._looking():
            try:
                scenarios = read_scenarios(source, self.project.paths, READY_ENGINE)
            except RulesError as error:
                findings = [*map(self.finding, error.diagnostics)]
                return {"outcomes": [], "findings": findings, "next": None, "count": 0}
            outcomes, begun = [], monotonic()
            for scenario in scenarios[max(first, 0) :]:
                outcomes.append(try_within(scenario, SECONDS))
                if monotonic() - begun > _PART:
                    break
        done, count = max(first, 0) + len(outcomes), len(scenarios)
        ended = done == count or monotonic() - begun > _LONGEST
        return {
            "outcomes": [
                {
                    "name": each.name,
                    **self.place(each.span),
                    "passed": each.passed,
                    "findings": [*map(self._failed, each.found)],
                }
                for each in outcomes
            ],
            "findings": [],
            "next": None if ended else done,
            "count": count,
        }

    def _failed(self, found: FailedExpectation) -> Data:
        """Return a failed expectation, with the edits that accept what was found as its fix."""
        finding, place = self.finding(found.diagnostic), self.place
        if found.edits:
            edits = [{**place(each.span), "text": each.text} for each in found.edits]
            finding["fixes"].append({"title": "expect what is found", "edits": edits})
        return finding

    def board(self, file: str, name: str) -> Data:
        """Return the picture of the last position of a scenario, as far as it can be played."""
        with self._looking():
            scenarios = read_scenarios(self.project.source(file), self.project.paths, READY_ENGINE)
            found = next((each for each in scenarios if each.name == name), None)
            if found is None:
                raise Refused(f"`{file}` has no scenario `{name}`")
            failure = ""
            try:
                state = found.situation()
                try:
                    found.play(state)
                except Failed as error:
                    failure = error.message
            except (Failed, PlayError) as error:
                raise Refused(str(error)) from None
            svg = board_svg(Pieces(state.game), state, 70)
        return {"picture": node(ElementTree.fromstring(svg)), "failure": failure}

    def scenario(self, file: str, record: str, name: str) -> Data:
        """Return the text of a file of scenarios with one of the last turn of a record added.

        The file may be a new one. `fallback` says why no scene sets the position, if none does.
        """
        game, there = self._current(), file in self.project.texts
        self.project.path(file)
        try:
            with self._looking():
                written = scenario_of(_record(record), game, None, name or None)
            test = written.test
            text = (
                added_to(self.project.source(file), game, test) if there else new_file(game, test)
            )
        except (NotRetold, OtherGame) as error:
            raise Refused(f"no scenario can be added to `{file}`: {error}") from None
        return {"file": file, "text": text, "fallback": written.fallback}

    def why(self, record: str, number: int, move: str) -> Data:
        """Explain the points of the turn with a move, or why another `move` is not legal there."""
        asked: PointsQuestion | RefusedQuestion
        asked = RefusedQuestion(wanted(move)) if move else PointsQuestion()
        game, played = self._current(), _record(record)
        turn = LAST if number < 0 else turn_with(played, game, number)
        ask_record(played, game, turn, asked, None, not move)
        return {
            "answers": [
                {
                    "when": answer.when,
                    "lines": [[[text, role] for role, text in line] for line in lines(answer)],
                }
                for answer in asked.answers
            ]
        }

    def _current(self) -> Game:
        if self._game is None:
            raise Refused("there is no game: the rules have errors")
        return self._game


def _record(text: str) -> Record:
    return read_record(Source("game.jsonl", text))
