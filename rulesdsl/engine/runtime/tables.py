"""All tables of the runtime.

The names of dimensions are those that `lower/tables/box.py` measures.

Handles are dense numbers in canonical order; -1 stands for none:

- player: seat; enum member: its index; kind: its index; piece: its index in the box
- face: those of the first kind with faces first (`kind_face` + index)
- segment: those of the first piece first (`piece_segment` + index in the outline); a feature is a
  segment of it, the smallest when it was asked for
- cell: `grid << 24 | (y + 2048) << 12 | (x + 2048)`, grid being the grid instance
- placement: cell * TURN_ROOM + rotation
- zone, grid: instances numbered through in order of declaration; space: tracks one after another

A set is an offset into `heap` of its length, followed by its members in ascending order.
"""

from __future__ import annotations

from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.declare import (
    ANY_HIGH,
    ANY_LOW,
    DeclaredTable,
    const,
    per_row,
    scratch,
    state,
)
from rulesdsl.language.model.tables import IN_ROWS, Rows

# --- the box: what never changes -----------------------------------------------------------------

PLAYERS = const("1")
PIECES = const("1")
SEGMENTS = const("1")
ZONES = const("1")
GRIDS = const("1")
SIDES = const("1")
SPACES = const("1")
FOLDS = const("1")
SLOTS = const("1")
JOINTS = const("1")
"""Dimensions, for programs: each table holds that one number.

`SIDES` is the number of sides and of rotations of a piece, 4 or 6; `FOLDS` is the number of
attributes of segments that are folded over features (without `union` folds); `SLOTS` is the most
cells that are occupied or next to an occupied one at a time; `JOINTS` is the most joints that rules
made.
"""

TURN_ROOM = const("1")
TURN_BITS = const("1")
"""The number of rotations that a placement has room for, 4 or 8, and its bits."""

side_step = const("grids * sides")
"""The difference of the numbers of a cell and its neighbour over side s, in `grid * SIDES + s`.

On squares in a game with six sides, where no piece has sides, several sides have one neighbour."""

LIMIT = const("1")
"""The number of decisions of players after which the game ends."""

EVERYBODY = const("1")
"""The mask of all seats."""

BATCH = const("1")
"""The number of games for which `results` has room."""

ANSWERS = const("1")
"""The number of answers that rules tell about pieces, 0 if they tell none."""

LIKE_RUNS = const("1")
"""1 if pieces with equal `piece_like` have consecutive numbers, among those in the game."""

piece_kind = const("pieces")
piece_class = const("pieces")
"""0 tile, 1 card, 2 die, 3 token, 4 figure."""
class_first = const("5")
class_end = const("5")
"""All pieces of a class have numbers from `class_first` to before `class_end`."""
piece_seat = const("pieces")
"""The owner's seat, -1 for none."""
piece_in = const("pieces")
"""1 if the piece is in the game as it is played, 0 if it belongs to a seat beyond the players."""
piece_home = const("pieces")
"""The zone it begins in, -1 if it begins on a track."""
piece_start = const("pieces")
"""The place (see `place`) it begins at."""
piece_like = const("pieces")
"""The lowest piece of the same kind, seat and start."""
piece_answers = const("pieces")
"""The answers that are so of a piece, a bit for each (see `language.model.flow.Answers`)."""
piece_segment = const("pieces + 1")
"""The first segment of each piece; as many are reserved as its face with most segments has."""
piece_shape = const("pieces")
"""The first shape of a piece: that of face f in rotation r is `piece_shape + SIDES * f + r`."""

segment_piece = const("segments")

kind_face = const("kinds")
"""The first face of a kind, -1 without faces."""
kind_faces = const("kinds")
"""The number of faces of a kind, 0 without faces."""
kind_sides = const("kinds")
"""The number of sides of a kind, which is the sum of the counts of its faces."""
face_count = const("faces")
"""The number of sides that show a face."""
face_drawing = const("faces")
"""Equal for faces of a kind that have the same outline."""

