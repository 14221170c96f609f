"""What runs to its end at once: values of the rules, statements, the beginnings of states."""
