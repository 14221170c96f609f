"""Rules, hooks, options and vetoes whose guards contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.check.compose.guards import normal
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import checked as tree


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


def _guards(checked: tree.Checked) -> Iterator[tuple[str, tree.Expr | None, Span]]:
    """Every guard: what has it, the guard, and where what has it is written."""
    for value in checked.values.values():
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
