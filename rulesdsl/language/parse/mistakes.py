"""Explanations of syntax errors.

A mistake is recognised by the token at which parsing stopped, the tokens before it and the tokens
the parser would have taken instead; the first rule that matches describes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lark import Token

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import RESERVED
from rulesdsl.language.diagnostics import Diagnostic, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.parse import grammar
from rulesdsl.language.parse.layout import TokenLayout, begin, end

_OPERATORS = grammar.COMPARATORS | {
    *("AND", "OR", "DIV", "MOD", "PLUS", "MINUS", "STAR", "DOTS", "IF"),
    *("DOT", "LPAR", "LSQB"),
}
_EXPRESSION = frozenset(
    [
        *("NAME", "QUOTED", "INT", "TRUE", "FALSE", "NONE", "PREVIOUS", "PROCEED"),
        *("LPAR", "LBRACE", "MINUS", "NOT"),
    ]
)
_STATEMENT = frozenset(
    [
        *("LET", "VAR", "IF", "FOR", "WHILE", "WHEN", "OTHERWISE", "RETURN", "LATER"),
        *("BREAK", "LEAVE", "NOTHING"),
    ]
)
_BEGINNINGS = "else", "for", "if", "later", "let", "return", "var", "when", "while"
"""The words at the beginning of a statement after which something else follows than a colon."""
_DECLARED = re.compile(r"[ \t]+\w+[ \t]*(?::[^=\n]*)?=(?!=)")
_ONLY_STATEMENT = _STATEMENT - {"IF", "FOR"}
_CLOSING = frozenset(grammar.OPENING.values())
_LIMIT = re.compile(r"\bonce\s+in\s+[\w.]+\s*\Z")
_CONTINUED = re.compile(r"(?:and|or|when|where|div|mod|in|is)\b|[-+*]|[<>=!]=|[<>]")
_RANGE = re.compile(r"\s+in\b")
_GOES_ON = "a line continues after an operator or a comma at its end, and inside brackets"
_RULE_WORDS = frozenset(word for word, place in grammar.HEADS.items() if place == "before the body")
_LONGEST_BODY = 20
"""The most lines above a line in which the beginning of its body is looked for."""


@dataclass(frozen=True)
class Stop:
    """The position at which parsing stopped: at `token`, after `previous`.

    `accepts` are the terminals that could have been there.
    """

    layout: TokenLayout
    token: Token
    previous: Token | None
    accepts: frozenset[str]

    @property
    def span(self) -> Span:
        """The span of `token`."""
        return self.layout.chunk.token_span(self.token)

    @property
    def wants_expression(self) -> bool:
        """True if an expression could have begun."""
        return {"INT", "NAME"} <= self.accepts

    @property
    def brackets(self) -> list[Token]:
        """The brackets that are open before `token`."""
        return [bracket for bracket in self.layout.brackets if bracket is not self.token]

    @property
    def begins_line(self) -> bool:
        """True if only blanks precede `token` on its line."""
        text = self.layout.chunk.text
        return not text[text.rfind("\n", 0, begin(self.token)) + 1 : begin(self.token)].strip()

    def report(self, message: str, *help_lines: str, slug: str = "bad-syntax") -> Diagnostic:
        """Return a finding at `token`."""
        return Diagnostic(slug, message, self.span, help=help_lines)

    def report_previous(self, message: str, *help_lines: str) -> Diagnostic:
        """Return a finding at `previous`."""
        assert self.previous is not None
        where = self.layout.chunk.token_span(self.previous)
        return Diagnostic("bad-syntax", message, where, help=help_lines)


def unexpected(stop: Stop) -> Diagnostic:
    """Return the finding for a token that does not fit."""
    for rule in _RULES:
        if found := rule(stop):
            return found
    return _expected(stop)


def bad_character(layout: TokenLayout, at: int) -> Diagnostic:
    """Return the finding for text at offset `at` of the chunk that forms no token."""
    text = layout.chunk.text
    if text[at] == "'":
        where = layout.chunk.span(at, at + 1)
        return Diagnostic("unclosed", "this quote is not closed on its line", where)
    sign = next((known for known in grammar.CHARACTERS if text.startswith(known, at)), text[at])
    shown = sign if sign.isprintable() else f"U+{ord(sign):04X}"
    help_lines = (grammar.CHARACTERS[sign],) if sign in grammar.CHARACTERS else ()
    where = layout.chunk.span(at, at + len(sign))
    message = f"`{shown}` is not part of the language"
    return Diagnostic("bad-character", message, where, help=help_lines)


# --- the rules, each None where it does not apply ----------------------------------------------


def _condition(stop: Stop) -> Diagnostic | None:
    """Explain a range whose condition begins with another word than `where`."""
    if stop.token.type not in ("WHEN", "IF") or "WHERE" not in stop.accepts:
        return None
    line = stop.layout.chunk.text[end(stop.token) :].partition("\n")[0]
    if stop.brackets and line.count(")") <= line.count("("):
        return None  # a bracket is not closed
    help_line = "a range has its condition after `where`: `x in S where C`"
    return stop.report(f"`{stop.token}` cannot be used here", help_line)


def _unclosed(stop: Stop) -> Diagnostic | None:
    """Explain an open bracket after which the text goes on as if it were closed."""
    if not stop.brackets:
        return None
    opening, token, text = stop.brackets[-1], stop.token, stop.layout.chunk.text
    rest = text[end(token) :].partition("\n")[0].lstrip()
    block_begins = token.type == "COLON" and (not rest or rest[0] == "#")
    line = text.rfind("\n", 0, begin(opening)) + 1
    indent = len(text[line:]) - len(text[line:].lstrip(" "))
    column = begin(token) - text.rfind("\n", 0, begin(token)) - 1
    new_line = stop.begins_line and column <= indent
    assigned = opening.type == "LSQB" and token.type in grammar.ASSIGNMENTS
    if block_begins or new_line or assigned or token.type in _ONLY_STATEMENT:
        return stop.layout.unclosed(opening, token)
    return None


def _foreign(stop: Stop) -> Diagnostic | None:
    if stop.token in grammar.FOREIGN:
        return stop.report(
            f"`{stop.token}` is not part of the language", grammar.FOREIGN[stop.token]
        )
    word = str(stop.previous or "")
    if word in grammar.FOREIGN and stop.previous is stop.layout.line:
        return stop.report_previous(f"`{word}` is not part of the language", grammar.FOREIGN[word])
    return None


def _misspelt(stop: Stop) -> Diagnostic | None:
    word, follows = stop.previous, stop.token.type
    if word is None or word is not stop.layout.line or "ADD_TO" not in stop.accepts:
        return None
    known: tuple[str, ...] = _BEGINNINGS if follows in _EXPRESSION - {"LPAR"} else ()
    if _DECLARED.match(stop.layout.chunk.text, end(word)):
        known = "let", "var"
    elif follows == "COLON":
        known = "else", "otherwise"
    near = did_you_mean(str(word), known)
    return stop.report_previous(f"no statement begins with `{word}`", *near) if near else None


def _no_declaration(stop: Stop) -> Diagnostic | None:
    if stop.previous is not None or "ACTION" not in stop.accepts:
        return None
    if found := _body_above(stop):
        return found
    if stop.token in RESERVED:
        message = f"`{stop.token}` does not begin a declaration"
        return stop.report(message, "indent the lines that belong to a declaration")
    words = ", ".join(grammar.DECLARATIONS)
    near = did_you_mean(str(stop.token), grammar.DECLARATIONS)
    message = f"no declaration begins with `{stop.token}`"
    return stop.report(message, *(near or (f"declarations begin with {words}",)))


def _body_above(stop: Stop) -> Diagnostic | None:
    """Return the finding for a body that is not indented, if this line is in one.

    It is that of the line above the body, which is the same for all of its lines.
    """
    chunk = stop.layout.chunk
    *lines, blank = chunk.source.text[: chunk.start].rsplit("\n", _LONGEST_BODY + 1)
    end = chunk.start - len(blank)
    for line in reversed(lines[-_LONGEST_BODY:]):
        code = line.partition("#")[0].rstrip()
        end -= len(line) + 1
        depth = len(code) - len(code.lstrip())
        if code and depth != len(blank):
            return None
        if code.endswith(":"):
            return _no_body(chunk.source.span(end + len(code) - 1, end + len(code)), True)
        if code and re.split(r"\W", code.strip())[0] in grammar.DECLARATIONS:
            return None
    return None


def _no_body(colon: Span, follows: bool) -> Diagnostic:
    """Return the finding for a line that ends in `colon` without a block below it.

    `follows` is true if its lines are there, but not indented.
    """
    help_line = "write `nothing` for a body that does nothing"
    help = "indent the lines below that belong to it" if follows else help_line
    return Diagnostic("missing-body", "a block must follow", colon, help=(help,))


def _misplaced_declaration(stop: Stop) -> Diagnostic | None:
    previous = stop.previous
    if previous is None or previous.type != "NAME" or previous not in grammar.DECLARATIONS:
        return None
    if previous is not stop.layout.line or stop.token.type != "NAME":
        return None
    message = f"`{previous}` begins a declaration, which cannot be inside a block"
    return stop.report_previous(message, "declarations begin in the first column")


def _broken_line(stop: Stop) -> Diagnostic | None:
    """Explain a line that ends before an operator at the start of the next line."""
    if stop.previous is None or stop.token.type not in ("_NEWLINE", "_INDENT"):
        return None
    text = stop.layout.chunk.text
    rest, _, below = text[end(stop.previous) :].partition("\n")
    found = _CONTINUED.match(below.lstrip())
    if found is None or rest.strip():
        return None
    at = len(text) - len(below.lstrip())
    where = stop.layout.chunk.span(at, at + len(found[0]))
    return _joined(found[0], where)


def _joined(word: str, where: Span) -> Diagnostic:
    """Return the finding for a word at the start of a line that belongs to the line above."""
    end = f"end the line above with `{word}`"
    help = (
        end if word in grammar.CONTINUING else f"write `{word}` and what follows on the line above"
    )
    message = f"a line does not begin with `{word}`"
    return Diagnostic("bad-syntax", message, where, help=(help, _GOES_ON))


def _indentation(stop: Stop) -> Diagnostic | None:
    if stop.token.type == "_INDENT":
        message = "this line is indented deeper than the one above"
        help_line = "only a line that ends in `:` is followed by a block"
        return stop.report(message, help_line, slug="bad-indent")
    if "_INDENT" in stop.accepts and stop.previous is not None:
        at = begin(stop.previous)
        colon = stop.layout.chunk.span(at - 1, at)
        chunk = stop.layout.chunk
        below = chunk.source.text[chunk.start + len(chunk.text) :]
        word = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*(\w+)", below)
        return _no_body(colon, word is not None and word[1] not in grammar.DECLARATIONS)
    return None


def _line_start(stop: Stop) -> Diagnostic | None:
    """Explain a token that cannot begin a line."""
    if not stop.begins_line:
        return None
    if stop.token.type == "ELSE":
        return stop.report("`else` needs an `if` above it, with the same indentation")
    if stop.token.type in _OPERATORS and "LET" in stop.accepts:
        return _joined(str(stop.token), stop.span)
    return None


def _confused_signs(stop: Stop) -> Diagnostic | None:
    """Explain signs and words that resemble the right ones."""
    token, accepts = stop.token, stop.accepts
    if token.type == "LSQB" and stop.wants_expression:
        return stop.report(
            "there are no lists",
            "write a set as `{a, b}` or `{E for x in S where C}`",
            "to compute with it at once: `sum(E for x in S)`, `count(x in S where C)`",
        )
    if token.type == "ASSIGN" and "NAME" not in accepts and stop.layout.line != "state":
        return stop.report("`=` assigns and cannot be used here", "`==` compares")
    if token.type == "EQUAL" and "ASSIGN" in accepts:
        return stop.report("`==` compares and cannot be used here", "`=` assigns")
    if token.type in grammar.COMPARATORS and "AND" in accepts:
        return stop.report("comparisons cannot be chained", "join two comparisons with `and`")
    if token.type == "INT" and stop.previous is not None and stop.previous.type == "DOT":
        return stop.report("numbers cannot have a fraction")
    if token.type == "ELSE" and "_NEWLINE" in accepts:
        return stop.report("`else` begins a line of its own")
    if token.type == "OPTIONAL":
        return stop.report("`?` can only follow a type", "write a conditional as `A if C else B`")
    if token.type == "WHEN" and "_NEWLINE" in accepts:
        return stop.report(
            "`when` cannot be used here",
            f"write the condition before the colon: `{stop.layout.line} NAME(…) when C: …`"
            if stop.layout.line in _RULE_WORDS
            else "write a line `when C: E`, or a conditional as `A if C else B`",
        )
    if token.type == "WHERE" and "COLON" in accepts:
        return stop.report(
            "`where` cannot be used here", "write it after the set: `x in S where C`"
        )
    return None


def _reserved(stop: Stop) -> Diagnostic | None:
    """Explain a word of the language in the place of a name."""
    if stop.token in RESERVED and "NAME" in stop.accepts and not stop.wants_expression:
        message = f"`{stop.token}` is a keyword of the language and cannot be a name"
        return stop.report(message, slug="reserved-word")
    return None


def _incomplete(stop: Stop) -> Diagnostic | None:
    """Explain a word or operator that lacks its continuation."""
    if stop.previous is None or not stop.wants_expression or "LET" in stop.accepts:
        return None
    if need := grammar.NEEDS.get(str(stop.previous)):
        goes_on = (f"write it on this line: {_GOES_ON}",) if not str(stop.token).strip() else ()
        return stop.report(f"`{stop.previous}` needs {need}", *goes_on)
    text = stop.layout.chunk.text[begin(stop.previous) - 1 : end(stop.token)]
    if sign := re.search(r"\+\+|--", text):
        message = f"`{sign[0]}` is not part of the language"
        return stop.report_previous(message, f"write `{sign[0][0]}= 1`")
    if stop.previous.type in _OPERATORS - {"DOT", "LPAR", "LSQB"}:
        return stop.report(f"`{stop.previous}` needs something on its right")
    return None


_RULES: tuple[Callable[[Stop], Diagnostic | None], ...] = (
    _condition,
    _unclosed,
    _foreign,
    _no_declaration,
    _misplaced_declaration,
    _misspelt,
    _broken_line,
    _indentation,
    _line_start,
    _confused_signs,
    _reserved,
    _incomplete,
)


# --- everything else ---------------------------------------------------------------------------


def _expected(stop: Stop) -> Diagnostic:
    """Explain any other mistake by what would have fitted."""
    text = str(stop.token)
    ended = "but nothing follows" if stop.token.type == "$END" else "but the line ends"
    found = f"not `{text}`" if text else ended
    asks_nobody = "BY" in stop.accepts and not stop.brackets
    help_lines: tuple[str, ...] = ("say who is asked: `choice … by p:`",) if asks_nobody else ()
    if "ARROW" in stop.accepts and stop.layout.line == "value":
        help_lines = ("write the type of the result before the body: `-> int:`",)
    if stop.token == "if" and stop.layout.line in _RULE_WORDS and "COLON" in stop.accepts:
        help_lines = ("the condition of a rule is written `when C`",)
    if stop.token == "{" and "COLON" in stop.accepts:
        help_lines = ("write `:`, and the body indented in the lines below",)
    if "ELSE" in stop.accepts and "IF" not in stop.accepts:
        help_lines = ("a conditional has a value for both cases: `A if C else B`",)
    if stop.layout.line == "state" and stop.previous is not None and "DOT" in stop.accepts:
        names = " or ".join(f"`state {owner}.{stop.previous}`" for owner in ("game", "player"))
        help_lines = (f"write whose it is, such as {names}",)
    if stop.layout.line == "state" and stop.token.type == "ASSIGN":
        help_lines = ("say its type before the first value: `: int = …`",)
    if stop.previous == "once":
        help_lines = ("say during which action or choice: `once in ACTION`",)
    if stop.token == "once" and stop.layout.line in ("option", "action", "step"):
        help_lines = ("write `once in ACTION` before `when`",)
    elif stop.token == "once":
        help_lines = ("call an action of its own here: `action NAME(…) once in ACTION: …`",)
    rest = stop.layout.chunk.text[end(stop.token) :]
    if stop.token.type == "NAME" and _RANGE.match(rest) and stop.accepts & {"COMMA", "WHERE"}:
        help_lines = (f"write a comma between two ranges: `x in S, {stop.token} in T`",)
    if stop.token == "(" and _LIMIT.search(stop.layout.chunk.text, 0, begin(stop.token)):
        help_lines = ("write the name alone: each time it begins counts, whatever it is given",)
    if stop.token == "," and stop.accepts == {"IN"}:
        help_lines = ("write the set of each, `x in S, y in T`, or `{x, y} in S` for its pairs",)
    if stop.token == "," and "RSQB" in stop.accepts:
        help_lines = ("write each index in brackets of its own: `x[a][b]`",)
    if stop.token.type == "NAME" and not help_lines:
        words = (terminal.lower() for terminal in sorted(stop.accepts))
        help_lines = did_you_mean(text, [word for word in words if word in grammar.WORDS])
    return stop.report(f"expected {_wanted(stop)}, {found}", *help_lines)


def _wanted(stop: Stop) -> str:
    accepts = set(stop.accepts) - {"_DEDENT"}
    head = str(stop.layout.line or "")
    if "COLON" in accepts and not stop.brackets and head in grammar.HEADS:
        return f"`:` {grammar.HEADS[head]}"
    if "SET" in accepts:
        return "a type"
    if "LET" in accepts:
        return "a statement"
    words = []
    if stop.wants_expression:
        words.append("an expression")
        accepts -= _EXPRESSION
    else:
        accepts = accepts - _OPERATORS or accepts
    if accepts & _CLOSING and "COMMA" in accepts:
        accepts &= _CLOSING | {"COMMA"}
    if "_NEWLINE" in accepts:
        accepts -= grammar.ASSIGNMENTS
    signs = {each: f"`{grammar.SIGNS.get(each, each.lower())}`" for each in accepts}
    words.extend(sorted(grammar.TERMINALS.get(each, sign) for each, sign in signs.items()))
    return listed(words) if words else "nothing"
