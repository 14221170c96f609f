"""All tables of the runtime.

Names of dimensions are those that `lower/tables/box.py` measures.

Handles are dense numbers in canonical order; -1 stands for none:

- player: seat; enum member: its index; kind: its index; piece: its index in the box
- face: those of the first kind with faces first (`kind_face` + index)
- segment: those of the first piece first (`piece_segment` + index in the outline); a feature is a
  segment of it, the smallest when it was asked for
- cell: `grid << 24 | (y + 2048) << 12 | (x + 2048)`, grid being the grid instance
- placement: cell * 4 + rotation
- zone, grid: instances numbered through in order of declaration; space: tracks one after another

A set is an offset into `heap` of its length, followed by its members in ascending order.
"""

from __future__ import annotations

from rulesdsl.runtime.declare import ANY_HIGH, ANY_LOW, Table, const, scratch, state

# --- the box: what never changes -----------------------------------------------------------------

PLAYERS = const("1")
PIECES = const("1")
SEGMENTS = const("1")
ZONES = const("1")
GRIDS = const("1")
SPACES = const("1")
FOLDS = const("1")
SLOTS = const("1")
JOINTS = const("1")
"""Dimensions, for programs: each table has that one number. `FOLDS` is how many attributes of
segments are folded over features (`union` folds not among them); `SLOTS` how many cells can be
occupied or next to an occupied one at a time; `JOINTS` how many links and unlinks there can be."""

"""How many steps there are between two decisions."""
LIMIT = const("1")
"""After how many decisions of players the game ends."""

EVERYBODY = const("1")
"""The mask of all seats."""

BATCH = const("1")
"""How many games `results` has room for."""

LIKE_RUNS = const("1")
"""1 if pieces that are `piece_like` have neighbouring numbers, among those that are played."""

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
"""Equal for pieces of one kind, seat and start: the lowest such piece."""
piece_segment = const("pieces + 1")
"""The first segment of each piece (as many are reserved as the face with most segments has)."""
piece_shape = const("pieces")
"""The first shape of a piece: that of face f in rotation r is `piece_shape + 4 * f + r`."""

segment_piece = const("segments")

kind_face = const("kinds")
"""The first face of a kind, -1 without faces."""
kind_faces = const("kinds")
"""How many faces a kind has; 0 without."""
face_drawing = const("faces")
"""Equal for faces of a kind that have the same outline."""

shape_width = const("shapes")
shape_height = const("shapes")
shape_parts = const("shapes")
"""How many segments a shape shows."""
shape_kinds = const("shapes")
"""The feature kinds of its segments, a bit for each of the first 31."""
shape_part = const("shapes")
"""The row, in the `part_` tables, of the first segment of a shape."""
shape_fit = const("shapes")
shape_bit = const("shapes")
"""Shapes of one cell have a bit each in one of `FITS` words, the same if all their sides are: in
which word, and the bit. Those of the four rotations of one lie next to each other. Larger shapes
have none: 0."""
shape_shift = const("shapes")
"""How far the bit of the shape that is not turned is shifted."""
bits_in = const("16")
"""How many bits numbers below 16 have."""
bit_at = const("16 * 4")
"""Which are their bits, the lowest first, from row `4 * number` on."""
shape_corner = const("shapes")
"""The first of `width * height` rows of `corner_` tables of a shape, one for each of its cells in
rows: row `shape_corner + y * width + x`."""

FITS = const("1")
INDEX = const("1")
"""Dimensions as well: words of bits of shapes, and entries of `cell_index`."""
side_fit = const("codes * 4 * fits")
"""The bits of the shapes of one cell whose side s has a code, from `(code * 4 + s) * FITS` on."""

corner_side = const("corners * 4")
"""The side code of side s (0..3: n, e, s, w) of that cell: equal for sides that agree; 0 where
nothing lies."""
corner_holder = const("corners * 12")
"""Which segment of the shape holds lane l (0..2: left, centre, right seen from inside) of side s:
entry `corner * 12 + s * 3 + l`; -1 for none. Lane l of a side lies against lane 2 - l."""

