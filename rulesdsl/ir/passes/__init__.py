"""Passes over the IR: each a function from program to program, in the module of its name."""
