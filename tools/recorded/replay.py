"""Replay a recorded game and compare its legal moves and scores, decision by decision."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import rulesdsl
from rulesdsl import Move
from rulesdsl.play.names import Place, Plain
from tools.recorded.words import FIGURES, TILES, Board, Cell, Segment, figure, written_segment

Step = Mapping[str, Any]
"""A decision of a record: who decides, its phase, the legal moves by sort, the move and scores."""

Key = tuple[object, ...]
"""A move in words that both programs have in common."""

PASS: Key = ("pass",)

QUESTIONS = {
    "ActionPhase": "move_figure",
    "ChangeFerriesPhase": "reroute",
    "DragonMovePhase": "fly",
    "EscapePhase": "escape",
    "GoldPiecePhase": "dig",
    "MageAndWitchPhase": "enchant",
    "PhantomPhase": "second",
    "PlaceFerryPhase": "cross",
    "TowerCapturePhase": "capture",
    "TunnelPhase": "dig_tunnel",
    "WagonPhase": "drive_on",
}
"""The choice that asks what a phase of the record decides."""

ABBEYS = {
    "AbbeyPhase": ("fill_gap", "abbey", "draw"),
    "AbbeyEndGamePhase": ("last_abbey", "lay", "keep"),
}
"""The choice that asks for an abbey in a phase, and its options to lay one and to lay none."""

ASIDE = {"pay_ransom": "ransom", "dig_tunnel": "TUNNEL_"}
"""The choices whose options the record offers beside others, and how their keys begin."""

FORCED = {"capture", "dig", "drive_on", "enchant", "second"}
"""The choices that the record leaves out if they have one option only."""

BETWEEN = {"drive_on", "escape", "fill_gap", "last_abbey", "pay_ransom", "place_tile"}
"""The choices that may follow the end of a part of a turn."""

LITTLE = {"shed": "LB_SHED", "house": "LB_HOUSE", "little-tower": "LB_TOWER"}
FACES = {1: "one", 2: "two", 3: "three"}


class Difference(Exception):
    """A difference after which a game cannot be followed any further."""


class Replay:
    """A recorded game, played once by `run`.

    `compared` counts the comparisons by what was compared; `differences` describes each that
    failed. A game whose position differs is left there.
    """

    def __init__(self, game: rulesdsl.Game, record: Mapping[str, Any]) -> None:
        self.record = record
        self.steps: Sequence[Step] = record["steps"]
        self.compared = Counter[str]()
        self.differences: list[str] = []
        self._at = 0
        self._board = Board(record["setup"]["start"][0])
        self._state = game.start(players=record["setup"]["players"])
        self._seats = {colour: seat for seat, colour in enumerate(self._state.players)}
        self._pile = deque[str](record["draw"])
        self._discarded: list[str] = []
        self._tiles = 0
        self._last: Cell = (0, 0)
        self._drawn = False  # the tile of this part, before it is laid
        self._undecided = False  # the figure of this part
        self._flying = ""
        self._captured: Sequence[Sequence[Mapping[str, Any]]] = ()

    def run(self) -> None:
        """Play the game to its end, or to the first difference that prevents it."""
        try:
            for step in self.steps:
                self._play_step(step)
                self._at += 1
            self._force("drive_on")
            self._compare_end()
        except Difference:
            pass

    # --- comparing ---

    def _differ(self, what: str) -> None:
        self.differences.append(f"step {self._at}: {what}")

    def _leave(self, why: str) -> Difference:
        self._differ(why)
        return Difference()

    def _compare(self, what: str, recorded: Iterable[object], ours: Iterable[object]) -> bool:
        """Count a comparison of two collections, whose order does not matter."""
        self.compared[what] += 1
        theirs, own = Counter(map(_sorted, recorded)), Counter(map(_sorted, ours))
        if theirs == own:
            return True
        missing, added = [*(theirs - own).elements()], [*(own - theirs).elements()]
        self._differ(f"{what}: only in the record {missing}, only here {added}")
        return False

    def _expect(self, *choices: str) -> None:
        if self._state.asked not in choices:
            asked = f"{self._state.mover} decides {self._state.asked}"
            raise self._leave(f"{' or '.join(choices)} is due, but {asked}")

    def _compare_mover(self, step: Step) -> None:
        self._compare("mover", [step["player"]], [self._seats.get(self._state.mover or "")])

    def _compare_scores(self, recorded: Sequence[int]) -> None:
        if not self._compare("scores", enumerate(recorded), enumerate(self._scores())):
            raise Difference

    def _scores(self) -> list[int]:
        return [*self._state.scores().values()]

    def _compare_end(self) -> None:
        self._compare("end", [None], [self._state.mover])
        self._compare_scores(self.record["scores"])
        most = max(self.record["scores"])
        best = [seat for seat, points in enumerate(self.record["scores"]) if points == most]
        self._compare("winners", best, [self._seats[each] for each in self._state.winners])
        self._compare("discarded", self.record["discarded"], self._discarded)

    # --- playing ---

    def _play(self, name: str, **arguments: object) -> None:
        try:
            self._state.play(self._state.move(name, **arguments))
        except (rulesdsl.IllegalMove, rulesdsl.PlayError) as error:
            raise self._leave(str(error)) from None

    def _force(self, *choices: str) -> None:
        while self._state.asked in choices and len(self._state.moves()) == 1:
            self._state.play(self._state.moves()[0])

    def _pass_figure(self) -> None:
        """Pass over the figure of this part, if the record does not ask for it."""
        if not self._undecided:
            return
        self._undecided = False
        if self._state.asked == "dig_tunnel":
            self._play("wait")
        if self._state.asked == "move_figure":
            self._compare("no action", [PASS], map(self._key, self._state.moves()))
            self._play("pass")

    def _settle(self, step: Step) -> None:
        """Answer all that is left of this part, of which the record asks nothing more."""
        while True:
            asked, seat = self._state.asked, self._seats.get(self._state.mover or "")
            self._force(*FORCED)
            own = self._undecided and seat == step["turn_player"]
            if asked == "dig_tunnel" or (asked == "pay_ransom" and own):
                self._play("wait")
            elif asked == "move_figure" and self._undecided:
                self._pass_figure()
            elif asked == self._state.asked:
                break
        self._undecided = False

    def _play_step(self, step: Step) -> None:
        phase, move = step["phase"], step["move"]
        if phase in ("TilePhase", "WagonPhase", *ABBEYS):
            self._force("drive_on")
        if phase in ("TilePhase", "AbbeyPhase") and not (self._drawn or self._undecided):
            self._compare_scores(step["scores"])
        if phase == "TilePhase":
            self._lay_drawn(step)
        elif phase in ABBEYS:
            self._lay_abbey(step, *ABBEYS[phase])
        elif phase == "CommitActionPhase":
            self._settle(step)
            if self._state.mover not in ("chance", None):
                self._expect(*BETWEEN)
        elif move["type"] != "COMMIT" and phase != "CommitAbbeyPassPhase":
            self._decide(step)

    # --- tiles ---

    def _lay_drawn(self, step: Step) -> None:
        self._captured = step.get("captured", ())
        if not self._drawn:
            moves = (each["move"] for each in self.steps[self._at :])
            self._draw(next(m["payload"]["tileId"] for m in moves if m["type"] == "PLACE_TILE"))
        if not self._aside("pay_ransom", step):
            self._lay(step, self._spots(step["move"]["payload"]["tileId"], step["legal"]["place"]))

    def _draw(self, wanted: str) -> None:
        """Draw tiles up to the first one that fits somewhere; it must be the one recorded."""
        while self._pile:
            left, tile = [TILES[each][0] for each in self._pile], self._pile.popleft()
            if self._state.mover == "chance":
                self._take(left)
            if self._state.asked in ("place_tile", "pay_ransom"):
                self._drawn = True
                if not self._compare("drawn", [wanted], [tile]):
                    raise Difference
                return
            self._discarded.append(tile)
        raise self._leave(f"no tile is left, {wanted} was drawn")

    def _take(self, left: Sequence[str]) -> None:
        """Take the first of the kinds of tiles that are left, after a look into the bag."""
        bag = Counter[str]()
        found: list[Move] = []
        for move in self._state.moves():
            kind = str(move["piece"]).partition("#")[0]
            bag[kind] += move.weight
            found += [move] * (kind == left[0])
        if not self._compare("bag", left, bag.elements()) and not found:
            raise Difference
        self._state.play(max(found, key=lambda move: move.weight))

    def _spots(self, tile: str, spots: Iterable[Sequence[int]]) -> list[Key]:
        return [self._board.spot(tile, x, y, degrees) for x, y, degrees in spots]

    def _lay(self, step: Step, legal: Sequence[Key]) -> None:
        self._compare_mover(step)
        self._expect("place_tile")
        self._compare("places", legal, _spots_of(self._state))
        laid = step["move"]["payload"]
        degrees = int(laid["rotation"].removeprefix("R"))
        x, y = laid["position"]
        spot = self._board.spot(laid["tileId"], x, y, degrees)
        self._play("at", spot=spot)
        self._last, self._drawn, self._undecided = spot[:2], False, True
        self._tiles += 1

    def _lay_abbey(self, step: Step, choice: str, lay: str, keep: str) -> None:
        self._expect(choice)
        legal = self._spots("AM/A", step["legal"]["abbey"])
        if step["move"]["type"] == "PASS":
            self._compare_mover(step)
            tried = self._state.clone()
            tried.play(tried.move(lay))
            self._compare("places", legal, _spots_of(tried))
            self._play(keep)
        else:
            self._play(lay)
            self._lay(step, legal)

    # --- everything else ---

    def _decide(self, step: Step) -> None:
        """Compare the options of a decision and choose the recorded one."""
        phase, move = step["phase"], step["move"]
        if phase == "DragonMovePhase":
            self._settle(step)
        elif phase in ("TunnelPhase", "PlaceFerryPhase", "ChangeFerriesPhase"):
            self._pass_figure()
        elif phase == "ActionPhase":
            self._force("dig", "enchant")
        elif phase == "PhantomPhase" and not step["legal"].get("deploy") and _passes(move):
            return  # only tunnel tokens are offered, and again in the next phase
        question = QUESTIONS.get(phase)
        if question is None:
            raise self._leave(f"unknown phase {phase}")
        if phase == "ActionPhase" and self._state.asked == "land":
            question = "land"
        elif phase in ("ActionPhase", "PhantomPhase", "TunnelPhase") and (
            self._aside("pay_ransom", step) or self._aside("dig_tunnel", step)
        ):
            return
        if question == "dig_tunnel":
            return
        self._expect(question)
        self._compare_mover(step)
        aside = tuple(ASIDE.values())
        legal = {key for key in self._legal(step) if not str(key[0]).startswith(aside)}
        chosen = self._recorded(move)
        self._choose(question, legal, chosen)
        if phase == "ActionPhase":
            self._undecided = False
        if chosen[0] == "fly":
            self._fly(step, str(chosen[1]))
        while self._state.asked == "choose_back":  # prisoners of one player differ in nothing
            self._state.play(self._state.moves()[0])

    def _aside(self, choice: str, step: Step) -> bool:
        """Compare the options of a choice that the record offers beside others.

        Returns whether one of them was recorded; otherwise waits.
        """
        begin, chosen = ASIDE[choice], self._recorded(step["move"])
        legal = {key for key in self._legal(step) if str(key[0]).startswith(begin)}
        if chosen in legal:
            self._expect(choice)
            self._choose(choice, legal | {PASS}, chosen)
            return True
        asked = self._state.asked == choice
        if asked or legal:
            ours = {self._key(move) for move in self._state.moves()} if asked else {PASS}
            self._compare(choice, legal | {PASS}, ours)
        if asked:
            self._play("wait")
        return False

    def _choose(self, question: str, legal: set[Key], chosen: Key) -> None:
        ours = {self._key(move): move for move in self._state.moves()}
        self._compare(question, legal, ours)
        if chosen not in ours:
            raise self._leave(f"{chosen} is not legal")
        self._state.play(ours[chosen])

    def _fly(self, step: Step, kind: str) -> None:
        """Roll the recorded distance, and compare whether the flight ends on a tile."""
        self._flying = kind
        events = self.record["history"][self._tiles - 1]["events"]
        rolled = [each["distance"] for each in events if each["type"] == "flier-roll"]
        if not rolled or self._state.mover != "chance":
            raise self._leave("the record and the state do not both roll the die")
        self._state.play(next(m for m in self._state.moves() if FACES[rolled[0]] in str(m)))
        after = self.steps[self._at + 1] if self._at + 1 < len(self.steps) else {}
        lands = after.get("phase") == "ActionPhase" and after["player"] == step["player"]
        self._compare("lands", [lands], [self._state.asked == "land"])

    # --- keys of recorded moves ---

    def _legal(self, step: Step) -> set[Key]:
        legal = step["legal"]
        found = {PASS} if legal.get("pass") else set()
        for sort in ("deploy", "token", "neutral", "return"):
            found |= {self._row(sort, *row) for row in legal.get(sort, ())}
        found |= {self._row("return", "CAPTURE", *row) for row in legal.get("capture", ())}
        return found | {self._ransom(prisoner) for prisoner in legal.get("ransom", ())}

    def _recorded(self, move: Mapping[str, Any]) -> Key:
        """Return the key of a recorded move that lays no tile."""
        given = move["payload"]
        match move["type"]:
            case "DEPLOY_MEEPLE":
                kind = given["meepleId"].split(".")[1]
                return self._row("deploy", kind, *_flat(given["pointer"]))
            case "PLACE_TOKEN":
                return self._row("token", given["token"], *_flat(given["pointer"]))
            case "MOVE_NEUTRAL_FIGURE":
                to = given["to"]
                to = _flat(to) if isinstance(to, dict) else to
                return self._row("neutral", given["figureId"], to)
            case "RETURN_MEEPLE" | "CAPTURE_FOLLOWER":
                source = given.get("source", "CAPTURE")
                return self._row("return", source, *_flat(given["pointer"]))
            case "PAY_RANSOM":
                return self._ransom(given["meepleId"])
            case _:
                return PASS

    def _row(self, sort: str, name: str, *rest: Any) -> Key:
        """Return the key of a legal move of a sort, as the record lists it."""
        match sort, rest:
            case "deploy", ("FlyingMachine", *_):
                return "fly", FIGURES.get(name, name)
            case "deploy", (_, _, below) if name == "barn":
                return "barn", self._barn(below)
            case "deploy", (kind, location, cell):
                segment = self._board.segment(kind, location, cell)
                return "deploy", FIGURES.get(name, name), segment
            case "token", (_,) if name.startswith("LB_"):
                return (name,)
            case "token", ([x, y],):
                return name, self._board.cell(x, y)
            case "token", (_, _, cell) if name == "TOWER_PIECE":
                return name, self._board.cell(*cell)
            case "token", (kind, location, cell):
                return name, self._board.segment(kind, location, cell)
            case "neutral", ([str(owned), kind, location, cell],):
                return self._row("return", name.partition(".")[0], owned, kind, location, cell)
            case "neutral", ([str(kind), location, cell],):
                return name.partition(".")[0], self._board.segment(kind, location, cell)
            case "neutral", ([x, y],):
                return name.partition(".")[0], self._board.cell(x, y)
            case "neutral", (None,):
                return name.partition(".")[0], None
            case "return", (owned, kind, location, cell):
                seat, word = figure(owned)
                barn = word == "barn"  # a corner, whose field is known by its owner
                found = None if barn else self._board.segment(kind, location, cell)
                return name, seat, word, found
        raise self._leave(f"unknown move: {sort} {name} {rest}")

    def _barn(self, below: Sequence[int]) -> object:
        """Return the field of the last tile at a recorded corner if a barn may stand there."""
        lane = self._board.corner(below, self._last)
        for move in self._state.moves():
            if move.name == "move_figure.barn":
                field = self._segment(move, "s")
                if lane in field[1]:
                    return field
        return lane

    def _ransom(self, prisoner: str) -> Key:
        """Return the key of a ransom: who holds the prisoner, and its kind."""
        holders = [
            seat
            for seat, held in enumerate(self._captured)
            if any(each["id"] == prisoner for each in held)
        ]
        return "ransom", holders[0] if holders else None, figure(prisoner)[1]

    # --- keys of our moves ---

    def _key(self, move: Move) -> Key:
        match move.name.split("."):
            case _, "pass" | "stay" | "nobody" | "home" | "wait":
                return PASS
            case "move_figure", "place" | "portal" | "guard":
                return "deploy", move["k"], self._segment(move, "s")
            case "land", _:
                return "deploy", self._flying, self._segment(move, "s")
            case "second", _:
                return "deploy", "phantom", self._segment(move, "s")
            case "drive_on", _:
                return "deploy", "wagon", self._segment(move, "s")
            case _, "barn":
                return "barn", self._segment(move, "s")
            case _, "fly":
                return "fly", move["k"]
            case _, "build_little":
                return (LITTLE[str(move["k"])],)
            case _, "build":
                return "TOWER_PIECE", self._segment(move, "s")[2]
            case "dig", _:
                return "GOLD", _cell(move["c"])
            case "fly", _:
                return "dragon", _cell(move["c"])
            case "dig_tunnel", _:
                return f"TUNNEL_{str(move['k'])[-1].upper()}", self._segment(move, "s")
            case "cross" | "reroute", _:
                (kind, here, cell), there = self._segment(move, "a"), self._segment(move, "b")
                return "FERRY", (kind, here | there[1], cell)
            case _, "fairy":
                return "fairy", *self._figure(move, "x")
            case _, "seduce":
                return "PRINCESS", *self._figure(move, "x")
            case _, "festival":
                return "FESTIVAL", *self._figure(move, "x")
            case "escape", _:
                return "SIEGE_ESCAPE", *self._figure(move, "x")
            case "capture", _:
                return "CAPTURE", *self._figure(move, "x")
            case "enchant", _:
                where = self._segment(move, "s") if "s" in move.args else None
                return re.split("[:#]", str(move["x"]))[0], where
            case "pay_ransom", _:
                prisoner = str(self._state.exact(move)["y"])
                held = str(self._state.place(prisoner))  # prison[red]
                holder = self._seats[held.partition("[")[2].removesuffix("]")]
                return "ransom", holder, _owner_and_kind(prisoner)[1]
        return (str(move),)

    def _segment(self, move: Move, name: str) -> Segment:
        return written_segment(str(self._state.exact(move)[name]))

    def _figure(self, move: Move, name: str) -> Key:
        """Return the seat of the owner, the kind and the segment of a figure on the board."""
        piece = str(self._state.exact(move)[name])
        owner, kind = _owner_and_kind(piece)
        place = None if kind == "barn" else written_segment(str(self._state.place(piece)))
        return self._seats[owner], kind, place


def _owner_and_kind(piece: str) -> tuple[str, str]:
    owner, _, kind = re.split("[:#]", piece)[0].partition(".")
    return owner, kind


def _cell(value: Plain) -> Cell:
    assert isinstance(value, Place), f"{value} is a cell"
    return value.x, value.y


def _spots_of(state: rulesdsl.State) -> list[Key]:
    return [spot[:3] for move in state.moves() if isinstance(spot := move["spot"], tuple)]


def _passes(move: Mapping[str, Any]) -> bool:
    return bool(move["type"] == "PASS")


def _flat(pointer: Any) -> list[Any]:
    """Return what a recorded pointer holds, in the order of the lists of legal moves."""
    if not isinstance(pointer, dict):
        return [pointer]
    if "featurePointer" in pointer:
        return [pointer["meepleId"], *_flat(pointer["featurePointer"])]
    return [pointer["feature"], pointer["location"], pointer["position"]]


def _sorted(value: object) -> str:
    """Return a text of a value in which sets are sorted."""
    if isinstance(value, frozenset):
        return ".".join(sorted(value))
    if isinstance(value, tuple):
        return f"({', '.join(map(_sorted, value))})"
    return str(value)
