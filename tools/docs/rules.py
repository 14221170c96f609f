"""The values, actions and choices of a shipped ruleset that expansions use."""

from __future__ import annotations

import re

from tools.docs.tables import table
from tools.environment import ROOT

RULESETS = ROOT / "rulesets"
_DECLARATION = re.compile(
    r"(?m)^((?:#(?! ---).*\n)*)(?:step )?(value|action|choice) (\w+)\(([^)]*)\)"
    r"(?: -> ([^:,\n]+))?(?:, (\w+))?"
)


def base_hooks() -> str:
    """Return a table of the commented declarations of the base game.

    It has their comments and the expansions that refine, hook or call them, most used first.
    """
    text = (RULESETS / "base.rules").read_text(encoding="utf-8")
    found = []
    for comment, sort, name, params, result, policy in _DECLARATION.findall(text):
        users = _users(name)
        assert comment or not users, f"`{name}` of base.rules needs a comment: expansions use it"
        if not comment:
            continue
        about = " ".join(line.removeprefix("#").strip() for line in comment.splitlines())
        kind = f"{sort}, `{policy}`" if policy else sort
        names = ", ".join(p.split(":")[0] for p in params.split(", ") if p)
        shown = f"`{name}({names})" + (f": {result}`" if result else "`")
        found.append((-len(users), shown, kind, about, ", ".join(users)))
    rows = [(shown, kind, about, users) for _, shown, kind, about, users in sorted(found)]
    return table(("name", "kind", "meaning", "used by"), rows)


def _users(name: str) -> list[str]:
    """Return the expansions whose rules use `name`, as `name(` or `name.option(`."""
    word = re.compile(rf"(?<![\w.']){name}(?:\(|\.(?=[a-z]+\())")
    return [
        path.stem
        for path in sorted(RULESETS.glob("*.rules"))
        if path.stem not in ("base", "card_game", "dice_game")
        and word.search(re.sub(r"#.*", "", path.read_text(encoding="utf-8")))
    ]
