"""Tools for the IR: text form, verifier, evaluator, reader of the runtime's Python, and passes."""
