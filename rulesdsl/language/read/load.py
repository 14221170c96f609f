"""The rulesets of one game.

These are the named ones, the rulesets they require, and the interactions between them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TypeGuard

from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import RulesetId, required_first
from rulesdsl.language.read import find
from rulesdsl.language.read.files import (
    SUFFIX,
    DiskFolder,
    FileProblem,
    Folder,
    is_folder,
    open_archive,
    printable,
    user_file,
)
from rulesdsl.language.read.manifest import Parse, read_ruleset


def load_rulesets(
    main: str | os.PathLike[str],
    expansions: Sequence[str | os.PathLike[str]] = (),
    *,
    paths: Sequence[str | os.PathLike[str]] = (),
    report: Report,
    parse: Parse | None = None,
) -> list[Ruleset]:
    """Load the ruleset `main`, `expansions`, their requirements and their interactions.

    An interaction is loaded if a group of its parties is active; a named one activates all its
    parties. A required ruleset comes before the one that requires it, otherwise they are sorted by
    id.

    A ruleset is named by its id, a folder, an archive, or the path of its manifest; a `RulesetId`
    is never a path. Ids are looked up beside the rulesets named by a path, then as
    `find.search_folders` says. Mistakes are reported; rulesets that cannot be read are left out of
    the result. `parse` reads the text of a manifest.
    """
    named = [_by_path(given, report) for given in (main, *expansions) if not _is_id(given)]
    there = [found for found in named if found is not None]
    search = find.FolderSearch(
        find.search_folders([found.folder for found in there], paths, report)
    )
    loader = _Loader(search, report, parse)
    for found in there:
        loader.name(found)
    for given in (main, *expansions):
        if _is_id(given):
            loader.name_id(given)
    loader.close()
    return loader.ordered()


def ids_of(rulesets: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the ids of rulesets that `load_rulesets` would load for these names.

    A ruleset that cannot be read is represented by its name.
    """
    return tuple(
        found.id
        if not _is_id(given) and (found := _by_path(given, Report()))
        else printable(os.fspath(given))
        for given in rulesets
    )


def extensions_of(
    main: str | os.PathLike[str], *, paths: Sequence[str | os.PathLike[str]] = ()
) -> tuple[RulesetId, ...]:
    """Return the ids of all rulesets that extend `main`, directly or through others, sorted.

    House rules, interactions and what is shipped apart are left out. The search is that of
    `load_rulesets`.
    """
    family, found = set(ids_of([main])), _found([main], paths)
    headers = {each.id: each.header for each in found if each.header and not each.is_apart}
    plain = {id: h.requires for id, h in headers.items() if not h.house and not h.interaction}
    while more := {id for id in plain.keys() - family if family.intersection(plain[id])}:
        family |= more
    return tuple(map(RulesetId, sorted(family.difference(ids_of([main])))))


def _found(
    named: Sequence[str | os.PathLike[str]], paths: Sequence[str | os.PathLike[str]]
) -> tuple[find.FoundFile, ...]:
    beside = [_by_path(each, Report()) for each in named if not _is_id(each)]
    folders = [found.folder for found in beside if found is not None]
    return find.FolderSearch(find.search_folders(folders, paths, Report())).found


def known_ids(
    named: Sequence[str | os.PathLike[str]], *, paths: Sequence[str | os.PathLike[str]] = ()
) -> Collection[str]:
    """Return the ids of all rulesets that `load_rulesets` finds if these are named."""
    return {each.id for each in _found(named, paths)}


def compatible(
    named: Sequence[str | os.PathLike[str]], *, paths: Sequence[str | os.PathLike[str]] = ()
) -> Callable[[Collection[str]], bool]:
    """Return a test of ids: whether no ruleset of the game with them refuses the others.

    `named` are the rulesets beside which these are searched.
    """
    headers = {each.id: each.header for each in _found(named, paths) if each.header}
    excluded = [{id, *group} for id, each in headers.items() for group in each.excludes]

    def test(ids: Collection[str]) -> bool:
        on = _closure(ids, lambda id: headers[id].needs if id in headers else (), lambda _: ())
        return not any(on >= group for group in excluded)

    return test


def loaded_with(named: Collection[str], rulesets: Sequence[Ruleset]) -> list[Ruleset]:
    """Return the rulesets that `load_rulesets` gives when only the ids `named` are named.

    `rulesets` are the result of one call of it and contain them.
    """
    by_id = {each.id: each for each in rulesets}
    groups = {
        each.id: [[party.name for party in group] for group in each.interaction]
        for each in rulesets
    }

    def meetings(on: AbstractSet[str]) -> Iterable[str]:
        return (each.id for each in rulesets if _met(each.house, groups[each.id], on))

    def needs(id: str) -> Iterable[str]:
        each = by_id[id]
        return (n.name for n in (*each.needs, *(each.parties if id in named else ())))

    on = _closure(named, needs, meetings)
    return [each for each in rulesets if each.id in on]


