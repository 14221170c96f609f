"""Contents of the box of one ruleset: pieces with pictures, places, drawings, settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath

from markupsafe import Markup, escape

from rulesdsl.language.diagnostics import Report, RulesError, Source
from rulesdsl.language.model.game import PER_PLAYER, KindDef, Ruleset, SettingDef
from rulesdsl.language.model.names import short_name, words_of, written_name
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play import Game, State
from rulesdsl.play.scenario import Scenario, read_scenarios, scenarios_beside
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.table import boards, occupants
from rulesdsl.show.doc.prose import BookPiece, BookTexts, Example, Examples, Row
from rulesdsl.show.doc.rules import CodeFormatter, said
from rulesdsl.show.draw.board import board_svg, grids_svg, table_svg
from rulesdsl.show.draw.images import embedded
from rulesdsl.show.draw.pieces import Pieces, kind_svg
from rulesdsl.show.draw.svg import Lines, element, group

_WIDE, _EXAMPLE = 56, 88
"""Width of a cell in pixels: of a whole board, and of the example of a rule."""


def _is_bare(state: State) -> bool:
    """Return whether nothing lies on the grids of a state, and no track has a board."""
    laid = any(board.laid or board.cells for board in boards(state, occupants(state)))
    return not laid and not any(each.spaces for each in state.game.checked.game.styles.values())


class Pictures:
    """Renderer of boards with labels in one language.

    Repeated drawings are in the page once: pictures refer to the `shared` ones.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._pieces: dict[int, tuple[Game, Pieces]] = {}
        self._shared: dict[tuple[str, ...], str] = {}

    @property
    def shared(self) -> Markup:
        """An invisible picture with all drawings and images to which the others refer."""
        art = {
            name: each for _, pieces in self._pieces.values() for name, each in pieces.art.items()
        }
        parts = [group(lines, id=name) for lines, name in self._shared.items()]
        lines = "\n".join(line for part in parts for line in part)
        images = "\n".join(embedded(art))
        hidden = '<svg width="0" height="0" aria-hidden="true">{}<defs>\n{}\n</defs></svg>'
        return Markup(hidden).format(Markup(images), Markup(lines))

    def board(self, state: State) -> Markup:
        """Draw the board of a state; empty if it has no pieces."""
        if _is_bare(state):
            return Markup()
        return Markup(board_svg(self.drawer(state.game), state, _WIDE))

    def grids(self, state: State) -> Markup:
        """Draw only the grids of a state; empty if they have no pieces."""
        if _is_bare(state):
            return Markup()
        return Markup(grids_svg(self.drawer(state.game), state, _EXAMPLE))

    def table(self, state: State) -> Markup:
        """Draw only the zones that all players see; empty if nothing is there."""
        return Markup(table_svg(self.drawer(state.game), state))

    def drawer(self, game: Game) -> Pieces:
        """Return the renderer of a game, which is kept, so that no other game takes its id."""
        if id(game) not in self._pieces:
            self._pieces[id(game)] = game, Pieces(game, self._language, self._share)
        return self._pieces[id(game)][1]

    def _share(self, lines: Lines) -> Lines:
        name = self._shared.setdefault(tuple(lines), f"picture.{len(self._shared) + 1}")
        return [element("use", href=f"#{name}")]


_CLASSES = ("tile", "card", "die", "figure", "token")
_MANY = 8
"""Number of values up to which all are listed; beyond it, only the lowest and the highest."""


