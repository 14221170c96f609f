"""Information-set Monte Carlo search.

Usually, the best candidates at the root are compared by playouts in which players choose their
turns (see `rulesdsl.runtime.turns`). Sequential halving divides the playouts among them. Where
ending the game at once says nothing about a turn, and if there are few playouts, players play at
random, and a tree is grown.

The tree is grown over several samples of one position, in turns. A node stands for the moves since
the root, whatever is hidden; in a sample it has a *scene*, whose rows are the moves that can be
played there. Chance is a move of its own, drawn by its weights, so that a scene is one position,
which is kept in a slot.

The search does one unit of work after the other, and all that it knows between two of them is in
tables. So it can be interrupted, and it goes on after a fault, which belongs to the move that was
tried or to the playout. Values are numbers from 0 to `ONE`; nothing here knows a game.
"""

from __future__ import annotations

from rulesdsl.runtime.hooks import final_score
from rulesdsl.runtime.machine import enumerate_moves, finish, luck_outcome, play, playout
from rulesdsl.runtime.rng import WORD, luck_below, seed_luck
from rulesdsl.runtime.tables import *
from rulesdsl.runtime.turns import (
    FINE,
    PIECE,
    RATED,
    choose_turn,
    forget_gains,
    margin,
    resolve_anew,
    score_hands,
)

ONE = 1 << 20
"""The greatest value."""

WON = 1
MARGIN = 4
"""The shares of the win and of the margin in a value."""
SHORTEST = 16
LONGEST = 512
"""The bounds of the number of decisions before a playout is ended and scored.

The longer players play at random, the less the result depends on the move before; but playouts are
longer where little happens in a short time, or where points are spent before they are gained.
"""
FIRST = 16
"""The number of playouts that determine the gauge of a search."""
SURE = 3
"""The number of standard errors by which players must lose points in the gauge on average."""
TURNS = 3
"""The number of turns of a playout in which players choose their turns."""
GAUGE = 4
"""The number of such playouts that determine what a piece is worth and what a playout costs."""
RATINGS = 8
CHEAP = 16
"""A playout with chosen turns counts as one random playout for every `RATINGS` turns that one of
the gauge rates on average, but as at least `CHEAP` random playouts."""
LEAST = 64
"""The least budget with which players choose their turns."""
SCARCE = 4
"""The number of turns that gain as much as a player's first piece in hand is worth."""
SHORTLIST = 16
"""The number of candidates that are compared by such playouts."""
GUESS = 2
"""The weight of a first value then, in playouts."""
EXPLORATION = 10
"""The inverse of the constant of UCB1."""
PRIOR = 12
"""The weight, in playouts, of the value of ending the game at once."""
GROWN = 40
"""The number of visits from which a node gets children."""
TRIES = 400
"""The number of sequences of a player's own moves to try when a node gets children."""

# Entries of `search`.
DOING = 0
"""What runs: nothing of the following, the gauge, a playout, a candidate, or the end after it."""
NOTHING = 0
GAUGING = 1
PLAYING = 2
TRYING = 3
ENDING = 4
LENGTH = 1
"""The number of decisions of a playout."""
SCALE = 2
"""The standard deviation of margins, in units of 1 / `FINE`."""
WEIGHT = 3
"""The weight of a first value."""
SAMPLES = 4
SAMPLE = 5
"""The number of samples, and the next one to be played."""
NODES = 6
SCENES = 7
ROWS = 8
DATA = 9
USED_SLOTS = 10
"""The numbers of nodes, scenes, rows, entries of `tree_data` and slots in use."""
DEPTH = 11
"""The number of moves on the path."""
BUILT = 12
"""The number of scenes whose candidates are tried."""
GAUGED = 13
"""The number of playouts of the gauge so far, -1 when it is done."""
GAIN = 14
ALIKE = 15
OVER = 16
"""Over the playouts of the gauge: the points gained, the number that left all scores as they are,
and the number that ended the game."""
SQUARES = 17
"""The sum of the squares of margins."""
BLIND = 18
"""1 if players surely lose points in short playouts, so that first values are misleading."""
GAIN_SQUARES = 19
"""The sum of the squares of the points gained in each playout of the gauge."""
CHOOSES = 20
"""1 if players choose their turns in playouts."""
SPENT = 21
BUDGET = 22
"""The playouts that were made, and the number when the search is to end."""
LEFT = 23
"""The number of candidates on the shortlist, 0 before there is one."""
LISTED = 24
"""The number of candidates that were on the shortlist first."""
SEED = 25
PRICE = 26
"""The number of random playouts as which a playout counts."""

