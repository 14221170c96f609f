"""Names: bare, dotted, indexed, and in types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rulesdsl.language.builtins import DOMAINS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.language.check import errors
from rulesdsl.language.check.scope import CheckContext, Fact, as_set, kinds_of, poison
from rulesdsl.language.check.symbols import Datum, Noun, RoutineSymbol
from rulesdsl.language.check.types import CLASSES, NATURAL, disjoint, fits, is_piece, required
from rulesdsl.language.diagnostics import Fix, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model import ast, checked, types, uses
from rulesdsl.language.model.checked import fold
from rulesdsl.language.model.game import PER_PLAYER, AttributeDef, IndexedDef, SettingDef
from rulesdsl.language.model.names import parties_of, ruleset_of, short_name, words_of, written_name
from rulesdsl.language.model.values import EnumMember, Face, Kind, Player, Space, Value


def read_property(
    ctx: CheckContext,
    object_: checked.Expr,
    name: ast.Ident,
    whole: Span,
    qualifier: str | None = None,
) -> checked.Expr:
    """Check `object.name`; `whole` is the place of both.

    With a qualifier (`ruleset.name(object)`) only declarations of that ruleset count.
    """
    if object_.type == types.ERROR:
        return poison(whole)
    object_ = ctx.present(object_)
    if isinstance(object_.type, types.OptionalType):
        message = f"`{object_.span.text}` may be none and has no `{name}` then"
        unowned, changed = ctx.unowned(object_), ctx.changed(object_)
        errors.maybe_none(ctx.report, object_, message, unowned, changed)
        return poison(whole)
    found = (
        _builtin(ctx, object_, name, whole)
        or _state(ctx, object_, name, whole, qualifier)
        or _attribute(ctx, object_, name, whole, qualifier)
        or _value(ctx, object_, name, whole)
        or _function(ctx, object_, name, whole)
    )
    if found is None:
        _report(ctx, object_, name)
    return found or poison(whole)


def _builtin(
    ctx: CheckContext, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    for owner, result, *_ in PROPERTIES.get(name, ()):
        if fits(object_.type, owner):
            if name == "owner":
                result = _owner(ctx, object_, whole)
            ctx.use(name, uses.word("property", name))
            return checked.CallBuiltin(whole, result, str(name), (object_,))
    return None


def _owner(ctx: CheckContext, object_: checked.Expr, whole: Span) -> types.Type:
    """Return the type of a component's owner: a player, optional if its kind may have no owner."""
    kinds = kinds_of(ctx, object_)
    unowned = {
        kind.key: kind
        for kind in ctx.symbols.game.kinds
        if not kind.owned
        and fits(CLASSES[kind.cls], object_.type)
        and (kinds is None or kind.key in kinds)
    }
    ctx.owners[whole] = tuple(unowned.values())
    return types.OptionalType(types.PLAYER) if unowned else types.PLAYER


def data_of(
    ctx: CheckContext, owner: types.Type, name: str, qualifier: str | None = None
) -> tuple[Datum, ...]:
    """Return the states called `name` of something of type `owner`."""
    return ctx.symbols.find(ctx.symbols.data, f"{owner}.{name}", ctx.ruleset, qualifier)


def _state(
    ctx: CheckContext, object_: checked.Expr, name: ast.Ident, whole: Span, qualifier: str | None
) -> checked.Expr | None:
    data = data_of(ctx, object_.type, name, qualifier)
    if not data:
        return None
    if len(data) > 1:
        errors.ambiguous(ctx.report, name, whole, _calls(object_, name, data))
        return poison(whole)
    (datum,) = data
    ctx.use(name, uses.declared("state", datum.key))
    if datum.index:
        wanted = errors.counted(datum.index, "index")
        errors.arity(ctx.report, name, whole, 0, wanted, datum.span)
        return poison(whole)
    return checked.ReadState(whole, datum.type, datum.key, object_)


def _calls(
    object_: checked.Expr, name: str, found: Iterable[Datum | AttributeDef | RoutineSymbol]
) -> list[str]:
    """Return the spellings of `name` of the object that say which ruleset is meant."""
    return [f"{ruleset_of(each.key)}.{name}({object_.span.text})" for each in found]


# --- attributes --------------------------------------------------------------------------------


def _carriers(
    ctx: CheckContext, owner: types.Type, kinds: frozenset[str] | None = None
) -> frozenset[str]:
    """Return the words in an attribute's `of` that fit an owner of some type.

    `kinds` are the feature kinds (full names) that the owner may have.
    """
    if owner in (types.PIECE, types.KIND):
        return frozenset(CLASSES)
    if owner in CLASSES.values() or owner == types.FACE:
        return frozenset({str(owner)})
    if owner not in (types.FEATURE, types.SEGMENT):
        return frozenset()
    if kinds is not None:
        return kinds
    return frozenset(kind.key for kind in ctx.symbols.game.feature_kinds)


