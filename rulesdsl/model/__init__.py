"""Plain data that passes between the stages: no behaviour beyond equality and text forms."""
