"""The workspace of an editor: its open files, their structure and games, and all findings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from rulesdsl.author.lint.checking import ALWAYS, Sieve, sources
from rulesdsl.author.lint.played import GAMES, play
from rulesdsl.author.lsp import completion
from rulesdsl.author.lsp.family import (
    Edits,
    Family,
    Refused,
    alone,
    extending,
    family,
    rename_in_scenarios,
    renamed,
)
from rulesdsl.author.lsp.hover import Link, aggregate_at, called, hover
from rulesdsl.base.records import dataclass
from rulesdsl.base.speed import uncollected
from rulesdsl.engine.build.combinations import check_absent
from rulesdsl.engine.build.stages import Analysis, StageMemo, analyse, made
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Severity, Source, Span
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.format import formatted
from rulesdsl.language.link.names import SYMBOLS
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.names import RulesetId, part_id
from rulesdsl.language.model.nodes import Node, Scalar, entries
from rulesdsl.language.model.uses import Symbol, Use, Uses
from rulesdsl.language.parse import parse
from rulesdsl.language.parse.grammar import WORDS
from rulesdsl.language.read.files import (
    DiskFolder,
    FileProblem,
    decode,
    lies_in,
    overlaid,
    shipped_folder,
)
from rulesdsl.language.read.find import (
    OTHER_SUFFIXES,
    RULES,
    SCENARIO_SUFFIXES,
    YAML,
    FolderSearch,
    below,
    search_folders,
)
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.schema import load as load_schema
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play import load
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import edited

# --- outline -------------------------------------------------------------------------------------

_SECTIONS = {**SYMBOLS, "tests": "scenario"}


@dataclass(frozen=True)
class OutlineEntry:
    """A named part of a file: `whole` is all of it, `span` is its name, `inside` are its parts."""

    what: str
    name: str
    detail: str
    whole: Span
    span: Span
    inside: tuple[OutlineEntry, ...] = ()


def outline(source: Source) -> list[OutlineEntry]:
    """Return the declarations of a file in order, without the parts that cannot be parsed."""
    if source.name.endswith(".rules"):
        return [each for node in parse(source, Report()).declarations for each in _declared(node)]
    return [_section(key, value) for key, value in entries(parse_yaml(source, Report()))]


def _declared(node: ast.Decl) -> Iterator[OutlineEntry]:
    span = node.span
    match node:
        case ast.StateDecl():
            yield _entry("state", f"{node.owner}.{node.name}", span, node.name.span)
        case ast.ValueDecl():
            yield _entry("value", node.name, span, node.name.span)
        case ast.ActionDecl():
            yield _entry("action", node.name, span, node.name.span)
        case ast.ChoiceDecl():
            options = tuple(each for option in node.options for each in _declared(option))
            yield OutlineEntry("choice", node.name, "choice", span, node.name.span, options)
        case ast.OptionDecl():
            name = f"{node.choice}.{node.name}" if node.choice else node.name
            yield _entry("option", name, span, node.name.span)
        case ast.Contribution():
            yield OutlineEntry("value", str(node.target), node.verb, span, node.target.span)
        case ast.HookDecl():
            yield OutlineEntry("action", str(node.target), node.when, span, node.target.span)
        case ast.ForbidDecl():
            yield OutlineEntry(
                "option", f"{node.target}.{node.option}", "forbid", span, node.target.span
            )
        case ast.WithDecl(names=names):
            inside = tuple(each for inner in node.declarations for each in _declared(inner))
            where = names[0].span.to(names[-1].span)
            yield OutlineEntry("ruleset", f"with {where.text}", "with", span, where, inside)
        case ast.AlwaysDecl():
            yield OutlineEntry("action", "always", "always", span, span)
        case ast.InvariantDecl():
            yield _entry("invariant", node.name, span, node.name.span)
        case ast.Broken(name=ast.Ident() as name):
            yield _entry("value", name, span, name.span)


def _entry(what: str, name: str, whole: Span, span: Span) -> OutlineEntry:
    return OutlineEntry(what, name, what, whole, span)


def _section(key: Scalar, value: Node) -> OutlineEntry:
    name = str(key.value)
    inside = tuple(_inside(_SECTIONS[name], value)) if name in _SECTIONS else ()
    return OutlineEntry("ruleset", name, "", key.span.to(value.span), key.span, inside)


def _inside(what: str, node: Node) -> Iterator[OutlineEntry]:
    if isinstance(node, nodes.Mapping):
        for key, value in node:
            yield OutlineEntry(what, str(key.value), "", key.span.to(value.span), key.span)
    elif isinstance(node, nodes.Sequence):
        for item in node:
            id = item.get("id") or item.get("name") if isinstance(item, nodes.Mapping) else None
            if isinstance(id, Scalar):
                yield OutlineEntry(what, str(id.value), "", item.span, id.span)


# --- ranges that can be folded -------------------------------------------------------------------


@dataclass(frozen=True)
class Fold:
    """A range of lines, counted from 0, of which the first stays visible."""

    first: int
    last: int
    comment: bool = False


def folds(text: str) -> list[Fold]:
    """Return all ranges that can be folded, by line."""
    lines = [line.expandtabs() for line in text.split("\n")]
    found = [*_blocks(lines), *_comments(lines)]
    return sorted(found, key=lambda fold: (fold.first, -fold.last))


def _blocks(lines: list[str]) -> Iterator[Fold]:
    """Yield each line together with the lines below it that are indented deeper."""
    open_: list[tuple[int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        # The items of a list may stand below their key's first letter, and are deeper than it.
        depth = 2 * (len(line) - len(line.lstrip())) + line.lstrip().startswith("- ")
        while open_ and open_[-1][0] >= depth:
            first = open_.pop()[1]
            if last > first:
                yield Fold(first, last)
        open_.append((depth, number))
        last = number
    for _, first in reversed(open_):
        if last > first:
            yield Fold(first, last)


def _comments(lines: list[str]) -> Iterator[Fold]:
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        if line.lstrip().startswith("#"):
            first = number if first is None else first
        elif first is not None:
            if number - first > 1:
                yield Fold(first, number - 1, comment=True)
            first = None


# --- semantic tokens -----------------------------------------------------------------------------

MODIFIERS = ("declaration", "defaultLibrary")

_OF_KINDS = {
    "function": ("value", "function"),
    "method": ("action", "effect"),
    "event": ("choice", "option"),
    "property": ("state", "invariant", "attribute", "property", "setting"),
    "enum": ("enum",),
    "enumMember": ("member", "face", "colour"),
    "class": ("feature", "component"),
    "variable": ("grid", "zone", "track", "table"),
    "parameter": ("local",),
    "namespace": ("ruleset",),
    "type": ("type",),
}
KINDS = ("comment", "keyword", "number", "string", *_OF_KINDS)
"""The kinds of tokens, as the protocol names them."""
_KINDS = {what: kind for kind, names in _OF_KINDS.items() for what in names}
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>'[^'\n]*')|(?P<number>\d+)|(?P<word>[A-Za-z_]\w*)", re.ASCII
)


@dataclass(frozen=True)
class Token:
    """A stretch of characters in one line."""

    start: int
    end: int
    kind: str
    declares: bool = False
    own: bool = False


def tokens(text: str, uses: list[Use], rules: bool) -> list[Token]:
    """Return the tokens of a text by place: names, and in rules all other words too.

    The `uses` may be those of an older text; they count where it has not changed.
    """
    named = {
        use.span.start: Token(
            use.span.start, use.span.end, _KINDS[use.symbol.what], use.declares, use.symbol.own
        )
        for use in uses
        if text[use.span.start : use.span.end] == use.span.text
    }
    if not rules:
        return [named[start] for start in sorted(named)]
    found = list[Token]()
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if match.start() in named:
            found.append(named[match.start()])
        elif kind != "word" or match[0] in WORDS:
            kind = "keyword" if kind == "word" else kind
            found.append(Token(*match.span(), kind))
    return found


# --- the workspace -------------------------------------------------------------------------------


_WORD = re.compile(r"(?:'[\w-]*'?|\w*)", re.ASCII)
_MANIFEST = re.compile(r"^(?:ruleset|requires|interaction|rules)[ \t]*:", re.M)
_SCENARIOS = re.compile(r"^scenarios[ \t]*:", re.M)


Findings = Mapping[str, Sequence[Diagnostic]]
"""Findings by the real path of their file."""


@dataclass(frozen=True)
class EditorOptions:
    """The options that the user's editor sends.

    `expansions` are rulesets that are part of every game, as with `--with`; `paths` are folders in
    which ids are looked up, as with `--path`.
    """

    expansions: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass
class Workspace:
    """The workspace of an editor.

    `opened` has the texts of open files by real path; they replace those on disk.
    """

    options: EditorOptions = EditorOptions()
    opened: dict[str, str] = field(default_factory=dict)
    known: StageMemo = field(default_factory=StageMemo)
    _manifests: set[str] = field(default_factory=set)
    _families: dict[str, Family] = field(default_factory=dict)

    def open(self, path: str, text: str) -> None:
        """Open a file, or replace its text."""
        self.opened[path] = text
        self.forget()

    def close(self, path: str) -> None:
        """Close a file, so that its text on disk counts again."""
        self.opened.pop(path, None)
        self.forget()

    def forget(self) -> None:
        """Forget cached games, because a file has changed."""
        self._families.clear()

    def own(self, path: str) -> Family:
        """Return the game that a file is part of, without what extends it, which takes less time.

        If the game has been read with its extensions already, that one is returned.
        """
        root = self.roots(path)[0]
        if root in self._families:
            return self._families[root]
        if not self._is_manifest(root):
            return Family(Analysis((), {}, Uses()))
        with self.looking():
            return Family(alone(root, self.options.paths, self.known))

    def family(self, path: str) -> Family:
        """Return the game that a file is part of, with all that extends it, as of now."""
        root = self.roots(path)[0]
        if not self._is_manifest(root):
            return self.own(path)
        if root not in self._families:
            with self.looking():
                self._families[root] = family(root, self.options.paths, self.known)
        return self._families[root]

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Make reads of files see the texts of the editor within a `with` block."""
        files = {path: text.encode("utf-8", "surrogatepass") for path, text in self.opened.items()}
        with overlaid(files), uncollected():
            yield

    def roots(self, path: str) -> tuple[str, ...]:
        """Return the manifests of the rulesets that a file is part of, by real path, sorted.

        A file that is part of no ruleset is returned itself.
        """
        if not path.endswith(RULES):
            return (path,)
        folder, name = os.path.split(path)
        names = re.compile(rf"^rules[ \t]*:[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*(?:#|$)", re.M)
        with self.looking():
            files = (os.path.join(folder, file) for file in DiskFolder.at(folder).files())
            yaml = (file for file in files if file.endswith(YAML))
            return tuple(file for file in yaml if names.search(self.text(file))) or (path,)

    def check(self, root: str) -> Findings:
        """Return the findings of `rulesdsl check` in the ruleset with the manifest `root`.

        The expansions of the options are part of the game. Findings without a place are reported at
        the manifest. Any other file is checked by itself.
        """
        found = self._findings(root) if self._is_manifest(root) else self._alone(root)
        return _placed(root, found)

    def play(self, root: str) -> Findings:
        """Return the findings of random games in the ruleset with the manifest `root`.

        That takes seconds. A ruleset with errors is not played.
        """
        if not self._is_manifest(root):
            return {}
        given, paths = self.options.expansions, self.options.paths
        with self.looking():
            try:
                game = load(root, given, engine=READY_ENGINE, paths=paths)
                found = play(game, root, given, {}, paths, GAMES).finding
            except RulesError:
                return {}
        return _placed(root, () if found is None else (found,))

    def _findings(self, root: str) -> Sequence[Diagnostic]:
        reading, report = Report(), Report()
        expansions, paths, known = self.options.expansions, self.options.paths, self.known
        with self.looking():
            rulesets = load_rulesets(
                root, expansions, paths=paths, report=reading, parse=known.manifest
            )
            made(rulesets, {}, reading, report, known)
            report.extend(
                check_absent(
                    root,
                    expansions,
                    {},
                    paths=paths,
                    rulesets=rulesets,
                    found=tuple(report),
                    known=known,
                )
            )
        return _sifted(report, sources(rulesets))

    def _alone(self, path: str) -> Sequence[Diagnostic]:
        """Return the findings in a file that belongs to no ruleset, or in one of scenarios."""
        report = Report()
        scenarios = path.endswith(YAML) and bool(_SCENARIOS.search(self.text(path)))
        if not scenarios and not path.endswith(RULES):
            return ()
        try:
            source = decode(self.text(path).encode("utf-8", "surrogatepass"), path)
        except FileProblem as problem:
            report.error(problem.slug, problem.message, problem.span, help=problem.help)
            return report.sorted()
        if not scenarios:
            self.known.module(source, report)
            return report.sorted()
        try:
            read_scenarios(source)
        except RulesError as error:
            return _sifted(error.diagnostics, [source])
        return _sifted((), [source])

    def text(self, path: str) -> str:
        """Return the text of a file, open or not; empty if it cannot be read."""
        if path in self.opened:
            return self.opened[path]
        try:
            folder, name = os.path.split(path)
            return decode(DiskFolder.at(folder).read(name), path).text
        except FileProblem:
            return ""

    def kind(self, path: str) -> str | None:
        """Return the name of the schema for a YAML file; None for any other file."""
        if not path.endswith(YAML):
            return None
        if _SCENARIOS.search(self.text(path)):
            return "scenarios"
        return "ruleset" if self._is_manifest(path) else None

    def source(self, path: str) -> Source:
        return Source(path, self.text(path).removeprefix("\ufeff"))

    def at(self, path: str, offset: int) -> tuple[Family, Use | None]:
        """Return the game of a file, and the name at an offset in it, if any."""
        family = self.family(path)
        return family, family.index.at(family.names.get(path, path), offset)

    def hover(self, path: str, offset: int, link: Link) -> tuple[Span, str] | None:
        """Return the name, aggregate or key at an offset, and its page in Markdown.

        `link` makes the links to places.
        """
        family, use = self.at(path, offset)
        if use is not None:
            return use.span, hover(family, use.symbol, link)
        source, kind = self.source(path), self.kind(path)
        if kind is not None:
            found = completion.told_of_key(load_schema(kind), source.text, offset)
        else:
            found = aggregate_at(source.text, offset) if path.endswith(RULES) else None
        if found is None:
            return None
        start, end, page = found
        return source.span(start, end), page

    def call(self, path: str, offset: int) -> tuple[list[str], str, int] | None:
        """Return the signatures of the call around an offset, their text, and the argument."""
        found = completion.call_at(self.source(path), offset) if path.endswith(RULES) else None
        family = self.own(path)
        ruleset = family.ruleset_of(path)
        if found is None or ruleset is None:
            return None
        qualifier, name, argument = found
        return *called(family, ruleset, qualifier, name), argument

    def hints(self, path: str) -> Iterator[tuple[Span, str]]:
        """Yield the locals of a file whose types are not written, with their types."""
        family = self.own(path)
        file, text = family.names.get(path, path), self.source(path).text
        for (name, _), found in family.locals.items():
            written = re.match(r"\s*:", text[found.span.end : found.span.end + 9])
            if name == file and found.what != "binder" and not written:
                yield found.span, f": {found.type}"

    def definition(self, path: str, offset: int) -> Span | None:
        family, use = self.at(path, offset)
        found = None if use is None else family.index.declaration(use.symbol)
        return None if found is None else found.span

    def tokens(self, path: str) -> list[Token]:
        """Return the tokens of a file that get a colour."""
        family = self.own(path)
        uses = family.index.file(family.names.get(path, path))
        return tokens(self.source(path).text, uses, path.endswith(RULES))

    def formatted(self, path: str) -> str:
        """Return the text of a file in the usual format; raises Refused if it has errors."""
        try:
            return formatted(self.text(path), path)
        except RulesError as error:
            raise Refused(f"a file with errors cannot be formatted: {error}") from None

    def complete(self, path: str, offset: int) -> tuple[int, list[completion.Item]]:
        """Return the start of the word at an offset of a file, and the items that fit."""
        source, root = self.source(path), self.roots(path)[0]
        if not path.endswith(RULES):
            return self._complete_yaml(path, source, offset)
        start = completion.prefix(source.text, offset)
        end = start + len(_WORD.match(source.text, start)[0])  # type: ignore[index]
        family = self.own(path)
        draft, ruleset = family.examined.draft, family.ruleset_of(path)
        if draft is None or ruleset is None:
            return start, []
        loaded = [RulesetId(each.id) for each in family.examined.rulesets if each.id != ruleset]

        def look() -> completion.CheckedPlace | None:
            trees, marks = self.known.trees(path), completion.Marked()
            module = completion.marked(source, start, max(end, offset), trees)
            if module is not None:
                with self.looking():
                    modules, paths = {ruleset: module}, self.options.paths
                    analyse(
                        root,
                        loaded,
                        paths=paths,
                        known=self.known,
                        modules=modules,
                        infer=marks.infer,
                    )
            return marks.place

        part = part_id(ruleset, completion.rulesets_at(source, start))
        if part not in draft.symbols.game.visible:
            part = ruleset

        def others() -> Iterable[str]:
            with self.looking():
                return extending(family.examined, root, self.options.paths)

        return start, completion.complete(
            completion.RulesPlace(source, part, draft, start, offset, look, others)
        )

    def _complete_yaml(
        self, path: str, source: Source, offset: int
    ) -> tuple[int, list[completion.Item]]:
        kind = self.kind(path)
        if kind is None:
            return offset, []
        family = self.own(path)
        ruleset, draft = family.ruleset_of(path), family.examined.draft
        known = draft if ruleset is not None else None

        def ids() -> list[str]:
            with self.looking():
                beside = [DiskFolder.at(os.path.dirname(path))]
                return FolderSearch(search_folders(beside, self.options.paths, Report())).ids

        asked = completion.ManifestPlace(source.text, offset, kind, ruleset or "", known, ids)
        return completion.complete_manifest(asked)

    def rename(self, game: Family, symbol: Symbol, name: str) -> tuple[Edits, list[str]]:
        """Return the edits that rename a symbol, in scenarios too.

        Also return the names of the files of scenarios that have the name where its meaning cannot
        be determined. Raises `Refused` for a name that is not possible.
        """
        edits = {path: list(edit) for path, edit in renamed(game, symbol, name).items()}
        self.check_edits(edits)
        unsure = []
        with self.looking():
            for path in self._scenarios(game):
                found, is_unsure = rename_in_scenarios(game, self.source(path), symbol, name)
                if found:
                    edits[path] = found
                if is_unsure:
                    unsure.append(os.path.basename(path))
        return edits, unsure

    def _scenarios(self, game: Family) -> list[str]:
        """Return the files of scenarios beside the rulesets of a game that are not shipped.

        Those in folders below are found too, except where other rulesets are.
        """
        folders = {os.path.dirname(path) for path in game.names if not is_shipped(path)}
        found = set[str]()
        for folder in folders:
            for inside in below(DiskFolder.at(folder)):
                paths = [os.fspath(inside.path / file) for file in inside.files()]
                if os.fspath(inside.path) in folders or not any(map(self._is_manifest, paths)):
                    found.update(path for path in paths if path.endswith(SCENARIO_SUFFIXES))
        return sorted(found)

    def check_edits(self, edits: Edits) -> None:
        """Raise `Refused` if edits, by real path, would cause a new error in an edited ruleset."""
        changed = Workspace(self.options, dict(self.opened), self.known)
        for path, edit in edits.items():
            changed.opened[path] = edited(self.source(path).text, edit)
        for root in dict.fromkeys(root for path in edits for root in self.roots(path)):
            before = {(each.slug, each.message) for each in self._findings(root)}
            for each in changed._findings(root):
                if each.severity is Severity.ERROR and (each.slug, each.message) not in before:
                    raise Refused(f"with that name, {each.message}")

    def _is_manifest(self, path: str) -> bool:
        """Return whether a file is a manifest.

        A known manifest stays one while its head is being rewritten.
        """
        if not path.endswith(YAML) or path.endswith(OTHER_SUFFIXES):
            return False
        if path not in self._manifests and _MANIFEST.search(self.text(path)):
            self._manifests.add(path)
        return path in self._manifests


