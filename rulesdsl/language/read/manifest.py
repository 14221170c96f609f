"""One ruleset from its files: a manifest that satisfies its schema, and the text of its rules."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import cache, lru_cache
from itertools import compress, product
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Source, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed, nearest
from rulesdsl.language.model import nodes
from rulesdsl.language.model.game import IMAGE_KEYS, Artwork, Bound, Named, Ruleset
from rulesdsl.language.model.names import TEXT
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.language.read.files import Folder, read_source
from rulesdsl.language.read.schema import MAX_FINDINGS, validate, validate_file
from rulesdsl.language.read.yaml import parse_partly, parse_yaml

EDITION = 1
"""The current edition of the language, and the only one so far."""


def is_current(document: Node, report: Report) -> bool:
    """Return whether a manifest or scenarios are of the current edition; report it if not.

    Nothing else in a text of another edition can be checked. An invalid edition is left to the
    schema.
    """
    edition = document.get("edition") if isinstance(document, Mapping) else None
    if not isinstance(edition, Scalar) or type(edition.value) is not int:
        return True
    if edition.value == EDITION:
        return True
    newer = "a newer version may support it: pip install --upgrade rulesdsl"
    report.error(
        "edition-unknown",
        f"edition {edition.value} of the language is not supported by this version",
        edition.span,
        help=(f"supported: {EDITION}", *([newer] if edition.value > EDITION else [])),
    )
    return False


_COMMANDS = {
    "scenarios": "`rulesdsl test` runs a file of scenarios",
    "balance": "`rulesdsl simulate {} --budget` holds the bounds of a balance file",
}
"""The commands for files that are not manifests, by the key with which these begin."""


def is_document(node: Node, key: str, what: str, help: str, report: Report) -> bool:
    """Return whether a mapping has `key`; if not, report with `help` that it is not `what`.

    Without this check its schema would complain of every other key.
    """
    if not isinstance(node, Mapping) or node.get(key) is not None:
        return True
    near = node.key(nearest(key, (str(found.value) for found, _ in node)) or "")
    first = near or (node.entries[0][0] if node.entries else node)
    others = ((text, node.get(word)) for word, text in _COMMANDS.items())
    other = next((text.format(found.span.text) for text, found in others if found), help)
    meant = (f"is `{near.value}` meant to be `{key}`?" if near else other,)
    message = f"this is not {what}: there is no `{key}`"
    report.error("missing-key", message, first.span, help=meant)
    return False


def read_document(source: Source, key: str, what: str, help: str) -> Mapping:
    """Return a document that begins with `key`, the name of its schema; raises RulesError.

    A document without it is reported as `is_document` does.
    """
    report = Report()
    document = parse_yaml(source, report)
    whole = document is not None and is_document(document, key, what, help, report)
    if document is not None and whole and is_current(document, report):
        validate_file(document, key, report)
    report.check()
    assert isinstance(document, Mapping), "the schema asks for a mapping"
    return document


T = TypeVar("T")


@dataclass(frozen=True)
class ManifestHeader:
    """The header of a manifest; nothing of it has been checked.

    `excludes` are groups of rulesets that are not loaded together with this one.
    """

    id: str
    requires: tuple[str, ...] = ()
    interaction: tuple[tuple[str, ...], ...] = ()
    house: bool = False
    excludes: tuple[tuple[str, ...], ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the rulesets that it requires."""
        first = self.interaction[0] if self.interaction else ()
        return (*self.requires, *(n for n in first if all(n in each for each in self.interaction)))

    @property
    def parties(self) -> tuple[str, ...]:
        """The parties of all its groups."""
        return tuple(dict.fromkeys(name for each in self.interaction for name in each))


# A key of the header and the lines below it up to the next key in the first column.
_ENTRY = re.compile(
    r"^(?:ruleset|requires|interaction|house|refuse)[ \t]*:[^\n]*(?:\n(?![A-Za-z_\"'])[^\n]*)*",
    re.M,
)
_IS_RULESET = re.compile(r"^ruleset[ \t]*:", re.M)


