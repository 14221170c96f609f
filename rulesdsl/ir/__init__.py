"""The IR at work: its text form, the verifier, an evaluator, the reader of the core, the passes."""
