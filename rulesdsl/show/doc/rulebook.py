"""The rule book for people who play: prose, pictures and points on a few pages to print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from markupsafe import Markup, escape

from rulesdsl.engine.build import Memory, remembering
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.ast import named
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.parse import parse
from rulesdsl.language.read.files import read_source
from rulesdsl.play import Game, State
from rulesdsl.play.scenario import Scenario, read_scenarios, scenarios_beside
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.steps import find
from rulesdsl.show.doc.box import BoxPages, Pictures
from rulesdsl.show.doc.page import rendered
from rulesdsl.show.doc.prose import BookPiece, BookTexts, Passage, passages
from rulesdsl.show.doc.rules import said, under_headings


@dataclass(frozen=True)
class Drawing:
    """A drawn example: the board before and after the moves, and what it shows."""

    before: Markup
    after: Markup
    caption: str
    scores: tuple[Markup, ...]


@dataclass(frozen=True)
class BookSection:
    """A section of the book with its examples."""

    title: str
    paragraphs: tuple[str, ...]
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class RulesetChapter:
    """The additions of one ruleset: pieces, settings, tables, rules and points; its credits."""

    title: str
    pieces: tuple[BookPiece, ...]
    settings: tuple[tuple[str, Markup, Markup], ...]
    tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    parts: tuple[BookSection, ...]
    points: tuple[tuple[str, str], ...]
    credits: tuple[Markup, ...]


def rule_book(
    game: Game, language: str, paths: Sequence[str], report: Report, form: str = "html"
) -> str:
    """Return the rule book of a game, with the settings it was loaded with.

    It is one page, or (`md`) a text in Markdown, which has the titles of drawings. The texts come
    from the files beside the rulesets, or from the comments of their rules. What is missing in a
    language is reported. Raises RulesError for scenarios that cannot be read.
    """
    texts = BookTexts(language)
    with remembering(Memory()):
        writer = _Writer(game, language, texts, tuple(paths), report)
        chapters = tuple(writer.chapter(each) for each in game.checked.game.rulesets)
    return rendered(
        f"rulebook.{form}",
        texts,
        title=chapters[0].title,
        others=[each.title for each in chapters[1:]],
        players=texts.players(game.players),
        chapters=chapters,
        shared=writer.pictures.shared,
    )


def rules_of(game: Game, choice: str, language: str) -> list[str]:
    """Return the rules of a choice, by its full name, as paragraphs.

    They are the sections of the books that name the choice, or the comments on it.
    """
    id, _, name = choice.rpartition("/")
    rulesets = game.checked.game.rulesets
    sections = [each for one in rulesets for each in passages(one, language, Report())]
    written = [line for each in sections if name in each.choices for line in each.paragraphs]
    if written:
        return written
    rules = next(each.rules for each in rulesets if each.id == id)
    declared = parse(rules, Report()).declarations if rules else ()
    choices = (each for each in declared if isinstance(each, ast.ChoiceDecl) and each.name == name)
    return [line for each in choices for line in said(each.trivia.before).own]


class _Writer:
    def __init__(
        self, game: Game, language: str, texts: BookTexts, paths: tuple[str, ...], report: Report
    ) -> None:
        self._game, self._language, self._texts = game, language, texts
        self._paths, self._report = paths, report
        self.pictures = Pictures(language)
        self._box = BoxPages(game, texts, language, self.pictures)

    def chapter(self, ruleset: Ruleset) -> RulesetChapter:
        """Return what a ruleset adds to the book."""
        id = ruleset.id
        scenarios = self._scenarios(ruleset)
        sections = passages(ruleset, self._language, self._report)
        parts = [self._part(each, scenarios) for each in sections] or self._unwritten(
            ruleset, scenarios
        )
        pieces = (piece for _, group in self._box.pieces(id) for piece in group)
        return RulesetChapter(
            self._game.labels(id, self._language),
            tuple(pieces),
            tuple(self._box.choices(id)),
            tuple(self._tables(id)),
            tuple(parts),
            tuple(row for each in sections for row in each.points),
            tuple(self._texts.credits(ruleset.credits)),
        )

    def _tables(self, id: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        for table in self._game.checked.game.tables:
            label = self._game.labels.find(table.key, self._language)
            if table.ruleset == id and label is not None:
                numbers = enumerate(table.values, table.low)
                yield label, tuple((str(index), str(value)) for index, value in numbers)
        for enum in self._game.checked.game.enums:
            label = self._game.labels.find(enum.key, self._language)
            if enum.ruleset == id and label is not None:
                names = (
                    self._game.labels(f"{enum.key}.{each}", self._language) for each in enum.members
                )
                yield label, tuple((str(n), name) for n, name in enumerate(names, 1))

    def _scenarios(self, ruleset: Ruleset) -> dict[str, Scenario]:
        found: dict[str, Scenario] = {}
        for file in scenarios_beside(ruleset):
            read = read_source(file.folder, file.file, self._report)
            if read is not None:
                scenarios = read_scenarios(read[0], self._paths, self._game.engine)
                found |= {scenario.name: scenario for scenario in scenarios}
        return found

    def _unwritten(self, ruleset: Ruleset, scenarios: dict[str, Scenario]) -> list[BookSection]:
        """Return the comments of a ruleset without a text, and its scenarios that show anything."""
        active = {each.id for each in self._game.checked.game.rulesets}
        parts = [self._part(each, {}) for each in _commented(ruleset, active)]
        drawn = (self._drawing(each, "") for each in scenarios.values())
        shown = tuple(each for each in drawn if each is not None and (each.after or each.scores))
        return [*parts, BookSection(self._texts("examples"), (), shown)] if shown else parts

    def _part(self, passage: Passage, scenarios: dict[str, Scenario]) -> BookSection:
        drawings = []
        for example in passage.examples:
            name, _, caption = example.partition(":")
            scenario = scenarios.get(name.strip())
            if scenario is None:
                message = f"the rule book shows `{name.strip()}`, but there is no such scenario"
                self._report.warning("file-missing", message)
            elif (drawing := self._drawing(scenario, caption.strip())) is not None:
                drawings.append(drawing)
        return BookSection(passage.title, tuple(passage.paragraphs), tuple(drawings))

    def _drawing(self, scenario: Scenario, caption: str) -> Drawing | None:
        try:
            state = scenario.situation()
            before, rows = self.pictures.grids(state), self.pictures.table(state)
            first = state.scores()
            scenario.play(state)
        except (RulesError, Failed):
            message = f"the rule book leaves out `{scenario.name}`, which cannot be played"
            hint = ("`rulesdsl test` shows the reason",)
            self._report.warning("scenario-failed", message, scenario.span, help=hint)
            return None
        after = self.pictures.grids(state)
        if not before and not after:
            after = self._before_last(scenario)
        if before == after and rows != (then := self.pictures.table(state)):
            before, after = rows, then
        if not before:
            before, after = after, Markup()
        return Drawing(
            before,
            Markup() if before == after else after,
            caption or scenario.name,
            tuple(self._gained(state, first)),
        )

    def _before_last(self, scenario: Scenario) -> Markup:
        """Draw the grids before the last move of an example, which clears them."""
        written = scenario.written.get("moves")
        lines = written.items if isinstance(written, nodes.Sequence) else ()
        moves = [
            move
            for line in lines
            if isinstance(line, nodes.Scalar)
            for move in str(line.value).split(";")
        ]
        state = scenario.situation()
        for move in moves[:-1]:
            state.play(find(state, move)[0])
        return self.pictures.grids(state)

    def _gained(self, state: State, before: dict[str, int]) -> Iterator[Markup]:
        for colour, score in state.scores().items():
            if score != before[colour]:
                player = self._game.labels(colour, self._language)
                points = f"{score - before[colour]:+d}"
                yield self._texts("book-expected", player=escape(player), points=points)


def _commented(ruleset: Ruleset, active: Set[str]) -> Iterator[Passage]:
    """Yield the headings of the rules that hold, with the comments on every declaration."""
    if ruleset.rules is None:
        return
    passage = Passage("")
    for group in under_headings(_comments(parse(ruleset.rules, Report()), active)):
        comments = said(group)
        if comments.heading:
            if passage.paragraphs:
                yield passage
            passage = Passage(comments.heading)
        passage.paragraphs += (*comments.about, *comments.own)
    if passage.paragraphs:
        yield passage


def _comments(module: ast.Module, active: Set[str]) -> Iterator[str]:
    for node in module.declarations:
        if isinstance(node, ast.WithDecl) and not active >= set(named(node)):
            continue
        inner = node.declarations if isinstance(node, ast.WithDecl) else ()
        for each in (node, *inner):
            options = each.options if isinstance(each, ast.ChoiceDecl) else ()
            for line in (each, *options):
                yield from (*line.trivia.before, "")
        yield from (*node.trailing, "") if isinstance(node, ast.WithDecl) else ()
    yield from module.trailing