def peek(text: str) -> ManifestHeader | None:
    """Return the header of a manifest; None if `text` is no manifest or its header is unreadable.

    A manifest is a mapping with the key `ruleset`. If its keys stand in the first column, only the
    header's lines are read, so that scanning many files is cheap and an error further down does not
    hide the kind of a file.
    """
    if "ruleset" not in text:
        return None
    found = _header("\n".join(_ENTRY.findall(text))) if _IS_RULESET.search(text) else None
    return found or _told(_parsed(text))


@lru_cache(maxsize=256)
def _header(text: str) -> ManifestHeader | None:
    """Return the header in these lines, cached because the same files are scanned repeatedly."""
    return _told(_parsed(text))


def _parsed(text: str) -> Node | None:
    return parse_yaml(Source("", text), Report())


def _told(node: Node | None) -> ManifestHeader | None:
    if not isinstance(node, Mapping):
        return None
    ruleset, house = node.get("ruleset"), node.get("house")
    if not isinstance(ruleset, Scalar):
        return None
    return ManifestHeader(
        str(ruleset.value),
        tuple(dict.fromkeys(id for text in _words(node.get("requires")) if (id := _id(text)))),
        groups(node.get("interaction"), _words),
        isinstance(house, Scalar) and house.value is True,
        tuple(
            _words(each.get("with"))
            for each in nodes.items(node.get("refuse"))
            if isinstance(each, Mapping) and each.get("with") and each.get("when") is None
        ),
    )


def groups(node: Node | None, names: Callable[[Node | None], T]) -> tuple[T, ...]:
    """Return the groups of parties that `interaction` lists, which may be a group itself."""
    if node is None:
        return ()
    items = node.items if isinstance(node, Sequence) else ()
    inner: list[Node] = [each for each in items if isinstance(each, Sequence)]
    return tuple(names(each) for each in inner or [node])


def _words(node: Node | None) -> tuple[str, ...]:
    return tuple(str(item.value) for item in nodes.scalars(node))


_STAND_IN = """\
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: play, finish: finish, score: player.score}
"""

KEPT = frozenset({"ruleset", "version", "edition"})
"""Keys that are kept even with mistakes, as long as they have a plain value."""


def without(manifest: Mapping, bad: list[Span]) -> tuple[Mapping, tuple[Span, ...]]:
    """Return a manifest without the entries that hold one of the `bad` spans, and their spans.

    The smallest meaningful part is left out: an entry of a section, or a whole section if the
    mistake lies outside of its entries.
    """
    entries: list[tuple[Scalar, Node]] = []
    left_out: list[Span] = []
    for key, value in manifest:
        stand_in = _stand_ins().get(key.value)
        whole = key.span.to(value.span)
        if not any(_holds(whole, each) for each in bad):
            entries.append((key, value))
        elif isinstance(value, Scalar) and key.value in KEPT:
            entries.append((key, value))
            left_out.append(whole)
        elif stand_in is not None:
            entries.append((key, stand_in))
            left_out.append(whole)
        else:
            section, spans = _section(key, value, [each for each in bad if _holds(whole, each)])
            entries += [(key, section)] if section is not None else []
            left_out += spans if section is not None else [whole]
    return replace(manifest, entries=tuple(entries)), tuple(left_out)


def stands_in(span: Span) -> bool:
    """Return whether a span is in the stand-in for a broken section, which is in no file."""
    return span.source is _stand_ins()["game"].span.source


@cache
def _stand_ins() -> dict[str | int | bool, Node]:
    node = _parsed(_STAND_IN)
    assert isinstance(node, Mapping)
    return {key.value: value for key, value in node}


def _section(key: Scalar, value: Node, bad: list[Span]) -> tuple[Node | None, list[Span]]:
    """Return a section without its bad entries, and these; None if all of it is bad.

    Of an entry that could not be read only the position is known.
    """
    if isinstance(value, Scalar) or any(
        _holds(key.span, each) or _holds(each, value.span) for each in bad
    ):
        return None, []
    if isinstance(value, Sequence):
        items = [item.span for item in value]
        good = [not any(_holds(span, each) for each in bad) for span in items]
        kept: Node = replace(value, items=tuple(compress(value.items, good)))
    else:
        items = [name.span.to(inner.span) for name, inner in value]
        good = [not any(_holds(span, each) for each in bad) for span in items]
        kept = replace(value, entries=tuple(compress(value.entries, good)))
    return kept, [*(span for span, fits in zip(items, good, strict=True) if not fits), *bad]


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= max(outer.end, outer.start + 1)


