"""Spoiling texts the way slips, bad tools and ill will spoil them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_TOKENS = re.compile(r"\w+|[ \t]+|\n|[^\w\s]")
_WORDS = re.compile(r"[A-Za-z_][\w-]*")
_NUMBERS = re.compile(r"\d+")

ODD = (
    "\0",
    "\t",
    "\r",
    "\r\n",
    "\ufeff",
    "\u2028",
    "\u0085",
    "\u200b",
    "\u202e",
    "\u2066",
    "\x07",
    "\x1b[31m",
    "\U0001f600",
    "é",
    "\u0661",
    "'",
    '"',
    "#",
    "&a ",
    "*a",
    "!x ",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "---\n",
    "<<: ",
    "%YAML 1.1\n",
)
NUMBERS = ("0", "-1", "1", "2", "99", "10000", "4294967296", "9" * 30, "9" * 5000, "1.5", "1e3")
WORDS = re.findall(
    r"\w+",
    """none true false int bool player tile figure piece kind segment feature placement zone space
    settings game if else not and or in is for while return let var later leave proceed previous
    value action choice option state refine add forbid before around always secret mod div any
    all count first the reach most max sum set of step when otherwise require repeat""",
)

LONG: tuple[str, ...] = (
    *" \t\r\n#-:,.'\"[](){}&*!|>%?\\_aZ09",
    "é",
    "\u202e",
    "- ",
    "a: ",
    " #",
    "\r\n",
    "not ",
)
COMMENTS = ("# a comment", "#", "    # a comment", "#" * 80, "# - key: [value")

NESTS = (("(", ")"), ("[", "]"), ("{a: ", "}"), ("not ", ""), ("f(", ")"))

Spoiler = Callable[[Random, str], str]


def spoil(random: Random, text: str) -> str:
    """`text` with one to three slips in it."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(SPOILERS)(random, text)
    return text


def spoil_bytes(random: Random, data: bytes) -> bytes:
    """`data` with a few bytes changed, taken out, put in or cut off."""
    for _ in range(random.choice((1, 1, 2, 4))):
        at, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
        match random.randrange(5):
            case 0:
                data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
            case 1:
                data = data[:at] + data[min(end, at + 8) :]
            case 2:
                data = data[:at] + random.randbytes(random.randrange(1, 5)) + data[at:]
            case 3:
                data = data[:at]
            case _:
                data = data[:end] + data[at:end] + data[end:]
    return data


def _tokens(random: Random, text: str) -> str:
    """Delete, double, swap or replace tokens."""
    tokens = _TOKENS.findall(text)
    if len(tokens) < 3:
        return text
    at, other = random.randrange(len(tokens) - 1), random.randrange(len(tokens))
    match random.randrange(5):
        case 0:
            del tokens[at : at + random.choice((1, 1, 2, 5))]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            tokens[at], tokens[at + 1] = tokens[at + 1], tokens[at]
        case 3:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case _:
            tokens[at] = random.choice((*WORDS, *ODD, *NUMBERS))
    return "".join(tokens)


def _words(random: Random, text: str) -> str:
    """Put one word of the text, or of the language, in the place of another; or misspell it."""
    places = list(_WORDS.finditer(text))
    if not places:
        return text
    place, other = random.choice(places), random.choice(places)[0]
    word = place[0]
    at = random.randrange(len(word))
    new = random.choice(
        (other, other, other, random.choice(WORDS), word[:at] + word[at + 1 :], word.upper())
    )
    return text[: place.start()] + new + text[place.end() :]


def _rename(random: Random, text: str) -> str:
    """Call something by another name, everywhere."""
    places = list(_WORDS.finditer(text))
    if not places:
        return text
    old, new = random.choice(places)[0], random.choice((*WORDS, random.choice(places)[0]))
    return re.sub(rf"\b{re.escape(old)}\b", new, text)


def _numbers(random: Random, text: str) -> str:
    places = list(_NUMBERS.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + random.choice(NUMBERS) + text[place.end() :]


def _lines(random: Random, text: str) -> str:
    """Delete, double, move, indent or join lines."""
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            del lines[at : at + random.choice((1, 1, 3))]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = random.choice((" ", "  ", "    ", "\t")) + lines[at]
        case 4:
            lines[at] = lines[at].lstrip() if random.random() < 0.5 else lines[at][1:]
        case _:
            lines[at : at + 2] = [" ".join(lines[at : at + 2])]
    return "\n".join(lines)


def _blocks(random: Random, text: str) -> str:
    """Put one declaration in the place of another, or beside it."""
    blocks = text.split("\n\n")
    at, other = random.randrange(len(blocks)), random.randrange(len(blocks))
    if random.random() < 0.5:
        blocks[at] = blocks[other]
    else:
        blocks.insert(at, blocks[other])
    return "\n\n".join(blocks)


def _characters(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    new = random.choice((random.choice(ODD), chr(random.randrange(32, 127)), ""))
    return text[:at] + new + text[at + random.randrange(2) :]


def _deepen(random: Random, text: str) -> str:
    """Nest something deeply."""
    places = list(_WORDS.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    deep = random.choice((3, 30, 90, 400, 3000))
    before, after = random.choice(NESTS)
    return text[: place.start()] + before * deep + place[0] + after * deep + text[place.end() :]


def _long(random: Random, text: str) -> str:
    """Put a long run of one character, or of one sign, somewhere."""
    at, run = random.randrange(len(text) + 1), random.choice(LONG)
    return text[:at] + run * random.choice((20, 100, 1000, 10_000)) + text[at:]


def _comments(random: Random, text: str) -> str:
    """Put a long block of comments between lines."""
    lines = text.split("\n")
    at = random.choice((0, random.randrange(len(lines))))
    lines[at:at] = [random.choice(COMMENTS)] * random.choice((5, 30, 300, 2000))
    end: str = random.choice(("\n", "\n", "\r\n"))
    return end.join(lines)


def _line_ends(random: Random, text: str) -> str:
    """End lines as other systems do."""
    return text.replace("\n", random.choice(("\r\n", "\r\n", "\r", "\n\n", " \n", "\u2028")))


def _cut(random: Random, text: str) -> str:
    return text[: random.randrange(len(text) + 1)]


SPOILERS: tuple[Spoiler, ...] = (
    *(_tokens,) * 4,
    *(_words,) * 6,
    *(_rename,) * 2,
    *(_numbers,) * 2,
    *(_lines,) * 3,
    *(_blocks,) * 2,
    *(_characters,) * 2,
    *(_long,) * 2,
    _comments,
    _line_ends,
    _deepen,
    _cut,
)
