"""Scenarios: situations of a game with expectations, written in YAML."""

from rulesdsl.play.scenario.outcome import Outcome, RunnableTest
from rulesdsl.play.scenario.runner import Scenario, Start, read_scenarios, run_scenarios

__all__ = ["Outcome", "RunnableTest", "Scenario", "Start", "read_scenarios", "run_scenarios"]