Parse = Callable[[Source, Report], "Read | None"]
"""The type of `read_manifest`, or of a function with the same results."""

_MANIFEST = ("the manifest of a ruleset", "a manifest begins with `ruleset:` and its id")


_EDITOR_LINE = re.compile(rb"#[ \t]*yaml-language-server:.*\n?")


def without_editor_lines(data: bytes) -> bytes:
    """Return a file without lines for editors in the comment that it begins with.

    They say where a schema lies on one machine, and mean nothing to a game.
    """
    lines = data.splitlines(keepends=True)
    head = next((i for i, line in enumerate(lines) if not line.startswith(b"#")), len(lines))
    kept = (line for line in lines[:head] if not _EDITOR_LINE.fullmatch(line))
    return b"".join((*kept, *lines[head:]))


def read_ruleset(
    folder: Folder,
    file: str,
    report: Report,
    at: Span | None = None,
    parse: Parse | None = None,
) -> Ruleset | None:
    """Return the ruleset whose manifest is `file`, or None if nothing of it can be used.

    `at` is the span where the ruleset is named. Mistakes are reported and left out of the ruleset.
    """
    if file.endswith(".rules"):
        if read_source(folder, file, report, at) is None:
            return None
        message = f"`{folder.shown(file)}` holds rules; a ruleset is named by its manifest"
        report.error(
            "ruleset-missing", message, at, help=(f"name the file that says `rules: {file}`",)
        )
        return None
    found = read_source(folder, file, report, at)
    if found is None:
        return None
    source, data = found
    read = (parse or read_manifest)(source, report)
    if read is None:
        return None
    manifest = read.manifest
    both = [without_editor_lines(data)]
    rules: Source | None = None
    if name := manifest.get("rules"):
        found = read_source(folder, _text(name), report, name.span)
        if found is not None:
            rules, data = found
            both.append(data)
    house = manifest.get("house")
    images: dict[str, Artwork] = {}
    styles = (style for _, style in nodes.entries(manifest.get("draw")))
    if any(key.value in IMAGE_KEYS for style in styles for key, _ in nodes.entries(style)):
        from rulesdsl.language.read.images import read_images  # few manifests have images

        images = read_images(manifest, folder, report)
    return Ruleset(
        id=_NO_ID.sub("_", _word(manifest.get("ruleset"))),
        version=_word(manifest.get("version")),
        manifest=manifest,
        rules=rules,
        digest=hashlib.sha256(b"".join(both).replace(b"\r\n", b"\n")).hexdigest(),
        requires=required_rulesets(manifest.get("requires")),
        interaction=groups(manifest.get("interaction"), _names),
        house=isinstance(house, Scalar) and house.value is True,
        left_out=read.left_out,
        bounds=tuple(version_bounds(manifest.get("requires"))),
        images=images,
    )


@dataclass(frozen=True)
class Read:
    """The part of a manifest that satisfies its schema; `left_out` are the spans of the rest."""

    manifest: Mapping
    left_out: tuple[Span, ...] = ()


def read_manifest(source: Source, report: Report) -> Read | None:
    """Return the part of the manifest in `source` that satisfies its schema, and report the rest.

    None if nothing can be used.
    """
    own = Report()
    node = parse_partly(source, own)
    whole = own.ok
    read = None if node is None else _satisfying(node, own)
    report.extend(own)
    if whole or node is None or read is None:
        return read
    rest = source.span(node.span.end, len(source.text))
    return replace(read, left_out=(*read.left_out, rest))


def _satisfying(node: Node, report: Report) -> Read | None:
    """Return the manifest without the entries that break the rules of YAML or of the schema."""
    if not is_document(node, "ruleset", *_MANIFEST, report) or not is_current(node, report):
        return None
    whole = report.ok
    broken: tuple[Span, ...] = ()
    if not whole and isinstance(node, Mapping):
        node, broken = without(node, _places(report))
    own = Report()
    (validate_file if whole else validate)(node, "ruleset", own)
    # Entries that were left out are not missing, and known mistakes are not reported again.
    report.extend(
        each
        for each in own
        if whole or (each.slug != "missing-key" and not any(map(each.lies_in, broken)))
    )
    if not isinstance(node, Mapping):
        return None
    if len(own) >= MAX_FINDINGS:
        return None
    manifest, unfit = _fitting(node, own)
    if not isinstance(manifest.get("ruleset"), Scalar):
        return None
    fits = Report()
    _check_players(manifest, fits)
    for _, setting in nodes.entries(manifest.get("settings")):
        _check_setting(setting, fits)
    written = _written_out(manifest, fits)
    report.extend(fits)
    return Read(written, (*broken, *unfit, *_places(fits)))


