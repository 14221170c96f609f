"""Programs of the IR as WebAssembly: `module` prints them (`expressions`, `statements` and `layout`
for it, in the format of `binary`), `program` keeps what was compiled, `instance` runs it, watched by `watch`, `machine`
is one position at work in an instance."""
