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
    "allow-unknown": "an `# allow:` comment that names an unknown kind of finding",
    "allow-unused": "an `# allow:` comment on a line without such a finding",
    "ambiguous-name": "a name that two rulesets or two enums declare",
    "arity": "a wrong number of arguments",
    "asks-in-value": "a choice, chance or action in a value, guard or `where`",
    "bad-argument": "an argument that a command cannot use",
    "bad-character": "a character that is not part of the language",
    "bad-image": "an image that cannot be used",
    "bad-indent": "an indentation that matches no block",
    "bad-syntax": "words in an order that is not part of the language",
    "bad-value": "a value that is not one of the allowed values",
    "baseline-unused": "an entry of a baseline that is no longer reported",
    "broken-invariant": "an invariant that does not hold in a random game or in a test",
    "cannot-tell": "something told about a hidden component that cannot be told",
    "count-total": "counts that do not add up to the declared total",
    "cyclic-value": "values that depend on each other in a cycle",
    "divisor": "a divisor that may be zero",
    "duplicate-id": "two components with the same id",
    "duplicate-name": "a name declared twice",
    "edition-unknown": "a file of an edition of the language that is not supported",
    "engine-missing": "a fast engine whose package cannot be loaded",
    "escaped-veto": "a veto that an option of another ruleset does not meet",
    "file-empty": "a file without content",
    "file-is-folder": "a folder instead of a file",
    "file-missing": "a file that does not exist",
    "file-not-text": "a file that is not UTF-8 text",
    "file-too-large": "a file that is larger than the limit",
    "file-unreadable": "a file that cannot be read",
    "fill-mismatch": "a fill that does not match the drawing",
    "games-stopped": "games that could not be played to their end",
    "golden-differs": "a golden record that runs differently",
    "hidden-character": "a character that is invisible, changes the writing direction or "
    "controls a terminal",
    "hidden-moves": "legal moves that depend on what their player does not know",
    "hidden-zone": "rules that look into a zone whose contents nobody sees",
    "hooks-meet": "hooks on the same thing without an order",
    "interaction-duplicate": "two interactions of the same rulesets",
    "label-unknown": "a label for a name that is not declared",
    "last-option": "a precondition or veto that can close another ruleset's last option",
    "maybe-none": "a value that may be `none`, where a value is required",
    "misplaced": "a statement where it has no meaning or is never reached",
    "missing-body": "a declaration or statement without its body",
    "missing-case": "`when` lines without `otherwise`",
    "missing-else": "`max` or `min` of a set that may be empty, without `else`",
    "missing-initial": "a state without an initial value",
    "missing-key": "a required key that is missing",
    "missing-proceed": "an `around` that never runs the hooked code",
    "missing-return": "a path without a result",
    "nested-too-deep": "rules that are nested too deeply",
    "never-applies": "a rule that can never apply",
    "never-ends": "an `always` rule that another ruleset may keep applying",
    "never-given": "points that nobody got in random games",
    "never-offered": "a choice that was never asked, or an option that was never legal, in "
    "random games",
    "never-ran": "a rule that never ran in random games",
    "new-grid": "a grid that rules of other rulesets do not look at",
    "new-kind": "rules of another ruleset that accept a new kind of feature or die",
    "no-steps-left": "rules that run too long between two decisions",
    "not-assignable": "an assignment to something that cannot change",
    "not-callable": "a call of something that is neither a value nor an action",
    "not-the-one": "one thing, where another ruleset adds a second or takes it away",
    "order-cycle": "hooks, refinements or layers that are ordered in a cycle",
    "order-of-names": "a result that depends on the names of rulesets",
    "order-unknown": "an order of a hook, refinement or layer that does not exist",
    "out-of-balance": "a bound of a balance file that does not hold, or cannot be told",
    "out-of-time": "rules that were still running when the time was over",
    "output-failed": "a file that cannot be written",
    "package-missing": "a required package that is not installed",
    "path-escapes": "a path that leads out of the ruleset's folder",
    "play-error": "a rule that failed during a game",
    "points-past": "points that an expansion gives without the action for it",
    "port-lane": "a lane that a segment cannot hold alone",
    "port-twice": "a port that two segments hold",
    "port-unknown": "a side or port that a tile does not have",
    "previous-ambiguous": "`previous` with two candidates",
    "range": "a number outside its range",
    "record-cut": "a record that ends before the game does",
    "record-move": "a recorded move that is not legal",
    "record-ruleset": "a record of other rulesets than the loaded ones",
    "record-syntax": "a record that cannot be read",
    "record-version": "a record in another version of the format",
    "recursive-action": "actions that call each other without `later` or a bound",
    "replacement-clash": "two hooks that replace the same action",
    "reserved-word": "a name that is taken by the language",
    "ruleset-ambiguous": "a ruleset id that is found in two places",
    "ruleset-conflict": "two rulesets that cannot be loaded together",
    "ruleset-cycle": "rulesets that require each other in a cycle",
    "ruleset-hidden": "a ruleset with the id of a shipped one, which is used in its place",
    "ruleset-missing": "a ruleset that was not found",
    "ruleset-unmet": "a required ruleset that is not loaded",
    "same-copies": "two entries of `some` or `extend` that change the same copies",
    "scenario-failed": "a scenario that fails",
    "segment-empty": "a segment that touches no side and is not an `inside` one",
    "segment-target": "a segment that leads to nothing, or perhaps not where it is meant to",
    "segments-cross": "two segments that cross without a bridge",
    "set-too-large": "a set in a state with too many possible members",
    "setting-impossible": "settings that cannot be combined",
    "setting-unknown": "a setting that no ruleset declares",
    "setting-value": "a setting with a value that is not allowed",
    "shared-limit": "a range, room or cell that rules of strangers can exceed together",
    "sides-differ": "a piece whose drawing differs from its listed sides",
    "state-too-large": "a game whose state takes too much memory",
    "stuck-choice": "a choice without an open option",
    "too-large": "rules that are too large to be checked or compiled",
    "type-mismatch": "a value of the wrong type in rules",
    "unclosed": "a bracket or quote that is not closed",
    "uncovered": "a rule, or a result of a condition, that no scenario covers",
    "unguarded-index": "an index that may be out of range",
    "unknown-attribute": "an attribute that the object does not have",
    "unknown-key": "an unknown key in a YAML file",
    "unknown-name": "a name that is not declared",
    "unmet-require": "a call that may not fulfil a precondition of another ruleset",
    "unnoticed": "a change of the rules that no scenario notices",
    "unused": "a declaration that is never used",
    "value-clash": "two rules that give one value different results",
    "version-claim": "a version number that claims less than what has changed",
    "version-unmet": "a required ruleset in a version that does not fit",
    "winners-differ": "winners with the most points where the fewest win, or the other way round",
    "with-needless": "a `with` block that names a ruleset which is always loaded",
    "wrong-order": "an order of contributions whose order makes no difference",
    "wrong-type": "a value of the wrong form in a YAML file",
    "wrong-verb": "a contribution with a verb that does not fit the policy",
    "yaml-alias": "an alias that is undefined, recursive or too large",
    "yaml-documents": "a YAML file with more than one document",
    "yaml-duplicate-key": "a mapping with the same key twice",
    "yaml-key": "a key that is not a plain text",
    "yaml-scalar": "a value that looks like another type",
    "yaml-syntax": "a YAML file that cannot be parsed",
    "yaml-tag": "a YAML tag or directive",
    "yaml-too-deep": "a YAML file that is nested too deeply",
    "yaml-too-large": "a YAML file with too many values",
}

LIKELY = frozenset(
    {
        "escaped-veto",
        "hooks-meet",
        "last-option",
        "never-ends",
        "never-given",
        "never-offered",
        "never-ran",
        "new-grid",
        "new-kind",
        "not-the-one",
        "order-of-names",
        "points-past",
        "shared-limit",
        "unmet-require",
        "winners-differ",
    }
)
"""Kinds of findings that are likely mistakes, not certain ones."""


MARK = "# <-- here"
"""The ending of the lines of a wrong example that have the finding."""

PAGES = Path(__file__).with_name("pages")


def page(slug: str) -> str | None:
    """Return the page of a slug as Markdown, or None when there is no such slug."""
    return page_file(slug).read_text(encoding="utf-8") if slug in SLUGS else None


def page_file(slug: str) -> Path:
    """Return the file with the page of a slug."""
    return PAGES / f"{slug}.md"
