"""The games that navigation covers, and the renaming of names in them.

A ruleset is shown with all rulesets that extend its game. Renaming changes a symbol everywhere it
is named in them, and in files of scenarios.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.combinations import absent
from rulesdsl.engine.build.stages import Analysis, StageMemo, analyse, expression
from rulesdsl.language.builtins import why_taken
from rulesdsl.language.check.scope import ScopeLocal
from rulesdsl.language.diagnostics import Report, RulesError, Source, Span
from rulesdsl.language.model import ast, nodes, types
from rulesdsl.language.model.ast import named
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import RulesetId, short_name, words_of
from rulesdsl.language.model.nodes import Node, Scalar, entries, scalars
from rulesdsl.language.model.uses import Symbol, Uses, local
from rulesdsl.language.read.load import extensions_of
from rulesdsl.language.read.schema import Schema, inside, load
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play.moves import SEGMENT
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import FileEdit, edited
from rulesdsl.play.scenario.scene import STATE


@dataclass(frozen=True)
class Family:
    """A game with all readable rulesets that extend it, and its index of names."""

    examined: Analysis

    @property
    def index(self) -> Uses:
        """The index of every name in every file."""
        return self.examined.uses

    @cached_property
    def locals(self) -> Mapping[tuple[str, int], ScopeLocal]:
        """The locals of rules by the file and place where they are declared."""
        draft = self.examined.draft
        contexts = () if draft is None else draft.contexts
        return {
            (each.span.source.name, each.span.start): each
            for context in contexts
            for each in context.locals
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of files in messages, by their real paths."""
        sources = [
            source
            for ruleset in self.examined.rulesets
            for source in (ruleset.manifest.span.source, ruleset.rules)
            if source is not None
        ]
        return {os.path.realpath(source.name): source.name for source in sources}

    def ruleset_of(self, file: str) -> str | None:
        """Return the id of the ruleset that a file is part of, by the file's real path."""
        for ruleset in self.examined.rulesets:
            sources = (ruleset.manifest.span.source, ruleset.rules)
            if any(
                source is not None and os.path.realpath(source.name) == file for source in sources
            ):
                return ruleset.id
        return None


def alone(root: str, paths: tuple[str, ...], known: StageMemo) -> Analysis:
    """Return the game of the ruleset with the manifest `root`.

    Rulesets that its `with` blocks name are part of it.
    """
    found = analyse(root, paths=paths, known=known)
    ids = {each.id for each in found.rulesets if _is_of(each, root)}
    missing = (block for ruleset, block in absent(found.rulesets, known) if ruleset.id in ids)
    names = list(dict.fromkeys(RulesetId(name) for block in missing for name in named(block)))
    met = analyse(root, names, paths=paths, known=known) if names else found
    return found if met.draft is None else met


def _is_of(ruleset: Ruleset, manifest: str) -> bool:
    return os.path.realpath(ruleset.manifest.span.source.name) == os.path.realpath(manifest)


def family(root: str, paths: tuple[str, ...], known: StageMemo) -> Family:
    """Return the game of the manifest `root`, with every ruleset that extends it."""
    near = alone(root, paths, known)
    others = extending(near, root, paths)
    if not others:
        return Family(near)
    return Family(analyse(root, others, paths=_beside(root, paths), known=known))


def extending(near: Analysis, root: str, paths: tuple[str, ...]) -> list[RulesetId]:
    """Return the ids of all rulesets that extend the same game as the manifest `root`.

    The ruleset itself is left out. The list is empty if it is part of no game.
    """
    whole = next((r for r in near.rulesets if r.manifest.get("game") is not None), None)
    if whole is None:
        return []
    game = whole.manifest.span.source.name
    own = {each.id for each in near.rulesets if _is_of(each, root)}
    return [id for id in extensions_of(game, paths=_beside(root, paths)) if id not in own]


def _beside(root: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*paths, os.path.dirname(root))))


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
Edits = Mapping[str, list[FileEdit]]
"""Edits by the real path of the file: places, and their replacement texts."""