def _fitting(manifest: Mapping, found: Report) -> tuple[Mapping, tuple[Span, ...]]:
    """Return a manifest without the entries with violations, and the spans of these.

    An entry may break the schema only after another one was left out.
    """
    left_out: tuple[Span, ...] = ()
    while not found.ok:
        kept, spans = without(manifest, _places(found))
        left_out += spans
        if kept == manifest:
            break
        manifest, found = kept, Report()
        validate(manifest, "ruleset", found)
    return manifest, left_out


def _places(report: Report) -> list[Span]:
    return [each.span for each in report if each.span is not None]


def _check_players(manifest: Mapping, report: Report) -> None:
    players = manifest.get("players")
    if not isinstance(players, Mapping):
        return
    fewest, most, colours = (players.get(key) for key in ("min", "max", "colours"))
    assert fewest is not None
    assert most is not None
    assert isinstance(colours, Sequence)
    least, limit = nodes.number(players, "min", 0), nodes.number(players, "max", 0)
    if least > limit:
        report.error(
            "bad-value",
            f"`max` is {limit}, less than `min`",
            most.span,
            labels=(Label(fewest.span, "the fewest players"),),
        )
    elif len(colours.items) < limit:
        report.error(
            "bad-value",
            f"{len(colours.items)} colours are too few for {limit} players",
            colours.span,
            labels=(Label(most.span, "the most players"),),
        )


def _check_setting(setting: Node, report: Report) -> None:
    assert isinstance(setting, Mapping)
    default, bounds, values = (setting.get(key) for key in ("default", "range", "values"))
    assert isinstance(default, Scalar)
    if isinstance(bounds, Sequence):
        low, high = nodes.integers(bounds)
        if low > high:
            report.error("bad-value", "the range ends before it begins", bounds.span)
        elif not low <= nodes.number(setting, "default", low) <= high:
            message = f"the default {default.value} is outside {low} to {high}"
            report.error("setting-value", message, default.span, help=(f"write {low} to {high}",))
    elif isinstance(values, Sequence) and default not in values.items:
        report.error(
            "setting-value",
            f"the default `{default.value}` is not among the values",
            default.span,
            labels=(Label(values.span, "the values"),),
            help=did_you_mean(str(default.value), nodes.words(values))
            or (f"write {listed(nodes.words(values))}",),
        )


MOST_MEMBERS = 5000
"""The largest number of components and faces that all entries with `each` can stand for."""
MOST_TEXTS = 20_000
"""The largest number of labels and styles that those for entries with `each` can stand for."""
_EACH = "each"
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def _written_out(manifest: Mapping, report: Report) -> Mapping:
    """Return a manifest in which every entry with `each` is replaced by its members.

    A mistake is reported, and the entry left out.
    """
    source = manifest.span.source.text
    if _EACH not in source and not _BRACED.search(source):
        return manifest
    labels = manifest.get("labels")
    english = dict(_texts(labels.get("en") if isinstance(labels, Mapping) else None))
    enums = {str(k.value): v for k, v in nodes.entries(manifest.get("enums"))}
    members = _Members(enums, english, report)
    manifest = replace(manifest, entries=tuple((k, members.listed(v)) for k, v in manifest))
    written = {"labels": members.labelled, "draw": members.named}
    pairs = ((key, written.get(str(key.value)), value) for key, value in manifest)
    return replace(manifest, entries=tuple((k, w(v) if w else v) for k, w, v in pairs))


