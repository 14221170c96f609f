"""Actions, choices and options: what runs when, and where it can stop to ask or to draw."""
