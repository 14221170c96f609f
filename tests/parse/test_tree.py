"""What a text becomes: nodes, their places, and the comments that go with them."""

from __future__ import annotations

import time

import pytest

from rulesdsl.base.speed import uncollected
from rulesdsl.language.diagnostics import Report, Source, Span
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse, parse_expression, unparse
from rulesdsl.language.parse.grammar import DECLARATIONS

HERE = Source("", "").span(0, 0)


def module(text: str) -> ast.Module:
    report = Report()
    found = parse(Source("text.rules", text), report)
    assert [str(finding) for finding in report] == []
    return found


def expr(text: str) -> ast.Expr:
    (declaration,) = module(f"value f() -> int: {text}\n").declarations
    assert isinstance(declaration, ast.ValueDecl)
    assert declaration.body
    (statement,) = declaration.body.statements
    assert isinstance(statement, ast.ExprStmt)
    return statement.value


def ident(text: str) -> ast.Ident:
    return ast.Ident(text, HERE)


def name(text: str) -> ast.Name:
    return ast.Name(HERE, ident(text))


def shown(span: Span) -> tuple[int, int, str]:
    return span.line, span.column, span.text


# --- expressions -------------------------------------------------------------------------------


def test_ranges_are_told_from_tests() -> None:
    domain, condition = name("S"), name("C")
    inside = ast.Compare(HERE, "in", name("x"), domain)
    ranged = ast.Binder(HERE, (ident("x"),), domain, condition)
    assert expr("any(x in S where C)") == ast.Aggregate(HERE, "any", None, (ranged,))
    assert expr("count(x in S)") == ast.Aggregate(
        HERE, "count", None, (ast.Binder(HERE, (ident("x"),), domain),)
    )
    assert expr("{x in S where C}") == ast.Comprehension(HERE, None, (ranged,))
    assert expr("f(x in S)") == ast.Call(HERE, name("f"), (inside,))
    assert expr("x in S") == inside
    assert expr("count(S)") == ast.Aggregate(HERE, "count", domain)
    assert expr("max(x, S)") == ast.Call(HERE, name("max"), (name("x"), domain))


def test_every_range_has_its_condition_and_keys_come_before_the_last() -> None:
    first = ast.Binder(HERE, (ident("x"),), name("S"), name("A"))
    pair = ast.Binder(HERE, (ident("a"), ident("b")), name("T"), name("B"))
    assert expr("count(x in S where A, {a, b} in T where B)") == ast.Aggregate(
        HERE, "count", None, (first, pair)
    )
    assert expr("most(x in S where A, {a, b} in T by k, m where B)") == ast.Aggregate(
        HERE, "most", None, (first, pair), (name("k"), name("m"))
    )
    assert expr("max(v for x in S where A else 0)") == ast.Aggregate(
        HERE, "max", name("v"), (first,), (), ast.Int(HERE, 0)
    )


def test_reach_and_previous() -> None:
    assert expr("reach(x from a by b)") == ast.Reach(HERE, ident("x"), name("a"), name("b"))
    assert expr("previous") == ast.Previous(HERE)
    assert expr("previous in base") == ast.Previous(HERE, ident("base"))
    assert expr("x in previous") == ast.Compare(HERE, "in", name("x"), ast.Previous(HERE))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a or b and c", "a or (b and c)"),
        ("not a == b", "not (a == b)"),
        ("a + b..c * d", "(a + b)..(c * d)"),
        ("a - b - c", "(a - b) - c"),
        ("a div b * c", "(a div b) * c"),
        ("-a.b", "-(a.b)"),
        ("a if b else c if d else e", "a if b else (c if d else e)"),
        ("a or b if c or d else e or f", "(a or b) if (c or d) else (e or f)"),
        ("x not in S and y is not none", "(x not in S) and (y is not none)"),
        ("a.b(c)[d].e", "(((a.b)(c))[d]).e"),
    ],
)
def test_operators_hold_together_as_specified(text: str, same: str) -> None:
    assert expr(text) == expr(same)


# --- words -------------------------------------------------------------------------------------

SOFT = sorted(
    {*DECLARATIONS, "by", "from", "of", "once", "recursive", "repeat", "set", "to", "up", "any"}
)