DEEPEST = 60
LEVELS = 12
MOST_NODES = 65536
MOST_SCENES = 16384
MOST_ROWS = 131072
MOST_DATA = 262144
MOST_SLOTS = 256
FIRST_SLOT = 32
"""The limits of the tree. Slots before `FIRST_SLOT` are for samples and, from `BUILDING` on, for
scenes that are built when there is no slot left."""
BUILDING = 16


# --- from outside --------------------------------------------------------------------------------


def search_sample(number: int) -> None:
    """Take the position as one of the samples, numbered from 0."""
    resolves[0] = 0
    save_state(number)


def search_open(samples: int, seed: int) -> None:
    """Begin a search over the samples that were taken, with a seed of 32 bits."""
    seed_luck(seed)
    search[SEED] = seed
    search[DOING] = NOTHING
    search[CHOOSES] = 0
    search[PRICE] = 1
    search[SPENT] = 0
    search[LEFT] = 0
    turn[PIECE] = 0
    search[SAMPLES] = samples
    search[SAMPLE] = 0
    search[NODES] = 0
    search[SCENES] = 0
    search[ROWS] = 0
    search[DATA] = 0
    search[USED_SLOTS] = FIRST_SLOT
    search[BUILT] = 0
    search[BLIND] = 0
    _new_node(-1, 0)
    for number in range(samples):
        scene = _new_scene(0)
        scene_slot[scene] = number
    _begin_gauge(SHORTEST)


def search_grow(units: int, playouts: int) -> int:
    """Work until that many playouts are made, or for some units; return how many are made.

    The number of playouts may be an estimate that changes from call to call. A playout in which
    players choose their turns counts as several.
    """
    search[BUDGET] = playouts
    left = units
    while left > 0 and search[SPENT] < playouts:
        left -= 1
        if search[GAUGED] >= 0:
            _gauge()
        elif search[BUILT] > 0:
            _try_next()
        elif search[CHOOSES] == 1 and scene_count[0] > 0:
            _compare()
        else:
            _descend()
    return search[SPENT]


def search_failed() -> bool:
    """Recover from a fault, so that the search can go on; return whether a move caused it."""
    doing = search[DOING]
    search[DOING] = NOTHING
    if doing == GAUGING:
        for seat in range(PLAYERS[0]):
            usual[seat] = 0
        _end_gauge(LONGEST if search[CHOOSES] == 0 else search[LENGTH], FINE)
        _choose_no_more()
    elif doing == PLAYING:
        _choose_no_more()
        _even()
        _add_playout()
    elif doing == TRYING:
        row_node[_tried_row()] = -1
    elif doing == ENDING:
        _even()
        _set_guess(row_node[_tried_row()])
    return doing != NOTHING


def search_best() -> int:
    """Return the most played candidate of the first sample, among several the best.

    If there is a shortlist, it is the best of those that are left.
    """
    first = scene_first[0]
    found = 0
    visits = -1
    mean = -1
    for number in range(scene_count[0]):
        node = row_node[first + number]
        if node >= 0:
            played = node_visits[node] if search[LEFT] == 0 else node_left[node]
            if played > visits or (played == visits and node_mean[node] > mean):
                found = number
                visits = played
                mean = node_mean[node]
    return found


# --- the gauge -----------------------------------------------------------------------------------


