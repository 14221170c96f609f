"""Scenarios as examples: what lies there, what is played, what must hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from markupsafe import Markup, escape

from rulesdsl.diagnostics import Report, RulesError, Source
from rulesdsl.doc.book import Example, Examples
from rulesdsl.doc.code import Code
from rulesdsl.doc.comments import said
from rulesdsl.doc.pictures import Pictures
from rulesdsl.doc.texts import Texts
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.play.scenario import Scenario, read_scenarios
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.runner import scenarios_beside
from rulesdsl.read import parse_yaml
from rulesdsl.read.files import read_text

_KEYS = {"features": "features-hold"}
_CODE = frozenset({"holds", "features", "legal", "illegal"})


class Teller:
    """Tells the scenarios of a game's rulesets, which are sought in `paths` as well."""

    def __init__(
        self, texts: Texts, code: Code, pictures: Pictures, paths: tuple[str, ...], engine: str
    ) -> None:
        self._texts, self._code, self._pictures = texts, code, pictures
        self._paths, self._engine = paths, engine

    def examples(self, ruleset: Ruleset) -> tuple[Examples, ...]:
        """The scenarios beside a ruleset under the headings of their file. Raises RulesError for a
        file that cannot be read."""
        found: list[Examples] = []
        for file in scenarios_beside(ruleset):
            report = Report()
            source = read_text(file, report)
            report.check()
            assert source is not None, "what cannot be read is reported"
            scenarios = read_scenarios(source, self._paths, self._engine)
            above, about = _beginning(source)
            for scenario in scenarios:
                comments = said((*above, *scenario.written.comments.before))
                if comments.heading or not found or about:
                    found.append(Examples(comments.heading, (*about, *comments.about), ()))
                example = self._example(scenario, ruleset.id, comments.own)
                group = found.pop()
                found.append(replace(group, examples=(*group.examples, example)))
                above, about = (), ()
        return tuple(found)

    def _example(self, scenario: Scenario, id: str, about: tuple[str, ...]) -> Example:
        written = scenario.written
        moves = [
            step.strip() for line in _items(written.get("moves")) for step in str(line).split(";")
        ]
        expect = written.get("expect")
        entries = expect.entries if isinstance(expect, Mapping) else ()
        return Example(
            scenario.name,
            about,
            self._where(scenario),
            tuple(self._made_of(written)),
            self._boards(scenario, bool(moves)),
            tuple(Markup("<code>{}</code>").format(move) for move in moves),
            tuple(self._expected(str(key.value), node, id) for key, node in entries),
        )

    def _where(self, scenario: Scenario) -> Markup:
        file = PurePath(scenario.span.source.name).name
        return self._texts("from", file=file, line=scenario.span.line)

    def _made_of(self, written: Mapping) -> Iterator[Markup]:
        if names := [self._code.link(name, name) for name in _items(written.get("with"))]:
            yield self._texts("example-with", names=Markup(", ").join(names))
        if isinstance(players := written.get("players"), Scalar):
            yield self._texts("example-players", count=players.value)
        settings = written.get("settings")
        for key, node in settings.entries if isinstance(settings, Mapping) else ():
            yield Markup("<code>{} = {}</code>").format(key.value, node.span.text)

    def _boards(self, scenario: Scenario, moves: bool) -> Markup:
        """The board before the moves, and after them; nothing where it cannot be drawn."""
        try:
            state = scenario.situation()
            before = self._pictures.board(state)
            if not moves:
                return before
            scenario.play(state)
            after = self._pictures.board(state)
        except (RulesError, Failed):
            return Markup()
        return before if before == after else Markup("{} {}").format(before, after)

    def _expected(self, key: str, node: Node, id: str) -> tuple[Markup, tuple[Markup, ...]]:
        title = self._texts(_KEYS.get(key, key))
        if isinstance(node, Mapping):
            told = [
                Markup("{}: {}").format(name.value, self._value(key, item, id))
                for name, value in node.entries
                for item in (value.items if isinstance(value, Sequence) else (value,))
            ]
        else:
            items = node.items if isinstance(node, Sequence) else (node,)
            told = [self._value(key, item, id) for item in items]
        return title, tuple(told)

    def _value(self, key: str, node: Node, id: str) -> Markup:
        text = str(node.value) if isinstance(node, Scalar) else node.span.text
        if key not in _CODE:
            return escape(text)
        return Markup("<code>{}</code>").format(self._code.write(text, id))


def _beginning(source: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The comment lines above the first scenario of a file, and what it says of itself."""
    document = parse_yaml(source, Report())
    assert isinstance(document, Mapping), "it was read before"
    head = [*document.comments.before, *document.entries[0][0].comments.before]
    tests = document.get("tests")
    first = said(head)
    return () if tests is None else tests.comments.before, (*first.about, *first.own)


def _items(node: Node | None) -> list[str]:
    items = node.items if isinstance(node, Sequence) else ()
    return [str(item.value) for item in items if isinstance(item, Scalar)]