@dataclass
class _Members:
    """Writer of the members of entries with `each`.

    `enums` are those of the manifest, and `english` are its labels in English.
    """

    enums: dict[str, Node]
    english: dict[str, str]
    report: Report
    count: int = 0
    made: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    """The members of each entry by its id, with their values by attribute."""
    texts: int = 0

    def labelled(self, node: Node) -> Node:
        """Return labels in which a text for an entry with `each` is written for each member."""
        if not isinstance(node, Mapping):
            return node
        pairs = ((key, self.named(each, dict(_texts(each)), self.english)) for key, each in node)
        return replace(node, entries=tuple(pairs))

    def named(self, node: Node, *labels: dict[str, str]) -> Node:
        """Return a mapping in which a key that is the id of an entry with `each` has its members.

        In the texts below it, the attributes in braces are the values of the member, by their
        labels. Keys that name a member keep their own value.
        """
        if not isinstance(node, Mapping):
            return node
        taken, found = {key.value for key, _ in node}, list[tuple[Scalar, Node]]()
        for key, value in node:
            whole = str(key.value).removesuffix(TEXT) if labels else str(key.value)
            end = str(key.value)[len(whole) :]
            owner, dot, id = whole.rpartition(".")
            members = self._made(whole)
            if members is None:
                found.append((key, value))
                continue
            before, self.texts = self.texts, self.texts + len(members)
            if self.texts > MOST_TEXTS:
                if before <= MOST_TEXTS:
                    message = f"members of `each` have more than {MOST_TEXTS} texts and styles"
                    self.report.error("too-large", message, key.span, help=("write fewer",))
                continue
            self._check(id, value, members)
            for name, values in members.items():
                full = owner + dot + name + end
                if full not in taken:
                    given = {k: _label(k, v, *labels) for k, v in values.items()}
                    found.append((replace(key, value=full), _filled(value, given)))
        return replace(node, entries=tuple(found))

    def _made(self, name: str) -> dict[str, dict[str, str]] | None:
        """Return the members of the entry of that name; a face may be without its die."""
        return self.made.get(name) or next(
            (made for key, made in self.made.items() if key.partition(".")[2] == name), None
        )

    def _check(self, id: str, node: Node, members: dict[str, dict[str, str]]) -> None:
        known = [*next(iter(members.values()), {})]
        for text in _all_texts(node):
            for name in _BRACED.findall(str(text.value)):
                if members and name not in known:
                    message = f"`{name}` is not in the `each` of `{id}`"
                    names = [f"`{each}`" for each in known]
                    has = f"`each` has {listed(names)}" if names else "leave out the braces"
                    lines = did_you_mean(name, known) or (has,)
                    self.report.error("label-unknown", message, text.span, help=lines)

    def listed(self, node: Node, owner: str = "") -> Node:
        """Return a list with the members of its entries; any other node as it is.

        `owner` is the id of the entry that the list is in, and a dot.
        """
        if not isinstance(node, Sequence):
            return node
        return replace(node, items=tuple(each for item in node for each in self._of(item, owner)))

    def _of(self, entry: Node, owner: str) -> Iterator[Node]:
        """Yield the entries that an entry stands for, one for each combination of values."""
        if not isinstance(entry, Mapping):
            yield entry
            return
        each, id = entry.get(_EACH), entry.get("id")
        own = f"{id.value}." if isinstance(id, Scalar) else ""
        entry = replace(entry, entries=tuple((k, self.listed(v, own)) for k, v in entry))
        if not isinstance(each, Mapping) or not isinstance(id, Scalar):
            if each is None and (text := entry.get("text")) is not None:
                self._check(own.rstrip("."), text, {"": {}})
            yield entry
            return
        if self.count > MOST_MEMBERS:
            return
        rest = [pair for pair in entry if pair[0].value not in (_EACH, "id")]
        values = [self._values(value) for _, value in each]
        self.count += math.prod(map(len, values))
        if self.count > MOST_MEMBERS:
            message = f"`each` stands for more than {MOST_MEMBERS} members in this manifest"
            self.report.error("too-large", message, each.span, help=("write fewer values",))
            return
        made = self.made.setdefault(f"{owner}{id.value}", {})
        if (text := entry.get("text")) is not None:
            self._check(str(id.value), text, {"": {str(key.value): "" for key, _ in each}})
        for chosen in product(*values):
            name = "-".join(nodes.shown(value.value) for value in (id, *chosen))
            names = zip(each, chosen, strict=True)
            made[name] = {str(key.value): nodes.shown(value.value) for (key, _), value in names}
            said = {name: _label(name, value, self.english) for name, value in made[name].items()}
            own_rest = [
                (key, _filled(value, said if key.value == "text" else made[name]))
                for key, value in rest
            ]
            key = (entry.key("id") or id, replace(id, value=name))
            given = ((key, value) for (key, _), value in zip(each, chosen, strict=True))
            yield replace(entry, entries=(key, *given, *own_rest))

    def _values(self, node: Node) -> tuple[Scalar, ...]:
        """Return the values of an attribute in `each`: a list, a range or an enum's members."""
        if not isinstance(node, Scalar):
            return nodes.scalars(node)
        word = str(node.value)
        if bounds := _RANGE.fullmatch(word):
            low, high = map(int, bounds.groups())
            if low > high:
                self.report.error("bad-value", "the range ends before it begins", node.span)
            numbers = range(low, min(high, low + MOST_MEMBERS) + 1)
            return tuple(replace(node, value=number) for number in numbers)
        if word not in self.enums:
            message = f"this manifest has no enum `{word}`"
            lines = did_you_mean(word, self.enums) or ("list the values: `[red, blue]`, or `1..6`",)
            self.report.error("unknown-name", message, node.span, help=lines)
        return tuple(replace(node, value=member) for member in nodes.words(self.enums.get(word)))