def _closure(
    named: Iterable[str],
    needs: Callable[[str], Iterable[str]],
    meetings: Callable[[AbstractSet[str]], Iterable[str]],
) -> set[str]:
    """Return the named ids, their needs and the meetings of these, until nothing is missing."""
    on: set[str] = set()
    due = set(named)
    while due:
        on |= due
        needed = {need for id in sorted(due) for need in needs(id)}
        due = needed - on or set(meetings(on)) - on
    return on


def _met(
    house: bool, groups: Iterable[Collection[str]], on: AbstractSet[str]
) -> list[frozenset[str]]:
    """Return the groups of an interaction's parties that are all active.

    None for house rules, which are active only when named. A group of fewer than two is a mistake,
    which concerns nobody who does not name the interaction.
    """
    found = () if house else map(frozenset, groups)
    return [group for group in found if len(group) > 1 and on >= group]


def _is_id(given: str | os.PathLike[str]) -> TypeGuard[str]:
    """Return whether a word is an id to search for, not a path."""
    return isinstance(given, RulesetId) or (
        isinstance(given, str) and not any(mark in given for mark in ("/", os.sep, "."))
    )


def _by_path(given: str | os.PathLike[str], report: Report) -> find.FoundFile | None:
    """Return the manifest at `given`, with or without suffix, or in the folder or archive."""
    if is_folder(os.fspath(given)):
        folder = DiskFolder.at(given)
        return _only(folder, find.manifests_of(folder) or _inside(folder), report)
    if not os.fspath(given).endswith(SUFFIX):
        return find.found_at(*user_file(find.with_suffix(os.fspath(given))))
    try:
        archive = open_archive(*user_file(given))
    except FileProblem as problem:
        report.error(problem.slug, problem.message, help=problem.help)
        return None
    found = find.FolderSearch([archive]).found
    return _only(archive, [each for each in found if each.header] or found, report)


def _inside(folder: DiskFolder) -> list[find.FoundFile]:
    return find.distinct(each for each in find.FolderSearch([folder]).found if each.header)


def _only(
    folder: Folder, manifests: Sequence[find.FoundFile], report: Report
) -> find.FoundFile | None:
    """Return the one manifest that a folder stands for; None (reported) if it is not unique."""
    if len(manifests) == 1:
        return manifests[0]
    if manifests:
        message = f"the folder `{folder.shown('')}` has several manifests"
        _ambiguous(message, manifests[:5], None, report)
    else:
        report.error(
            "ruleset-missing",
            f"the folder `{folder.shown('')}` has no manifest",
            help=(f"a manifest is called `{folder.name}.yaml` or `ruleset.yaml`",),
        )
    return None


def _ambiguous(
    message: str, found: Iterable[find.FoundFile], at: Span | None, report: Report
) -> None:
    report.error(
        "ruleset-ambiguous",
        message,
        at,
        help=(
            *(f"one is `{each.shown}`" for each in found),
            "give the path of the one that you mean",
        ),
    )