shape_width = const("shapes")
shape_height = const("shapes")
shape_parts = const("shapes")
"""The number of segments a shape shows."""
shape_kinds = const("shapes")
"""The feature kinds of its segments, a bit for each of the first 31."""
shape_turns = const("shapes")
"""The mask of the rotations in which a piece looks different from lower ones; the same for all
shapes of an outline."""
shape_part = const("shapes")
"""The row, in the `part_` tables, of the first segment of a shape."""
shape_fit = const("shapes")
shape_bit = const("shapes")
"""The word (one of `FITS`) and the bit in it of a shape of one cell.

The bit is 0 for larger shapes, and if shapes have six sides. Shapes with the same four sides have
the same bit. The bits of the four rotations of a shape are neighbours.
"""
shape_shift = const("shapes")
"""The shift of the bit of the shape in rotation 0."""
bits_in = const("16")
"""The number of bits set in each number below 16."""
bit_at = const("16 * 4")
"""The bits set in these numbers, the lowest first, from row `4 * number` on."""
shape_corner = const("shapes")
"""The first of `width * height` rows of `corner_` tables of a shape, one for each of its cells in
rows: row `shape_corner + y * width + x`."""

FITS = const("1")
INDEX = const("1")
"""Further dimensions: the words of bits of shapes, and the entries of `cell_index`."""
side_fit = const("codes * sides * fits")
"""The bits of the shapes of one cell whose side s has a code, from `(code * SIDES + s) * FITS`."""

corner_side = const("corners * sides")
"""The side code of side s (clockwise from n or ne) of that cell, in `corner * SIDES + s`: equal
for sides that agree; 0 where nothing lies."""
EVERY = const("1")
"""The side code that agrees with every other one; -1 if there is none."""
corner_code = const("corners", high="4294967295")
"""The first four codes as the bytes of a number, each at most 255."""
corner_holder = const("corners * 3 * sides")
"""The segment of the shape at lane l (0..2: left, centre, right seen from inside) of side s, in
entry `corner * 3 * SIDES + s * 3 + l`; -1 for none. Lane l of a side lies against lane 2 - l."""

part_kind = const("parts")
"""The feature kind's number."""
part_port = const("parts + 1")
"""The first row of the ports of a part in the `port_` tables."""
part_cell = const("parts + 1")
"""The first row of the cells of a part in the `area_` tables."""
part_border = const("parts + 1")
"""The first row in `border_part` of the segments that a part borders."""
part_touch = const("parts + 1")
"""The first row in `touch_part` of the segments that a part touches."""
part_fill = const("parts")
"""1 for a fill. The fills of pieces on layers join nothing."""
part_twin = const("parts")
"""1 if another part of the shape is of the same kind and has a cell in common with it."""
part_value = const("parts * folds")
"""The attributes of the segment that are folded."""

port_x = const("ports")
port_y = const("ports")
"""The cell of the port within its shape."""
port_side = const("ports")
port_lane = const("ports")
area_x = const("areas")
area_y = const("areas")
"""Cells within the shape, in rows."""
border_part = const("borders")
touch_part = const("touches")
"""Indices of segments in the same shape."""

fold_of = const("folds")
"""The fold of each folded attribute: 0 sum, 1 max, 2 min, 3 any, 4 all (bools are 0 and 1)."""

grid_holds = const("grids")
"""The mask of the classes a grid holds."""
grid_match = const("grids")
"""0 none, 1 all, 2 any."""
grid_touch = const("grids")
grid_turns = const("grids")
"""The mask of all rotations if all are offered, 0 if only those of `shape_turns` are."""
grid_ordered = const("grids")
"""1 if the pieces that are moved to a cell are a list of `piece_before` and `piece_next`."""
grid_open = const("grids")
"""The mask of the classes it holds if sides and neighbours alone decide what fits (`match: all`,
`touch`, no size, square cells); else 0."""
grid_form = const("grids")
"""The form of the cells of a grid: 0 squares, `HEXAGONS` or `TRIANGLES`. Hexagons of one x lie from
north-west to south-east. Triangles point up if x + y is even, and have every second of the six
sides; a piece lies on them in every second rotation."""
HEXAGONS = 1
TRIANGLES = 2
grid_below = const("grids")
"""The grid over which a grid lies, -1 for none: it is a layer."""
LAYERS = const("1")
"""The number of layers."""
grid_width = const("grids")
grid_height = const("grids")
"""The size of a grid, 0 for a grid without a size."""