def _kinds(ctx: CheckContext, object_: checked.Expr) -> frozenset[str] | None:
    """Return the feature kinds that an object may have, None if unknown."""
    if isinstance(object_, checked.Local):
        return ctx.facts.get(object_.name, Fact()).kinds
    return None


def _attribute(
    ctx: CheckContext,
    object_: checked.Expr,
    name: ast.Ident,
    whole: Span,
    qualifier: str | None,
    index: tuple[ast.Expr, ...] = (),
) -> checked.Expr | None:
    carriers = _carriers(ctx, object_.type, _kinds(ctx, object_))
    found = [
        attribute
        for attribute in ctx.symbols.find(ctx.symbols.attributes, name, ctx.ruleset, qualifier)
        if attribute.owners & carriers
    ]
    if not found:
        return None
    if len(found) > 1:
        errors.ambiguous(ctx.report, name, name.span, _calls(object_, name, found))
        return poison(whole)
    (attribute,) = found
    if index and not attribute.index:
        return None
    ctx.use(name, uses.declared("attribute", attribute.key))
    if len(index) != bool(attribute.index):
        line = f"write `{name}[…]` with a `{short_name(attribute.index)}` in the brackets"
        errors.arity(ctx.report, name, whole, len(index), "1 index", attribute.span, (line,))
        return poison(whole)
    if attribute.required and not carriers <= attribute.owners:
        owner = short_name(min(attribute.owners))
        message = f"not every {object_.type} has `{name}`, which has no default"
        help_lines = (f"test `{object_.span.text} is {owner}` first",)
        ctx.report.error("unknown-attribute", message, name.span, help=help_lines)
        return poison(whole)
    type_ = folded(attribute) if object_.type == types.FEATURE else attribute.type
    places = tuple(ctx.expect(each, types.EnumType(attribute.index), "the index") for each in index)
    if attribute.key in ctx.symbols.refined and fits(object_.type, owner_type(ctx, attribute)):
        return checked.CallValue(whole, type_, attribute.key, (object_, *places))
    return read_attribute(ctx, attribute, object_, places, whole)


def read_attribute(
    ctx: CheckContext,
    attribute: AttributeDef,
    object_: checked.Expr,
    index: tuple[checked.Expr, ...],
    span: Span,
) -> checked.Expr:
    """Return a read of an attribute that no rule refines, at its index if it has one."""
    type_ = folded(attribute) if object_.type == types.FEATURE else attribute.type
    match index:
        case (checked.Const(value=EnumMember(index=number)),):
            enum = next(each for each in ctx.symbols.game.enums if each.key == attribute.index)
            key = f"{attribute.key}.{enum.members[number]}"
            return checked.ReadAttribute(span, type_, object_, key)
        case (place,):
            return checked.AttributeAt(span, type_, object_, attribute.key, place)
    return checked.ReadAttribute(span, type_, object_, attribute.key)


def owner_type(ctx: CheckContext, attribute: AttributeDef) -> types.Type:
    """Return the type of an attribute's owner, as a refinement of it sees it."""
    if attribute.owners == {"face"}:
        return types.FACE
    if attribute.owners & {kind.key for kind in ctx.symbols.game.feature_kinds}:
        return types.FEATURE
    return CLASSES[next(iter(attribute.owners))] if len(attribute.owners) == 1 else types.PIECE


def folded(attribute: AttributeDef) -> types.Type:
    """Return the type of an attribute of segments that is read on a feature."""
    match attribute.fold:
        case "sum":
            low = attribute.type.low if isinstance(attribute.type, types.IntType) else 0
            return NATURAL if low >= 0 else types.INT
        case "any" | "all":
            return types.BOOL
        case "union":
            item = attribute.type
            return types.SetType(item.item if isinstance(item, types.OptionalType) else item)
    return attribute.type


# --- values and functions with one argument ----------------------------------------------------


def values_of(ctx: CheckContext, name: str) -> list[RoutineSymbol]:
    """Return the values called `name` that take one argument."""
    found = ctx.symbols.find(ctx.symbols.routines, name, ctx.ruleset)
    return [r for r in found if r.what == "value" and len(r.params) == 1]


