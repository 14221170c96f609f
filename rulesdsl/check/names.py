"""What a bare or dotted name stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulesdsl.builtins import FORMS, FUNCTIONS
from rulesdsl.check import errors
from rulesdsl.check.properties import read_property
from rulesdsl.check.scope import Context, poison
from rulesdsl.check.symbols import Datum, Noun, Routine
from rulesdsl.check.types import required
from rulesdsl.diagnostics import Fix, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.game import SettingDef
from rulesdsl.model.names import parties_of, ruleset_of, short_name, words_of
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    FACE,
    GRID,
    KIND,
    PLAYER,
    SIDE,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    SetType,
    Type,
)
from rulesdsl.model.values import EnumMember, Kind, Player, Space, Value

DOMAINS = tuple(
    name for name, row in FUNCTIONS.items() if any(not s.params for s in row.signatures)
)
_ENTRIES = {"zone": ZONE, "grid": GRID}


def handles(
    ctx: Context, name: str, wanted: Type, qualifier: str | None = None
) -> tuple[tuple[Value, Type], ...]:
    """What is known at load, has that name and is of type `wanted`: enum members, kinds, faces,
    players; each with its type."""
    symbols = ctx.symbols
    if isinstance(wanted, EnumType):
        members = symbols.members(wanted.name)
        return ((EnumMember(wanted.name, members.index(name)), wanted),) if name in members else ()
    if wanted == KIND:
        found = symbols.find(symbols.components, name, ctx.ruleset, qualifier)
        return tuple((Kind(number), KIND) for numbers in found for number in numbers)
    if wanted == FACE:
        return tuple((face, FACE) for face in symbols.faces_named(name))
    if wanted == PLAYER and name in symbols.game.roles.colours:
        return ((Player(symbols.game.roles.colours.index(name)), PLAYER),)
    return ()


def read_name(ctx: Context, node: ast.Name, hint: Type | None) -> checked.Expr:
    """The expression that a bare or quoted name stands for."""
    span, name = node.span, node.name
    if node.quoted:
        return handle(ctx, name, span, handles(ctx, name, KIND)) or _missing(ctx, name, span, KIND)
    if (local := ctx.names.get(name)) is not None:
        local.read = True
        ctx.use(name, uses.local(local.span))
        return checked.Local(span, ctx.type_of(local), local.key)
    wanted = required(hint) if hint is not None else ERROR
    return (
        handle(ctx, name, span, handles(ctx, name, wanted))
        or declared(ctx, name, span)
        or _lone_handle(ctx, name, span)
        or _missing(ctx, name, span, wanted)
    )


def declared(
    ctx: Context, name: ast.Ident, span: Span, qualifier: str | None = None
) -> checked.Expr | None:
    """State of the game, something of the box, or all of a domain, called `name`."""
    meanings = bare(ctx, name, qualifier)
    if len(meanings) > 1:
        return several(ctx, name, span, meanings)
    for found in meanings:
        if isinstance(found, Datum):
            return read_datum(ctx, found, None, (), span)
        return _read_noun(ctx, found, span)
    if name in DOMAINS and qualifier is None:
        ctx.use(name, uses.word("function", name))
        (result,) = (s.result for s in FUNCTIONS[name].signatures if not s.params)
        return checked.CallBuiltin(span, result, str(name), ())
    return None


def bare(ctx: Context, name: ast.Ident, qualifier: str | None) -> tuple[Datum | Noun, ...]:
    """State of the game and what is in the box under a bare name; what is the only one is meant."""
    symbols = ctx.symbols
    data = symbols.find(symbols.data, f"game.{name}", ctx.ruleset, qualifier)
    nouns = symbols.find(symbols.nouns, name, ctx.ruleset, qualifier)
    if len(data) + len(nouns) == 1:
        for datum in data:
            ctx.use(name, uses.declared("state", datum.key))
        for noun in nouns:
            ctx.use(name, uses.declared(noun.what, noun.key))
    return (*data, *nouns)


def several(ctx: Context, name: str, span: Span, meanings: Sequence[Datum | Noun]) -> checked.Expr:
    """Report a bare name that means several things."""
    writable = dict.fromkeys(f"{ruleset_of(each.key)}.{name}" for each in meanings)
    errors.ambiguous(ctx.report, name, span, list(writable))
    return poison(span)


def read_datum(
    ctx: Context,
    datum: Datum,
    owner: checked.Expr | None,
    index: tuple[ast.Expr, ...],
    span: Span,
) -> checked.Expr:
    """State `datum` of `owner` at `index`."""
    if len(index) != len(datum.index):
        wanted = errors.counted(datum.index, "index") if datum.index else "no index"
        errors.arity(ctx.report, datum.name, span, len(index), wanted, datum.span)
        return poison(span)
    places = tuple(
        ctx.expect(node, type_, "the index") for node, type_ in zip(index, datum.index, strict=True)
    )
    return checked.ReadState(span, datum.type, datum.key, owner, places)


def _read_noun(ctx: Context, noun: Noun, span: Span) -> checked.Expr:
    game = ctx.symbols.game
    match noun.what:
        case "enum":
            return checked.EnumSet(span, SetType(EnumType(noun.key)), noun.key)
        case "zone" | "grid":
            per = (game.zones if noun.what == "zone" else game.grids)[noun.number].per
            if per is None:
                return checked.EntryAt(span, _ENTRIES[noun.what], noun.what, noun.number, None)
        case "track":
            length = game.tracks[noun.number].length
            spaces = tuple(Space(noun.number, place) for place in range(length))
            return checked.Const(span, SetType(SPACE), spaces)
    return _without_index(ctx, noun, span)


def _without_index(ctx: Context, noun: Noun, span: Span) -> checked.Expr:
    name = short_name(noun.key)
    message = f"`{name}` is one {noun.what} for each index"
    if noun.what == "table":
        message = f"table `{name}` is read by an index"
    example = f"{name}[{'i' if noun.what == 'table' else 'p'}]"
    ctx.report.error("type-mismatch", message, span, help=(f"write `{example}`",))
    return poison(span)


def handle(
    ctx: Context, name: ast.Ident, span: Span, found: tuple[tuple[Value, Type], ...]
) -> checked.Expr | None:
    """The one value of `found`; more are reported."""
    if not found:
        return None
    meant = {ctx.symbols.meaning(value) for value, _ in found}
    if len(meant) == 1:
        ctx.use(name, meant.pop())
    if len(found) > 1:
        _report_several(ctx, name, span, [value for value, _ in found])
        return poison(span)
    value, type_ = found[0]
    return checked.Const(span, type_, value)


def _report_several(ctx: Context, name: str, span: Span, values: Sequence[Value]) -> None:
    enums = [short_name(v.enum) for v in values if isinstance(v, EnumMember)]
    if enums:
        errors.ambiguous(ctx.report, name, span, [f"{enum}.{name}" for enum in enums])
        return
    message = f"`{name}` stands for {len(values)} variants"
    help_lines = (f"`x is {name}` holds for all of them",)
    ctx.report.error("ambiguous-name", message, span, help=help_lines)


def _lone_handle(ctx: Context, name: ast.Ident, span: Span) -> checked.Expr | None:
    """What `name` stands for where nothing tells the expected type."""
    members = ctx.symbols.members_named(name, ctx.ruleset)
    found: list[tuple[Value, Type]] = [(member, EnumType(member.enum)) for member in members]
    for type_ in (PLAYER, KIND, FACE):
        if not found:
            found.extend(handles(ctx, name, type_))
    return handle(ctx, name, span, tuple(found))


def _missing(ctx: Context, name: ast.Ident, span: Span, wanted: Type) -> checked.Expr:
    """`name` stands for nothing."""
    symbols = ctx.symbols
    if symbols.is_broken(name, ctx.ruleset):
        return poison(span)
    routines = symbols.find(symbols.routines, name, ctx.ruleset)
    if routines or name in FUNCTIONS | FORMS:
        call = _call_of(name, routines[0] if routines else None)
        help_lines = (f"write `{call}`",)
        message = f"`{name}` stands without its arguments"
        ctx.report.error("type-mismatch", message, span, help=help_lines)
        return poison(span)
    known = set(_known(ctx, wanted)) - {name}
    settings = symbols.find(symbols.settings, name, ctx.ruleset)
    near = tuple(Fix(f"write `settings.{name}`", f"settings.{name}") for _ in settings[:1])
    hints = (*(near or did_you_mean(name, known)), *elsewhere(ctx, name))
    if isinstance(wanted, EnumType) and not hints:
        hints = (f"`{wanted}` is {errors.quoted(symbols.members(wanted.name))}",)
    ctx.report.error("unknown-name", f"nothing is called `{name}`", span, help=hints)
    return poison(span)


def _call_of(name: str, routine: Routine | None) -> str:
    params = ", ".join(p.name for p in routine.params) if routine else "…"
    return f"{name}({params})"


def elsewhere(ctx: Context, name: str) -> tuple[str, ...]:
    """Help for a name that rulesets out of sight declare."""
    return _told(ctx, name, ctx.symbols.declarers(name))


def _told(ctx: Context, name: str, declarers: set[str]) -> tuple[str, ...]:
    symbols = ctx.symbols
    out_of_sight = declarers - set(symbols.game.visible[ctx.ruleset])

    def told(part: str) -> str:
        ruleset, *others = parties_of(part)
        if others:
            return (
                f"`{ruleset}` declares it below `with {', '.join(others)}:`, in sight there alone"
            )
        if symbols.may_qualify(part, ctx.ruleset):
            return f"write `{part}.{name}`"
        return f"`{part}` declares it: a ruleset with `requires: [{part}]` sees it"

    return tuple(map(told, sorted(out_of_sight)))


def _known(ctx: Context, wanted: Type) -> Iterator[str]:
    """All that a bare name can mean here."""
    symbols = ctx.symbols
    if isinstance(wanted, EnumType):
        yield from symbols.members(wanted.name)
    if wanted in (KIND, ERROR):
        yield from symbols.seen(symbols.components, ctx.ruleset)
    if wanted in (PLAYER, ERROR):
        yield from symbols.game.roles.colours
    yield from ctx.names
    yield from symbols.seen(symbols.nouns, ctx.ruleset)
    yield from DOMAINS
    for name in symbols.seen(symbols.data, ctx.ruleset):
        if name.startswith("game."):
            yield name.removeprefix("game.")


def read_dotted(ctx: Context, node: ast.Attribute, hint: Type | None) -> checked.Expr:
    """The expression that `object.name` stands for."""
    match node.object:
        case ast.Name(name=word, quoted=False) if word not in ctx.names:
            found = _qualified(ctx, node, word, hint)
            if found is not None:
                return found
        case ast.Attribute(object=ast.Name(name=ruleset), name="settings") if (
            ruleset not in ctx.names
        ):
            if not ctx.symbols.may_qualify(ruleset, ctx.ruleset):
                known = ctx.symbols.game.reach[ctx.ruleset]
                errors.unknown(ctx.report, "ruleset in sight called", ruleset, ruleset.span, known)
                return poison(node.span)
            ctx.use(ruleset, uses.word("ruleset", ruleset))
            return _setting(ctx, node, ruleset)
    object_ = ctx.infer(ctx, node.object, None)
    return read_property(ctx, object_, node.name, node.span)


def _qualified(
    ctx: Context, node: ast.Attribute, word: ast.Ident, hint: Type | None
) -> checked.Expr | None:
    """`settings.x`, `game.x`, `enum.member` and `ruleset.x`; None if `word` is none of them."""
    symbols, name, span = ctx.symbols, node.name, node.name.span
    if word == "settings":
        return _setting(ctx, node, None)
    if word == "game":
        return _game_state(ctx, name, span, node.span)
    nouns = symbols.find(symbols.nouns, word, ctx.ruleset)
    if (len(nouns) == 1 and nouns[0].what == "enum") or word == SIDE.name:
        if nouns:
            ctx.use(word, uses.declared("enum", nouns[0].key))
        return _member(ctx, EnumType(nouns[0].key) if nouns else SIDE, node)
    if symbols.is_bare(word, ctx.ruleset) or not symbols.may_qualify(word, ctx.ruleset):
        return None
    ctx.use(word, uses.word("ruleset", word))
    wanted = required(hint) if hint is not None else KIND
    found = (
        handle(ctx, name, node.span, handles(ctx, name, wanted, word))
        or declared(ctx, name, node.span, word)
        or handle(ctx, name, node.span, handles(ctx, name, KIND, word))
    )
    if found is not None:
        return found
    known = [
        *symbols.seen(symbols.nouns, word, word),
        *symbols.seen(symbols.components, word, word),
    ]
    errors.unknown(ctx.report, f"name in `{word}` called", name, span, known)
    return poison(node.span)


def _member(ctx: Context, enum: EnumType, node: ast.Attribute) -> checked.Expr:
    found = handle(ctx, node.name, node.span, handles(ctx, node.name, enum))
    if found is None:
        known = ctx.symbols.members(enum.name)
        span = node.name.span
        errors.unknown(ctx.report, f"member of `{enum}` called", node.name, span, known)
    return found or poison(node.span)


def _game_state(ctx: Context, name: ast.Ident, span: Span, whole: Span) -> checked.Expr:
    symbols = ctx.symbols
    data = symbols.find(symbols.data, f"game.{name}", ctx.ruleset)
    if len(data) == 1:
        ctx.use(name, uses.declared("state", data[0].key))
        return read_datum(ctx, data[0], None, (), whole)
    if data:
        errors.ambiguous(ctx.report, name, span, [f"{ruleset_of(d.key)}.{name}" for d in data])
    elif not symbols.is_broken(name, ctx.ruleset):
        known = (n.removeprefix("game.") for n in symbols.seen(symbols.data, ctx.ruleset))
        help_lines = (f"declare it: `state game.{name}: int = 0`",) if symbols.routines else ()
        errors.unknown(ctx.report, "state of the game called", name, span, known, help=help_lines)
    return poison(whole)


def _setting(ctx: Context, node: ast.Attribute, qualifier: str | None) -> checked.Expr:
    symbols, name, span = ctx.symbols, node.name, node.name.span
    found = symbols.find(symbols.settings, name, ctx.ruleset, qualifier)
    if len(found) == 1:
        (setting,) = found
        ctx.use(name, uses.declared("setting", setting.key))
        return checked.Const(node.span, setting_type(setting), setting.value, setting.key)
    if found:
        written = [f"{setting.ruleset}.settings.{name}" for setting in found]
        errors.ambiguous(ctx.report, name, span, written)
    else:
        known = symbols.seen(symbols.settings, ctx.ruleset, qualifier)
        others = {id for id, names in symbols.settings.items() if name in names}
        help_lines = _told(ctx, name, others) if qualifier is None else ()
        if symbols.may_qualify(name, ctx.ruleset):
            help_lines = (f"a setting of `{name}` is written `{name}.settings.NAME`",)
        errors.unknown(
            ctx.report, "setting", name, span, known, slug="setting-unknown", help=help_lines
        )
    return poison(node.span)


def setting_type(setting: SettingDef) -> Type:
    """The type of a setting over all its values: `bool`, a range, or its own words."""
    values = setting.values
    if all(isinstance(value, bool) for value in values):
        return BOOL
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:
        return IntType(min(numbers), max(numbers))
    return EnumType(words_of(setting.key))
