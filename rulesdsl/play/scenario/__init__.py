"""Scenarios: situations of a game with expectations, written in YAML."""

from rulesdsl.play.scenario.outcome import Outcome, Trial
from rulesdsl.play.scenario.runner import Scenario, Start, read_scenarios, run_scenarios

__all__ = ["Outcome", "Scenario", "Start", "Trial", "read_scenarios", "run_scenarios"]