zone_holds = const("zones")
zone_ordered = const("zones")
"""1 if the zone is declared ordered."""
zone_keeps = const("zones")
"""1 if the order of arrival matters: the zone is declared ordered and not `visible: none`."""
zone_visible = const("zones")
"""0 all, 1 owner, UNSEEN: none, OTHERS: all but the owner, TOP: all see the last piece only."""
UNSEEN = 2
OTHERS = 3
TOP = 4
zone_seat = const("zones")
"""The seat of the owner of a zone `per: player`, else -1."""
zone_inner = const("zones")
"""The number of zones of each owner, with one name and a second index."""
zone_room = const("zones")
"""The capacity of a zone; 2^31 - 1 for any number of pieces."""

space_track = const("spaces")
track_space = const("tracks + 1")
"""The first space of each track."""
track_loop = const("tracks")
track_holds = const("tracks")

# --- frames as lower lays them out ---------------------------------------------------------------

live_first = const("points + 1")
"""The first row in the `live_` tables of every point at which a callable can be suspended.

The rows are the slots of its frame that name pieces then.
"""
live_slot = const("lives")
live_what = const("lives", column="locals")
"""The content of the slot: 0 piece, 1 segment or feature, 2 set of pieces, 3 set of segments or
features. Each may be none or empty. 4 and 5 are 2 and 3 for the items of a loop; only items from
the number in the next slot on count."""
live_telling = const("lives")
"""1 if the rules can tell the pieces in the slot from interchangeable ones."""

# --- pieces and places ---------------------------------------------------------------------------

NOWHERE = -1
LAID = -2
ON_CELL = -3

place = state("pieces", "-3", "places - 1", column="place")
"""The place of a piece: zone z is place z, space s is `ZONES + s`, segment g is
`ZONES + SPACES + g`; else NOWHERE, LAID (on a grid) or ON_CELL."""
spot = state("pieces", "-1", "2147483647", column="place")
"""The placement of a LAID piece, the cell of one ON_CELL, else -1."""
face = state("pieces", "0", "most_faces - 1", column="faces")
"""The face that a die shows, 0 for all other pieces."""
known = state("pieces", "0", "seats_mask", column="place")
"""The mask of the seats that know the piece."""
pool = state("pieces", "0", "pieces", column="place")
"""The pool of a piece: pieces of one pool that not all seats know could have been exchanged."""
told = state("tellings", "0", "answers_mask", column="place")
"""The answers about a piece that a seat was told, in `piece * PLAYERS + seat`."""
face_down = state("pieces", "0", "1", column="place")
shuffled = state("pieces", "0", "1", column="place")

head = state("places", "-1", "pieces - 1", column="contents")
tail = state("places", "-1", "pieces - 1", column="contents")
piece_next = state("pieces", "-1", "pieces - 1", column="contents")
piece_before = state("pieces", "-1", "pieces - 1", column="contents")
"""Linked lists of the pieces at each place: ascending, or in order if a zone keeps it; -1 ends."""
amount = state("places", "0", "pieces", column="contents")
"""The number of pieces at a place."""
crowd = state("64", "-1", "pieces - 1", column="contents")
crowd_next = state("pieces", "-1", "pieces - 1", column="contents")
"""Linked lists of the pieces that are ON_CELL, for each `mixed` number of a cell: ascending; -1
ends."""

# --- cells ---------------------------------------------------------------------------------------

