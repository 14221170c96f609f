"""One ruleset from its files: a manifest that satisfies its schema, and the text of its rules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from rulesdsl.diagnostics import Label, Report, Source, Span
from rulesdsl.edition import EDITION, is_current
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.model.ruleset import Named, Ruleset
from rulesdsl.read.document import is_document
from rulesdsl.read.files import Folder, read_source
from rulesdsl.read.header import groups
from rulesdsl.read.partial import without
from rulesdsl.read.schema import MAX_FINDINGS, validate
from rulesdsl.read.yaml import parse_partly

Parse = Callable[[Source, Report], "Read | None"]
"""What `read_manifest` is, or something that gives the same."""

_MANIFEST = ("the manifest of a ruleset", "a manifest begins with `ruleset:` and its id")


def read_ruleset(
    folder: Folder,
    file: str,
    report: Report,
    at: Span | None = None,
    parse: Parse | None = None,
) -> Ruleset | None:
    """The ruleset whose manifest is `file`, or None if nothing can be said about it; `at` is where
    the ruleset was asked for. What is wrong is reported, and is not part of the ruleset."""
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
    digest = hashlib.sha256(data)
    rules: Source | None = None
    if name := manifest.get("rules"):
        found = read_source(folder, _text(name), report, name.span)
        if found is not None:
            rules, data = found
            digest.update(data)
    house = manifest.get("house")
    return Ruleset(
        id=_word(manifest.get("ruleset")),
        version=_word(manifest.get("version")),
        edition=_edition(manifest),
        manifest=manifest,
        rules=rules,
        digest=digest.hexdigest(),
        requires=_names(manifest.get("requires")),
        interaction=groups(manifest.get("interaction"), _names),
        house=isinstance(house, Scalar) and house.value is True,
        left_out=read.left_out,
    )


@dataclass(frozen=True)
class Read:
    """What of a manifest satisfies its schema; `left_out` is where the rest of it stands."""

    manifest: Mapping
    left_out: tuple[Span, ...] = ()


def read_manifest(source: Source, report: Report) -> Read | None:
    """What of the manifest in `source` satisfies its schema; the rest is reported. None if so much
    is wrong that nothing can be said."""
    own = Report()
    node = parse_partly(source, own)
    rest = _after(node) if node is not None and not own.ok else ()
    read = None if node is None else _satisfying(node, own)
    report.extend(own)
    return None if read is None else replace(read, left_out=(*read.left_out, *rest))


def _after(node: Node) -> tuple[Span, ...]:
    """What follows the part of a file that could be read."""
    source = node.span.source
    return (source.span(node.span.end, len(source.text)),)


def _satisfying(node: Node, report: Report) -> Read | None:
    """What is left without the entries that YAML's rules, or the schema, speak against."""
    if not is_document(node, "ruleset", *_MANIFEST, report) or not is_current(node, report):
        return None
    whole = report.ok
    broken: tuple[Span, ...] = ()
    if not whole and isinstance(node, Mapping):
        node, broken = without(node, _places(report))
    own = Report()
    validate(node, "ruleset", own)
    # What was left out is missing, and what is wrong already is wrong, for no other reason.
    report.extend(
        each
        for each in own
        if whole or (each.slug != "missing-key" and not any(map(each.lies_in, broken)))
    )
    if not isinstance(node, Mapping):
        return None
    manifest, unfit = without(node, _places(own))
    if not isinstance(manifest.get("ruleset"), Scalar) or len(own) >= MAX_FINDINGS:
        return None
    fits = Report()
    _players_fit(manifest, fits)
    _settings_fit(manifest, fits)
    report.extend(fits)
    return Read(manifest, (*broken, *unfit, *_places(fits)))


def _places(report: Report) -> list[Span]:
    return [each.span for each in report if each.span is not None]


def _players_fit(manifest: Mapping, report: Report) -> bool:
    players = manifest.get("players")
    if not isinstance(players, Mapping):
        return True
    fewest, most, colours = (players.get(key) for key in ("min", "max", "colours"))
    assert fewest is not None
    assert most is not None
    assert isinstance(colours, Sequence)
    if _integer(fewest) > _integer(most):
        report.error(
            "bad-value",
            f"`max` is {_integer(most)}, less than `min`",
            most.span,
            labels=(Label(fewest.span, "the fewest players"),),
        )
        return False
    if len(colours.items) < _integer(most):
        report.error(
            "bad-value",
            f"{len(colours.items)} colours are too few for {_integer(most)} players",
            colours.span,
            labels=(Label(most.span, "the most players"),),
        )
        return False
    return True


def _settings_fit(manifest: Mapping, report: Report) -> bool:
    settings = manifest.get("settings")
    entries = settings.entries if isinstance(settings, Mapping) else ()
    fits = [_setting_fits(node, report) for _, node in entries]
    return all(fits)


def _setting_fits(setting: Node, report: Report) -> bool:
    """Whether the default of a setting is one of the values it may take."""
    assert isinstance(setting, Mapping)
    default, bounds, values = (setting.get(key) for key in ("default", "range", "values"))
    assert isinstance(default, Scalar)
    if isinstance(bounds, Sequence):
        low, high = (_integer(bound) for bound in bounds)
        if low > high:
            report.error("bad-value", "the range ends before it begins", bounds.span)
            return False
        if not low <= _integer(default) <= high:
            message = f"the default {default.value} is outside {low} to {high}"
            report.error("setting-value", message, default.span)
            return False
    if isinstance(values, Sequence) and default not in values.items:
        report.error(
            "setting-value",
            f"the default `{default.value}` is not among the values",
            default.span,
            labels=(Label(values.span, "the values"),),
        )
        return False
    return True


def _names(node: Node | None) -> tuple[Named, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(Named(_text(item), item.span) for item in items)


def _word(node: Node | None) -> str:
    """A word of the header, whatever was written there."""
    return str(node.value) if isinstance(node, Scalar) else ""


def _edition(manifest: Mapping) -> int:
    written = manifest.get("edition")
    said = isinstance(written, Scalar) and type(written.value) is int
    return _integer(written) if said else EDITION


def _text(node: Node | None) -> str:
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value


def _integer(node: Node | None) -> int:
    assert isinstance(node, Scalar)
    assert isinstance(node.value, int)
    return node.value
