"""The protocol as it is documented: its client plays, and its schema is right."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.host.test_serve import game, serving

PAGE = (Path(__file__).parents[2] / "docs/reference/host.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found is not None
    return found[1]


def test_the_client_plays(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    code = block("python")
    assert len(code.splitlines()) <= 60
    exec(compile(code, "host.md", "exec"), names)
    with serving(tmp_path, game("card_game")) as server:
        links = server.add(5, ["human", "human"])

        async def both() -> list[dict[str, int]]:
            return list(await asyncio.gather(*(names["play"](links[seat]) for seat in (0, 1))))

        first, second = asyncio.run(both())
    assert first == second
    assert sum(first.values()) > 0


def test_messages_satisfy_the_schema() -> None:
    schema = json.loads(block("json"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    good: list[dict[str, object]] = [
        {"type": "join", "secret": "x" * 22},
        {"type": "play", "turn": 3, "move": 0},
        {"type": "undo"},
        {"type": "agree", "turn": 3, "moves": 2, "agree": True},
        {"type": "name", "name": "Ann"},
        {"type": "say", "text": "hello"},
        {"type": "kind", "seat": 1, "kind": "greedy"},
        {"type": "record"},
        {"type": "lobby"},
        {"type": "open", "players": 2},
        {"type": "sit", "table": "x", "seat": 0, "name": "Ann"},
    ]
    assert all(validator.is_valid(each) for each in good)
    assert not any(
        validator.is_valid({"type": each["type"], "x": 1}) for each in (good[0], good[1])
    )
    assert not validator.is_valid({"type": "other"})
