"""Every form tells the same numbers, and the page needs nothing from elsewhere."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import pyarrow
import pyarrow.parquet
import pytest

from rulesdsl.study.playing import Variant, local
from rulesdsl.study.report import Summary, as_bytes, lines
from rulesdsl.study.simulate import simulate
from tests.simulate.studies import PLAIN, hamlets

# One worker makes these tests, so that the games are played once.
pytestmark = pytest.mark.xdist_group("forms of a study")

ODD = Variant('<b>&"odd"', ("wells",))


@pytest.fixture(scope="module")
def summary() -> Summary:
    *_, found = simulate(hamlets(50, PLAIN, ODD, players=3), local(1))
    return found


def test_all_forms_have_all_findings(summary: Summary) -> None:
    wanted = [each.row() for each in summary.findings()]
    told = json.loads(as_bytes(summary, "json"))
    assert told["findings"] == wanted
    assert (told["games"], told["study"]["seed"], told["study"]["players"]) == (50, 3, 3)
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(as_bytes(summary, "parquet")))
    assert table.to_pylist() == wanted
    rows = list(csv.DictReader(io.StringIO(as_bytes(summary, "csv").decode())))
    plain = [{key: "" if v is None else str(v) for key, v in row.items()} for row in wanted]
    assert rows == plain


class Page(HTMLParser):
    """Gathers what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_stands_alone(summary: Summary) -> None:
    text = as_bytes(summary, "html").decode()
    page = Page()
    page.feed(text)
    assert page.links == []
    assert not {"script", "link", "img", "iframe", "b"} & set(page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert page.tags.count("svg") >= 8
    assert page.tags.count("table") == 3
    assert '<b>&"odd" minus plain' in page.text


def test_plots_show_intervals_where_they_are(summary: Summary) -> None:
    text = as_bytes(summary, "html").decode()
    plots = [
        ElementTree.fromstring("<svg" + part.split("</svg>")[0] + "</svg>")
        for part in text.split("<svg")[1:]
    ]
    wins = next(plot for plot in plots if "red (seat 1): " in "".join(plot.itertext()).lower())
    bars = [
        (float(bar.get("x1", 0)), float(bar.get("x2", 0)))
        for bar in wins.iter("line")
        if bar.get("class") == "bar"
    ]
    dots = [float(dot.get("cx", 0)) for dot in wins.iter("circle")]
    found = [each.interval for each in summary.findings()[:3]]
    assert len(bars) == len(dots) == 3
    # One scale fits all of them.
    (first, last) = (bars[0][0], bars[0][1])
    scale = (last - first) / (found[0].high - found[0].low)
    for (low, high), dot, interval in zip(bars, dots, found, strict=True):
        for x, value in ((low, interval.low), (dot, interval.value), (high, interval.high)):
            assert x == pytest.approx(first + (value - found[0].low) * scale, abs=0.3)


def test_tables_are_straight(summary: Summary) -> None:
    text = ["".join(p if isinstance(p, str) else p[0] for p in line) for line in lines(summary)]
    assert text[0] == "games: 50 of seed 3, by 3 players"
    rows = [line for line in text if " (seat " in line and " pp to " not in line]
    assert len({line.index("%") for line in rows if "%" in line}) == 1
    assert any(line.endswith("  *") for line in text)
