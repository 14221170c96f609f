"""The generated part of docs/background/validator.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.environment import ROOT
from tools.mutants.measuring import Judged, Share, shares

PAGE = ROOT / "docs" / "background" / "validator.md"
_PARTS = {
    changes: re.compile(
        rf"(<!-- written by python3 -m tools mutants{option} -->\n).*?(<!-- end -->)", re.DOTALL
    )
    for changes, option in ((False, ""), (True, " --changes"))
}
_HEAD = "| class | drawn | change no game | left | caught by `check` | | by `check` or `test` | |"
_ROW = re.compile(r"^\| ([a-z ]+) \| (\d+) \| (\d+) \| \d+ \| (\d+) \|[^|]*\| (\d+) \|", re.M)


def current(page: str, found: Sequence[Judged], *, changes: bool = False) -> str:
    """Return `page` with the measured table and the missed mistakes, or those of `changes`."""
    return _PARTS[changes].sub(
        lambda part: part[1] + table(shares(found)) + _passed(found) + part[2], page
    )


def table(found: Sequence[Share]) -> str:
    """Return the table of the shares, with the total last."""
    every = Share(
        "all",
        *(
            sum(getattr(each, name) for each in found)
            for name in ("drawn", "same", "caught", "shown")
        ),
    )
    rows = [_HEAD, "| --- " + "| ---: " * 7 + "|", *map(_row, [*found, every])]
    return "\n".join(rows) + "\n"


def read(page: str) -> dict[str, Share]:
    """Return the shares in the generated table of the page, by class."""
    part = _PARTS[False].search(page)
    rows = _ROW.finditer(part[0] if part else "")
    return {row[1]: Share(row[1], *(int(row[n]) for n in range(2, 6))) for row in rows}


def _row(share: Share) -> str:
    cells = (share.kind, share.drawn, share.same, share.count)
    counts = (
        share.caught,
        _percent(share.caught, share),
        share.shown,
        _percent(share.shown, share),
    )
    return f"| {' | '.join(map(str, (*cells, *counts)))} |"


def _percent(part: int, share: Share) -> str:
    return f"{100 * part / max(1, share.count):.1f} %"


def _passed(found: Sequence[Judged]) -> str:
    """Return the mistakes that neither the checker nor a scenario found."""
    lines = [f"- {each.kind}, {each.shown}" for each in found if each.how == "escaped"]
    if not lines:
        return "\nEvery mutant that changes a game was caught by one of them.\n"
    return (
        "\nMutants that neither caught:\n\n```\n" + "".join(f"{line}\n" for line in lines) + "```\n"
    )
