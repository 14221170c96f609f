"""The order of hooks, and hooks whose order matters but is not said.

Hooks of one ruleset run as written; those of rulesets of which one knows the other run in ruleset
order; `order` and `independent` declarations settle the rest. Unordered hooks that touch the same
data are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rulesdsl.check.compose.effects import EffectTable
from rulesdsl.check.compose.guards import both, normal
from rulesdsl.check.contents import Contents
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.diagnostics.wording import listed
from rulesdsl.model import checked as tree
from rulesdsl.model.game import Game
from rulesdsl.model.names import short_name


@dataclass(frozen=True)
class HookOrder:
    """`order first.target before second.target`, or, when `independent`, their order does not
    matter. `target` is the full name of an action, choice or option (`ruleset/choice.option`);
    `first` and `second` are rulesets."""

    target: str
    first: str
    second: str
    independent: bool
    span: Span


def order_hooks(
    checked: tree.Checked, contents: Contents, orders: Sequence[HookOrder], report: Report
) -> tree.Checked:
    """`checked` with all hooks in the order they run; `contents` are its nodes.

    Reports `order-unknown`, `order-cycle`, `hooks-meet` (a warning) and `replacement-clash`.
    """
    _report_unknown(checked, orders, report)
    sorter = _Sorter(checked.game, orders, EffectTable(contents), report)
    return replace(
        checked,
        actions={
            key: replace(action, hooks=sorter.hooks(key, action.hooks))
            if _every(action.hooks)
            else action
            for key, action in checked.actions.items()
        },
        choices={key: sorter.choice(choice) for key, choice in checked.choices.items()},
    )


def _targets(checked: tree.Checked) -> dict[str, tree.Hooks]:
    found = {key: action.hooks for key, action in checked.actions.items()}
    for key, choice in checked.choices.items():
        found[key] = choice.hooks
        found.update((option.key, option.hooks) for option in choice.options)
    return found


def _every(hooks: tree.Hooks) -> tuple[tree.Hook, ...]:
    return hooks.arounds + hooks.befores + hooks.afters


def _report_unknown(checked: tree.Checked, orders: Iterable[HookOrder], report: Report) -> None:
    hooks = _targets(checked)
    for order in orders:
        rulesets = {hook.ruleset for hook in _every(hooks.get(order.target, tree.Hooks()))}
        for party in (order.first, order.second):
            if party not in rulesets:
                report.error(
                    "order-unknown",
                    f"`{party}` has no hook on `{short_name(order.target)}`",
                    order.span,
                    help=("remove this line, or name a ruleset that hooks it",),
                )


class _Sorter:
    def __init__(
        self,
        game: Game,
        orders: Sequence[HookOrder],
        effects: EffectTable,
        report: Report,
    ) -> None:
        self._game = game
        self._orders = orders
        self._effects = effects
        self._report = report

    def choice(self, choice: tree.ChoiceDef) -> tree.ChoiceDef:
        options = tuple(
            replace(option, hooks=self.hooks(option.key, option.hooks)) for option in choice.options
        )
        return replace(choice, hooks=self.hooks(choice.key, choice.hooks), options=options)

    def hooks(self, target: str, hooks: tree.Hooks) -> tree.Hooks:
        orders = [order for order in self._orders if order.target == target]
        groups = (hooks.arounds, hooks.befores, hooks.afters)
        arounds, befores, afters = (self._sorted(target, group, orders) for group in groups)
        self._report_replacements(target, arounds)
        return tree.Hooks(arounds, befores, afters)

    def _sorted(
        self, target: str, hooks: Sequence[tree.Hook], orders: Sequence[HookOrder]
    ) -> tuple[tree.Hook, ...]:
        before = {(o.first, o.second): o for o in orders if not o.independent}
        left, done = list(hooks), list[tree.Hook]()
        while left:
            rulesets = {hook.ruleset for hook in left}
            free = (h for h in left if not any((r, h.ruleset) in before for r in rulesets))
            first = next(free, None)
            if first is None:
                self._report_cycle(target, before, left)
                return tuple(hooks)
            done.append(first)
            left.remove(first)
        settled = {frozenset((o.first, o.second)) for o in orders}
        for one, other in combinations(done, 2):
            if self._strangers(one, other) and {one.ruleset, other.ruleset} not in settled:
                self._report_meeting(target, one, other)
        return tuple(done)

    def _strangers(self, one: tree.Hook, other: tree.Hook) -> bool:
        first, second = self._game.reach[one.ruleset], self._game.reach[other.ruleset]
        return not (first >= second or second >= first)

    def _report_cycle(
        self,
        target: str,
        before: dict[tuple[str, str], HookOrder],
        left: Sequence[tree.Hook],
    ) -> None:
        names = {hook.ruleset for hook in left}
        lines = [o for pair, o in before.items() if set(pair) <= names]
        self._report.error(
            "order-cycle",
            f"the hooks on `{short_name(target)}` are ordered in a circle",
            lines[0].span,
            labels=tuple(Label(o.span, "and this") for o in lines[1:]),
            help=("remove one of these lines",),
        )

    def _report_meeting(self, target: str, one: tree.Hook, other: tree.Hook) -> None:
        columns = self._columns(one, other)
        if not columns or not _can_meet(one, other):
            return
        name = short_name(target)
        a, b = one.ruleset, other.ruleset
        self._report.warning(
            "hooks-meet",
            f"two hooks on `{name}` both touch {_listed(columns)}, and nothing says which is first",
            one.span,
            mark=f"from {a}, runs first",
            labels=(Label(other.span, f"from {b}, runs second"),),
            help=(
                f"say it in a ruleset with `interaction: [{', '.join(sorted((a, b)))}]`:",
                f"    order {a}.{name} before {b}.{name}",
                f"    independent {a}.{name}, {b}.{name}",
            ),
        )

    def _columns(self, one: tree.Hook, other: tree.Hook) -> frozenset[str]:
        first = self._effects.of((one.guard, one.body))
        return first.meets(self._effects.of((other.guard, other.body)))

    def _report_replacements(self, target: str, arounds: Sequence[tree.Hook]) -> None:
        replacing = [hook for hook in arounds if may_replace(hook.body)]
        for one, other in combinations(replacing, 2):
            if self._strangers(one, other) and _can_meet(one, other):
                self._report.error(
                    "replacement-clash",
                    f"two hooks both replace `{short_name(target)}`",
                    one.span,
                    mark="may not proceed",
                    labels=(Label(other.span, "neither may this"),),
                    help=(
                        "let one of them proceed on every path,",
                        "or make their guards exclude each other",
                    ),
                )


def _can_meet(one: tree.Hook, other: tree.Hook) -> bool:
    return bool(both(normal(one.guard, one.params), normal(other.guard, other.params)))


def may_replace(block: tree.Block) -> bool:
    """Is there a way through the block of an `around` that does not proceed?"""
    return not _proceeds(block)


def _proceeds(block: tree.Block) -> bool:
    """Does every way through the block proceed before it leaves?"""
    for statement in block:
        match statement:
            case tree.Perform(call=tree.ProceedCall()):
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _proceeds(then) and _proceeds(otherwise):
                    return True
                if _leaves(then) or _leaves(otherwise):
                    return False
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return False
            case tree.Return():
                return False
    return False


def _leaves(block: tree.Block) -> bool:
    """May the block return?"""
    for statement in block:
        match statement:
            case tree.Return():
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _leaves(then) or _leaves(otherwise):
                    return True
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return True
    return False


def _listed(columns: Iterable[str]) -> str:
    words = sorted("what is decided" if c == "decisions" else f"`{short_name(c)}`" for c in columns)
    return listed(words, "and")