_BRACED = re.compile(r"\{(\w+)\}")


def _texts(node: Node | None) -> Iterator[tuple[str, str]]:
    for key, value in nodes.entries(node):
        if isinstance(value, Scalar):
            yield str(key.value), nodes.shown(value.value)


def _all_texts(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Mapping):
        for _, value in node:
            yield from _all_texts(value)
    elif isinstance(node, Scalar) and isinstance(node.value, str):
        yield node


def _label(attribute: str, value: str, *labels: dict[str, str]) -> str:
    """Return the label of a value of an attribute in the first language that has one, or it."""
    names = (f"{attribute}.{value}", value)
    found = next((texts[name] for texts in labels for name in names if name in texts), value)
    return found.partition("|")[0].strip()


def _filled(node: Node, values: dict[str, str]) -> Node:
    if isinstance(node, Mapping):
        pairs = ((_filled_text(key, values), _filled(each, values)) for key, each in node)
        return replace(node, entries=tuple(pairs))
    return _filled_text(node, values) if isinstance(node, Scalar) else node


def _filled_text(node: Scalar, values: dict[str, str]) -> Scalar:
    if not isinstance(node.value, str):
        return node
    text = _BRACED.sub(lambda name: values.get(name[1], name[0]), node.value)
    return replace(node, value=text)


def _names(node: Node | None) -> tuple[Named, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(Named(_text(item), item.span) for item in items)


_ID = re.compile(r"[a-z]\w*", re.ASCII)
_BOUND = re.compile(r"([<>=]=?) *([0-9.]+)")


def _id(requirement: str) -> str:
    """Return the id that a requirement begins with; empty if it begins with a bound."""
    found = _ID.match(requirement)
    return found[0] if found else ""


def required_rulesets(node: Node | None) -> tuple[Named, ...]:
    """Return the required rulesets, each as it is named first."""
    found: dict[str, Named] = {}
    for item in nodes.scalars(node):
        if id := _id(_text(item)):
            start = item.span.start + item.span.text.index(id)
            found.setdefault(id, Named(id, item.span.source.span(start, start + len(id))))
    return tuple(found.values())


def version_bounds(node: Node | None) -> Iterator[Bound]:
    """Yield the bounds of versions; in a list in brackets a comma makes each an item of its own."""
    ruleset = ""
    for item in nodes.scalars(node):
        ruleset = _id(_text(item)) or ruleset
        for sign, version in _BOUND.findall(_text(item)):
            numbers = [int(each) for each in version.split(".")]
            padded = (*numbers, *(0 for _ in range(3 - len(numbers))))
            yield Bound(ruleset, sign, padded, item.span)


_NO_ID = re.compile(r"[^\w.-]")
"""A character that no key of a part of rules has in an id, even in one that is reported."""


def _word(node: Node | None) -> str:
    """Return a word of the header, even if it is not a text."""
    return str(node.value) if isinstance(node, Scalar) else ""


def _text(node: Node | None) -> str:
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value
