"""Links and records that the page is given by strangers: read in bounded time, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.page.node import printed

SCRIPT = Path(__file__).with_name("strangers.mjs")
SEED = 2**63 + 1
HEAD = {"record": 1, "rulesets": [["a", "1.0.0", "d"]], "settings": {}, "players": 2, "seed": SEED}
MOVE = {"by": "red", "move": "lay", "args": {"at": "(0,0,90)"}}


def text(*lines: object) -> str:
    return "\n".join(map(json.dumps, lines))


RECORDS = {
    "good": text(HEAD, MOVE, {"scores": {}}),
    "nothing": "",
    "noise": "{",
    "another thing": text([1]),
    "no rulesets": text({**HEAD, "rulesets": 1}),
    "rulesets of other things": text({**HEAD, "rulesets": [None, 1, "abc"]}),
    "short rulesets": text({**HEAD, "rulesets": [[], [{"a": 1}]]}),
    "moves of other things": text(HEAD, None, 1, "x", [], {"move": 1}, {**MOVE, "args": [1]}),
    "no arguments": text(HEAD, {"move": "skip"}),
    "no seed": text({**HEAD, "seed": None}),
    "a seed in a text": text({**HEAD, "seed": "5", "settings": {"x": '"seed": 7'}}),
    "a seed that is no integer": text({**HEAD, "seed": 1.5}),
    "a seed of a setting": text({**HEAD, "settings": {"seed": 7}}),
    "deep": '{"record": 1, "rulesets": [], "settings": ' + "[" * 200_000 + "]" * 200_000 + "}",
    "long": " " * 8_000_001,
}
GAMES = [
    {"players": 2, "seed": seed, "seats": ["human", "random"], "rows": [0, 1, 127, 128, 99_999]}
    for seed in ("0", "1", str(SEED), str(2**64 - 1))
]
BYTES = [
    [[0, 100_000_000]],  # a hundred kilobytes that unpack to a hundred million
    [[2, 1], [255, 900_000]],  # one number of a million digits
    [[2, 1], [255, 9], [1, 1], [0, 3]],  # a number just as long as one may be
    [[0, 10]],
    [[99, 10]],
]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    given = json.dumps({"records": list(RECORDS.values()), "games": GAMES, "bytes": BYTES})
    found: dict[str, Any] = json.loads(printed(SCRIPT, input=given))
    found["records"] = dict(zip(RECORDS, found["records"], strict=True))
    return found


def test_links_say_what_was_put_into_them(told: dict[str, Any]) -> None:
    assert [{**game, "digest": "0123456789ab"} for game in GAMES] == told["games"]


def test_a_link_is_a_game_or_nothing_and_soon(told: dict[str, Any]) -> None:
    games = [game for game, _ in told["links"]]
    assert games[2] is not None
    assert games[:2] + games[3:] == [None] * (len(games) - 1)
    assert all(milliseconds < 5000 for _, milliseconds in told["links"])


def test_a_record_is_read_or_refused(told: dict[str, Any]) -> None:
    records = told["records"]
    assert records["good"] == {
        "rulesets": [["a", "1.0.0", "d"]],
        "settings": "{}",
        "players": 2,
        "seed": str(SEED),
        "seats": {},
        "moves": [{"move": "lay", "args": {"at": "(0,0,90)"}}],
    }
    refused = {name for name, record in records.items() if record is None}
    assert refused == {
        "nothing", "noise", "another thing", "no rulesets", "rulesets of other things", "deep",
        "long",
    }  # fmt: skip
    assert records["short rulesets"]["rulesets"][1] == ["[object Object]", "undefined", "undefined"]
    assert records["moves of other things"]["moves"] == []
    assert records["no arguments"]["moves"] == [{"move": "skip", "args": {}}]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("no seed", None),
        ("a seed in a text", None),
        ("a seed that is no integer", None),
        ("a seed of a setting", str(SEED)),
    ],
)
def test_the_seed_of_a_record_is_exact(name: str, seed: str | None, told: dict[str, Any]) -> None:
    assert told["records"][name]["seed"] == seed