cell_index = state("index", "-1", "slots - 1", column="board")
"""A hash table of cells with open addressing: the slot of a cell, -1 for a free entry."""
cell_slots = state("1", "0", "slots", column="board")
"""The number of slots in use; a slot is for a cell that is or was occupied or beside one."""
slot_cell = state("slots", "0", "2147483647", column="board")
slot_piece = state("slots", "-1", "pieces - 1", column="board")
"""The piece that lies on the cell of a slot, -1 for none."""
slot_corner = state("slots", "0", "corners", column="board")
"""The row in the `corner_` tables of that piece's cell."""
slot_open = state("slots", "0", "1", column="board")
"""1 for a slot in the frontier of its grid."""
slot_fit = state("slots * fits", "0", "268435455", column="board")
"""The bits of the shapes whose sides agree with all neighbours of a slot in the frontier, 0 for all
other slots: word w is at `w * SLOTS + slot`."""
frontier_first = state("grids", "-1", "slots - 1", column="board")
frontier_last = state("grids", "-1", "slots - 1", column="board")
frontier_next = state("slots", "-1", "slots - 1", column="board")
frontier_before = state("slots", "-1", "slots - 1", column="board")
"""Linked lists of the slots in the frontier of a grid: all empty cells inside the grid that lie
beside an occupied one, ascending by cell; -1 ends."""
grid_pieces = state("grids", "0", "pieces", column="board")
"""The number of pieces that lie on a grid."""

# --- features ------------------------------------------------------------------------------------

leader = state("segments", "-1", "segments - 1", column="features")
"""The leader of the feature of a segment on a grid; -1 for a segment on no grid."""
member_next = state("segments", "0", "segments - 1", column="features")
"""The next segment in the ring of a feature's segments."""
group_kind = state("segments", "0", "2147483647", column="features")
"""The feature kind of a segment on a grid."""
group_size = state("segments", "0", "segments", column="features")
group_first = state("segments", "0", "segments - 1", column="features")
"""The number of segments of a feature, and the smallest one.

These and the following tables up to `group_stander` are valid at leaders only.
"""
group_ends = state("segments", ANY_LOW, ANY_HIGH, column="features")
"""The number of ports that face an empty cell or the edge of the grid."""
group_cells = state("segments", ANY_LOW, ANY_HIGH, column="features")
"""The number of cells that the feature covers."""
group_twin = state("segments", "-1", "segments - 1", column="features")
"""One of the members with `part_twin`, -1 for none."""
twin_next = state("segments", "0", "segments - 1", column="features")
"""The next one in the ring of these members."""
group_value = state("segments * folds", "-2147483648", "2147483647", column="features")
"""The folded attributes of the feature."""
group_stander = state("segments", "-1", "pieces - 1", column="standing")
"""One of the pieces that stand on the feature, -1 for none."""
stander_next = state("pieces", "-1", "pieces - 1", column="standing")
stander_before = state("pieces", "-1", "pieces - 1", column="standing")
"""The neighbours in the ring of these pieces, -1 for pieces that stand on no segment."""

LINKED, UNLINKED = 1, 2
"""The kinds of joints."""
joint_a = state("joints", "0", "segments - 1", column="links")
joint_b = state("joints", "0", "segments - 1", column="links")
joint_kind = state("joints", "0", "2", column="links")
joints = state("1", "0", "joints", column="links")
"""The pairs of segments that rules linked or unlinked: a < b, ascending by a, then b."""

# --- frames and decisions ------------------------------------------------------------------------

