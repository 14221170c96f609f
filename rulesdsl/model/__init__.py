"""Plain data that passes between the stages: no behaviour beyond equality, text forms and the
walk through a tree."""