def _begin_gauge(length: int) -> None:
    """Begin the gauge for playouts of that many decisions."""
    search[LENGTH] = length
    search[GAUGED] = 0
    search[GAIN] = 0
    search[GAIN_SQUARES] = 0
    search[ALIKE] = 0
    search[OVER] = 0
    search[SQUARES] = 0
    for seat in range(PLAYERS[0]):
        best_rival[seat] = 0


def _gauge() -> None:
    """Work on the gauge for a unit: play once, or judge all playouts.

    The gauge is the margin of each seat that is expected, and the spread of margins. Playouts are
    long enough that some change the scores, and that players gain points on average. If players can
    choose their turns, playouts of that kind make a second gauge.
    """
    if search[GAUGED] < (GAUGE if search[CHOOSES] == 1 else FIRST):
        search[DOING] = GAUGING
        _gauge_playout()
        search[DOING] = NOTHING
        search[GAUGED] += 1
    elif search[CHOOSES] == 1:
        _judge_turns()
    else:
        _judge_random_playouts()


def _judge_random_playouts() -> None:
    """End the gauge of random playouts, or begin it again for longer ones or for chosen turns."""
    length = search[LENGTH]
    still = search[ALIKE] == FIRST
    if _loses():
        search[BLIND] = 1
        still = still or search[OVER] < FIRST
    if still and length < LONGEST:
        _begin_gauge(2 * length)
        return
    seats = PLAYERS[0]
    squares = search[SQUARES]
    for seat in range(seats):
        usual[seat] = best_rival[seat] // FIRST
        squares -= best_rival[seat] * best_rival[seat] // FIRST
    scale = _root(max(squares, 0) // (FIRST * seats))
    if search[BLIND] == 0 and search[BUDGET] >= LEAST:
        search[CHOOSES] = 1
        forget_gains()
        turn[RATED] = 0
        _begin_gauge(length)
        return
    _end_gauge(length, max(scale, FINE))


def _judge_turns() -> None:
    """End the gauge of playouts in which players choose their turns.

    A player's first piece in hand is worth as much as `SCARCE` turns gain.
    """
    for seat in range(PLAYERS[0]):
        usual[seat] = best_rival[seat] // GAUGE
    gain = max(search[GAIN], 1) * FINE // GAUGE
    turn[PIECE] = gain * SCARCE // TURNS
    _end_gauge(search[LENGTH], max(2 * gain, FINE))
    search[WEIGHT] = GUESS
    search[PRICE] = max(CHEAP, turn[RATED] // (GAUGE * RATINGS))


def _loses() -> bool:
    """Return whether players lose points in the gauge by more than chance explains.

    Where points come late, they do in nearly every playout. In a game of gains and losses the sum
    over a few playouts is often negative although nothing is misleading.
    """
    gain = search[GAIN]
    spread = search[GAIN_SQUARES] - gain * gain // FIRST
    return gain < 0 and gain * gain > SURE * SURE * spread


def _gauge_playout() -> None:
    """Play out once from the first sample, and count the result."""
    seats = PLAYERS[0]
    load_state(0)
    if search[GAUGED] == 0:
        resolve_anew()
        _finish()
        for seat in range(seats):
            ending[seat] = final_score(seat)
        load_state(0)
    enumerate_moves()
    _play_out(search[GAUGED])
    if waiting[0] == 0:
        search[OVER] += 1
    _finish()
    alike = 1
    total = 0
    for seat in range(seats):
        score = final_score(seat)
        total += score - ending[seat]
        if score != ending[seat]:
            alike = 0
        more = margin(seat)
        best_rival[seat] += more
        search[SQUARES] += more * more
    search[ALIKE] += alike
    search[GAIN] += total
    search[GAIN_SQUARES] += total * total


def _end_gauge(length: int, scale: int) -> None:
    """Set the length of playouts and the scale of margins, and begin the tree."""
    search[GAUGED] = -1
    search[LENGTH] = length
    search[SCALE] = scale
    search[WEIGHT] = max(1, PRIOR * SHORTEST // length)


# --- values --------------------------------------------------------------------------------------


def _finish() -> None:
    """End the game here."""
    score_hands(turn[PIECE])
    if waiting[0] != 0:
        finish()


def _evaluate() -> None:
    """Set the value of the position for each seat, as if the game ended here.

    It combines a share of the win (of the lead, if nobody has won) with the margin relative to the
    usual one, which counts less the further it is from that.
    """
    seats = PLAYERS[0]
    first = final_score(0)
    for seat in range(1, seats):
        first = max(first, final_score(seat))
    winning = 0
    for seat in range(seats):
        if _wins(seat, first):
            winning += 1
    scale = search[SCALE]
    for seat in range(seats):
        more = margin(seat) - usual[seat]
        soft = ONE // 2 + (ONE // 2) * more // (max(more, -more) + scale)
        won = ONE // winning if _wins(seat, first) else 0
        worth[seat] = (WON * won + MARGIN * soft) // (WON + MARGIN)


def _wins(seat: int, first: int) -> bool:
    """Return whether a seat has won, or leads with that score if nobody has won."""
    if winners[0] == 0:
        return final_score(seat) == first
    return (winners[0] >> seat) & 1 == 1


def _even() -> None:
    """Set the values where nothing is known."""
    seats = PLAYERS[0]
    for seat in range(seats):
        worth[seat] = (WON * (ONE // seats) + MARGIN * (ONE // 2)) // (WON + MARGIN)


def _root(number: int) -> int:
    """Return the square root of a number, rounded down."""
    if number < 1:
        return 0
    found = 1
    rest = number
    while rest > 1:
        rest = rest >> 2
        found = found << 1
    found = found << 1
    after = (found + number // found) >> 1
    while after < found:
        found = after
        after = (found + number // found) >> 1
    return found


def _root_log(number: int) -> int:
    """Return the square root of the natural logarithm of a number, times `ONE`."""
    bits = 0
    while number >> bits > 1:
        bits += 1
    log = (bits << 16) + ((number << 16) >> bits) - (1 << 16)
    return _root((log * 45426 >> 16) << 24)


# --- the tree ------------------------------------------------------------------------------------


def _new_node(mover: int, width: int) -> int:
    """Return a new node, for a move of `width` numbers."""
    node = search[NODES]
    search[NODES] = node + 1
    node_visits[node] = 0
    node_mover[node] = mover
    node_child[node] = -1
    node_next[node] = -1
    node_data[node] = search[DATA]
    node_width[node] = width
    search[DATA] += width
    for seat in range(PLAYERS[0]):
        node_guess[node * PLAYERS[0] + seat] = -1
        node_total[node * PLAYERS[0] + seat] = 0
    return node


def _new_scene(node: int) -> int:
    """Return a new scene of a node, whose rows are not listed yet."""
    scene = search[SCENES]
    search[SCENES] = scene + 1
    scene_node[scene] = node
    scene_seat[scene] = -1
    scene_first[scene] = 0
    scene_count[scene] = -1
    scene_slot[scene] = -1
    return scene


def _set_mean(node: int) -> None:
    """Set what selection reads of a node."""
    mover = node_mover[node]
    if mover >= 0:
        at = node * PLAYERS[0] + mover
        weight = search[WEIGHT]
        count = node_visits[node] + weight
        node_mean[node] = (node_total[at] + weight * max(node_guess[at], 0)) // count
        node_root[node] = _root(ONE * ONE // count)


def _set_guess(node: int) -> None:
    """Give a node the values as its first value."""
    for seat in range(PLAYERS[0]):
        node_guess[node * PLAYERS[0] + seat] = worth[seat]
    _set_mean(node)


def _add_playout() -> None:
    """Count a playout with these values in all nodes on the path."""
    seats = PLAYERS[0]
    search[SPENT] += search[PRICE]
    for number in range(search[DEPTH] + 1):
        node = path_node[number]
        node_visits[node] += 1
        for seat in range(seats):
            node_total[node * seats + seat] += worth[seat]
        _set_mean(node)
    search[SAMPLE] = (search[SAMPLE] + 1) % search[SAMPLES]


# --- a playout -----------------------------------------------------------------------------------


def _descend() -> None:
    """Go down the tree and play out from there, or begin to build the scene that is missing."""
    scene = search[SAMPLE]
    depth = 0
    path_node[0] = 0
    path_scene[0] = scene
    while scene >= 0:
        if scene_count[scene] < 0:
            search[DEPTH] = depth
            search[DOING] = PLAYING
            _reach(depth, False)
            enumerate_moves()
            search[DOING] = NOTHING
            _list_scene(scene, TRIES)
            return
        row = _chosen(scene)
        scene = -1
        if row >= 0:
            node = row_node[row]
            path_row[depth] = row
            depth += 1
            path_node[depth] = node
            if node_visits[node] >= GROWN and depth < DEEPEST:
                scene = _scene_behind(row)
            path_scene[depth] = scene
    search[DEPTH] = depth
    search[DOING] = PLAYING
    _reach(depth, True)
    _play_out(0)
    _finish()
    _evaluate()
    search[DOING] = NOTHING
    _add_playout()


def _scene_behind(row: int) -> int:
    """Return the scene behind a row, -1 if the tree is full."""
    if row_scene[row] < 0 and search[SCENES] < MOST_SCENES:
        row_scene[row] = _new_scene(row_node[row])
    return row_scene[row]


def _chosen(scene: int) -> int:
    """Return the row to go on with, by weight for chance, otherwise by UCB1; -1 for none."""
    first = scene_first[scene]
    end = first + scene_count[scene]
    found = -1
    if scene_seat[scene] < 0:
        total = 0
        for row in range(first, end):
            total += row_weight[row]
        if total > 0:
            left = luck_below(total)
            found = first
            while left >= row_weight[found]:
                left -= row_weight[found]
                found += 1
        return found
    count = node_visits[scene_node[scene]] + search[WEIGHT] * scene_count[scene]
    wide = _root_log(max(count, 1)) // EXPLORATION
    best = -1
    for row in range(first, end):
        node = row_node[row]
        if node >= 0:
            bound = node_mean[node] + (wide * node_root[node] >> 20)
            if bound > best:
                best = bound
                found = row
    return found


def _reach(depth: int, out: bool) -> None:
    """Load the position at a depth of the path; `out` if it is played out from there.

    Then chance is resolved from now on, and the moves are listed.
    """
    begin = depth
    while path_scene[begin] < 0 or scene_slot[path_scene[begin]] < 0:
        begin -= 1
    load_state(scene_slot[path_scene[begin]])
    for number in range(begin, depth):
        if out and number + 1 == depth:
            resolve_anew()
        _play_row(path_row[number])
    if out and begin == depth:
        resolve_anew()
        enumerate_moves()


def _play_out(scenario: int) -> None:
    """Play until the playout is long enough; the moves are listed.

    Players play at random, or they choose their turns, a scenario at a time.
    """
    if waiting[0] == 2:
        play(luck_outcome())
    if resolves[0] == 0:
        resolve_anew()
    if search[CHOOSES] == 0:
        playout(search[LENGTH])
        return
    turns = 0
    end = decided[0] + SHORTEST
    while waiting[0] != 0 and turns < TURNS and decided[0] < end:
        seat = asked_seat[0]
        choose_turn(scenario * TURNS + turns)
        if waiting[0] == 0 or asked_seat[0] != seat:
            turns += 1


def _play_row(row: int) -> None:
    """Play the move of a row in the position of its scene."""
    node = row_node[row]
    first = node_data[node]
    for number in range(node_width[node]):
        moves[number] = tree_data[first + number]
    move_width[0] = node_width[node]
    move_count[0] = 1
    listed[0] = -1
    counted[0] = -1
    play(0)


# --- the shortlist -------------------------------------------------------------------------------


def _compare() -> None:
    """Play out from the candidate of the shortlist that was played least, by the next scenario.

    The shortlist is halved when a share of the playouts was made (sequential halving).
    """
    if search[LEFT] == 0:
        _make_shortlist()
    rounds = 1
    while search[LISTED] >> rounds > 1:
        rounds += 1
    step = search[SPENT] * rounds // search[BUDGET]
    while search[LEFT] > max(1, search[LISTED] >> step):
        _drop_worst()
    node = -1
    for row in range(scene_first[0], scene_first[0] + scene_count[0]):
        each = row_node[row]
        left = each >= 0 and node_left[each] == 1
        if left and (node < 0 or node_visits[each] < node_visits[node]):
            node = each
            path_row[0] = row
    if node < 0:
        _choose_no_more()
        return
    scenario = node_visits[node]
    search[DEPTH] = 1
    path_node[0] = 0
    path_node[1] = node
    search[DOING] = PLAYING
    seed_luck((search[SEED] + scenario) & WORD)
    load_state(scenario % search[SAMPLES])
    resolve_anew()
    _play_row(path_row[0])
    _play_out(scenario)
    _finish()
    _evaluate()
    search[DOING] = NOTHING
    _add_playout()


def _choose_no_more() -> None:
    """Let players play at random in the playouts from now on, and grow a tree again."""
    search[CHOOSES] = 0
    search[PRICE] = 1
    search[LEFT] = 0


def _make_shortlist() -> None:
    """Put the candidates with the best first values on the shortlist; luck chooses from equals."""
    first = scene_first[0]
    end = first + scene_count[0]
    for row in range(first, end):
        if row_node[row] >= 0:
            node_left[row_node[row]] = 0
    for _ in range(max(1, min(SHORTLIST, search[BUDGET] // search[PRICE]))):
        found = -1
        equals = 0
        for row in range(first, end):
            node = row_node[row]
            if node >= 0 and node_left[node] == 0:
                if found < 0 or node_mean[node] > node_mean[found]:
                    found = node
                    equals = 1
                elif node_mean[node] == node_mean[found]:
                    equals += 1
                    if luck_below(equals) == 0:
                        found = node
        if found >= 0:
            node_left[found] = 1
            search[LEFT] += 1
    search[LISTED] = search[LEFT]


def _drop_worst() -> None:
    """Drop the candidate with the least mean value from the shortlist."""
    found = -1
    for row in range(scene_first[0], scene_first[0] + scene_count[0]):
        node = row_node[row]
        left = node >= 0 and node_left[node] == 1
        if left and (found < 0 or node_mean[node] <= node_mean[found]):
            found = node
    node_left[found] = 0
    search[LEFT] -= 1


# --- scenes --------------------------------------------------------------------------------------


def _list_scene(scene: int, tries: int) -> None:
    """List the rows of a scene, whose position and moves are at hand.

    If a player moves there, its candidates are tried from now on, with at most that many sequences.
    """
    scene_first[scene] = search[ROWS]
    scene_count[scene] = 0
    if waiting[0] == 0 or not _has_room(move_count[0], move_width[0]):
        return
    scene_seat[scene] = asked_seat[0] if waiting[0] == 1 else -1
    scene_count[scene] = move_count[0]
    parent = scene_node[scene]
    last = -1
    for number in range(move_count[0]):
        last = _child(parent, last, scene_seat[scene], number)
        row = search[ROWS]
        row_node[row] = last
        row_weight[row] = moves[number * move_width[0]]
        row_scene[row] = -1
        search[ROWS] = row + 1
    level = search[BUILT]
    if scene_slot[scene] < 0 and search[USED_SLOTS] < MOST_SLOTS:
        scene_slot[scene] = search[USED_SLOTS]
        search[USED_SLOTS] += 1
        save_state(scene_slot[scene])
    if scene_seat[scene] >= 0:
        built_scene[level] = scene
        built_at[level] = 0
        built_tries[level] = tries
        if scene_slot[scene] >= 0:
            built_slot[level] = scene_slot[scene]
        else:
            built_slot[level] = BUILDING + level
            save_state(BUILDING + level)
        search[BUILT] = level + 1


def _has_room(rows: int, width: int) -> bool:
    """Return whether the tree has room for a scene with that many rows."""
    if search[NODES] + rows > MOST_NODES or search[ROWS] + rows > MOST_ROWS:
        return False
    return search[DATA] + rows * width <= MOST_DATA


def _child(parent: int, before: int, mover: int, number: int) -> int:
    """Return the child of a node for a row of `moves`, a new one if there is none yet.

    `before` is the child of the row before, behind which it is looked for first.
    """
    start = node_child[parent] if before < 0 else node_next[before]
    node = start
    while node >= 0 and not _is_for(node, mover, number):
        node = node_next[node]
    if node < 0 and search[SAMPLES] > 1:
        node = node_child[parent]
        while node >= 0 and node != start and not _is_for(node, mover, number):
            node = node_next[node]
        if node == start:
            node = -1
    if node >= 0:
        return node
    width = move_width[0]
    node = _new_node(mover, width)
    for at in range(width):
        tree_data[node_data[node] + at] = moves[number * width + at]
    if before < 0:
        node_next[node] = node_child[parent]
        node_child[parent] = node
    else:
        node_next[node] = node_next[before]
        node_next[before] = node
    return node


def _is_for(node: int, mover: int, number: int) -> bool:
    """Return whether a node is for a row of `moves`; the first number is the weight for chance."""
    width = move_width[0]
    if node_width[node] != width:
        return False
    first = node_data[node]
    at = 1 if mover < 0 else 0
    while at < width and tree_data[first + at] == moves[number * width + at]:
        at += 1
    return at == width


def _tried_row() -> int:
    """Return the row of the candidate that is tried."""
    level = search[BUILT] - 1
    return scene_first[built_scene[level]] + built_at[level] - 1


def _try_next() -> None:
    """Build a scene for a unit: try its next candidate, or go back to the scene before.

    The first value of a candidate is that of ending the game there, or even if that is misleading.
    If the player moves again, it is the best value among the moves that can follow.
    """
    level = search[BUILT] - 1
    scene = built_scene[level]
    count = scene_count[scene]
    if built_at[level] >= count:
        search[BUILT] = level
        if level > 0:
            _set_best_guess(scene)
        return
    built_at[level] += 1
    row = _tried_row()
    node = row_node[row]
    if node_guess[node * PLAYERS[0]] >= 0:
        return
    load_state(built_slot[level])
    search[DOING] = TRYING
    _play_row(row)
    search[DOING] = NOTHING
    tries = built_tries[level] // count
    again = waiting[0] == 1 and asked_seat[0] == scene_seat[scene]
    if again and move_count[0] <= tries and level + 1 < LEVELS:
        inner = _scene_behind(row)
        if inner >= 0:
            _list_scene(inner, tries)
            if search[BUILT] > level + 1:
                return
    if search[BLIND] == 1:
        _even()
    else:
        search[DOING] = ENDING
        resolve_anew()
        _finish()
        _evaluate()
        search[DOING] = NOTHING
    _set_guess(node)


def _set_best_guess(scene: int) -> None:
    """Give the node of a scene the best first value among its candidates."""
    seats = PLAYERS[0]
    seat = scene_seat[scene]
    first = scene_first[scene]
    best = -1
    _even()
    for row in range(first, first + scene_count[scene]):
        node = row_node[row]
        if node >= 0 and node_guess[node * seats + seat] > best:
            best = node_guess[node * seats + seat]
            for other in range(seats):
                worth[other] = node_guess[node * seats + other]
    _set_guess(scene_node[scene])
