"""Actions, choices and options: their order of execution, and where they can be suspended."""