@pytest.mark.parametrize("word", SOFT)
def test_words_of_declarations_are_names_elsewhere(word: str) -> None:
    module(
        f"state player.{word}: int = 0\n"
        f"action {word}({word}: int):\n"
        f"    let {word} = {word} + x.{word}\n"
        f"    {word} = 3\n"
        f"    {word}({word})\n"
        f"    for {word} in {word}: {word} += 1\n"
        f"value f({word}: player) -> int: count({word} in {word} where {word})\n"
        f"before {word}({word}) when {word}: nothing\n"
        f"choice {word}() by {word}:\n"
        f"    option {word}({word} in {word}) when {word}: {word}()\n"
    )


# --- lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "action f():\n    let x = a +\n      b\n",
        "action f():\n    let x =\n  a + b\n",
        "action f():\n    let x = (a\n+ b)\n".replace("\n+", "\n +"),
        "action f():\n    let x = (a  # one\n    # two\n\n  + b)\n",
        "action f(): let x = a + b",
        "\ufeffaction f(): let x = a + b\n",
        "action f():\r\n    let x = a +\r\n    b\r\n",
        "action  f ( ) :\n  let x=a+b  \n\n",
    ],
)
def test_how_lines_are_laid_out_changes_nothing(text: str) -> None:
    (declaration,) = module(text).declarations
    assert isinstance(declaration, ast.ActionDecl)
    (statement,) = declaration.body.statements
    assert isinstance(statement, ast.Let)
    assert statement.value == ast.Binary(HERE, "+", name("a"), name("b"))


def test_a_ladder_ends_with_otherwise() -> None:
    (declaration,) = module(
        "value f() -> int:\n    when a: 1\n    otherwise: 2\n    when b: 3\n    4\n"
    ).declarations
    assert isinstance(declaration, ast.ValueDecl)
    assert declaration.body
    first, second, last = declaration.body.statements
    assert isinstance(first, ast.When)
    assert isinstance(second, ast.When)
    assert isinstance(last, ast.ExprStmt)
    assert [case.condition for case in first.cases] == [name("a"), None]


COMMENTED = """\

# above
state game.x: int  # behind

# of the action
action f():  # head
    # of a
    a(b,  # first
      # second
      c)  # last

    if a:  # if
        b()
        # end of if

    # of else
    else if c:  # else
        d()
    # end of action
# of the choice
choice c() by p:
    # of option
    option o: nothing  # option
    # left over
  # also left over

# end
"""


def test_comments_stay_where_they_belong() -> None:
    found = module(COMMENTED)
    state, action, choice = found.declarations
    assert isinstance(action, ast.ActionDecl)
    assert isinstance(choice, ast.ChoiceDecl)
    assert state.trivia == ast.Trivia(("", "# above"), "# behind")
    assert action.trivia == ast.Trivia(("", "# of the action"), "# head")
    call, if_ = action.body.statements
    inner = (ast.Inner(4, "# first", False), ast.Inner(4, "# second", True))
    assert call.trivia == ast.Trivia(("# of a",), "# last", inner)
    assert isinstance(if_, ast.If)
    assert if_.trivia == ast.Trivia(("",), "# if")
    assert if_.then.trailing == ("# end of if",)
    assert if_.else_trivia == ast.Trivia(("", "# of else"), "# else")
    assert action.body.trailing == ("# end of action",)
    assert choice.trivia.before == ("# of the choice",)
    assert choice.options[0].trivia == ast.Trivia(("# of option",), "# option")
    assert found.trailing == ("# left over", "# also left over", "", "# end")
    assert module(unparse(found)) == found


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "# only\n", "\r\n  \r\n", "   "])
def test_a_text_without_declarations(text: str) -> None:
    assert module(text).declarations == ()


@pytest.mark.parametrize("text", ["# one\n\n# two", "\ufeff# one\r\n\r\n  # two  \r\n\r\n"])
def test_a_text_of_comments_alone_keeps_them(text: str) -> None:
    assert module(text).trailing == ("# one", "", "# two")


def test_a_mark_in_the_middle_is_no_blank() -> None:
    report = Report()
    parse(Source("text.rules", "\n\ufeff\nstate game.x: int\n"), report)
    assert [finding.slug for finding in report] == ["bad-character"]


