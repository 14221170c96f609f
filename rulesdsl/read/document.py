"""What a YAML file is: told by the key that it begins with."""

from __future__ import annotations

from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import nearest
from rulesdsl.model.nodes import Mapping, Node


def is_document(node: Node, key: str, what: str, help: str, report: Report) -> bool:
    """False (reported with `help`) for a mapping without `key`, which is not `what`: its schema
    would complain of every other key."""
    if not isinstance(node, Mapping) or node.get(key) is not None:
        return True
    near = node.key(nearest(key, (str(found.value) for found, _ in node)) or "")
    first = near or (node.entries[0][0] if node.entries else node)
    meant = (f"is `{near.value}` meant to be `{key}`?",) if near else (help,)
    message = f"this is not {what}: there is no `{key}`"
    report.error("missing-key", message, first.span, help=meant)
    return False
