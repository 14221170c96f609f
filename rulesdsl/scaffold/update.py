"""Migration of files from an older edition of the language to the current one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from rulesdsl import edition as editions
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.read.files import is_folder
from rulesdsl.read.find import RULES, YAML, TextFile, texts_at
from rulesdsl.read.yaml import parse_yaml
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Updated:
    """A file, its text as it is, and its text for the current edition."""

    file: TextFile
    old: str
    new: str


def documents_at(given: Iterable[str]) -> list[TextFile]:
    """Return the manifests and scenarios that were named, or that are in folders named and below.

    Rules that were named stand for the manifests that name them, since manifests state the edition.
    Raises RulesError for other files.
    """
    found: dict[str, TextFile] = {}
    for name in given:
        is_rules = name.endswith(RULES) and not is_folder(name)
        for file in texts_at([name]):
            if is_rules or not file.file.endswith(RULES):
                for each in _naming(file) if is_rules else (file,):
                    found.setdefault(each.identity, each)
    return list(found.values())


def updated(file: TextFile) -> list[Updated]:
    """Return the old and new texts of scenarios, or of a manifest and the rules that it names.

    The manifest comes last. Raises RulesError for a file that cannot be read, or whose edition
    cannot be migrated to the current one.
    """
    source, _ = file.read()
    document = _document(source)
    needed = _steps(document)
    if document.get("scenarios") is not None:
        changes = [each for step in needed for each in (*_of_scenarios(step), _of_edition)]
        return [Updated(file, source.text, _rewritten(source, changes))]
    changes = [each for step in needed for each in (*_of_manifest(step), _of_edition)]
    manifest = Updated(file, source.text, _rewritten(source, changes))
    rules = document.get("rules")
    if not isinstance(rules, Scalar):
        return [manifest]
    beside = TextFile(file.folder, str(rules.value))
    text, _ = beside.read()
    return [Updated(beside, text.text, _renamed(text, needed)), manifest]


def _of_manifest(step: editions.Migration) -> list[editions.Rewrite]:
    further = step.expressions
    words = (partial(editions.in_manifest, rename=each, further=further) for each in step.words)
    return [*step.manifest, *words]


def _of_scenarios(step: editions.Migration) -> list[editions.Rewrite]:
    further = step.expressions
    words = (partial(editions.in_scenarios, rename=each, further=further) for each in step.words)
    return [*step.scenarios, *words]


def _rewritten(source: Source, changes: list[editions.Rewrite]) -> str:
    """Return the text of a document after changes, made one after the other."""
    text = source.text
    for change in changes:
        whole = Source(source.name, text)
        text = editions.edited(text, change(_document(whole)))
    return text


def _of_edition(document: Node) -> Iterator[editions.TextEdit]:
    edition = document.get("edition") if isinstance(document, Mapping) else None
    if isinstance(edition, Scalar):
        yield editions.TextEdit(edition.span, str(editions.EDITION))


def _renamed(source: Source, needed: list[editions.Migration]) -> str:
    """Return the text of rules after all steps."""
    text = source.text
    for rename in (each for step in needed for each in step.words):
        whole = Source(source.name, text)
        text = editions.edited(text, editions.in_rules(whole.span(0, len(text)), rename))
    return text


def _naming(rules: TextFile) -> list[TextFile]:
    """Return the manifests beside a file of rules that name it."""
    beside = [TextFile(rules.folder, name) for name in rules.folder.files() if name.endswith(YAML)]
    found = [file for file in beside if _names(file, rules.file)]
    if not found:
        message = f"no manifest beside `{rules.shown}` names these rules"
        help = ("the edition of rules is the one that their manifest says",)
        raise RulesError([Diagnostic("bad-argument", message, help=help)])
    return found


def _names(file: TextFile, rules: str) -> bool:
    try:
        named = _document(file.read()[0]).get("rules")
    except RulesError:
        return False
    return isinstance(named, Scalar) and named.value == rules


def _document(source: Source) -> Mapping:
    report = Report()
    node = parse_yaml(source, report)
    report.check()
    if isinstance(node, Mapping) and any(node.get(key) for key in ("ruleset", "scenarios")):
        return node
    assert node is not None, "what cannot be read is reported"
    message = "this is neither a manifest nor scenarios"
    raise RulesError([Diagnostic("missing-key", message, node.span)])


def _steps(document: Mapping) -> list[editions.Migration]:
    """Return the steps that a document needs.

    There are none if it states no edition, which `check` reports. Raises RulesError for an unknown
    edition.
    """
    edition = document.get("edition")
    if not isinstance(edition, Scalar) or type(edition.value) is not int:
        return []
    found = editions.steps_from(edition.value, editions.STEPS)
    if found is None:
        report = Report()
        editions.report_unknown(edition, edition.value, report)
        report.check()
        raise AssertionError("an unknown edition is an error")
    return found
