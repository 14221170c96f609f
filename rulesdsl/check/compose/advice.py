"""Help lines that say where the authors of two rulesets can settle a conflict."""

from __future__ import annotations

from rulesdsl.diagnostics import Fix, Span
from rulesdsl.diagnostics.wording import listed
from rulesdsl.model.names import owner_of, parties_of


def parties(*parts: str) -> list[str]:
    """Return all rulesets that parts of rules belong to or name, sorted."""
    return sorted({party for part in parts for party in parties_of(part)})


def pasted(line: str, span: Span, part: str, *others: str) -> str:
    """Return a help line with a fix that appends it to the file of `span`, in the rules of `part`.

    The line stands below `with` if it is about `others` too.
    """
    every = parties(part, *others)
    if others and len(every) == len(parties_of(part)):
        return line
    owner = owner_of(part)
    named = ", ".join(each for each in every if each != owner)
    head = f"with {named}:\n    " if named else ""
    text = span.source.text
    before = "\n" if text.endswith("\n") else "\n\n"
    return Fix(line, f"{before}{head}{line.strip()}\n", span.source.span(len(text), len(text)))


def places(*parts: str) -> str:
    """Return the places where a conflict between parts of rules can be settled, in words.

    These are the rules of either ruleset, below `with`, or an interaction.
    """
    every = parties(*parts)
    blocks: list[str] = []
    for part in sorted(parts):
        # Rules below the same `with` as the part itself have no higher rank than it.
        if set(parties_of(part)) != set(every):
            others = ", ".join(party for party in every if party != owner_of(part))
            what = "those" if blocks else "the rules"
            blocks.append(f"below `with {others}:` in {what} of {owner_of(part)}")
    return listed([*blocks, f"in a ruleset with `interaction: [{', '.join(every)}]`"])
