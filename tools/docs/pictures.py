"""The pictures of pages that no command draws alone: the terminal, and printed sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from rulesdsl.cli.commands import parser
from rulesdsl.cli.console import Console
from rulesdsl.cli.run import command
from rulesdsl.play import load
from rulesdsl.show.draw.sheets import PrintLayout, print_sheets
from tools.environment import ROOT

TERMINAL = ROOT / "docs" / "pictures" / "terminal.svg"
COMMAND = "run base --human red --seed 2"
"""The command of the tutorial that the picture shows, after some answers."""
_ANSWERS = "1\n" * 8
_COLUMNS, _ROWS, _WIDE, _HIGH = 76, 22, 8, 17
_COLOURS = ("#33302c", "#c3262e", "#1f7a35", "#8a6100", "#0a5f99", "#8a2f86", "#13747d", "#ffffff")
SHEETS = ROOT / "docs" / "pictures" / "sheets.svg"
_SHEET = re.compile(r"^<svg xmlns.*?^</svg>", re.DOTALL | re.MULTILINE)
_STYLE = re.compile(r"\x1b\[([\d;]*)m")


def terminal() -> str:
    """Return the last lines of a game in a terminal, as SVG."""
    out = StringIO()
    console = Console(StringIO(_ANSWERS), out, out, terminal=True, width=_COLUMNS, colour=True)
    with TemporaryDirectory() as folder:
        record = ["--record", str(Path(folder, "game.jsonl"))]
        command(parser().parse_args([*COMMAND.split(), *record]), console)
    text = out.getvalue().rpartition("> ")[0] + ">"
    lines = text.splitlines()[-_ROWS:]
    width, height = _WIDE * (_COLUMNS + 2), _HIGH * (len(lines) + 1)
    drawn = [each for row, line in enumerate(lines) for each in _line(line, _HIGH * (row + 1))]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="ui-monospace, Menlo, Consolas, monospace" '
        f'font-size="13.3">\n<rect width="{width}" height="{height}" rx="6" fill="#fbf8f1"/>\n'
        + "".join(f"{each}\n" for each in drawn)
        + "</svg>\n"
    )


def sheets() -> str:
    """Return the sheet of the painted tiles and its reverse, side by side, as SVG."""
    game = load(str(ROOT / "examples" / "painted" / "painted.yaml"), engine="python")
    page = print_sheets(game, "en", PrintLayout(bleed=3, duplex="long"), {"painted"})
    defined = page[page.index("<defs>") :].partition("\n</defs></svg>")[0]
    front, back = _SHEET.findall(page)[:2]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1623 1133" width="820">\n'
        '<rect width="1623" height="1133" fill="#9b948a"/>\n'
        f"{defined}\n</defs>\n"
        + "".join(
            f'<g transform="translate({x} 5)"><rect width="794" height="1123" fill="#fff"/>\n'
            f"{each}</g>\n"
            for x, each in ((5, front), (824, back))
        )
        + "</svg>\n"
    )


def _line(line: str, y: int) -> Iterator[str]:
    """Yield the elements of a line: each run of characters with one style."""
    column, bold, ink, ground = 0, False, 0, -1
    for at, part in enumerate(_STYLE.split(line)):
        if at % 2:
            for code in map(int, part.split(";")):
                bold = code == 1 or (bold and code != 0)
                if code == 7:
                    ink, ground = 7, 0
                elif code == 0:
                    ink, ground = 0, -1
                elif 30 <= code <= 37 or 90 <= code <= 97:
                    ink = code % 10
                elif 40 <= code <= 47:
                    ground = code % 10
            continue
        x, long = _WIDE * (column + 1), _WIDE * len(part)
        column += len(part)
        if ground >= 0:
            fill = _COLOURS[ground]
            yield f'<rect x="{x}" y="{y - 9}" width="{long}" height="{_HIGH}" fill="{fill}"/>'
        for word in re.finditer(r"\S+(?: \S+)*", part):
            weight = ' font-weight="bold"' if bold else ""
            start, wide = x + _WIDE * word.start(), _WIDE * len(word[0])
            yield (
                f'<text x="{start}" y="{y + 4}" textLength="{wide}" fill="{_COLOURS[ink]}"'
                f"{weight}>{escape(word[0])}</text>"
            )