class Refused(Exception):
    """The reason, in a sentence, why a request of an editor or of the studio is refused."""


def check_renamable(symbol: Symbol) -> None:
    """Raise `Refused` for a symbol that no author has named."""
    if symbol.own:
        raise Refused(f"`{symbol.name}` is a name of the language")
    if symbol.what == "ruleset":
        raise Refused("the id of a ruleset is also in the names of files: change it by hand")


def renamed(family: Family, symbol: Symbol, name: str) -> Edits:
    """Return the edits that rename a symbol.

    Raises `Refused` if `name` is not valid for the symbol, or already taken.
    """
    check_renamable(symbol)
    is_id = symbol.what in ("component", "face")
    if not (_ID.fullmatch(name) if is_id else is_name(name)):
        made_of = "letters, digits, `_`" + (" and `-`" if is_id else "")
        raise Refused(f"`{name}` is not a valid name: use {made_of}")
    if reason := why_taken(name, symbol.what):
        raise Refused(reason)
    edits: dict[str, list[FileEdit]] = {}
    for use in family.index.of(symbol):
        quoted = use.span.text[:1] == "'" or not is_name(name)
        text = f"'{name}'" if quoted and use.span.source.name.endswith(".rules") else name
        path = os.path.realpath(use.span.source.name)
        edits.setdefault(path, []).append(FileEdit(use.span, text))
    return edits


def is_name(text: str) -> bool:
    """Return whether a text is a name of the language, which needs no quotes."""
    return _NAME.fullmatch(text) is not None


# --- names in scenarios --------------------------------------------------------------------------


_SCHEMA = load("scenarios")
_THINGS = ("component", "face", "colour", "member", "zone", "track", "grid")
_PIECE = ("component",)
_PLACE = ("zone", "track", "grid")
_INDEX = ("colour", "member", "component", "face")
_HEAD = re.compile(r"\s*[\w./]+")
_WORDS_OF_SETTINGS = "/settings."


def rename_in_scenarios(
    family: Family, source: Source, symbol: Symbol, name: str
) -> tuple[list[FileEdit], bool]:
    """Return the edits of a file of scenarios in which a symbol gets another name.

    Also return whether the name is in a place where its meaning cannot be determined.
    """
    found = _Finder(family, symbol, name)
    apart = symbol.what == "local" and found.option is None
    if apart or found.word.search(source.text) is None:
        return [], False
    try:
        read_scenarios(source)
        document = parse_yaml(source, Report())
        assert isinstance(document, nodes.Mapping), "a file of scenarios is a mapping"
        if not found.covers(document):
            return [], True
        found.find(document, _SCHEMA)
        if found.edits:
            read_scenarios(Source(source.name, edited(source.text, found.edits)))
    except RulesError:
        return [], True
    return found.edits, found.unsure