class BoxPages:
    """The description of the box of a game in one language."""

    def __init__(self, game: Game, texts: BookTexts, language: str, pictures: Pictures) -> None:
        self._game, self._texts, self._language = game, texts, language
        self._pieces = pictures.drawer(game)
        self._box = game.checked.game
        self._default = {each.key: each.default for each in self._box.attributes}

    def settings(self, id: str) -> tuple[Row, ...]:
        """Return the name, meaning, values, default and chosen value of each setting."""
        return tuple(self._setting(s) for s in self._box.settings if s.ruleset == id)

    def choices(self, id: str) -> Iterator[tuple[str, Markup, Markup]]:
        """Yield the meaning, values and chosen value of each setting, in words."""
        for setting in (each for each in self._box.settings if each.ruleset == id):
            words = {value: self._word(setting, value) for value in setting.values}
            label = self._game.labels(setting.key, self._language)
            yield label, self._listed(setting, list(words.values())), words[setting.chosen]

    def _word(self, setting: SettingDef, value: int | bool | str) -> Markup:
        label = self._game.labels.find(f"{words_of(setting.key)}.{value}", self._language)
        return self._value(value) if label is None else escape(label)

    def pieces(self, id: str) -> tuple[tuple[Markup, tuple[BookPiece, ...]], ...]:
        """Return the pieces by class, each with the word for it."""
        kinds = [(i, kind) for i, kind in enumerate(self._box.kinds) if kind.ruleset == id]
        found = (
            (self._texts(cls), tuple(self._piece(i, kind) for i, kind in kinds if kind.cls == cls))
            for cls in _CLASSES
        )
        return tuple((title, pieces) for title, pieces in found if pieces)

    def places(self, id: str) -> tuple[Row, ...]:
        """Return the name, meaning and properties of grids, zones and tracks."""
        text, box = self._texts, self._box
        rows = []
        for grid in (each for each in box.grids if each.ruleset == id):
            facts = [text("grid", holds=self._holds(grid.holds)), text(f"match-{grid.match}")]
            if grid.size is not None:
                facts.append(text("sized", width=grid.size[0], height=grid.size[1]))
            rows.append(self._row(grid.key, [*facts, *self._per(grid.per)]))
        for zone in (each for each in box.zones if each.ruleset == id):
            facts = [text("zone", holds=self._holds(zone.holds)), *self._per(zone.per)]
            facts += [text("ordered")] if zone.ordered else []
            facts += [text(f"visible-{zone.visible}")] if zone.visible != "all" else []
            if zone.room is not None and len(set(zone.room)) == 1:
                facts.append(text("room", count=zone.room[0]))
            rows.append(self._row(zone.key, facts))
        for track in (each for each in box.tracks if each.ruleset == id):
            facts = [text("track", length=track.length), *([text("loop")] if track.loop else [])]
            rows.append(self._row(track.key, facts))
        return tuple(rows)

    def features(self, id: str) -> tuple[Row, ...]:
        """Return the name, meaning and shape of each feature kind."""
        rows = []
        for kind in (each for each in self._box.feature_kinds if each.ruleset == id):
            facts = [self._texts(str(getattr(kind.shape.shape, "value", kind.shape.shape)))]
            if kind.shape.borders:
                names = ", ".join(self._label(name) for name in sorted(kind.shape.borders))
                facts.append(self._texts("borders", names=names))
            rows.append(self._row(kind.key, facts))
        return tuple(rows)

    def attributes(self, id: str) -> tuple[Row, ...]:
        """Return the name, meaning, owners and default of each attribute."""
        rows = []
        for each in (each for each in self._box.declared_attributes if each.ruleset == id):
            owners = ", ".join(self._label(name) for name in sorted(each.owners))
            facts = [self._texts("attribute-of", owners=owners)]
            facts += self._per((each.index,) if each.index else ())
            if not each.required:
                default = self._value(each.default)
                facts.append(Markup("{}: {}").format(self._texts("default"), default))
            rows.append(self._row(each.key, facts))
        return tuple(rows)

    # --- a single scenario -----------------------------------------------------------------------

    def _setting(self, setting: SettingDef) -> Row:
        values = [self._meant(setting, value) for value in setting.values]
        anchor = written_name(words_of(setting.key))
        return (
            Markup('<code id="{}">{}</code>').format(anchor, setting.name),
            escape(self._game.labels.find(setting.key, self._language) or ""),
            self._listed(setting, values),
            self._chosen(setting.default),
            self._chosen(setting.chosen),
        )

    def _listed(self, setting: SettingDef, values: list[Markup]) -> Markup:
        """Return the texts of a setting's values, shortened if there are many."""
        numbers = all(type(value) is int for value in setting.values)
        if numbers and len(values) > 2:
            return Markup("{} … {}").format(values[0], values[-1])
        if len(values) > _MANY:
            values = [*values[: _MANY - 1], Markup("…")]
        return Markup("; " if any(", " in each for each in values) else ", ").join(values)

    def _chosen(self, value: int | bool | str) -> Markup:
        """Return the text of a setting's value; a word as it is written."""
        if isinstance(value, str):
            return Markup("<code>{}</code>").format(value)
        return self._value(value)

    def _meant(self, setting: SettingDef, value: int | bool | str) -> Markup:
        """Return the text of a setting's value, with its meaning if it is a word."""
        label = self._game.labels.find(f"{words_of(setting.key)}.{value}", self._language)
        chosen = self._chosen(value)
        return chosen if label is None else Markup("{} ({})").format(chosen, label)

    def _copies(self, index: int, kind: KindDef) -> Markup:
        """Return the number of copies, with the numbers of players if it depends on them."""
        found = self._box.copies[index]
        told = {
            self._texts("each" if kind.owned else "copies", count=count): players
            for count, players in found.items()
            if count
        }
        if len(found) == 1:
            return next(iter(told), self._texts("away"))
        rows = (
            self._texts("copies-for", copies=copies, players=self._texts.players(players))
            for copies, players in told.items()
        )
        return Markup(", ").join(rows)

    def _piece(self, index: int, kind: KindDef) -> BookPiece:
        picture = Markup(kind_svg(self._pieces, kind, 100))
        count = self._copies(index, kind)
        notes = tuple(
            Markup("{}: {}").format(self._label(key), self._value(value))
            for key, value in sorted(kind.attributes.items())
            if value != self._default.get(key)
        )
        title = self._game.labels.find(kind.key, self._language) or ""
        wide = kind.cls == "die" or (kind.outline is not None and sum(kind.outline.size) > 2)
        return BookPiece(
            picture,
            title,
            kind.text,
            count,
            self._game.labels.said(kind.key, self._language),
            notes,
            wide,
        )

    def _row(self, key: str, facts: Iterable[Markup]) -> Row:
        name, label = short_name(key), self._game.labels.find(key, self._language) or ""
        return Markup("<code>{}</code>").format(name), escape(label), Markup("; ").join(facts)

    def _per(self, per: tuple[str, ...]) -> list[Markup]:
        names = [
            self._texts("player") if each == PER_PLAYER else escape(self._label(each))
            for each in per
        ]
        several = "per-both" if len(names) > 1 else "per"
        return [self._texts(several, owner=names[0], inner=names[-1])] if names else []

    def _holds(self, classes: Iterable[str]) -> str:
        return ", ".join(str(self._texts(cls)).lower() for cls in _CLASSES if cls in set(classes))

    def _label(self, name: str) -> str:
        if name in _CLASSES:
            return str(self._texts(name)).lower()
        return self._game.labels(name, self._language)

    def _value(self, value: int | bool | str | None) -> Markup:
        if value is None:
            return self._texts("none")
        if isinstance(value, bool):
            return self._texts("yes" if value else "no")
        return escape(self._label(value) if isinstance(value, str) else str(value))