class _Loader:
    def __init__(self, search: find.FolderSearch, report: Report, parse: Parse | None) -> None:
        self.search = search
        self.report = report
        self.parse = parse
        self.found: dict[str, find.FoundFile] = {}
        self.rulesets: dict[str, Ruleset] = {}
        self.sought: set[str] = set()
        self.named: set[str] = set()

    def name(self, found: find.FoundFile) -> None:
        self.named.add(found.id)
        known = self.found.get(found.id)
        if known is None:
            self.add(found, None)
        elif len(find.distinct((known, found))) > 1:
            message = f"two different rulesets with the id `{found.id}` were given"
            _ambiguous(message, (known, found), None, self.report)

    def name_id(self, given: str) -> None:
        """Load a ruleset that was named by its id.

        If a user wrote it, it may also be the name of a folder here, or of a file that turns out to
        be no manifest.
        """
        id = printable(given)
        self.named.add(id)
        self.seek(id, None, by_user=not isinstance(given, RulesetId))

    def seek(self, id: str, at: Span | None, *, by_user: bool = False) -> None:
        """Load the ruleset `id`, unless it is loaded; `at` is the span of the requirement."""
        if id in self.found or id in self.sought:
            return
        self.sought.add(id)
        here = find.manifests_of(DiskFolder.at(id)) if by_user and is_folder(id) else []
        found = self.search.by_id(id, by_user=by_user)
        hits = find.distinct([*here, *find.nearest(found)])
        if not hits and by_user and is_folder(id):
            hits = _inside(DiskFolder.at(id))
            if len(hits) == 1:
                return self.name(hits[0])
        if len(hits) == 1:
            self.add(hits[0], at, found)
        elif hits:
            _ambiguous(f"two different rulesets have the id `{id}`", hits, at, self.report)
        else:
            self.report.error(
                "ruleset-missing",
                f"no ruleset `{id}` was found",
                at,
                help=self.advice(id, by_user),
            )

    def advice(self, id: str, by_user: bool) -> tuple[str, ...]:
        """Return help for an id that is not found: the working directory is not searched."""
        here = find.FolderSearch([DiskFolder.at("")]).found if by_user else ()
        by_path = tuple(f"name it by its path: `{each.shown}`" for each in here if each.id == id)
        near = did_you_mean(id, self.search.ids)
        return by_path or near or ("add its folder with --path",)

    def add(
        self, found: find.FoundFile, at: Span | None, others: Sequence[find.FoundFile] = ()
    ) -> None:
        """Read one ruleset; a warning says that it hides a shipped one among `others` of its id."""
        self.found[found.id] = found
        ruleset = read_ruleset(found.folder, found.file, self.report, at, self.parse)
        if ruleset is not None:
            self.rulesets[found.id] = ruleset
        if others and len(find.distinct([found, *others])) > 1:
            id = None if ruleset is None else ruleset.manifest.get("ruleset")
            self.report.warning(
                "ruleset-hidden",
                f"`{found.shown}` hides the shipped ruleset `{found.id}`",
                id.span if at is None and id is not None else at,
                help=("if it is another ruleset, give it an id of its own",),
            )

    def close(self) -> None:
        """Add requirements, then interactions, until nothing is missing."""
        _closure(self.found, self.seek_needs, self.interactions)

    def seek_needs(self, id: str) -> list[str]:
        """Load the requirements of a ruleset and return the ids of those found."""
        for needed, at in self.needs(id):
            self.seek(needed, at)
        return [needed for needed, _ in self.needs(id) if needed in self.found]

    def needs(self, id: str) -> list[tuple[str, Span | None]]:
        ruleset = self.rulesets.get(id)
        if ruleset is None:
            return [(needed, None) for needed in self.found[id].needs]
        parties = ruleset.parties if id in self.named else ()
        every = {each.name: each for each in (*parties, *ruleset.needs)}
        return [(each.name, each.span) for each in every.values()]

    @cached_property
    def by_id(self) -> dict[str, list[find.FoundFile]]:
        """The interactions that may be loaded, by id, sorted."""
        named = sorted({f.id for f in self.search.found if f.header and f.header.interaction})
        return {id: find.nearest(self.search.by_id(id)) for id in named}

    def interactions(self, on: AbstractSet[str]) -> set[str]:
        """Add the interactions between the loaded rulesets and return the ids of the new ones."""
        due: dict[frozenset[str], list[find.FoundFile]] = {}
        # A loaded ruleset hides others of its id, and an own one those that are shipped.
        unloaded = (f for id, files in self.by_id.items() if id not in self.found for f in files)
        for each in (*self.found.values(), *unloaded):
            if each.header is None:
                continue
            house = each.header.house and each.id not in self.found
            for group in _met(house, each.header.interaction, on):
                due.setdefault(group, []).append(each)
        new = set()
        for parties, candidates in sorted(due.items(), key=lambda item: sorted(item[0])):
            different = find.distinct(candidates)
            if len(different) > 1:
                self.report_duplicate(parties, different)
            if (id := different[0].id) not in self.found:
                self.add(different[0], None, () if len(different) > 1 else self.search.by_id(id))
                new.add(id)
        return new

    def report_duplicate(self, parties: Iterable[str], found: Iterable[find.FoundFile]) -> None:
        self.report.error(
            "interaction-duplicate",
            f"two interactions describe {' and '.join(f'`{id}`' for id in sorted(parties))}",
            help=(*(f"one is `{each.shown}`" for each in found), "remove one of them"),
        )

    def ordered(self) -> list[Ruleset]:
        """Return the rulesets in canonical order; none (reported) if they require each other."""
        needs = {
            id: [needed for needed, _ in self.needs(id) if needed in self.rulesets]
            for id in sorted(self.rulesets)
        }
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            self.report_cycle(error.args[1])
            return []
        return [self.rulesets[id] for id in required_first(needs, needs)]

    def report_cycle(self, path: list[str]) -> None:
        ring = path[:0:-1]
        first = ring.index(min(ring))
        ring = ring[first:] + ring[:first]
        places = []
        for id, needed in zip(ring, [*ring[1:], ring[0]], strict=True):
            span = dict(self.needs(id))[needed]
            assert span is not None
            places.append(Label(span, f"`{id}` requires `{needed}`"))
        what = f"`{ring[0]}` requires itself"
        if len(ring) > 1:
            what = f"{', '.join(f'`{id}`' for id in ring)} require each other in a cycle"
        self.report.error(
            "ruleset-cycle", what, places[0].span, mark=places[0].text, labels=places[1:]
        )
