"""Programs of the IR as WebAssembly.

`module` prints them with `expressions`, `statements` and `layout`, in the format of `binary`.
`program` holds the compiled module, `instance` runs it, `machine` is one position in an instance,
and `export` writes a module for other hosts.
"""
