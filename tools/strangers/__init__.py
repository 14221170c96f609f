"""Measurement of the checker with randomly drawn expansions that may conflict."""