def is_shipped(path: str) -> bool:
    """Return whether a file, by its real path, is part of a shipped ruleset."""
    return lies_in(path, os.path.realpath(shipped_folder()))


def _sifted(found: Iterable[Diagnostic], read: Iterable[Source]) -> Sequence[Diagnostic]:
    """Return the findings that `rulesdsl check` shows: those that no `allow` comment covers.

    Comments that allow nothing are reported too.
    """
    sieve = Sieve({}, judged=ALWAYS)
    sieve.sift(found, read)
    sieve.end()
    return sorted(sieve.shown, key=lambda each: each.sort_key)


def _placed(root: str, found: Iterable[Diagnostic]) -> Findings:
    """Return findings by file; those without a place are reported at the manifest `root`."""
    placed: dict[str, list[Diagnostic]] = {root: []}
    for each in found:
        name = root if each.span is None else os.path.realpath(each.span.source.name)
        placed.setdefault(name, []).append(each)
    return placed


def merged(checks: Iterable[Findings]) -> dict[str, list[Diagnostic]]:
    """Join the findings of several checks by file, equal ones only once."""
    found: dict[str, dict[str, Diagnostic]] = {}
    for check in checks:
        for name, listed in check.items():
            shown = found.setdefault(name, {})
            for each in listed:
                shown.setdefault(render([each]), each)
    return {name: list(each.values()) for name, each in found.items()}


def fixes(found: Diagnostic) -> Iterator[tuple[str, Span, str]]:
    """Yield the quick fixes of a finding: title, place and replacement text."""
    for span, written in found.fixes:
        yield f"write `{' '.join(written.split())}`", span, written
    if found.span is not None and found.severity is not Severity.ERROR:
        slug, span = found.slug, found.span
        line = span.source.line(span.line).rstrip()
        if "#" not in line:
            end = span.start - span.column + 1 + len(line)
            yield f"allow `{slug}` here", span.source.span(end, end), f"  # allow: {slug}"


def text(found: Diagnostic) -> str:
    """Return the whole text of a finding, in lines."""
    mark = [found.mark] if found.mark else []
    help = (f"help: {line}" for line in found.help)
    return "\n".join((found.message, *mark, *help, *found.picture))
