"""The edition of the language, which every manifest and every file of scenarios names."""

from __future__ import annotations

from rulesdsl.diagnostics import Report
from rulesdsl.model.nodes import Mapping, Node, Scalar

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
