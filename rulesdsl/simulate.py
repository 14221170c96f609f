"""The name under which programs import `rulesdsl.study.simulate`."""

from rulesdsl.study.simulate import Finding, Study, Summary, Variant, local, simulate, study_of

__all__ = ["Finding", "Study", "Summary", "Variant", "local", "simulate", "study_of"]
