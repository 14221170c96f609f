"""The workspace of an editor: its open files, their games, and the findings in them."""

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
from rulesdsl.author.lsp.structure import Token, tokens
from rulesdsl.base.records import dataclass
from rulesdsl.base.speed import uncollected
from rulesdsl.engine.build.combinations import check_absent
from rulesdsl.engine.build.stages import Analysis, StageMemo, analyse, made
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Severity, Source, Span
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.format import formatted
from rulesdsl.language.model.names import RulesetId, part_id
from rulesdsl.language.model.uses import Symbol, Use, Uses
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
    SCENARIO_SUFFIXES,
    FolderSearch,
    below,
    search_folders,
)
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.schema import load as load_schema
from rulesdsl.play import load
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import edited

RULES = ".rules"
_YAML = (".yaml", ".yml")
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
            yaml = (file for file in files if file.endswith(_YAML))
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
        scenarios = path.endswith(_YAML) and bool(_SCENARIOS.search(self.text(path)))
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
        if not path.endswith(_YAML):
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
                found = rename_in_scenarios(game, self.source(path), symbol, name)
                if found.edits:
                    edits[path] = found.edits
                if found.unsure:
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
        if not path.endswith(_YAML) or path.endswith(OTHER_SUFFIXES):
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
