"""A summary as data: JSON, CSV, Parquet."""

from __future__ import annotations

import csv
from io import BytesIO, StringIO

from rulesdsl.diagnostics.visible import inert, inert_json, visible
from rulesdsl.simulate.html import page
from rulesdsl.simulate.summary import Summary

FORMATS = ("table", "json", "csv", "parquet", "html")
"""What a summary can be written as; `table` is for terminals."""


def as_bytes(summary: Summary, format_: str) -> bytes:
    """The summary in one of the formats but `table`. Raises ImportError for Parquet without
    pyarrow."""
    if format_ == "parquet":
        return as_parquet(summary)
    makers = {"json": as_json, "csv": as_csv, "html": page}
    return makers[format_](summary).encode()


def as_json(summary: Summary) -> str:
    """An object: what was played in `study`, how many games, whether these are all that were asked
    for, and all findings."""
    found = {
        "study": summary.study.parameters,
        "games": summary.games,
        "complete": summary.complete,
        "findings": [each.row() for each in summary.findings()],
    }
    return inert_json(found, indent=1) + "\n"


def as_csv(summary: Summary) -> str:
    """A row for each finding."""
    rows = [each.row() for each in summary.findings()]
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:  # the format has no escapes of its own
        texts = {key: inert(visible(cell)) for key, cell in row.items() if isinstance(cell, str)}
        writer.writerow(row | texts)
    return text.getvalue()


def as_parquet(summary: Summary) -> bytes:
    """A row for each finding."""
    import pyarrow
    import pyarrow.parquet

    rows = [each.row() for each in summary.findings()]
    kinds = {"games": pyarrow.int64()}
    kinds |= dict.fromkeys(("value", "low", "high", "deviation"), pyarrow.float64())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in rows[0]])
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), file)
    return file.getvalue()
