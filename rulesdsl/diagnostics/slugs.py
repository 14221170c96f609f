"""The slug of every kind of finding: its meaning in one line, and its page of documentation.

Slugs never change. The page is a file of Markdown in the folder `pages` beside this module. It
explains a finding, its reason and how to fix it. Its last two sections, `Wrong` and `Right`, are
examples: blocks of rules, of a manifest or of commands. A line that ends in `MARK` is one that has
the finding. Rulesets in them extend the game at the beginning of `docs/reference/language.md`, and
manifests omit the same keys as there.
"""

from __future__ import annotations

from pathlib import Path

SLUGS: dict[str, str] = {
    "allow-unknown": "a comment that allows something there is not",
    "allow-unused": "a comment that allows nothing",
    "ambiguous-name": "a name that two rulesets declare",
    "arity": "a wrong number of arguments",
    "asks-in-value": "a choice or chance inside a value, guard or where",
    "bad-argument": "a command was called with something it cannot use",
    "bad-character": "a character the language does not use",
    "bad-indent": "indentation that fits no block",
    "bad-syntax": "words in an order the language does not know",
    "bad-value": "a value is outside what is allowed",
    "baseline-unused": "an entry of a baseline that is not found any more",
    "count-total": "the counts do not sum to the declared total",
    "cyclic-value": "values that need each other without end",
    "divisor": "a divisor that may be zero",
    "duplicate-id": "two components have the same id",
    "duplicate-name": "a name declared twice",
    "edition-unknown": "a file is written for an edition of the language that is not read",
    "engine-missing": "an engine that is asked for is not installed",
    "file-empty": "a file has no content",
    "file-is-folder": "a folder stands where a file is expected",
    "file-missing": "a file that is named does not exist",
    "file-not-text": "a file is not UTF-8 text",
    "file-too-large": "a file is larger than the limit",
    "file-unreadable": "a file cannot be read",
    "fill-mismatch": "written out fill segments do not match the drawing",
    "games-stopped": "games could not be played to their end",
    "golden-differs": "a recorded game goes another way than it is recorded",
    "hidden-character": "a character that cannot be seen, or turns the direction of writing",
    "hooks-meet": "unordered hooks touch the same data",
    "interaction-duplicate": "two interactions name the same parties",
    "label-unknown": "a label for something that is not there",
    "last-option": "a precondition that can close the last option of another ruleset's choice",
    "maybe-none": "a value that may be none used where it must not be",
    "misplaced": "a statement where it has no meaning",
    "missing-body": "a declaration or statement without its body",
    "missing-case": "a ladder that leaves a case open",
    "missing-else": "the maximum or minimum of what may be empty without else",
    "missing-initial": "state that does not say how it begins",
    "missing-key": "a required key is absent",
    "missing-proceed": "an `around` that never runs what it stands around",
    "missing-return": "a path that gives no result",
    "nested-too-deep": "rules text is nested too deeply",
    "never-applies": "a rule that can never apply",
    "never-given": "points that were never given in random games",
    "never-offered": "a choice or an option that was never possible in random games",
    "never-ran": "a rule that never ran in random games",
    "new-kind": "an option of another ruleset accepts a new kind of feature",
    "no-steps-left": "rules ran too long between two decisions",
    "not-assignable": "an assignment to something that cannot change",
    "not-callable": "something called that is neither value nor action",
    "order-cycle": "hooks or refinements are ordered in a circle",
    "order-of-names": "a choice that only the names of rulesets decide",
    "order-unknown": "an order names a hook or refinement that is not there",
    "out-of-time": "rules were still running when the time was over",
    "output-failed": "a file cannot be written",
    "package-missing": "a package that something needs is not installed",
    "path-escapes": "a path leads out of the ruleset's folder and the search path",
    "play-error": "a rule failed while playing",
    "port-lane": "a lane and its side disagree",
    "port-twice": "a port is held by two segments",
    "port-unknown": "a side or port that a tile does not have",
    "previous-ambiguous": "`previous` with two rules to fall back on",
    "range": "a number outside its declared range",
    "record-cut": "a record that stops in the middle",
    "record-move": "a recorded move is not legal",
    "record-ruleset": "a record of other rulesets than those loaded",
    "record-syntax": "a record cannot be read",
    "record-version": "a record of another version",
    "recursive-action": "actions that call each other without `later` or a bound",
    "replacement-clash": "two hooks both replace an action",
    "reserved-word": "a word of the language used as a name",
    "ruleset-ambiguous": "a ruleset id is found in two places",
    "ruleset-conflict": "two rulesets cannot be loaded together",
    "ruleset-cycle": "rulesets require each other in a circle",
    "ruleset-missing": "a ruleset cannot be found",
    "ruleset-unmet": "a ruleset requires one that is not loaded",
    "scenario-failed": "a scenario does not hold",
    "segment-empty": "a segment that touches no side and is not declared inside",
    "segment-target": "a segment leads to something that is not there",
    "segments-cross": "two drawn segments cross without a bridge",
    "set-too-large": "a set whose domain is too large to be kept",
    "setting-impossible": "settings together ask for something impossible",
    "setting-unknown": "a setting that no ruleset declares",
    "setting-value": "a setting's value is not one of its values",
    "sides-differ": "a piece whose drawing does not show the sides that are listed",
    "state-too-large": "the state of a game takes more memory than there may be",
    "stuck-choice": "a choice that can be left without an option",
    "too-large": "rules that are too large to be checked or compiled",
    "type-mismatch": "a value of another type than expected",
    "unclosed": "a bracket or quote that is not closed",
    "uncovered": "a rule, or an outcome of a condition, that no scenario shows",
    "unguarded-index": "an index that may be out of range",
    "unknown-attribute": "an attribute no component has",
    "unknown-key": "a key that no schema names",
    "unknown-name": "a name nobody declared",
    "unnoticed": "a change of the rules that no scenario notices",
    "unused": "something declared and never used",
    "value-clash": "two rules give one value different results",
    "with-needless": "a `with` block that names a ruleset which is on anyway",
    "wrong-order": "an order of contributions that no order changes",
    "wrong-type": "a value has the wrong type",
    "wrong-verb": "a contribution with another verb than the policy asks for",
    "yaml-alias": "an alias is unknown, recursive or expands too far",
    "yaml-documents": "a YAML file holds more than one document",
    "yaml-duplicate-key": "a mapping has the same key twice",
    "yaml-key": "a mapping key is not a plain string",
    "yaml-scalar": "a plain scalar looks like a value of another kind",
    "yaml-syntax": "a YAML file cannot be parsed",
    "yaml-tag": "a YAML tag or directive is not supported",
    "yaml-too-deep": "a YAML file is nested too deeply",
    "yaml-too-large": "a YAML file holds too many values",
}

LIKELY = frozenset(
    {
        "hooks-meet",
        "last-option",
        "never-given",
        "never-offered",
        "never-ran",
        "new-kind",
        "order-of-names",
    }
)
"""Kinds of findings that are likely mistakes, not certain ones."""


MARK = "# <-- here"
"""The ending of the lines of a wrong example that have the finding."""

_FOLDER = Path(__file__).with_name("pages")


def page(slug: str) -> str | None:
    """Return the page of a slug as Markdown, or None when there is no such slug."""
    return page_file(slug).read_text(encoding="utf-8") if slug in SLUGS else None


def page_file(slug: str) -> Path:
    """Return the file with the page of a slug."""
    return _FOLDER / f"{slug}.md"
