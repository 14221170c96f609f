"""A second game in which much goes on: recursion, `always` rules that ask, steps that give
something, sets and features in frames, hooks around choices and options."""

from tests.engines.machine_games import game

DEEP = game(
    """
state game.active: player = first(players)
state token.used: int 0..9
state player.tired: bool
state game.marked: set of figure = {}
state game.last: segment?

action game():
    for round in 1..2:
        for p in players:
            active = p
            let won = gather(p, {x in purse where x.used < 2})
            p.score += count(won)
            descend(p, 2)
            let s = visit(p)
            last = s
            build(p)
    end_game(players)

step action gather(p: player, offered: set of token) -> set of token:
    var taken = {x in tray where x.used > 8}
    for x in offered:
        if count(taken) < 2:
            let yes = want(p, x, offered)
            if yes: taken = taken + {x}
    for x in taken: x.used += 1
    if count(taken) > 1: later rest(p, first(x in taken))
    return taken

action rest(p: player, x: token?):
    wait(p)
    p.tired = true

action descend(p: player, n: int) recursive up to 4:
    if n > 0:
        wait(p)
        descend(p, n - 1)
        let seen = {x in purse where x.used == n}
        p.score += count(seen)

choice want(p: player, x: token, offered: set of token) by p -> bool:
    option yes when count(offered) > 1: return true
    option no: return false
    otherwise: return true

around want.yes():
    let given = proceed
    if given and active.score < 3: wait(active)
    return given

choice wait(p: player) by p:
    option go
    option further(n in 1..2):
        p.score += n

choice visit(p: player) by p -> segment?:
    option there(s in {s for t in shelf, s in segments(t)}):
        wait(p)
        return s
    option nowhere: return none

action build(p: player):
    let f = first(x in home[p])
    if f is not none: raise_it(p, f)

action raise_it(p: player, f: figure):
    let others = {x in home[p] where x != f}
    wait(p)
    if count(others) > 0: marked = marked + {f}
    let again = count(others)
    p.score += again

always for p in players where p.tired and p.score > 2: recover(p)
always for x in purse where x.used == 2:
    wait(first(players))
    x.used = 3

action recover(p: player):
    wait(p)
    p.tired = false
    p.score -= 1
"""
)
