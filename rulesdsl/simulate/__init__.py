"""Many games of one kind, and what they tell: `Study` says which, `simulate` plays them.

    plan -> playing -> columns -> measures -> summary -> findings -> report

`runners` spread the playing over threads, processes and machines, `store` keeps what was played.
"""

from rulesdsl.simulate.plan import Study, Variant, study_of
from rulesdsl.simulate.simulate import simulate
from rulesdsl.simulate.summary import Finding, Summary

__all__ = ["Finding", "Study", "Summary", "Variant", "simulate", "study_of"]