stack = state("stack", ANY_LOW, ANY_HIGH, column="machine")
"""Frames: `stack[f]` is the point at which the callable of frame f continues, `stack[f + 1]` the
frame below (-1 for none), followed by its slots."""
top = state("1", ANY_LOW, ANY_HIGH, column="machine")
"""The innermost frame, -1 for none."""
free = state("1", "0", ANY_HIGH, column="machine")
"""The offset of the next frame."""
store = state("store", ANY_LOW, ANY_HIGH, column="machine")
"""The sets and lists of frames, as blocks: the index in `stack` that holds the handle (-1: free),
capacity, length, items. A handle is the offset of a block, 0 for an empty set."""
store_free = state("1", "0", "store", column="machine")
queue = state("queue", ANY_LOW, ANY_HIGH, column="queue")
queued = state("1", "0", "queue", column="queue")
queue_free = state("1", "0", "queue", column="queue")
"""The number of queued calls, which wait for the end of a step, and the offset in `queue` of the
next one. A call is its action, followed by its arguments: a number each, or for a set the number of
its members (-1 for none) and the members."""
QUEUE = const("1")
"""The number of entries of `queue`."""
fuel = state("1", ANY_LOW, ANY_HIGH, column="machine")
spent = scratch("1", ANY_LOW, ANY_HIGH)
"""The steps of all decisions so far, of all games that this machine has played."""
halted = scratch("1", "0", "1")
"""1 once the program is to stop; the caller sets it from outside, and takes the `fuel` away."""
steps = state("1", "0", "1000000", column="machine")
"""The number of active `step` actions and settlings."""
settling = state("2", "0", "1000000", column="machine")
"""The state of settling: 1 once `always` rules are tried, and the number of applications."""
decided = state("1", "0", "2147483647", column="decisions")
history = state("history", "0", "1152921504606846975", column="noted")
"""The hashes of the positions that rules noted, the number n (from 0) in entry `n % HISTORY`."""
history_end = state("1", "0", ANY_HIGH, column="noted")
"""The number of positions noted."""
history_now = state("2", "0", ANY_HIGH, column="noted")
"""The number of decisions when the last one was noted, and the first position noted since then."""
HISTORY = const("1")
"""The number of entries of `history`."""
cut_short = state("1", "0", "1", column="end")
"""1 once the limit of decisions has ended the game."""
winners = state("1", "0", "seats_mask", column="end")
waiting = state("1", "0", "3", column="decisions")
"""The pending decision: 0 none (it runs, or the game is over), 1 of a player, 2 of chance."""
asked = state("1", "-1", "2147483647", column="decisions")
"""The number of the pending choice; for chance 0 take, 1 roll."""
asked_seat = state("1", "-1", "seats", column="decisions")
asked_given = state("1", "-1", "2147483647", column="decisions")
"""The zone that is drawn from, or the die that is rolled, for a pending decision of chance."""
result = scratch("1")
"""The result of the callable that has just ended; a set is an offset into `heap`."""
rng = state("4", "0", "4294967295", column="decisions")
"""The words of the generator."""
resolves = state("1", "0", "1", column="decisions")
"""1 if the generator resolves chance, 0 if chance moves are offered."""

# --- scratch -------------------------------------------------------------------------------------

HEAP = const("1")
STORE = const("1")
"""The number of entries of `heap` and `store`."""

