"""`rulesdsl show schema`: the schemas of files, for editors and other programs."""

from __future__ import annotations

from argparse import Namespace

from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN
from rulesdsl.read.shipped import shipped


def schema(arguments: Namespace, console: Console) -> int:
    """Write one schema as it is shipped."""
    file = shipped("schemas") / f"{arguments.name}.schema.json"
    console.document(file.read_text(encoding="utf-8"))
    return CLEAN
