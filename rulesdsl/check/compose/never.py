"""Rules, hooks, options and vetoes that can never apply: their guards contradict themselves, or
they wait for the end of a step and there is none."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.check.compose.guards import normal
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import walk


def check_guards(checked: tree.Checked, report: Report) -> None:
    """Report `never-applies`, a warning, for every guard that can never hold.

    Settings count with all their declared values, not with the chosen ones.
    """
    for what, guard, span in _guards(checked):
        if not normal(guard, ()):
            report.warning(
                "never-applies",
                f"this {what} never applies: its guard contradicts itself",
                span,
                help=("remove it, or change its guard",),
            )


def check_settling(checked: tree.Checked, report: Report) -> None:
    """Report `never-applies`, a warning, for all that settles in a game without a step."""
    if any(action.step for action in checked.actions.values()):
        return
    bodies = (*checked.actions.values(), *checked.choices.values())
    waiting = [(rule.span, "`always`") for rule in checked.always]
    waiting += [(node.span, "`later`") for node in walk(bodies) if isinstance(node, tree.Later)]
    for span, what in waiting:
        report.warning(
            "never-applies",
            f"this {what} waits for the end of a step, and no action is one",
            span,
            help=("declare the action that causes it as `step action`",),
        )


def _guards(checked: tree.Checked) -> Iterator[tuple[str, tree.Expr | None, Span]]:
    """Every guard: what has it, the guard, and where what has it is written."""
    for key, value in checked.values.items():
        if key in checked.actions:
            continue
        yield from (("rule", rule.guard, rule.span) for rule in value.rules)
    for action in checked.actions.values():
        yield "action", action.guard, action.span
        yield from (("precondition", rule.guard, rule.span) for rule in action.requires)
        yield from _hooks(action.hooks)
    for choice in checked.choices.values():
        yield from _hooks(choice.hooks)
        for option in choice.options:
            yield "option", option.guard, option.span
            yield from (("veto", forbid.guard, forbid.span) for forbid in option.forbids)
            yield from _hooks(option.hooks)


def _hooks(hooks: tree.Hooks) -> Iterator[tuple[str, tree.Expr | None, Span]]:
    for hook in hooks.arounds + hooks.befores + hooks.afters:
        yield "hook", hook.guard, hook.span
