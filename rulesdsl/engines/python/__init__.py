"""Programs of the IR as Python code.

`printer` prints them, `compiling` compiles the source, `program` holds the compiled code, `machine`
runs it, and `places` finds the place in the rules at which it failed.
"""