# --- places ------------------------------------------------------------------------------------


def test_spans_cover_what_was_written() -> None:
    text = "# é\r\naction f(p: player):\r\n    if (p.gold) > 3:\r\n        a(b)\r\n\r\n# end"
    (action,) = module(text).declarations
    assert isinstance(action, ast.ActionDecl)
    assert shown(action.span) == (2, 1, text[5:-9])
    assert shown(action.params[0].span) == (2, 10, "p: player")
    (if_,) = action.body.statements
    assert isinstance(if_, ast.If)
    assert isinstance(if_.condition, ast.Compare)
    assert shown(if_.condition.span) == (3, 8, "(p.gold) > 3")
    assert shown(if_.condition.left.span) == (3, 9, "p.gold")
    assert shown(if_.then.statements[0].span) == (4, 9, "a(b)")


@pytest.mark.parametrize("scalar", ["settings.a + 1", '"settings.a + 1"', "'settings.a + 1'"])
def test_an_expression_in_a_manifest_points_into_it(scalar: str) -> None:
    source, report = Source("manifest.yaml", f"- {{count: {scalar}, in: box}}\n"), Report()
    found = parse_expression(source, source.span(10, 10 + len(scalar)), report)
    assert isinstance(found, ast.Binary)
    assert shown(found.span)[2] == "settings.a + 1"
    assert shown(found.right.span)[2] == "1"


def test_an_expression_may_go_over_lines() -> None:
    source, report = Source("manifest.yaml", "when: settings.a\n  and settings.b\n"), Report()
    found = parse_expression(source, source.span(6, len(source.text) - 1), report)
    assert isinstance(found, ast.Binary)
    assert shown(found.right.span) == (2, 7, "settings.b")


@pytest.mark.parametrize(
    ("scalar", "slug", "column", "message"),
    [
        ("1 +", "bad-syntax", 11, "`+` needs something on its right"),
        ("1 2", "bad-syntax", 10, "expected the end, not `2`"),
        ("(1", "unclosed", 8, "this `(` is not closed"),
        ("''", "bad-syntax", 9, "expected an expression, but nothing follows"),
        ("a && b", "bad-character", 10, "`&&` is not part of the language"),
        ("t is ''", "bad-character", 13, "quotes enclose the id of a component"),
        ("'t is ''x'''", "bad-character", 14, "an expression cannot be written with escapes"),
        ('"a\\n"', "bad-character", 10, "an expression cannot be written with escapes"),
        ("let x", "bad-syntax", 8, "expected an expression, not `let`"),
    ],
)
def test_a_mistake_in_a_manifest(scalar: str, slug: str, column: int, message: str) -> None:
    source, report = Source("manifest.yaml", f"count: {scalar}"), Report()
    assert parse_expression(source, source.span(7, 7 + len(scalar)), report) is None
    (finding,) = report
    assert finding.span
    assert (finding.slug, finding.span.column, finding.message) == (slug, column, message)


# --- size --------------------------------------------------------------------------------------


def seconds(text: str) -> float:
    """The least of a few: what else the machine does, or the collector, does not count."""
    return min(_once(text) for _ in range(3))


def _once(text: str) -> float:
    with uncollected():
        start = time.process_time()
        parse(Source("text.rules", text), Report())
        return time.process_time() - start


@pytest.mark.parametrize(
    ("piece", "count"),
    [
        ("action f(p: player):\n    score(p, 1)\n\n", 150),
        ("broken\n", 300),
        ("action f(: nothing\n# words\n", 150),
        ("# words\n\n", 10_000),
    ],
)
def test_time_grows_with_the_text_not_faster(piece: str, count: int) -> None:
    parse(Source("text.rules", piece), Report())
    small = seconds(piece * count)
    assert seconds(piece * count * 4) < 12 * small + 0.1


def test_a_long_line_takes_no_longer_than_many() -> None:
    items = ", ".join(f"a{n}" for n in range(2000))
    long = seconds(f"value f() -> int: g({items})\n")
    longer = seconds(f"value f() -> int: g({', '.join([items] * 4)})\n")
    assert longer < 12 * long + 0.1
