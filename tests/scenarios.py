"""Files of scenarios, run whole."""

from collections.abc import Sequence

from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import Outcome


def run_scenarios(
    source: Source, paths: Sequence[str] = (), engine: str = DEFAULT_ENGINE
) -> tuple[Outcome, ...]:
    return tuple(scenario.run() for scenario in read_scenarios(source, paths, engine))
