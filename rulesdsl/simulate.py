"""The names with which programs simulate many games."""

from rulesdsl.study.playing import Study, Variant, local, study_of
from rulesdsl.study.report import Finding, Summary
from rulesdsl.study.simulate import simulate

__all__ = ["Finding", "Study", "Summary", "Variant", "local", "simulate", "study_of"]