part_kind = const("parts")
"""The feature kind's number."""
part_port = const("parts + 1")
"""The first row of the ports of a part in the `port_` tables."""
part_cell = const("parts + 1")
"""The first row of the cells of a part in the `area_` tables."""
part_border = const("parts + 1")
"""The first row of what a part borders on, in `border_part`."""
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
"""Indices of segments in the same shape."""

fold_of = const("folds")
"""How each folded attribute is folded: 0 sum, 1 max, 2 min, 3 any, 4 all (bools are 0 and 1)."""

grid_holds = const("grids")
"""The mask of the classes a grid holds."""
grid_match = const("grids")
"""0 none, 1 all, 2 any."""
grid_touch = const("grids")
grid_open = const("grids")
"""The mask of the classes it holds if sides and neighbours alone say what fits: `match: all`,
`touch`, no size; else 0."""
grid_width = const("grids")
grid_height = const("grids")
"""0 for a grid without a size."""

zone_holds = const("zones")
zone_ordered = const("zones")
"""1 if the zone is declared ordered."""
zone_keeps = const("zones")
"""1 if it matters in which order pieces arrive: declared ordered, and not `visible: none`."""
zone_visible = const("zones")
"""0 all, 1 owner, UNSEEN: none."""
UNSEEN = 2
zone_seat = const("zones")
"""The seat of a zone `per: player`, else -1."""
zone_room = const("zones")
"""How many it takes; 2^31 - 1 for any number."""

space_track = const("spaces")
track_space = const("tracks + 1")
"""The first space of each track."""
track_loop = const("tracks")
track_holds = const("tracks")

# --- frames as lower lays them out ---------------------------------------------------------------

live_first = const("points + 1")
"""For every point at which a callable can be suspended, its first row in the `live_` tables: the
slots of its frame that name pieces then."""
live_slot = const("lives")
live_what = const("lives")
"""0 piece, 1 segment or feature, 2 set of pieces, 3 set of segments or features, each none or empty
or so; 4 and 5: as 2 and 3 for the items of a loop, of which those from the number in the next slot
on count."""

# --- pieces and places ---------------------------------------------------------------------------

NOWHERE = -1
LAID = -2
ON_CELL = -3

place = state("pieces", "-3", "places - 1")
"""Zone z is place z, space s is `ZONES + s`, segment g is `ZONES + SPACES + g`; else NOWHERE, LAID
(on a grid) or ON_CELL."""
spot = state("pieces", "-1", "2147483647")
"""The placement of a LAID piece, the cell of one ON_CELL, else -1."""
face = state("pieces", "0", "255")
"""Which of its faces a die shows; 0 for all others."""
known = state("pieces", "0", "seats_mask")
"""The mask of the seats that know the piece."""
pool = state("pieces", "0", "pieces")
"""Pieces that not all know and that have the same number could have been exchanged."""
face_down = state("pieces", "0", "1")
shuffled = state("pieces", "0", "1")

head = state("places", "-1", "pieces - 1")
tail = state("places", "-1", "pieces - 1")
piece_next = state("pieces", "-1", "pieces - 1")
piece_before = state("pieces", "-1", "pieces - 1")
"""The pieces at each place, linked: ascending, or in order where a zone keeps it. -1 ends."""
amount = state("places", "0", "pieces")
"""How many pieces are at a place."""

# --- cells ---------------------------------------------------------------------------------------

