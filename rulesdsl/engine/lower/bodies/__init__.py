"""Code that runs to its end at once: values of the rules, statements, initial states."""
