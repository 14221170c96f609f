"""What the checker takes not to be none never is: random rules are repaired until it accepts them,
then played."""

from __future__ import annotations

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics.report import Severity
from rulesdsl.language.model.checked import Checked
from tests.small_games import checked

BOX = """
ruleset: t
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
enums: {good: [wine, grain]}
attributes: {good: {of: token, type: 'good?'}}
zones: {bag: {holds: token, initial: true}, box: {holds: token}}
tokens: [{id: jug, good: wine}, {id: jar, count: 2}]
"""
PRELUDE = """
state game.heir: player?
state player.rival: player?
state player.wish: good?
state player.score: int 0..9
state game.log: int
state game.turns: int

action finish(): end_game(players)
action game():
    heir = red
    red.rival = blue
    blue.wish = wine
    for i in 1..4: round(red)
    finish()
action clear(): heir = none
action swap(p: player): p.rival = heir
action wait(): turns += 1
step action settle(): turns += 1
action drain():
    for x in bag: move(x, box)
value chosen(p: player) -> player?: p.rival if turns mod 2 == 0 else heir
action round(p: player):
    let mine = heir
    var held = red.rival
"""
REST = """
choice pick() by red:
    option plain: wait()
    option bold when heir is not none:
        {bold}
        log += seat(heir)
    option of(q in players where q.rival is not none): log += seat(q.rival)
    option drop: {drop}
"""
GAMES = 30
SUBJECTS = (
    "heir",
    "red.rival",
    "p.rival",
    "mine",
    "held",
    "chosen(p)",
    "first(x in bag)",
    "p.wish",
)
CHANGES = (
    *(
        "heir = none",
        "heir = blue",
        "p.rival = none",
        "red.rival = heir",
        "held = none",
        "p.wish = none",
    ),
    *(
        "held = heir",
        "clear()",
        "swap(p)",
        "wait()",
        "settle()",
        "drain()",
        "later clear()",
        "pick()",
    ),
)
HOOKS = (
    "after wait(): heir = none",
    "after settle(): later clear()",
    "before wait() when heir is not none: log += seat(heir)",
    "before pick(): red.rival = none",
    "before pick.bold(): clear()",
    "always for q in players where q.rival is not none and turns mod 3 == 2: q.rival = none",
    "around settle():\n    proceed\n    if heir is not none: log += seat(heir)",
    "after drain() when count(box) > 0: move(the(x in box where x is jug), bag)",
)


def use(subject: str) -> str:
    """A statement that needs the subject."""
    if subject.startswith("first"):
        return f"log += count(y in box where y.good == {subject}.good)"
    return f"log += steps({subject}, grain)" if "wish" in subject else f"log += seat({subject})"


def block(rng: Rng, depth: int, indent: str, known: str = "heir") -> list[str]:
    """Some random statements, many of them about what is known not to be none."""
    lines = []
    for _ in range(2 + rng.below(3)):
        subject = SUBJECTS[rng.below(len(SUBJECTS))] if rng.below(2) else known
        kind = rng.below(8 if depth else 4)
        if kind < 2:
            lines.append(indent + use(subject))
        elif kind < 4:
            lines.append(indent + CHANGES[rng.below(len(CHANGES))])
        elif kind == 4:
            lines.append(f"{indent}for i{depth} in 1..2:")
            lines += block(rng, depth - 1, indent + "    ")
        else:
            test = "count(bag) > 0" if subject.startswith("first") else f"{subject} is not none"
            lines.append(f"{indent}if {test}:")
            lines += [
                f"{indent}    {use(subject)}",
                *block(rng, depth - 1, indent + "    ", subject),
            ]
            if kind == 7:
                lines += [f"{indent}else:", *block(rng, depth - 1, indent + "    ")]
    return lines


def program(rng: Rng) -> list[str]:
    """A random game, line by line."""
    body = "\n".join(block(rng, 3, "    "))
    hooks = [hook for hook in HOOKS if rng.below(3) == 0]
    bold = ("nothing", "wait()", "swap(red)")[rng.below(3)]
    drop = ("clear()", "drain()")[rng.below(2)]
    rest = REST.format(bold=bold, drop=drop)
    return f"{PRELUDE}{body}\n{rest}\n{chr(10).join(hooks)}\n".split("\n")


def accepted(lines: list[str]) -> Checked:
    """The game of these lines, after the statements in which something may be none are replaced."""
    while True:
        found = checked({"t": (BOX, "\n".join(lines))})
        if found.checked is not None:
            return found.checked
        errors = [each for each in found.report if each.severity is Severity.ERROR]
        assert {each.slug for each in errors} <= {"maybe-none", "type-mismatch"}, errors
        for number in {each.span.line - 1 for each in errors if each.span}:
            text = lines[number].lstrip()
            head = lines[number].removesuffix(text)
            assert text.startswith(("if ", "log += ")), text
            lines[number] = head + ("if turns >= 0:" if text.startswith("if ") else "wait()")


def test_what_is_accepted_never_faults() -> None:
    tried = kept = 0
    for seed in range(GAMES):
        rng = Rng.seeded(seed)
        lines = program(rng)
        tried += sum("log += " in line for line in lines)
        game = accepted(lines)
        kept += sum("log += " in line for line in lines)
        for start in range(3):
            position = python.start(game, 2, start)
            try:
                while position.decision is not None:
                    position.play(rng.below(len(position.decision.candidates)))
            except PlayError as error:
                raise AssertionError("\n".join((f"{seed}: {error}", *lines))) from error
    assert tried / 3 < kept < tried, "the checker refuses some uses and accepts others"
