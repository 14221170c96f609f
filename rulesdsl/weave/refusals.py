"""Settings that make no game together."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.diagnostics import Report
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.weave import look
from rulesdsl.weave.constants import Constants
from rulesdsl.weave.family import Family


def check_refused(family: Family, constants: Constants, report: Report) -> None:
    """Report every entry of a manifest's `refuse` whose condition the chosen settings meet."""
    for ruleset, entry, condition in refused(family, constants):
        message = f"`{ruleset}` refuses these settings: {look.text(entry, 'because')}"
        report.error("setting-impossible", message, condition.span)


def refused(family: Family, constants: Constants) -> Iterator[tuple[str, Node, Scalar]]:
    """The entries of `refuse` whose conditions hold: whose they are, and their conditions."""
    for ruleset in family.rulesets:
        for entry in look.items(ruleset.manifest.get("refuse")):
            condition = look.scalar(entry, "when")
            if condition and constants.truth(condition, ruleset.id, broken=False):
                yield ruleset.id, entry, condition
