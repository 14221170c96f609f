"""Programs of the IR as WebAssembly: `module` prints them (`expressions`, `statements` and `layout`
for it, in the format of `binary`), `program` keeps what was compiled, `instance` runs it, and
`watch` sees that it ends, `machine` is one position at work in an instance, `export` writes a
module down for others."""