@dataclass
class _Finder:
    """Finds the places of a symbol; a place is changed only if nothing else can be meant."""

    family: Family
    symbol: Symbol
    name: str
    edits: list[FileEdit] = field(default_factory=list)
    unsure: bool = False
    option: Symbol | None = None
    """The option of which the symbol is a parameter, None for all other symbols."""

    def __post_init__(self) -> None:
        self.word = re.compile(rf"(?<![\w-]){re.escape(self.symbol.name)}(?![\w-])")
        self._alike = [s for s in self.family.index.symbols if s.name == self.symbol.name]
        for option in _options(self.family) if self.symbol.what == "local" else ():
            names = (name for binder in option.binders for name in binder.names)
            use = self.family.index.at(option.name.span.source.name, option.name.span.start)
            if use is not None and self.symbol in (local(each.span) for each in names):
                self.option = use.symbol

    def covers(self, document: nodes.Mapping) -> bool:
        """Return whether all rulesets that scenarios name are part of the game that is known."""
        known = {ruleset.id for ruleset in self.family.examined.rulesets}
        tests = nodes.items(document.get("tests"))
        named = [
            document.get("scenarios"),
            *(nodes.get(each, "with") for each in (document, *tests)),
        ]
        return {str(each.value) for node in named for each in scalars(node)} <= known

    def find(self, node: Node, here: Schema) -> None:
        if names := here.get("x-names"):
            self._named(node, names)
        elif isinstance(node, nodes.Sequence):
            for item in node:
                self.find(item, inside(_SCHEMA, here, 0))
        elif isinstance(node, nodes.Mapping):
            names = here.get("propertyNames", {}).get("x-names")
            for key, value in node:
                if names:
                    self._named(key, names)
                self.find(value, inside(_SCHEMA, here, str(key.value)))

    def _named(self, node: Node, names: list[str]) -> None:
        """Find the places in a node with such names, in words of the schema."""
        if self.option is not None:
            if names == ["moves"]:
                self._parameters(node, self.option)
            return
        match names:
            case ["settings"]:
                for key, value in entries(node):
                    self._things(key, ("setting",))
                    symbols, setting = self.family.index.symbols, ("setting", str(key.value))
                    settings = [words_of(s.key) for s in symbols if (s.what, s.name) == setting]
                    words = [f"{each}.{self.symbol.name}" for each in settings]
                    possible = [s for s in self._alike if s.key in words]
                    for each in scalars(value):
                        for _, _, span in self._occurrences(each):
                            self._among_at(span, possible)
            case ["states"]:
                for key, value in entries(node):
                    self._state(key, value)
            case ["moves"]:
                self._moves(node)
            case ["conditions"]:
                self._expressions(node, types.BOOL)
            case ["conditions of f"]:
                self._expressions(node, types.BOOL, {"f": types.FEATURE})
            case ["anything"]:
                self._free(node)
            case _:
                self._things(node, tuple(names))

    def _state(self, key: Scalar, node: Node) -> None:
        text = str(key.value)
        written = STATE.fullmatch(text)
        checked = self.family.examined.checked
        if written is None or checked is None:
            self._free(key)
            self._free(node)
            return
        for start, end, span in self._occurrences(key):
            if start >= written.start("index") and written["index"]:
                self._decide(span, text, start, end, _INDEX)
            elif start >= written.start("name"):
                self._among_at(span, [s for s in self._alike if s.what == "state"])
            else:
                self._decide(span, text, start, end, ("component", "colour"))
        found = {
            state.type
            for name, state in checked.states.items()
            if re.split(r"[./]", name)[-1] == short_name(written["name"])
        }
        if len(found) != 1:
            self._free(node)
            return
        type_ = found.pop()
        item = type_.item if isinstance(type_, types.OptionalType) else type_
        if item in (types.PIECE, types.SEGMENT) or str(item) in types.PIECE_CLASSES:
            self._things(node, _PIECE)
        else:
            self._expressions(node, type_)

    def _moves(self, node: Node | None) -> None:
        for line in scalars(node):
            text = str(line.value)
            for start, end, span in self._occurrences(line):
                begin = text.rfind(";", 0, start) + 1
                head = _HEAD.match(text, begin)
                if head is None or start >= head.end():
                    if text[end : end + 1] != "=":
                        self._decide(span, text, start, end, _THINGS)
                elif text[end : end + 1] in (".", "/"):
                    self._decide(span, text, start, end, ("choice",), ("choice",))
                else:
                    options = [s for s in self._alike if s.what == "option"]
                    self._among_at(span, _meant(options, text[head.start() : end].strip()))

    def _parameters(self, node: Node | None, option: Symbol) -> None:
        """Find the symbol, a parameter of an option, in moves that name their arguments."""
        options = [s for s in self.family.index.symbols if s.what == "option"]
        for line in scalars(node):
            text = str(line.value)
            for start, end, span in self._occurrences(line):
                head = _HEAD.match(text, text.rfind(";", 0, start) + 1)
                if head is None or start < head.end() or text[end : end + 1] != "=":
                    continue
                meant = _meant(options, head[0].strip())
                if meant == [option]:
                    self.edits.append(FileEdit(span, self.name))
                elif option in meant:
                    self.unsure = True

    def _expressions(
        self, node: Node | None, wanted: types.Type, names: dict[str, types.Type] | None = None
    ) -> None:
        checked = self.family.examined.checked
        for each in scalars(node):
            if not list(self._occurrences(each)):
                continue
            uses, report = Uses(), Report()
            if checked is None or (
                expression(each.span, checked, wanted, names or {}, report, uses) is None
            ):
                self.unsure = True
                continue
            for use in uses.of(self.symbol):
                quoted = use.span.text[:1] == "'"
                if not quoted and is_name(self.name):
                    self.edits.append(FileEdit(use.span, self.name))
                elif each.span.text[:1] != "'":
                    self.edits.append(FileEdit(use.span, f"'{self.name}'"))
                else:
                    self.unsure = True

    def _things(self, node: Node | None, bare: tuple[str, ...]) -> None:
        """Find the symbol in names of things; `bare` are the kinds that a single word can be."""
        for each in scalars(node):
            for start, end, span in self._occurrences(each):
                self._decide(span, str(each.value), start, end, bare)

    def _occurrences(self, scalar: Scalar) -> Iterator[tuple[int, int, Span]]:
        """Yield where the word is in the value of a scalar, and in the file."""
        value, written = str(scalar.value), scalar.span.text
        quotes = int(written[:1] in ("'", '"'))
        if written[quotes : len(written) - quotes] != value:
            self._free(scalar)
            return
        first = scalar.span.start + quotes
        for match in self.word.finditer(value):
            start, end = match.span()
            yield start, end, scalar.span.source.span(first + start, first + end)

    def _free(self, node: Node | None) -> None:
        """Note that a text cannot be resolved, if the word is in it."""
        self.unsure |= any(self.word.search(str(each.value)) for each in scalars(node))

    def _decide(
        self,
        span: Span,
        text: str,
        start: int,
        end: int,
        bare: tuple[str, ...],
        owner: tuple[str, ...] = ("colour",),
    ) -> None:
        """Decide about a word, by the characters around it."""
        ports = (match.span("ports") for match in SEGMENT.finditer(text))
        if any(first <= start < last for first, last in ports) or text[end : end + 1] == "/":
            return
        after = {"@": ("feature",), "[": _PLACE, "(": ("grid",), ".": owner}
        before = {"[": _INDEX, ":": ("face", *_PLACE)}
        kinds = (
            after.get(text[end : end + 1]) or before.get(text[max(start - 1, 0) : start]) or bare
        )
        found = [s for s in self._alike if s.what in kinds and _WORDS_OF_SETTINGS not in s.key]
        # Read backwards, a ruleset with an owner is matched from one place, in linear time.
        ruleset = re.match(r"(?:\.\w+)?/(\w+)", text[:start][::-1])
        if ruleset is not None:
            found = [s for s in found if s.key.startswith(f"{ruleset[1][::-1]}/")]
        self._among_at(span, found)

    def _among_at(self, span: Span, possible: list[Symbol]) -> None:
        if possible == [self.symbol]:
            self.edits.append(FileEdit(span, self.name))
        elif not possible or self.symbol in possible:
            self.unsure = True


def _options(family: Family) -> Iterator[ast.OptionDecl]:
    left = [each for module in family.examined.modules.values() for each in module.declarations]
    while left:
        match left.pop():
            case ast.OptionDecl() as option:
                yield option
            case ast.ChoiceDecl(options=options):
                yield from options
            case ast.WithDecl(declarations=declarations):
                left += declarations


def _meant(options: list[Symbol], written: str) -> list[Symbol]:
    """Return the options that a name means, which may follow that of the choice."""
    of = written.rpartition("/")[2]
    return [s for s in options if f".{s.key.rpartition('/')[2]}".endswith(f".{of}")]
