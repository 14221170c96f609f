"""Train the policy by REINFORCE, against itself: python train.py RULESET MINUTES."""

import sys
from pathlib import Path
from time import monotonic

import numpy as np

import rulesdsl
from rulesdsl.rl import Batch

sys.path.insert(0, str(Path(__file__).parent))
from policy import HIDDEN, WEIGHTS, inputs, logits

ROWS, RATE, DECAY = 256, 0.02, (0.9, 0.999)


def episode(batch, weights, luck):
    """Play one game in each row, and return the steps with the final margin of who moved."""
    steps, margins, first = [], np.zeros((ROWS, 2)), np.ones(ROWS, bool)
    while first.any():
        counts, movers = batch.counts.copy(), batch.movers.copy()
        firsts = batch.offsets[:-1]
        x = inputs(batch.outcomes().astype(float), firsts, counts)
        hidden, score = logits(weights, x)
        top = np.repeat(np.maximum.reduceat(score, firsts), counts)
        chance = np.exp(score - top)
        chance /= np.repeat(np.add.reduceat(chance, firsts), counts)
        # The largest sum of a logit and Gumbel noise is a draw by these probabilities.
        noisy = score + luck.gumbel(size=len(score))
        best = np.repeat(np.maximum.reduceat(noisy, firsts), counts)
        chosen = np.flatnonzero(noisy == best)
        steps.append((x, hidden, chance, chosen, counts, movers, first.copy()))
        _, over = batch.play(chosen - firsts)
        ended = over & first
        final = batch.table("final")[ended].astype(float)
        margins[ended] = final - final[:, ::-1]
        first &= ~over
    return steps, margins


def gradient(weights, steps, margins):
    """Return the gradient of the expected margin, in units of its spread."""
    advantage = (margins - margins.mean(0)) / (margins.std() + 1e-9)
    found = {name: np.zeros_like(value) for name, value in weights.items()}
    for x, hidden, chance, chosen, counts, movers, counted in steps:
        gain = advantage[np.arange(ROWS), movers] * counted
        slope = -chance * np.repeat(gain, counts)
        slope[chosen] += gain
        inner = slope[:, None] * weights["out"] * (1 - hidden**2)
        found["out"] += hidden.T @ slope
        found["in"] += x.T @ inner
        found["bias"] += inner.sum(0)
    return {name: value / ROWS for name, value in found.items()}


def main(ruleset, minutes):
    """Train new weights and write them beside the policy."""
    batch = Batch(rulesdsl.load(ruleset, engine="wasm"), ROWS, players=2, seed=1)
    luck = np.random.default_rng(1)
    width = 2 * batch.outcomes().shape[1]
    weights = {
        "in": luck.normal(size=(width, HIDDEN)) / np.sqrt(width),
        "bias": np.zeros(HIDDEN),
        "out": luck.normal(size=HIDDEN) / np.sqrt(HIDDEN),
    }
    means = {name: np.zeros_like(value) for name, value in weights.items()}
    squares = {name: np.zeros_like(value) for name, value in weights.items()}
    end, number = monotonic() + 60 * minutes, 0
    while monotonic() < end:
        steps, margins = episode(batch, weights, luck)
        number += 1
        for name, slope in gradient(weights, steps, margins).items():  # Adam
            means[name] = DECAY[0] * means[name] + (1 - DECAY[0]) * slope
            squares[name] = DECAY[1] * squares[name] + (1 - DECAY[1]) * slope**2
            unbiased = means[name] / (1 - DECAY[0] ** number)
            spread = np.sqrt(squares[name] / (1 - DECAY[1] ** number))
            weights[name] += RATE * unbiased / (spread + 1e-8)
        if number % 20 == 0:
            points = batch.table("final")[:, :2].mean()
            print(f"{number * ROWS} games, {points:.1f} points", flush=True)
    np.savez(WEIGHTS, **weights)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
