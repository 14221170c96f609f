"""A small policy over the outcomes of moves, and the bot that plays it in `simulate --bots`."""

from pathlib import Path

import numpy as np

from rulesdsl.play.bots import MAX_TRIES, Bot

WEIGHTS = Path(__file__).with_name("policy.npz")
HIDDEN = 32


def inputs(outcomes, firsts, counts):
    """Return the inputs for each legal move: how it differs from the others, and their mean."""
    found = np.sign(outcomes) * np.log1p(np.abs(outcomes))
    mean = np.repeat(np.add.reduceat(found, firsts) / counts[:, None], counts, axis=0)
    return np.concatenate([found - mean, mean], axis=1)


def logits(weights, x):
    """Return the hidden layer and the logit of each line."""
    hidden = np.tanh(x @ weights["in"] + weights["bias"])
    return hidden, hidden @ weights["out"]


class PolicyBot(Bot):
    """A player of the most probable move."""

    weights = dict(np.load(WEIGHTS)) if WEIGHTS.exists() else None

    def choose(self, sample):
        moves = sample.moves()
        if len(moves) == 1:
            return moves[0]
        outcomes = np.array(sample.position.compiled().outcomes(MAX_TRIES), float)
        x = inputs(outcomes, np.array([0]), np.array([len(moves)]))
        return moves[int(logits(self.weights, x)[1].argmax())]


bot = PolicyBot
