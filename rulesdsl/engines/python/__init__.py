"""Programs of the IR as Python code: `printer` prints them, `compiling` compiles what was printed,
`kept` keeps it, `program` runs it, `places` tells where in the rules it failed."""