def _value(
    ctx: CheckContext, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    found = [r for r in values_of(ctx, name) if takes(object_.type, r.params[0].type)]
    if len(found) > 1:
        errors.ambiguous(ctx.report, name, whole, _calls(object_, name, found))
        return poison(whole)
    for routine in found:
        ctx.use(name, uses.declared("value", routine.key))
        argument = ctx.coerce(object_, routine.params[0].type)
        return checked.CallValue(whole, routine.type, routine.key, (argument,))
    return None


def takes(found: types.Type, wanted: types.Type) -> bool:
    """Return whether a parameter of type `wanted` accepts `found`; a zone counts as its pieces."""
    return fits(found, wanted) or (
        found == types.ZONE and isinstance(wanted, types.SetType) and is_piece(wanted.item)
    )


def _function(
    ctx: CheckContext, object_: checked.Expr, name: ast.Ident, whole: Span
) -> checked.Expr | None:
    if name not in FUNCTIONS:
        return None
    for signature in FUNCTIONS[name].signatures:
        if len(signature.params) == 1 and takes(object_.type, signature.params[0]):
            argument = (
                as_set(ctx, object_) if isinstance(signature.params[0], types.SetType) else object_
            )
            ctx.use(name, uses.word("function", name))
            return checked.CallBuiltin(whole, signature.result, str(name), (argument,))
    return None


# --- unknown names -----------------------------------------------------------------------------


def _report(ctx: CheckContext, object_: checked.Expr, name: ast.Ident) -> None:
    if ctx.symbols.is_broken(name, ctx.ruleset):
        return
    kinds = _kinds(ctx, object_)
    what = str(object_.type)
    if kinds is not None and len(kinds) == 1:
        what = short_name(next(iter(kinds)))
    known = set(properties(ctx, object_.type)) - {name}
    ctx.report.error(
        "unknown-attribute",
        f"{errors.an(what)} has no `{name}`",
        name.span,
        help=did_you_mean(name, known)
        or _owners(ctx, object_, name)
        or _declared_by(ctx, object_, name),
    )


def _declared_by(ctx: CheckContext, object_: checked.Expr, name: ast.Ident) -> tuple[str, ...]:
    """Return help on what declares a name after a dot that nothing has."""
    if object_.type == types.PLAYER:
        return (f"declare it: `state player.{name}: int`",)
    if is_piece(object_.type):
        attribute = f"{{{name}: {{of: {object_.type}, default: 0}}}}"
        return (
            f"the manifest declares it: `attributes: {attribute}`",
            f"or rules, if it changes: `state {object_.type}.{name}: int`",
        )
    return ()


def properties(ctx: CheckContext, owner: types.Type) -> Iterator[str]:
    """Yield all names that can follow `x.` for an x of type `owner`."""
    symbols = ctx.symbols
    for name, rows in PROPERTIES.items():
        if any(fits(owner, object_) for object_, *_ in rows):
            yield name
    for name in symbols.seen(symbols.data, ctx.ruleset):
        if name.startswith(f"{owner}."):
            yield name.partition(".")[2]
    carriers = _carriers(ctx, owner)
    for name in symbols.seen(symbols.attributes, ctx.ruleset):
        for attribute in symbols.find(symbols.attributes, name, ctx.ruleset):
            if carriers & attribute.owners:
                yield name
    for name in symbols.seen(symbols.routines, ctx.ruleset):
        if any(fits(owner, routine.params[0].type) for routine in values_of(ctx, name)):
            yield name


def _owners(ctx: CheckContext, object_: checked.Expr, name: str) -> tuple[str, ...]:
    """Return help on which other types have a member `name`."""
    symbols = ctx.symbols
    owners = {owner for owner, *_ in PROPERTIES.get(name, ())}
    words = [str(owner) for owner in owners]
    for datum in symbols.seen(symbols.data, ctx.ruleset):
        owner, _, short = datum.partition(".")
        words += [owner] if short == name else []
    for attribute in symbols.find(symbols.attributes, name, ctx.ruleset):
        words += [short_name(owner) for owner in attribute.owners]
    for routine in values_of(ctx, name):
        words.append(str(routine.params[0].type))
    for signature in FUNCTIONS[name].signatures if name in FUNCTIONS else ():
        words += [str(signature.params[0])] if len(signature.params) == 1 else []
    if not words:
        return ()
    wanted = sorted(set(words))
    if object_.type == types.SEGMENT and "feature" in wanted:
        return (f"write `{object_.span.text}.feature.{name}`",)
    if object_.type == types.PIECE and set(wanted) & CLASSES.keys():
        owner = next(word for word in wanted if word in CLASSES)
        return (f"test `{object_.span.text} is {owner}` first",)
    return (f"`{name}` can be read on {errors.quoted(wanted)}",)


# --- bare and dotted names ------------------------------------------------------------------------


_ENTRIES = {"zone": types.ZONE, "grid": types.GRID}


def handles(
    ctx: CheckContext, name: str, wanted: types.Type, qualifier: str | None = None
) -> tuple[tuple[Value, types.Type], ...]:
    """Return the values called `name` of type `wanted` that are known at load, with their types.

    They are enum members, kinds, faces and players. `qualifier` is a ruleset, for faces also a die.
    """
    symbols = ctx.symbols
    if isinstance(wanted, types.EnumType):
        members = symbols.called(wanted.name, name, ctx.ruleset, qualifier)
        return tuple((member, wanted) for member in members)
    if wanted == types.KIND:
        found = symbols.find(symbols.components, name, ctx.ruleset, qualifier)
        return tuple((Kind(number), types.KIND) for numbers in found for number in numbers)
    if wanted == types.FACE:
        dice = symbols.find(symbols.components, qualifier, ctx.ruleset) if qualifier else ()
        own = {number for numbers in dice for number in numbers}
        faces = symbols.faces_named(name)
        return tuple((face, types.FACE) for face in faces if not own or face.kind in own)
    if wanted == types.PLAYER and name in symbols.game.roles.colours:
        return ((Player(symbols.game.roles.colours.index(name)), types.PLAYER),)
    return ()


def read_name(ctx: CheckContext, node: ast.Name, hint: types.Type | None) -> checked.Expr:
    """Check a bare or quoted name."""
    span, name = node.span, node.name
    if node.quoted:
        return handle(ctx, name, span, handles(ctx, name, types.KIND)) or _missing(
            ctx, name, span, types.KIND
        )
    if (local := ctx.names.get(name)) is not None:
        local.read = True
        ctx.use(name, uses.local(local.span))
        return checked.Local(span, ctx.type_of(local), local.key)
    wanted = required(hint) if hint is not None else types.ERROR
    return (
        handle(ctx, name, span, handles(ctx, name, wanted))
        or declared(ctx, name, span)
        or _lone_handle(ctx, name, span)
        or (poison(span) if hint == types.ERROR else _missing(ctx, name, span, wanted))
    )


def declared(
    ctx: CheckContext, name: ast.Ident, span: Span, qualifier: str | None = None
) -> checked.Expr | None:
    """Return a state of the game, a thing of the box, or all of a domain, called `name`."""
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
    if name == types.SIDE.name and qualifier is None:
        return checked.EnumSet(span, types.SetType(types.SIDE), types.SIDE.name)
    return None


def bare(ctx: CheckContext, name: ast.Ident, qualifier: str | None) -> tuple[Datum | Noun, ...]:
    """Return the states and things of the box with a bare name.

    A single one is noted as the meaning of the name.
    """
    symbols = ctx.symbols
    data = symbols.find(symbols.data, f"game.{name}", ctx.ruleset, qualifier)
    nouns = symbols.find(symbols.nouns, name, ctx.ruleset, qualifier)
    if len(data) + len(nouns) == 1:
        for datum in data:
            ctx.use(name, uses.declared("state", datum.key))
        for noun in nouns:
            ctx.use(name, uses.declared(noun.what, noun.key))
    return (*data, *nouns)


def several(
    ctx: CheckContext, name: str, span: Span, meanings: Sequence[Datum | Noun]
) -> checked.Expr:
    """Report a bare name that has several meanings."""
    writable = dict.fromkeys(f"{ruleset_of(each.key)}.{name}" for each in meanings)
    errors.ambiguous(ctx.report, name, span, list(writable))
    return poison(span)


def read_datum(
    ctx: CheckContext,
    datum: Datum,
    owner: checked.Expr | None,
    index: tuple[ast.Expr, ...],
    span: Span,
) -> checked.Expr:
    """Return a read of state `datum` of `owner` at `index`."""
    if len(index) != len(datum.index):
        wanted = errors.counted(datum.index, "index") if datum.index else "no index"
        errors.arity(ctx.report, datum.name, span, len(index), wanted, datum.span)
        return poison(span)
    places = tuple(
        ctx.expect(node, type_, "the index") for node, type_ in zip(index, datum.index, strict=True)
    )
    return checked.ReadState(span, datum.type, datum.key, owner, places)


def _read_noun(ctx: CheckContext, noun: Noun, span: Span) -> checked.Expr:
    game = ctx.symbols.game
    match noun.what:
        case "enum":
            return checked.EnumSet(span, types.SetType(types.EnumType(noun.key)), noun.key)
        case "zone" | "grid":
            if not _place_of(ctx, noun).per:
                return checked.EntryAt(span, _ENTRIES[noun.what], noun.what, noun.number)
        case "track":
            length = game.tracks[noun.number].length
            spaces = tuple(Space(noun.number, place) for place in range(length))
            return checked.Const(span, types.SetType(types.SPACE), spaces)
    return _without_index(ctx, noun, span)


def _without_index(ctx: CheckContext, noun: Noun, span: Span) -> checked.Expr:
    name = short_name(noun.key)
    if noun.what == "table":
        message, example = f"table `{name}` needs an index", f"{name}[i]"
    else:
        place = _place_of(ctx, noun)
        each = " and ".join(map(short_name, place.per))
        message = f"there is one {noun.what} `{name}` for each {each}, and the index is missing"
        example = _example(place)
    ctx.report.error("type-mismatch", message, span, help=(f"write `{example}`",))
    return poison(span)


def handle(
    ctx: CheckContext, name: ast.Ident, span: Span, found: tuple[tuple[Value, types.Type], ...]
) -> checked.Expr | None:
    """Return the only value of `found`, None if there is none; report if there are several."""
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


def _report_several(ctx: CheckContext, name: str, span: Span, values: Sequence[Value]) -> None:
    members = [value for value in values if isinstance(value, EnumMember)]
    if members:
        written = [_written_member(ctx, each, members) for each in members]
        errors.ambiguous(ctx.report, name, span, list(dict.fromkeys(written)))
        return
    kinds = ctx.symbols.game.kinds
    dice = {kinds[value.kind].name for value in values if isinstance(value, Face)}
    if len(dice) > 1:
        named = [die if die.isidentifier() else f"'{die}'" for die in sorted(dice)]
        errors.ambiguous(ctx.report, name, span, [f"{die}.{name}" for die in named])
        return
    message = f"`{name}` stands for {len(values)} variants"
    help_lines = (f"`x is {name}` holds for all of them",)
    ctx.report.error("ambiguous-name", message, span, help=help_lines)


def _written_member(ctx: CheckContext, member: EnumMember, among: Sequence[EnumMember]) -> str:
    """Return the name of a member with its enum, or with its ruleset if others have both names."""
    name = ctx.symbols.members(member.enum)[member.index]
    several = sum(each.enum == member.enum for each in among) > 1
    return written_name(name) if several else f"{short_name(member.enum)}.{short_name(name)}"


def _lone_handle(ctx: CheckContext, name: ast.Ident, span: Span) -> checked.Expr | None:
    """Return the value of `name` where no type is expected, None if there is none."""
    found = [*_members_of(ctx, name)]
    for type_ in (types.PLAYER, types.KIND, types.FACE):
        if not found:
            found.extend(handles(ctx, name, type_))
    return handle(ctx, name, span, tuple(found))


def _members_of(
    ctx: CheckContext, name: str, qualifier: str | None = None
) -> tuple[tuple[Value, types.Type], ...]:
    """Return the members of a name in enums in scope, with a qualifier those of that ruleset."""
    found = ctx.symbols.members_named(name, ctx.ruleset, qualifier)
    return tuple((member, types.EnumType(member.enum)) for member in found)


def _missing(ctx: CheckContext, name: ast.Ident, span: Span, wanted: types.Type) -> checked.Expr:
    symbols = ctx.symbols
    if symbols.is_broken(name, ctx.ruleset):
        return poison(span)
    routines = symbols.find(symbols.routines, name, ctx.ruleset)
    if routines or name in FUNCTIONS | FORMS:
        params = ", ".join(p.name for p in routines[0].params) if routines else "…"
        help_lines = (f"write `{name}({params})`",)
        message = f"`{name}` is used without its arguments"
        ctx.report.error("type-mismatch", message, span, help=help_lines)
        return poison(span)
    if name in ctx.missing:
        return poison(span)  # One mistake in a rule, however often it is used.
    ctx.missing.add(name)
    settings = symbols.find(symbols.settings, name, ctx.ruleset)
    if isinstance(wanted, types.EnumType) and not settings:
        return _no_member(ctx, name, span, wanted)
    known = set(_known(ctx, wanted)) - {name}
    near = tuple(Fix(f"write `settings.{name}`", f"settings.{name}") for _ in settings[:1])
    if name in symbols.game.side_names and not near:
        near = (Fix(f"write `side.{name}` if the side is meant", f"side.{name}"),)
    if name in _FOREIGN:
        near = (Fix(f"it is written `{_FOREIGN[name]}`", _FOREIGN[name]),)
    hints = (*(near or did_you_mean(name, known)), *elsewhere(ctx, name))
    follows = span.source.text[span.end : span.end + 3].split()
    if follows[:1] == ["="]:
        hints += (f"declare it with `let {name} = …`, or `var` if it changes",)
    ctx.report.error("unknown-name", f"there is nothing called `{name}`", span, help=hints)
    return poison(span)


_FOREIGN = {"True": "true", "False": "false", "None": "none", "null": "none", "nil": "none"}
"""The words of the language for names of other languages that nothing has."""


def _no_member(
    ctx: CheckContext, name: ast.Ident, span: Span, enum: types.EnumType
) -> checked.Expr:
    members = ctx.symbols.members(enum.name)
    near = did_you_mean(name, {*members, *_known(ctx, enum)} - {short_name(enum.name)})
    hints = [*(near or (f"`{enum}` is {errors.quoted(members)}",)), *elsewhere(ctx, name)]
    if enum != types.SIDE and not enum.name.startswith(f"{ctx.ruleset}/"):
        hints.append(f"the manifest adds a member: `extend: {{{enum.name}: [{name}]}}`")
    ctx.report.error("unknown-name", f"there is nothing called `{name}`", span, help=hints)
    return poison(span)


def elsewhere(ctx: CheckContext, name: str) -> tuple[str, ...]:
    """Return help for a name that is declared by rulesets out of scope."""
    return _told(ctx, name, ctx.symbols.declarers(name))


def _told(ctx: CheckContext, name: str, declarers: set[str]) -> tuple[str, ...]:
    symbols = ctx.symbols
    out_of_sight = declarers - set(symbols.game.visible[ctx.ruleset])

    def told(part: str) -> str:
        ruleset, *others = parties_of(part)
        if others:
            return (
                f"`{ruleset}` declares it below `with {', '.join(others)}:`, where alone "
                "it is in scope"
            )
        if symbols.may_qualify(part, ctx.ruleset):
            return f"write `{part}.{name}`"
        return f"`{part}` declares it: a ruleset with `requires: [{part}]` sees it"

    return tuple(map(told, sorted(out_of_sight)))


def _known(ctx: CheckContext, wanted: types.Type) -> Iterator[str]:
    """Yield all meanings that a bare name can have here."""
    symbols = ctx.symbols
    if isinstance(wanted, types.EnumType):
        yield from symbols.members(wanted.name)
    if wanted in (types.KIND, types.ERROR):
        yield from symbols.seen(symbols.components, ctx.ruleset)
    if wanted in (types.PLAYER, types.ERROR):
        yield from symbols.game.roles.colours
    if ctx.previous is not None:
        yield "previous"
    yield from ctx.names
    yield from symbols.seen(symbols.nouns, ctx.ruleset)
    yield from DOMAINS
    for name in symbols.seen(symbols.data, ctx.ruleset):
        if name.startswith("game."):
            yield name.removeprefix("game.")


def _face_of(
    ctx: CheckContext, node: ast.Attribute, die: ast.Ident, hint: types.Type | None
) -> checked.Expr | None:
    """Check `die.face`, None if it is none; an attribute of the die comes first."""
    symbols = ctx.symbols
    dice = symbols.find(symbols.components, die, ctx.ruleset)
    expected = hint is not None and required(hint) == types.FACE
    if not dice or not (expected or not symbols.find(symbols.attributes, node.name, ctx.ruleset)):
        return None
    found = [each for each in handles(ctx, node.name, types.FACE, die) if isinstance(each[0], Face)]
    if found:
        ctx.use(die, uses.declared("component", symbols.game.kinds[dice[0][0]].key))
    return handle(ctx, node.name, node.span, tuple(found))


def read_dotted(ctx: CheckContext, node: ast.Attribute, hint: types.Type | None) -> checked.Expr:
    """Check `object.name`, in all its meanings."""
    match node.object:
        case ast.Name(name=die) if die not in ctx.names and (
            face := _face_of(ctx, node, die, hint)
        ):
            return face
        case ast.Name(name=word, quoted=False) if word not in ctx.names:
            found = _qualified(ctx, node, word, hint)
            if found is not None:
                return found
        case ast.Attribute(object=ast.Name(name=ruleset), name="settings") if (
            ruleset not in ctx.names
        ):
            if not ctx.symbols.may_qualify(ruleset, ctx.ruleset):
                known = ctx.symbols.game.reach[ctx.ruleset]
                errors.unknown(ctx.report, "ruleset in scope called", ruleset, ruleset.span, known)
                return poison(node.span)
            ctx.use(ruleset, uses.word("ruleset", ruleset))
            return _setting(ctx, node, ruleset)
    return read_property(ctx, _owner_before(ctx, node), node.name, node.span)


def _owner_before(ctx: CheckContext, node: ast.Attribute) -> checked.Expr:
    """Check the object before a dot; a colour is a player if only players have such a property."""
    hint = None
    if is_colour(ctx, node.object):
        others = {types.EnumType(each.enum) for each in _members(ctx, node.object)}
        owners: tuple[types.Type, ...] = (types.PLAYER, *others)
        having = [owner for owner in owners if node.name in properties(ctx, owner)]
        hint = types.PLAYER if others and having == [types.PLAYER] else None
    return ctx.infer(ctx, node.object, hint)


def is_colour(ctx: CheckContext, node: ast.Expr) -> bool:
    """Return whether an expression is a colour that nothing hides but a member of an enum."""
    return (
        isinstance(node, ast.Name)
        and not node.quoted
        and node.name in ctx.symbols.game.roles.colours
        and node.name not in ctx.names
        and not ctx.symbols.is_bare(node.name, ctx.ruleset)
    )


def are_colours(ctx: CheckContext, nodes: Sequence[ast.Expr]) -> bool:
    """Return whether expressions are colours, of which one at least is in no enum."""
    return all(is_colour(ctx, each) for each in nodes) and not all(
        _members(ctx, each) for each in nodes
    )


def _members(ctx: CheckContext, node: ast.Expr) -> tuple[EnumMember, ...]:
    if not isinstance(node, ast.Name):
        return ()
    return ctx.symbols.members_named(node.name, ctx.ruleset)


def _qualified(
    ctx: CheckContext, node: ast.Attribute, word: ast.Ident, hint: types.Type | None
) -> checked.Expr | None:
    """Check `settings.x`, `game.x`, `enum.member` or `ruleset.x`, if `word` is one of these."""
    symbols, name, span = ctx.symbols, node.name, node.name.span
    if word == "settings":
        return _setting(ctx, node, None)
    if word == "game":
        return _game_state(ctx, name, span, node.span)
    nouns = symbols.find(symbols.nouns, word, ctx.ruleset)
    if (len(nouns) == 1 and nouns[0].what == "enum") or word == types.SIDE.name:
        if nouns:
            ctx.use(word, uses.declared("enum", nouns[0].key))
        return _member(ctx, types.EnumType(nouns[0].key) if nouns else types.SIDE, node)
    if symbols.is_bare(word, ctx.ruleset) or not symbols.may_qualify(word, ctx.ruleset):
        return None
    ctx.use(word, uses.word("ruleset", word))
    wanted = required(hint) if hint is not None else types.KIND
    found = (
        handle(ctx, name, node.span, handles(ctx, name, wanted, word))
        or declared(ctx, name, node.span, word)
        or handle(ctx, name, node.span, handles(ctx, name, types.KIND, word))
        or handle(ctx, name, node.span, _members_of(ctx, name, word))
    )
    if found is not None:
        return found
    known = [
        *symbols.seen(symbols.nouns, word, word),
        *symbols.seen(symbols.components, word, word),
    ]
    errors.unknown(ctx.report, f"name in `{word}` called", name, span, known)
    return poison(node.span)


def _member(ctx: CheckContext, enum: types.EnumType, node: ast.Attribute) -> checked.Expr:
    found = handle(ctx, node.name, node.span, handles(ctx, node.name, enum))
    if found is None:
        known = ctx.symbols.members(enum.name)
        span = node.name.span
        errors.unknown(ctx.report, f"member of `{enum}` called", node.name, span, known)
    return found or poison(node.span)


def _game_state(ctx: CheckContext, name: ast.Ident, span: Span, whole: Span) -> checked.Expr:
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


def _setting(ctx: CheckContext, node: ast.Attribute, qualifier: str | None) -> checked.Expr:
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


def setting_type(setting: SettingDef) -> types.Type:
    """Return the type of a setting over all its values: `bool`, a range, or its own words."""
    values = setting.values
    if all(isinstance(value, bool) for value in values):
        return types.BOOL
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:
        return types.IntType(min(numbers), max(numbers))
    return types.EnumType(words_of(setting.key))


# --- indexes --------------------------------------------------------------------------------------


_RESULTS: dict[str, types.Type] = {"zone": types.ZONE, "grid": types.GRID, "track": types.SPACE}


def read_index(ctx: CheckContext, node: ast.Index) -> checked.Expr:
    """Check `base[i]…`."""
    base: ast.Expr = node
    indexes: tuple[ast.Expr, ...] = ()
    while isinstance(base, ast.Index):
        indexes = (base.index, *indexes)
        base = base.object
    match base:
        case ast.Name(name=name, quoted=False) if name not in ctx.names:
            found = _indexed(ctx, node, base.span, name, indexes, None)
        case ast.Attribute(object=ast.Name(name=word, quoted=False)) if _is_ruleset(ctx, word):
            ctx.use(word, uses.word("ruleset", word))
            found = _indexed(ctx, node, base.span, base.name, indexes, word)
        case ast.Attribute(object=ast.Name(name="game")):
            found = _indexed(ctx, node, base.span, base.name, indexes, None)
        case ast.Attribute():
            found = _owned(ctx, node, base, indexes)
        case _:
            found = None
    if found is not None:
        return found
    object_ = ctx.infer(ctx, base, None)
    if object_.type != types.ERROR:
        message = f"`{base.span.text}` has no index"
        ctx.report.error("type-mismatch", message, node.span, mark=f"is `{object_.type}`")
    return poison(node.span)


def _is_ruleset(ctx: CheckContext, word: str) -> bool:
    symbols = ctx.symbols
    return (
        word not in ctx.names
        and not symbols.find(symbols.data, f"game.{word}", ctx.ruleset)
        and symbols.may_qualify(word, ctx.ruleset)
    )


def _indexed(
    ctx: CheckContext,
    node: ast.Index,
    span: Span,
    name: ast.Ident,
    indexes: tuple[ast.Expr, ...],
    qualifier: str | None,
) -> checked.Expr | None:
    meanings = bare(ctx, name, qualifier)
    if len(meanings) > 1:
        return several(ctx, name, span, meanings)
    for found in meanings:
        if isinstance(found, Datum):
            return read_datum(ctx, found, None, indexes, node.span)
        if found.what in ("zone", "grid") and _place_of(ctx, found).per:
            return _instance(ctx, node, found, indexes)
        if len(indexes) == 1:
            return _entry(ctx, node, found, indexes[0])
    return None


def _place_of(ctx: CheckContext, noun: Noun) -> IndexedDef:
    game = ctx.symbols.game
    return game.zones[noun.number] if noun.what == "zone" else game.grids[noun.number]


def _example(place: IndexedDef) -> str:
    """Return the name of a place with its indices, as an example."""
    return place.name + "".join(f"[{short_name(index)[:1]}]" for index in place.per)


def _instance(
    ctx: CheckContext, node: ast.Index, noun: Noun, indexes: tuple[ast.Expr, ...]
) -> checked.Expr:
    """Check `zone[p]`, or `zone[p][e]` of a zone with two indices."""
    place = _place_of(ctx, noun)
    if not all(place.per):  # a mistake in the manifest that is reported
        return poison(node.span)
    if len(indexes) != len(place.per):
        wanted, given = errors.counted(place.per, "index"), len(indexes)
        help = (f"write `{_example(place)}`",)
        errors.arity(ctx.report, place.name, node.span, given, wanted, place.span, help)
        return poison(node.span)
    index = tuple(
        ctx.expect(each, types.PLAYER if per == PER_PLAYER else types.EnumType(per), "the index")
        for each, per in zip(indexes, place.per, strict=True)
    )
    return checked.EntryAt(node.span, _RESULTS[noun.what], noun.what, noun.number, index)


def _owned(
    ctx: CheckContext, node: ast.Index, base: ast.Attribute, indexes: tuple[ast.Expr, ...]
) -> checked.Expr | None:
    """Check an indexed state, or attribute, of a player, a piece, a segment or a cell."""
    owner = ctx.present(_owner_before(ctx, base))
    if owner.type == types.ERROR:
        return poison(node.span)
    if isinstance(owner.type, types.OptionalType):
        return None
    data = data_of(ctx, owner.type, base.name)
    if not data:
        return _attribute(ctx, owner, base.name, node.span, None, indexes)
    if len(data) > 1:
        return None
    ctx.use(base.name, uses.declared("state", data[0].key))
    return read_datum(ctx, data[0], owner, indexes, node.span)


def _entry(ctx: CheckContext, node: ast.Index, noun: Noun, index: ast.Expr) -> checked.Expr | None:
    game = ctx.symbols.game
    match noun.what:
        case "track":
            last = game.tracks[noun.number].length - 1
            place = _number(ctx, index, types.IntType(0, last))
            return checked.EntryAt(node.span, types.SPACE, "track", noun.number, (place,))
        case "table":
            table = game.tables[noun.number]
            place = _number(ctx, index, types.IntType(table.low, table.low + len(table.values) - 1))
            type_ = types.IntType(min(table.values, default=0), max(table.values, default=0))
            return checked.EntryAt(node.span, type_, "table", noun.number, (place,))
    return None


def _number(ctx: CheckContext, index: ast.Expr, bounds: types.IntType) -> checked.Expr:
    place = ctx.expect(index, types.INT, "the index")
    if isinstance(place.type, types.IntType) and disjoint(place.type, bounds):
        message = (
            f"`{place.span.text}` is always outside of the indices {bounds.low} to {bounds.high}"
        )
        ctx.report.error("unguarded-index", message, place.span)
    return place


# --- types ----------------------------------------------------------------------------------------


def written_type(ctx: CheckContext, node: ast.TypeRef) -> types.Type:
    """Return the type of a type expression, `ERROR` after a mistake."""
    type_ = _named_type(ctx, node)
    if type_ == types.ERROR:
        return types.ERROR
    if node.is_set:
        type_ = types.SetType(type_)
    return types.OptionalType(type_) if node.optional else type_


def _named_type(ctx: CheckContext, node: ast.TypeRef) -> types.Type:
    *qualifiers, name = node.name.parts
    if not qualifiers:
        if name in types.NAMED or name in ("int", types.SIDE.name):
            ctx.use(name, uses.word("type", name))
        if name == "int":
            return _integer(ctx, node)
        if name in types.NAMED:
            return types.NAMED[name]
        if name == types.SIDE.name:
            return types.SIDE
    symbols = ctx.symbols
    qualifier = qualifiers[0] if qualifiers else None
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    nouns = symbols.find(symbols.nouns, name, ctx.ruleset, qualifier)
    enums = [noun for noun in nouns if noun.what == "enum"]
    span = name.span
    if len(enums) == 1:
        ctx.use(name, uses.declared("enum", enums[0].key))
        return types.EnumType(enums[0].key)
    if enums:
        errors.ambiguous(ctx.report, name, span, [written_name(noun.key) for noun in enums])
        return types.ERROR
    known = {*types.NAMED, "int", types.SIDE.name}
    for each in symbols.seen(symbols.nouns, ctx.ruleset, qualifier):
        if any(n.what == "enum" for n in symbols.find(symbols.nouns, each, ctx.ruleset, qualifier)):
            known.add(each)
    errors.unknown(ctx.report, "type", name, span, known)
    return types.ERROR


def _integer(ctx: CheckContext, node: ast.TypeRef) -> types.Type:
    if node.low is None or node.high is None:
        return types.INT
    low, high = constant(ctx, node.low), constant(ctx, node.high)
    if low is None or high is None:
        return types.INT
    if low > high:
        ctx.report.error("range", f"there is no integer from {low} to {high}", node.span)
        return types.INT
    return types.IntType(low, high)


def constant(ctx: CheckContext, node: ast.Expr) -> int | None:
    """Return the integer value of an expression over settings, None after a mistake."""
    found = ctx.expect(node, types.INT, "a bound")
    if found.type == types.ERROR:
        return None
    value = fold(found)
    if not isinstance(value, int):
        message = "this is not known before the game begins"
        help_lines = ("use numbers and `settings` only",)
        ctx.report.error("type-mismatch", message, node.span, help=help_lines)
        return None
    if not types.INT_MIN <= value <= types.INT_MAX:
        ctx.report.error("range", "integers have 32 bits", node.span)
        return None
    return value
