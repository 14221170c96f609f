"""Shared by the tests of simulations: small studies."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.study.playing import Study, Variant, study_of

RULESETS = Path(__file__).parents[1] / "cli" / "rulesets"
HAMLETS = str(RULESETS / "hamlets.yaml")
PLAIN = Variant("plain")
WELLS = Variant("wells", ("wells",))


def hamlets(
    games: int = 60,
    *variants: Variant,
    bots: tuple[str, ...] = ("random",),
    players: int = 2,
    engine: str = "python",
    seed: int = 3,
) -> Study:
    """A study of a small game."""
    return study_of(
        HAMLETS,
        variants or (PLAIN,),
        players=players,
        bots=bots,
        seed=seed,
        games=games,
        engine=engine,
        paths=[str(RULESETS)],
    )