cell_index = state("index", "-1", "slots - 1")
"""Open addressing: the slot of a cell, -1 where there is none."""
cell_slots = state("1", "0", "slots")
"""How many slots are in use; slot s stands for a cell that is or was occupied or beside one."""
slot_cell = state("slots", "0", "2147483647")
slot_piece = state("slots", "-1", "pieces - 1")
"""The piece that lies there, -1 for none."""
slot_corner = state("slots", "0", "corners")
"""The row in the `corner_` tables that shows how that piece lies there."""
slot_open = state("slots", "0", "1")
"""1 for what is in the frontier of its grid."""
slot_fit = state("slots * fits", "0", "268435455")
"""There, the bits of the shapes whose sides agree with all that is around it: word w at
`w * SLOTS + slot`."""
frontier_first = state("grids", "-1", "slots - 1")
frontier_last = state("grids", "-1", "slots - 1")
frontier_next = state("slots", "-1", "slots - 1")
frontier_before = state("slots", "-1", "slots - 1")
"""The slots of all empty cells of a grid that lie beside an occupied one, inside of the grid:
linked, ascending by cell. -1 ends."""
grid_pieces = state("grids", "0", "pieces")
"""How many pieces lie on a grid."""

# --- features ------------------------------------------------------------------------------------

leader = state("segments", "-1", "segments - 1")
"""Union-find: the parent of a segment on a grid, itself for a leader; -1 for what is on no grid."""
member_next = state("segments", "0", "segments - 1")
"""The segments of a feature in a ring."""
group_kind = state("segments", "0", "2147483647")
"""The feature kind of a segment on a grid."""
group_size = state("segments", "0", "segments")
group_first = state("segments", "0", "segments - 1")
"""These are right at leaders: how many segments; the smallest;"""
group_ends = state("segments", ANY_LOW, ANY_HIGH)
"""how many ports face an empty cell or the edge of the grid;"""
group_cells = state("segments", ANY_LOW, ANY_HIGH)
"""how many different cells the feature covers;"""
group_twin = state("segments", "-1", "segments - 1")
"""one of the members with `part_twin`, -1 for none;"""
twin_next = state("segments", "0", "segments - 1")
"""those in a ring;"""
group_value = state("segments * folds", "-2147483648", "2147483647")
"""the folded attributes;"""
group_stander = state("segments", "-1", "pieces - 1")
"""one of the pieces that stand on the feature, -1 for none;"""
stander_next = state("pieces", "-1", "pieces - 1")
stander_before = state("pieces", "-1", "pieces - 1")
"""those in a ring, -1 for pieces that stand on no segment."""

link_a = state("joints", "0", "segments - 1")
link_b = state("joints", "0", "segments - 1")
links = state("1", "0", "joints")
unlink_a = state("joints", "0", "segments - 1")
unlink_b = state("joints", "0", "segments - 1")
unlinks = state("1", "0", "joints")
"""Joints that rules made and unmade: a < b, ascending by a, then b."""

# --- what runs -----------------------------------------------------------------------------------

stack = state("stack", ANY_LOW, ANY_HIGH)
"""Frames: `stack[f]` is the point at which the callable of frame f goes on, `stack[f + 1]` the
frame below (-1 for none), then its slots."""
top = state("1", ANY_LOW, ANY_HIGH)
"""The innermost frame, -1 for none."""
free = state("1", "0", ANY_HIGH)
"""Where the next frame will begin."""
store = state("store", ANY_LOW, ANY_HIGH)
"""Sets and lists in frames: blocks of the index in `stack` that holds the handle (-1: dead),
capacity, length, items. A handle is the offset of a block, 0 for an empty set."""
store_free = state("1", "0", "store")
queue = state("queue", ANY_LOW, ANY_HIGH)
queued = state("1", "0", "queue")
queue_free = state("1", "0", "queue")
"""How many calls wait for the end of a step, and where in `queue` the next one will begin. A call
is its action and its arguments one after another: a number each, or how many members a set has
(-1 none) and the members."""
QUEUE = const("1")
"""How many numbers `queue` holds."""
fuel = state("1", ANY_LOW, ANY_HIGH)
halted = scratch("1", "0", "1")
"""1 once the program is to stop: whoever runs it sets that, and takes `fuel`, from outside."""
steps = state("1", "0", "1000000")
"""How many `step` actions and settlings run."""
settling = state("2", "0", "1000000")
"""Of what follows the outermost step: 1 once `always` rules are looked at, and how many applied."""
decided = state("1", "0", "2147483647")
cut_short = state("1", "0", "1")
"""1 once the limit of decisions has ended the game."""
winners = state("1", "0", "seats_mask")
waiting = state("1", "0", "3")
"""0 nothing (it runs, or the game is over), 1 for a player, 2 for chance."""
asked = state("1", "-1", "2147483647")
"""Which choice is waited for (its number); for chance 0 take, 1 roll."""
asked_seat = state("1", "-1", "seats")
asked_given = state("1", "-1", "2147483647")
"""For chance: the zone that is drawn from, or the die that is rolled."""
result = scratch("1")
"""What the callable that has just ended gives; sets as offsets into `heap`."""
rng = state("4", "0", "4294967295")
"""The words of the generator."""
resolves = state("1", "0", "1")
"""1 if the generator resolves chance, 0 if chance moves are offered."""

