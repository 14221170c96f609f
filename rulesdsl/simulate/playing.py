"""The games of a study, a block at a time: what every thread, process and machine does."""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter

from rulesdsl.deadline import Deadlines, under
from rulesdsl.play import Game
from rulesdsl.play.bots import bot_maker
from rulesdsl.run.engine import Playout
from rulesdsl.run.playouts import seeds_of
from rulesdsl.simulate.columns import Columns, columns_of
from rulesdsl.simulate.plan import Study, load_variant


class OtherRulesets(Exception):
    """Where games should be played there are not the rulesets of the study."""


def play_block(study: Study, games: range) -> tuple[Columns, ...]:
    """What comes of these games in each variant. Raises PlayError when a rule fails, OtherRulesets
    if the rulesets that are found here are not those of the study."""
    return tuple(
        columns_of(_played(study, number, games), study.players, study.kinds[number].sources)
        for number in range(len(study.variants))
    )


def play_timed(
    study: Study, deadlines: Deadlines, games: range
) -> tuple[tuple[Columns, ...], float]:
    """Return what `play_block` gives under these deadlines, and how many seconds it took."""
    begun = perf_counter()
    with under(*deadlines):
        return play_block(study, games), perf_counter() - begun


def _played(study: Study, variant: int, games: range) -> list[Playout]:
    game = _game(study, variant)
    if study.at_random:
        return list(game.playouts(games, study.players, study.seed))
    return [play_with_bots(study, game, number) for number in games]


def play_with_bots(study: Study, game: Game, number: int) -> Playout:
    """Play game `number`: its chance has the first seed that `docs/reference/generator.md` gives
    it, the bot in each seat its stream of the second."""
    chance, luck = seeds_of(study.seed, number)
    count = study.players
    state = game.start(count, chance)
    bots = {
        colour: bot_maker(study.bots[(seat + number) % count])(luck, seat)
        for seat, colour in enumerate(state.players)
    }
    moves = list[int]()
    while state.mover is not None:
        move = bots[state.mover].decide(state)
        moves.append(state.moves().index(move))
        state.play(move)
    return game.told(moves, count, chance)


@lru_cache(8)
def _game(study: Study, variant: int) -> Game:
    """The game of a variant, loaded once in each process."""
    game = load_variant(study.ruleset, study.variants[variant], study.engine, study.paths)
    if game.digest != study.kinds[variant].digest:
        raise OtherRulesets(f"`{study.ruleset}` and what goes with it is not the same here")
    return game
