"""What editors ask about names, answered in the words of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from rulesdsl.diagnostics import Span
from rulesdsl.lsp.complete.schema import schema, told_of_key
from rulesdsl.lsp.family import Family
from rulesdsl.lsp.files import path_of
from rulesdsl.lsp.hover import hover
from rulesdsl.lsp.markdown import plain
from rulesdsl.lsp.outline import Entry, outline
from rulesdsl.lsp.rename import Edits, Refused, check_renamable, renamed
from rulesdsl.lsp.server import Server
from rulesdsl.model.uses import Symbol, Use

_OUTLINED: dict[str, types.SymbolKind] = {
    "value": types.SymbolKind.Function,
    "action": types.SymbolKind.Method,
    "choice": types.SymbolKind.Event,
    "option": types.SymbolKind.Event,
    "state": types.SymbolKind.Property,
    "attribute": types.SymbolKind.Property,
    "setting": types.SymbolKind.Constant,
    "enum": types.SymbolKind.Enum,
    "member": types.SymbolKind.EnumMember,
    "face": types.SymbolKind.EnumMember,
    "colour": types.SymbolKind.EnumMember,
    "feature": types.SymbolKind.Class,
    "component": types.SymbolKind.Class,
    "ruleset": types.SymbolKind.Module,
}


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    family, use = _at(server, params)
    if use is None:
        return _of_key(server, params)
    text = hover(family, use.symbol, lambda span: _link(server, span))
    return _told(text, server.locate(use.span).range)


def _of_key(server: Server, params: types.HoverParams) -> types.Hover | None:
    """What a key of a manifest, or of scenarios, is for."""
    path = path_of(params.text_document.uri)
    kind, source = server.studio.kind(path), server.studio.source(path)
    if kind is None:
        return None
    found = told_of_key(schema(kind), source.text, server.offset(path, params.position))
    if found is None:
        return None
    start, end, text = found
    return _told(text, server.locate(source.span(start, end)).range)


def _told(text: str, place: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)


def _definition(server: Server, params: types.DefinitionParams) -> types.Location | None:
    family, use = _at(server, params)
    found = None if use is None else family.index.declaration(use.symbol)
    return None if found is None else server.locate(found.span)


def _implementation(server: Server, params: types.ImplementationParams) -> list[types.Location]:
    family, use = _at(server, params)
    spans = () if use is None else _contributions(family, use.symbol)
    return [server.locate(span) for span in spans]


def _references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    family, use = _at(server, params)
    uses = [] if use is None else family.index.of(use.symbol)
    wanted = params.context.include_declaration
    return [server.locate(each.span) for each in uses if wanted or not each.declares]


def _highlight(
    server: Server, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    family, use = _at(server, params)
    uses = [] if use is None else family.index.of(use.symbol)
    return [
        types.DocumentHighlight(server.locate(each.span).range)
        for each in uses
        if use is not None and each.span.source is use.span.source
    ]


def _prepare(server: Server, params: types.PrepareRenameParams) -> types.Range | None:
    _, use = _at(server, params)
    if use is None:
        return None
    with _refusing():
        check_renamable(use.symbol)
    return server.locate(use.span).range


def _rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    family, use = _at(server, params)
    if use is None:
        return None
    with _refusing():
        edits = renamed(family, use.symbol, params.new_name)
        server.studio.check_edits(edits)
    _warn_of_scenarios(server, use.symbol, edits)
    changes: dict[str, list[types.TextEdit]] = {}
    for spans in edits.values():
        for span, text in spans:
            place = server.locate(span)
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, text))
    return types.WorkspaceEdit(changes=changes)


def _outline(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    path = path_of(params.text_document.uri)
    entries = outline(server.studio.source(path))
    return [_outlined(server, entry) for entry in entries]


def _symbols(server: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    wanted = params.query.lower()
    return [
        types.WorkspaceSymbol(
            server.locate(use.span),
            use.symbol.name,
            _OUTLINED.get(use.symbol.what, types.SymbolKind.Variable),
        )
        for use in _declared(server)
        if wanted in use.symbol.name.lower()
    ]


def _warn_of_scenarios(server: Server, symbol: Symbol, edits: Edits) -> None:
    """Say which scenarios may have to follow a new name."""
    if symbol.what != "local" and (files := server.studio.scenarios_with(symbol.name, edits)):
        message = f"`{symbol.name}` also stands in {', '.join(files)}, which you change yourself"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))


class _Asked(Protocol):
    """A place that is asked about."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


def _at(server: Server, params: _Asked) -> tuple[Family, Use | None]:
    """The name at a place, and the game that it is part of."""
    path = path_of(params.text_document.uri)
    family = server.studio.family(path)
    offset = server.offset(path, params.position)
    return family, family.index.at(family.names.get(path, path), offset)


class _refusing:
    """Turns a refusal into an answer that editors show."""

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: object, __: object) -> None:
        if isinstance(error, Refused):
            raise JsonRpcInvalidParams(str(error))


def _link(server: Server, span: Span) -> str:
    place = server.locate(span)
    name = span.source.name.replace("\\", "/").rpartition("/")[2]
    uri = place.uri.replace("(", "%28").replace(")", "%29")
    return f"[{plain(name)}:{span.line}]({uri}#L{span.line})"


def _contributions(family: Family, symbol: Symbol) -> Iterator[Span]:
    """Everything that rules contribute to something."""
    game = family.examined.checked
    if game is None:
        return
    if symbol.key in game.values and symbol.what != "action":
        yield from (rule.span for rule in game.values[symbol.key].rules)
    if symbol.key in game.actions and symbol.what == "action":
        action = game.actions[symbol.key]
        hooks = (*action.hooks.arounds, *action.hooks.befores, *action.hooks.afters)
        yield from (each.span for each in (action, *action.requires, *hooks))
    if symbol.key in game.choices and symbol.what == "choice":
        choice = game.choices[symbol.key]
        hooks = (*choice.hooks.arounds, *choice.hooks.befores, *choice.hooks.afters)
        yield from (each.span for each in (choice, *choice.options, *hooks))


def _declared(server: Server) -> Iterator[Use]:
    """All declarations of the games that files are open of, each once."""
    seen: set[tuple[str, int]] = set()
    for path in server.studio.opened:
        index = server.studio.family(path).index
        for symbol in index.symbols:
            use = index.declaration(symbol)
            if use is None or symbol.what == "local":
                continue
            place = use.span.source.name, use.span.start
            if place not in seen:
                seen.add(place)
                yield use


def _outlined(server: Server, entry: Entry) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=entry.name,
        detail=entry.detail,
        kind=_OUTLINED.get(entry.what, types.SymbolKind.Variable),
        range=server.locate(entry.whole).range,
        selection_range=server.locate(entry.span).range,
        children=[_outlined(server, each) for each in entry.inside],
    )


_ANSWERS: dict[str, Callable[[Server, Any], object]] = {
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DEFINITION: _definition,
    types.TEXT_DOCUMENT_IMPLEMENTATION: _implementation,
    types.TEXT_DOCUMENT_REFERENCES: _references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: _highlight,
    types.TEXT_DOCUMENT_PREPARE_RENAME: _prepare,
    types.TEXT_DOCUMENT_RENAME: _rename,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _outline,
    types.WORKSPACE_SYMBOL: _symbols,
}


def add(server: Server) -> None:
    """Let a server answer what is asked about names."""
    for method, answer in _ANSWERS.items():
        options = types.RenameOptions(prepare_provider=True) if answer is _rename else None
        server.feature(method, options)(partial(answer, server))