_KEYS = {"features": "features-hold"}
_CODE = frozenset({"board", "features", "holds", "illegal", "legal", "offers", "sees", "zones"})


class ScenarioNarrator:
    """Descriptions of the scenarios beside a game's rulesets; `paths` are searched as well."""

    def __init__(
        self,
        texts: BookTexts,
        code: CodeFormatter,
        pictures: Pictures,
        paths: tuple[str, ...],
        engine: str,
    ) -> None:
        self._texts, self._code, self._pictures = texts, code, pictures
        self._paths, self._engine = paths, engine

    def examples(self, ruleset: Ruleset) -> tuple[Examples, ...]:
        """Return the scenarios beside a ruleset, under the headings of their file.

        Raises RulesError for a file that cannot be read.
        """
        found: list[Examples] = []
        for file in scenarios_beside(ruleset):
            source, _ = file.read()
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
        file = PurePath(scenario.span.source.name).name
        return Example(
            scenario.name,
            about,
            self._texts("from", file=file, line=scenario.span.line),
            tuple(self._made_of(written)),
            self._boards(scenario, bool(moves)),
            tuple(Markup("<code>{}</code>").format(move) for move in moves),
            tuple(self._expected(str(key.value), node, id) for key, node in entries),
        )

    def _made_of(self, written: Mapping) -> Iterator[Markup]:
        if names := [self._code.link(name, name) for name in _items(written.get("with"))]:
            yield self._texts("example-with", names=Markup(", ").join(names))
        if isinstance(players := written.get("players"), Scalar):
            yield self._texts("example-players", count=players.value)
        settings = written.get("settings")
        for key, node in settings.entries if isinstance(settings, Mapping) else ():
            yield Markup("<code>{} = {}</code>").format(key.value, node.span.text)

    def _boards(self, scenario: Scenario, moves: bool) -> Markup:
        """Return the boards before and after the moves; empty where they cannot be drawn."""
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
    """Return the comments above the first scenario of a file and at its beginning."""
    document = parse_yaml(source, Report())
    assert isinstance(document, Mapping), "it was read before"
    head = [*document.comments.before, *document.entries[0][0].comments.before]
    tests = document.get("tests")
    first = said(head)
    return () if tests is None else tests.comments.before, (*first.about, *first.own)


def _items(node: Node | None) -> list[str]:
    items = node.items if isinstance(node, Sequence) else ()
    return [str(item.value) for item in items if isinstance(item, Scalar)]
