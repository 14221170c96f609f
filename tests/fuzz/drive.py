"""What must hold of any texts: findings with places, or a game that can be played."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from random import Random

from rulesdsl.author.lsp.hover import hover
from rulesdsl.author.lsp.workspace import Workspace, folds, outline, tokens
from rulesdsl.engine.build.stages import StageMemo, build
from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source, Span
from rulesdsl.language.diagnostics.render import render
from rulesdsl.play import Game, PlayError, State
from rulesdsl.play.records import Header, Recorder, check_origin, read_record, replay
from rulesdsl.show.doc import page, rule_book
from rulesdsl.show.draw import Pieces, board_svg
from rulesdsl.show.draw.sheets import print_sheets
from rulesdsl.show.page.plan import module_of, shared
from tests.scenarios import run_scenarios

ROOT = Path(__file__).parents[2]
SECONDS = 20
MOVES = 12

Texts = Mapping[str, str]


def texts(manifest: Path) -> Texts:
    """The files of a ruleset by name."""
    paths = (manifest, manifest.with_suffix(".rules"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


MANIFESTS = sorted(path.with_suffix(".yaml") for path in (ROOT / "tests" / "games").glob("*.rules"))
SCENARIOS = tuple(path.with_suffix(".test.yaml") for path in MANIFESTS)
SMALL = tuple(texts(path) for path in MANIFESTS)
BASE = texts(ROOT / "rulesets" / "base.yaml")
PILE = Path(__file__).with_name("pile") / "pile.yaml"
FAIR = Path(__file__).with_name("fair")

KNOWN = StageMemo()
"""The results for files that stay as they are from one trial to the next."""


@contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    """Raise TimeoutError inside when it takes more of the processor's time."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def check_texts(
    folder: Path,
    files: Mapping[str, bytes],
    main: str,
    random: Random,
    known: StageMemo | None = None,
) -> bool:
    """Whether the files give a game; raises when anything else than findings comes out."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    report = Report()
    checked = build(str(folder / main), report=report, known=known)
    for diagnostic in report:
        check_diagnostic(diagnostic)
    render(report)
    assert (checked is not None) == report.ok
    if checked is not None:
        check_play(Game(checked, "python", report), random)
    return checked is not None


def check_tools(folder: Path, files: Mapping[str, bytes], main: str, random: Random) -> bool:
    """Whether the files give a game; what an editor, a book and a page make of it, too."""
    known = StageMemo() if random.random() < 0.1 else KNOWN
    fine = check_texts(folder, files, main, random, known)
    if random.random() < 0.25:
        check_editor(folder / random.choice([n for n in files if not n.endswith(".md")]), random)
    if fine:
        report = Report()
        checked = build(str(folder / main), report=report, known=known)
        assert checked is not None
        check_outputs(Game(checked, "python", report), random)
    return fine


def check_editor(file: Path, random: Random) -> None:
    """An editor shows a file, and whatever is asked about it has an answer."""
    path = os.path.realpath(file)
    text = file.read_text(encoding="utf-8", errors="replace")
    workspace = Workspace(known=KNOWN)
    workspace.open(path, text)
    for found in workspace.check(workspace.roots(path)[0]).values():
        for diagnostic in found:
            check_diagnostic(diagnostic)
    family = workspace.own(path)
    source = workspace.source(path)
    tokens(source.text, family.index.file(family.names.get(path, path)), path.endswith(".rules"))
    outline(source)
    folds(source.text)
    symbols = list(family.index.symbols)
    for symbol in random.sample(symbols, min(5, len(symbols))):
        hover(family, symbol, lambda span: f"{span.line}")
    for _ in range(3):
        workspace.complete(path, random.randrange(len(source.text) + 1))


def check_outputs(game: Game, random: Random) -> None:
    """Books, sheets, pictures and the page's plan of a game."""
    language = random.choice((*game.labels.languages, "en"))
    match random.randrange(6):
        case 0:
            report = Report()
            with suppress(RulesError):  # the scenarios beside the game
                rule_book(game, language, (), report)
            for diagnostic in report:
                check_diagnostic(diagnostic)
        case 1:
            with suppress(RulesError):
                page(game, language)
        case 2:
            print_sheets(game, language)
        case 3:
            json.dumps(shared(game))
        case 4:
            with suppress(PlayError):
                board_svg(Pieces(game, language), game.start(seed=1))
        case _:
            module_of(game, game.players[0], optimised=False)


def check_diagnostic(diagnostic: Diagnostic) -> None:
    """Every place lies inside its text, and there is something to read."""
    assert diagnostic.message
    spans = [diagnostic.span] if diagnostic.span else []
    for span in (*spans, *(label.span for label in diagnostic.labels)):
        check_span(span)


def check_span(span: Span) -> None:
    assert 0 <= span.start <= span.end <= len(span.source.text)


def check_play(game: Game, random: Random, moves: int = MOVES) -> None:
    """Play some random moves; a rule may fail, then everything is as before."""
    try:
        seed = random.choice((None, random.getrandbits(64)))
        state = game.start(random.choice(game.players), seed)
    except PlayError as error:
        check_failure(error)
        return
    for _ in range(moves):
        if not play_one(state, random):
            return
    state.scores()
    state.features()
    again = game.from_bytes(state.to_bytes())
    assert again.canonical() == state.canonical()
    assert again.moves() == state.moves()


def play_one(state: State, random: Random) -> bool:
    """Whether a random move could be played."""
    before, offered = state.canonical(), state.moves()
    if state.mover is None:
        assert not offered
        return False
    assert len(set(offered)) == len(offered) > 0
    try:
        state.play(random.choice(offered))
    except PlayError as error:
        check_failure(error)
        assert state.canonical() == before
        assert state.moves() == offered
        return False
    return True


def check_failure(error: PlayError) -> None:
    """A failure while playing says where."""
    assert error.message
    assert error.span is not None
    check_span(error.span)


def check_saved(game: Game, data: bytes) -> None:
    """Spoilt bytes are refused, or are a state that can be played."""
    try:
        state = game.from_bytes(data)
    except ValueError:
        return
    state.canonical()
    play_one(state, Random(1))


def check_record(game: Game, text: str) -> bool:
    """Whether a spoilt record can be played back; it is refused with findings otherwise."""
    try:
        record = read_record(Source("spoilt.jsonl", text))
        check_origin(record, game)
        for _ in replay(record, game):
            pass
    except RulesError as error:
        for diagnostic in error.diagnostics:
            check_diagnostic(diagnostic)
        render(error.diagnostics)
        return False
    return True


def check_scenarios(path: Path, text: str, engine: str = DEFAULT_ENGINE) -> bool:
    """Whether spoilt scenarios hold; they do not, or are no scenarios, otherwise. `path` lies
    beside the ruleset."""
    try:
        outcomes = run_scenarios(Source(str(path), text), engine=engine)
    except RulesError as error:
        found = error.diagnostics
    else:
        found = tuple(d for outcome in outcomes for d in outcome.findings)
    for diagnostic in found:
        check_diagnostic(diagnostic)
    render(found)
    return not found


def record_of(game: Game, seed: int) -> str:
    """A record of some random moves."""
    file, random = StringIO(), Random(seed)
    recorder = Recorder(file, Header.of(game, game.players[0], seed))
    state = game.start(seed=seed)
    for _ in range(MOVES):
        if state.mover is not None:
            move = random.choice(state.moves())
            recorder.move(state.mover, move)
            state.play(move)
    recorder.result(state)
    return file.getvalue()
