"""Settings that make no game together."""

from __future__ import annotations

from rulesdsl.diagnostics import Report
from rulesdsl.weave import look
from rulesdsl.weave.constants import Constants
from rulesdsl.weave.family import Family


def check_refused(family: Family, constants: Constants, report: Report) -> None:
    """Report every entry of a manifest's `refuse` whose condition the chosen settings meet."""
    for ruleset in family.rulesets:
        for entry in look.items(ruleset.manifest.get("refuse")):
            condition = look.scalar(entry, "when")
            if condition and constants.truth(condition, ruleset.id, broken=False):
                message = f"`{ruleset.id}` refuses these settings: {look.text(entry, 'because')}"
                report.error("setting-impossible", message, condition.span)
