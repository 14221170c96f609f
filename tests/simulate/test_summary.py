"""What is found is what counting by hand finds, however the games are spread."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from statistics import mean, stdev

import pytest

from rulesdsl.engine.run.interface import Playout
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.play.bots import BOTS
from rulesdsl.simulate import Finding, Study, Summary, Variant, local, simulate
from rulesdsl.study.playing import Runner, load_variant, play_block, play_with_bots
from tests.simulate.studies import PLAIN, WELLS, hamlets


def played(study: Study, runner: Runner | None = None) -> Summary:
    *_, summary = simulate(study, runner or local(1))
    return summary


def games_of(study: Study, variant: int = 0) -> list[Playout]:
    game = load_variant(study.ruleset, study.variants[variant], "wasm", study.paths)
    return list(game.playouts(range(study.games), study.players, study.seed))


def named(findings: list[Finding], variant: str, against: str = "") -> dict[str, Finding]:
    found = [each for each in findings if (each.variant, each.against) == (variant, against)]
    labels = {f"{each.section}: {each.label}": each for each in found}
    assert len(labels) == len(found) > 8
    return labels


def test_numbers_are_those_of_the_games() -> None:
    study = hamlets(40, players=3)
    games, found = games_of(study), named(played(study).findings(), "plain")
    assert any(len(each.winners) > 1 for each in games), "a tie is among them"

    def value(label: str) -> float:
        return found[label].interval.value

    for seat, colour in enumerate(study.colours):
        parts = [Fraction(seat in each.winners, len(each.winners)) for each in games]
        assert value(f"share of wins: {colour} (seat {seat + 1})") == pytest.approx(mean(parts))
        points = [each.scores[seat] for each in games]
        of_seat = found[f"points: {colour} (seat {seat + 1})"]
        assert of_seat.interval.value == pytest.approx(mean(points))
        assert of_seat.deviation == pytest.approx(stdev(points))
    ahead = [each.scores[0] - mean(each.scores[1:]) for each in games]
    assert value("advantage of the first seat: points above the others' mean") == pytest.approx(
        mean(ahead)
    )
    ends = [sorted(each.scores) for each in games]
    assert value("points: best above second") == mean(end[2] - end[1] for end in ends)
    assert value("points: best above worst") == mean(end[2] - end[0] for end in ends)
    assert value("game: decisions") == mean(each.decisions for each in games)
    assert value("game: changes of the lead") == mean(each.leads for each in games)
    decisions = sum(each.decisions for each in games)
    options = sum(each.options for each in games)
    assert value("game: options per decision") == options / decisions
    sources = [name for name in found if name.startswith("points by source")]
    assert sum(map(value, sources)) == pytest.approx(value("points: of a player"))


def test_differences_are_those_of_games_of_one_number() -> None:
    study = hamlets(30, PLAIN, WELLS)
    one, other = games_of(study, 0), games_of(study, 1)
    found = named(played(study).findings(), "wells", "plain")["points: best of a game"]
    pairs = [max(b.scores) - max(a.scores) for a, b in zip(one, other, strict=True)]
    assert found.interval.value == pytest.approx(mean(pairs))
    assert found.deviation == pytest.approx(stdev(pairs))


def test_a_variant_differs_from_itself_by_nothing() -> None:
    summary = played(hamlets(10, PLAIN, Variant("again")))
    for each in named(summary.findings(), "again", "plain").values():
        assert (each.interval.low, each.interval.value, each.interval.high) == (0, 0, 0)


def test_bots_move_on_by_one_seat() -> None:
    study = hamlets(3, bots=("greedy", "random", "random"), players=3)
    game = load_variant(study.ruleset, PLAIN, "wasm", study.paths)
    (columns,) = play_block(study, range(3))
    shares: dict[str, list[float]] = {"greedy": [], "random": []}
    for number in range(3):
        chance, luck = seeds_of(study.seed, number)
        state = game.start(3, chance)
        seats = [study.bots[(seat + number) % 3] for seat in range(3)]
        bots = [BOTS[name](luck, seat) for seat, name in enumerate(seats)]
        while state.mover is not None:
            state.play(bots[state.players.index(state.mover)].decide(state))
        told = play_with_bots(study, game, number)
        assert told.scores == tuple(state.scores().values())
        assert [columns[f"score.{seat}"][number] for seat in range(3)] == list(told.scores)
        for name, held in shares.items():
            own = [seat for seat in range(3) if seats[seat] == name]
            won = sum(seat in told.winners for seat in own)
            held.append(won / len(told.winners) / len(own))
    found = named(played(study).findings(), "plain")
    for name, held in shares.items():
        assert found[f"share of wins: {name} bot"].interval.value == pytest.approx(mean(held))


def test_threads_change_nothing() -> None:
    study = hamlets(2500, engine="wasm")
    assert played(study, local(3)).findings() == played(study).findings()


def test_engines_change_nothing() -> None:
    assert played(hamlets(60, engine="wasm")).findings() == played(hamlets(60)).findings()


@pytest.mark.parametrize("bots", [("random",), ("greedy", "random")])
def test_processes_change_nothing(bots: tuple[str, ...]) -> None:
    study = hamlets(120 if len(bots) == 1 else 3, bots=bots)
    assert played(study, local(2)).findings() == played(study).findings()


def test_one_game_has_no_interval() -> None:
    found = named(played(hamlets(1)).findings(), "plain")
    assert found["game: decisions"].interval.high == inf
    assert found["game: decisions"].row()["high"] is None
    assert found["game: options per decision"].interval.high == inf


def test_nothing_is_found_without_games() -> None:
    assert Summary(hamlets(1)).findings() == []
