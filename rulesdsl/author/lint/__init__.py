"""Linting of rulesets: severities, allowed and known findings, and formats for other programs."""