heap = scratch("heap")
heap_top = scratch("1", "0", "heap")
moves = scratch("moves")
"""The legal moves, as rows of `move_width` numbers: the option (for chance: the weight), then its
arguments."""
move_count = scratch("1", "0", "moves")
move_width = scratch("1", "0", "moves")
listed = scratch("1", "-1", "heap")
"""The set on the heap with the only argument of every legal move, for a choice with one option.

It is used instead of `moves` while a program runs; -1 if the moves are in `moves`.
"""
counting = scratch("1", "0", "1")
"""1 during playouts: moves that can be counted are not listed."""
counted = scratch("3", "-1", ANY_HIGH)
"""The grid whose placements were counted, the piece, and the number of placements; -1 if the moves
are listed."""
bound = scratch("4")
"""The binding to which an `always` rule applies."""
named = scratch("pieces")
named_now = scratch("1", "0", ANY_HIGH)
"""`named[p] == named_now` says that a state, frame or queued call names piece p (see
`runtime/likeness.py`)."""
named_pieces = scratch("pieces", "0", "pieces")
named_count = scratch("1", "0", "pieces")
"""The list of these pieces."""
sort_lead = scratch("pieces", "-1", "moves")
sort_seen = scratch("pieces")
sort_now = scratch("1", "0", ANY_HIGH)
"""`sort_lead[p]` is the first piece from which `p` cannot be told apart, among the pieces examined:
those with `sort_seen[p] == sort_now`."""
seen = scratch("segments + pieces")
seen_now = scratch("1", "0", ANY_HIGH)
"""Stamps of traversals: a visited item has the number of the traversal."""
luck = scratch("4", "0", "4294967295")
"""The generator of random players; nothing in the game depends on it."""
seeded = scratch("6", "0", "4294967295")
"""A 64-bit word for computations, and the state of the stream that was seeded."""
SOURCES = const("1")
"""The number of sources of points (see `language.model.flow`)."""
gained = scratch("seats * sources")
"""The points of each seat by source, in `source * PLAYERS + seat`.

This and the following tables are the statistics since the start of the game.
"""
scored = scratch("1", "0", "1")
"""1 after a score has changed, until the lead is updated."""
lead = scratch("1", "-1", "seats")
"""The seat that was the last to have more points than any other, -1 for none."""
leads = scratch("1")
"""The number of times the lead changed."""
offered = scratch("1")
"""The number of moves offered to players, summed over all their decisions."""
COLUMNS = 6
"""The number of columns in a row of `results` before the scores and the points by source."""
results = scratch("batch * 6 + batch * seats + batch * seats * sources")
"""The results of playouts, a row for each game: the number of moves, 1 if the game is over, the
mask of the winners, the number of decisions of players, `offered`, `leads`, the scores, `gained`.
"""
results_count = scratch("1", "0", "batch")
"""The number of games in `results`."""
NOTES = 1 << 16
"""The number of rows of `notes`."""
NOTE = 5
"""The number of columns of `notes`."""
noting = scratch("1", "0", "1")
"""1 while steps are noted."""
noted = scratch("1", "0", "65536")
"""The number of notes."""
notes = scratch("5 * 65536")
"""The steps of a move, see `runtime/notes.py`."""
READINGS = 512
RECORDS = 1 << 16
tracing = scratch("4")
"""The readings so far, the first of those that belong together, the open evaluations, and the end
of the records, see `runtime/terms.py`."""
read_name = scratch("512")
read_value = scratch("512")
held = scratch("512")
record_name = scratch("65536")
record_value = scratch("65536")
given_terms = scratch("2")
"""The record of the terms of the next points, and their subject, 0 for none."""

# --- rows ----------------------------------------------------------------------------------------

ROOM = const("1")
"""The number of entries of `legal`."""
WIDTH = const("1")
"""The number of columns of `legal`: the number of an option, then the most arguments of any."""
WINDOW = const("1")
"""The number of cells on each side of the square of a grid that is observed."""
PLANES = const("1")
"""The number of entries that describe a cell of it, of eight bytes each: 2, or 3 with six sides."""
ask_first = const("choices + 1")
"""The first row in the `ask_` tables of the arguments of each choice."""
ask_slot = const("asks")
ask_what = const("asks")
"""The slot of the argument in the frame of the choice, and what it is: 0 a number, 1 a piece, 2 a
player, 3 anything else."""
GIVEN = const("1")
"""The most arguments of any choice."""
option_first = const("choices + 1")
"""The first row in `option_given` of the options of each choice."""
option_given = const("options")
"""The number of arguments of an option."""
grid_seat = const("grids")
"""The seat of a grid `per: player`, else -1."""

legal = scratch("room", "-2147483648", "2147483647")
"""The legal moves of all rows of the last call, one row's after another's: the option and its
arguments, followed by zeros."""
legal_end = scratch("1", "0", "room")
"""The number of entries of `legal` in use."""
row_now = scratch("1", "0", "2147483647")
"""The row in which something is done."""
legal_first = per_row("1", "0", "room")
"""The number of the first move of the row in `legal`, and the number of its moves."""
legal_count = per_row("1", "0", "room")
chosen = per_row("1", "-1", "room")
"""The move to play, by its place among those of the row; the host writes it."""
move = per_row("width", "-2147483648", "2147483647")
"""The row of `legal` of the chosen move."""
game = per_row("1", "0", "4611686018427387903")
"""The number of the game of a seed."""
over = per_row("1", "0", "1")
"""1 if the last step has ended a game; the next one has begun then."""
won = per_row("1", "0", "seats_mask")
final = per_row("seats", "-2147483648", "2147483647")
"""The winners and the scores of the game that ended last."""
view = per_row("grids * window * window * planes")
"""The cells around the middle of play of each grid, in rows, `PLANES` entries each, whose bytes
are the channels that `runtime.rows.observe` documents."""
origin = per_row("grids * 2", "-4096", "4096")
"""The x and the y of the first cell in the view of each grid."""
looked = per_row("pieces * 5", "-4096", "places + 4096")
"""What is seen of each piece (see `runtime.rows.look`)."""
facts = per_row("3 + seats + zones + given + given * sides", "-2147483648", "2147483647")
"""What is seen beside the grids (see `runtime.rows.observe`)."""

