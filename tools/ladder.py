"""The ladder of bots: every pair plays as many games, and ratings follow from the results.

Ratings are those of the Bradley-Terry model in Elo's units, with `random` at 0: the chance of a
player against another whose rating is lower by d is 1 / (1 + 10^(-d / 400)). A draw counts half.
Each pair counts one more game, as a draw, so that a bot that always wins has a rating. Intervals
are percentiles of ratings from games drawn again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log10
from random import Random

from rulesdsl.study.playing import Variant, play_block, study_of

BOTS = ("random", "greedy", "mcts:100", "mcts:500")
DRAWS = 400
"""The number of times that games are drawn again for the intervals."""
ROUNDS = 200
"""The number of rounds in which ratings are improved; far fewer are needed."""

Pair = tuple[str, str]
Scores = Mapping[Pair, Sequence[float]]
"""The results of each pair's games for the first bot: 1 won, 0 lost, shares for draws."""


def main(arguments: list[str]) -> int:
    """Play a ladder and print it as a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python3 -m tools ladder", description=main.__doc__)
    parser.add_argument("ruleset")
    parser.add_argument("--with", dest="expansions", default="", metavar="RULESET,...")
    parser.add_argument("--bots", default=",".join(BOTS), metavar="NAME,...")
    parser.add_argument("--games", type=int, default=100, help="games of each pair")
    given = parser.parse_args(arguments)
    bots, expansions = given.bots.split(","), tuple(filter(None, given.expansions.split(",")))
    scores = {
        pair: _scores(given.ruleset, expansions, pair, given.games)
        for pair in combinations(bots, 2)
    }
    found = ratings(bots, scores)
    ranges = intervals(bots, scores)
    print(f"| bot | rating | {' | '.join(f'`{bot}`' for bot in bots)} |")
    print("| --- | --- |" + " --- |" * len(bots), flush=True)
    for bot in sorted(bots, key=lambda each: -found[each]):
        low, high = ranges[bot]
        shares = (_share(scores, bot, other) for other in bots)
        print(f"| `{bot}` | {found[bot]:.0f} ({low:.0f} to {high:.0f}) | {' | '.join(shares)} |")
    return 0


def _scores(ruleset: str, expansions: tuple[str, ...], bots: Pair, games: int) -> list[float]:
    study = study_of(ruleset, [Variant("as given", expansions)], players=2, bots=bots, games=games)
    (columns,) = play_block(study, range(games))
    # In game k, seat s is played by bot (s + k) of the two.
    won = [mask >> number % 2 & 1 for number, mask in enumerate(columns["winners"])]
    return [
        own / mask.bit_count() if mask else 0.5
        for own, mask in zip(won, columns["winners"], strict=True)
    ]


def _share(scores: Scores, bot: str, other: str) -> str:
    """Return the share of games that a bot won against another one, as text."""
    if (bot, other) in scores:
        found = scores[bot, other]
        return f"{100 * sum(found) / len(found):.0f} %"
    if (other, bot) in scores:
        found = scores[other, bot]
        return f"{100 - 100 * sum(found) / len(found):.0f} %"
    return ""


def ratings(bots: Sequence[str], scores: Scores) -> dict[str, float]:
    """Return the most likely rating of each bot; that of the first is 0."""
    points = dict.fromkeys(bots, 0.0)
    counts: dict[frozenset[str], float] = {}
    for (one, other), found in scores.items():
        points[one] += sum(found) + 0.5
        points[other] += len(found) - sum(found) + 0.5
        counts[frozenset((one, other))] = len(found) + 1
    strength = dict.fromkeys(bots, 1.0)
    for _ in range(ROUNDS):
        for bot in bots:
            expected = sum(
                count / sum(strength[each] for each in pair)
                for pair, count in counts.items()
                if bot in pair
            )
            strength[bot] = points[bot] / expected
    return {bot: 400 * log10(strength[bot] / strength[bots[0]]) for bot in bots}


def intervals(bots: Sequence[str], scores: Scores) -> dict[str, tuple[float, float]]:
    """Return the 95 % interval of each rating."""
    luck = Random(0)
    drawn = [
        ratings(bots, {pair: luck.choices(found, k=len(found)) for pair, found in scores.items()})
        for _ in range(DRAWS)
    ]
    found = {}
    for bot in bots:
        each = sorted(rated[bot] for rated in drawn)
        found[bot] = each[DRAWS // 40], each[-1 - DRAWS // 40]
    return found
