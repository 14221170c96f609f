"""A game in which much goes on at once: hooks, nested choices, steps, loops, chance."""

from tests.engines.machine_games import game

BUSY = game(
    """
state game.active: player = first(players)
state token.used: int 0..9
state segment.mark: bool
state player.liked[colour]: int = 0
state game.chosen: set of player = {}

action game():
    for round in 1..3:
        for p in players from active:
            turn(p, round)
        active = next(active)
    end_game(most(p in players by p.score))

action turn(p: player, n: int):
    let f = throw()
    var spent = 0
    while count(bag) > 0 and spent < n:
        let t = take(bag)
        move(t, shelf)
        spent += 1
    if count(purse) > 0: spend(p, spent)
    else: gain(p, n)
    let k = like(p)
    p.liked[k] += 1

action throw() -> face:
    for d in dice:
        let f = roll(d)
        return f
    return first_face()

value first_face() -> face: the(d in dice).face

step action gain(p: player, n: int):
    later thank(p, n)
    p.score += n

before gain(p, n) when n > 1: pause(p)

around gain(p, n):
    let old = p.score
    proceed
    chosen = chosen + {p}
    if p.score > old + 1: pause(p)

action thank(p: player, n: int):
    pause(p)
    p.score += 1

choice pause(p: player) by p:
    option go
    option more(x in 1..2): p.score += x

choice spend(p: player, n: int) by p repeat:
    option pay(x in purse where x.used < 3):
        x.used += 1
        gain(p, x.worth)
        if x.used > 1: move(x, tray)
    option mark(s in segments(first_tile(shelf)) where not s.mark): s.mark = true
    option stop:
        pause(p)
        leave

value first_tile(z: zone) -> tile: the(t in shelf where not any(u in shelf where before(u, t)))
value before(u: tile, t: tile) -> bool: u != t and first(x in {u, t}) == u

after spend.pay(x): pause(p)

choice like(p: player) by p -> colour:
    option it(c in colour): return c

always for x in purse where x.used == 2: x.used = 3
"""
)