outcomes = scratch("room")
"""What each move in `legal` leads to (see `runtime.outcomes`): a row for each, with the
columns `TRIED`, `MARGIN`, `WON`, the scores of all players if the game ended then, their scores and
the amounts in zones before that. Players come in turn from the one who moves, and so do their
zones."""
outcome_value = scratch("room")
"""The margin of each outcome for the comparison with others, in units of 1 / `FINE`: in a search it
counts the pieces in hand."""
ended = scratch("3 + seats * 2 + zones")
"""A row of `outcomes`."""
trial = scratch("4", "0", "2147483647")
"""What is tried, by the names of `runtime.outcomes`."""
trial_first = scratch("64", "0", "room")
trial_count = scratch("64", "0", "room")
"""The moves in `legal` of each position that a sequence of moves has reached."""
trial_at = scratch("64", "0", "room")
trial_left = scratch("64", "-2147483648", "2147483647")
"""The next move to try, and the number of sequences that may still be tried."""

# --- turns in playouts, see `runtime.turns` ---------------------------------------------

turn = scratch("9")
"""The turn that is chosen, by the names of its module."""
pieces = scratch("seats")
hand = scratch("seats")
"""The number of pieces in the zones of each seat, and their worth in units of 1 / `FINE`."""
place_width = scratch("2", "0", "moves")
place_count = scratch("2", "0", "512")
place_again = scratch("2")
place_fresh = scratch("2")
"""The places of the first and the second decision: the columns and the number of their rows, and
how many of them are still to be rated again or for the first time."""
place_rows = scratch("2 * 8192")
place_hash = scratch("2 * 512")
place_gain = scratch("2 * 512")
"""The rows of the places, with their hashes and the gains of the turns that they lead to."""
gain_hash = scratch("32768")
gain_of = scratch("32768")
"""The gains that are remembered, with the hashes of their turns."""

# --- a search, see `runtime.search` ------------------------------------------

search = scratch("32")
"""The state of the search, by the names of its module."""
usual = scratch("seats")
"""The margin of each seat over its best rival that is expected, in units of 1 / `FINE`."""
ending = scratch("seats")
"""The score of each seat if the game ended now."""
best_rival = scratch("seats")
"""Sums of margins, while the gauge is made."""

listed_row = scratch("128", "0", "room")
"""The candidates on the shortlist."""
listed_guess = scratch("128", "0", "1048576")
"""Their first values."""
listed_visits = scratch("128", "0", "2147483647")
listed_total = scratch("128", "0", ANY_HIGH)
"""The number of playouts, and the sum of their values."""
listed_mean = scratch("128", "0", "1048576")
"""The mean value, in which the first value counts as some playouts."""

TABLES = {name: table for name, table in globals().items() if isinstance(table, DeclaredTable)}
"""All tables by name."""

for _name in TABLES:
    TABLES[_name].name = _name

_rows = Rows(TABLES, [name for name in TABLES if TABLES[name].role in IN_ROWS])


def enter_row(number: int) -> None:
    """Use the tables of another row from now on; a call begins and ends in row 0.

    Faults: INDEX for a row that there is no room for.
    """
    if not _rows.enter(number):
        faults.fault(faults.INDEX)


_SAVED: dict[int, dict[str, list[int]]] = {}


def save_state(slot: int) -> None:
    """Copy all state tables to a slot, of which there are `language.model.ir.SLOTS`.

    In the IR this and `load_state` are statements, which every engine prints in its own way.
    """
    _SAVED[slot] = {name: list(table) for name, table in TABLES.items() if table.role == "state"}


def load_state(slot: int) -> None:
    """Copy a slot back to all state tables."""
    for name, values in _SAVED[slot].items():
        TABLES[name][:] = values