# --- scratch -------------------------------------------------------------------------------------

HEAP = const("1")
STORE = const("1")
"""How many numbers `heap` and `store` hold."""

heap = scratch("heap")
heap_top = scratch("1", "0", "heap")
moves = scratch("moves")
"""Rows of `move_width` numbers: the option (or the weight, for chance), then its arguments."""
move_count = scratch("1", "0", "moves")
move_width = scratch("1", "0", "moves")
listed = scratch("1", "-1", "heap")
"""While a program runs: the set on the heap that has the only argument of every move there is, of
the only option of a choice, instead of `moves`; -1 where the moves are in `moves`."""
counting = scratch("1", "0", "1")
"""1 while games are played out: where moves can be counted, they are not listed."""
counted = scratch("3", "-1", ANY_HIGH)
"""The grid whose placements were counted, of the piece that is next, and how many there are; -1
where the moves are listed."""
bound = scratch("4")
"""What an `always` rule has found to apply to."""
named = scratch("pieces")
named_now = scratch("1", "0", ANY_HIGH)
"""`named[p] == named_now`: a state, frame or waiting call names piece p (see
`core/likeness.py`)."""
named_pieces = scratch("pieces", "0", "pieces")
named_count = scratch("1", "0", "pieces")
"""Those pieces, one after another."""
sort_lead = scratch("pieces", "-1", "moves")
sort_seen = scratch("pieces")
sort_now = scratch("1", "0", ANY_HIGH)
"""`sort_lead[p]` is the first piece that `p` cannot be told from, among those that were looked at:
where `sort_seen[p] == sort_now`."""
seen = scratch("segments + pieces")
seen_now = scratch("1", "0", ANY_HIGH)
"""Stamps for walks: what was seen has the number of the walk."""
luck = scratch("4", "0", "4294967295")
"""The generator of random players: nothing of the game depends on it."""
seeded = scratch("6", "0", "4294967295")
"""A word of 64 bits that is worked on, and the state of a stream that was made."""
SOURCES = const("1")
"""How many sources of points there are (see `rulesdsl.model.sources`)."""
gained = scratch("seats * sources")
"""Points of each seat by source, in `source * PLAYERS + seat`; this and the following since the
game began of which is told."""
scored = scratch("1", "0", "1")
"""1 after a score has changed, until the lead is looked at."""
lead = scratch("1", "-1", "seats")
"""The seat that was the last to have more points than any other, -1 for none."""
leads = scratch("1")
"""How often it became another one."""
offered = scratch("1")
"""How many moves players had to choose from, over all their decisions."""
COLUMNS = 6
"""Of a row of `results`, before the scores and the points by source."""
results = scratch("batch * 6 + batch * seats + batch * seats * sources")
"""Of games that were played out one after another: how many moves they had, 1 if they are over, the
mask of the winners, how many decisions of players, `offered`, `leads`, the scores, `gained`."""
results_count = scratch("1", "0", "batch")
"""How many of them were played."""

TABLES = {name: table for name, table in globals().items() if isinstance(table, Table)}
"""All tables by name."""

for _name in TABLES:
    TABLES[_name].name = _name
