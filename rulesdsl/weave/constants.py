"""Folds the expressions of a manifest: numbers and conditions over the chosen settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Report, Span
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model import ast
from rulesdsl.model.game import SettingDef
from rulesdsl.model.names import words_of
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.types import INT_MAX, INT_MIN
from rulesdsl.model.uses import declared, member
from rulesdsl.weave.names import Names

Value = int | bool | str


@dataclass(frozen=True)
class _Texts:
    """The type of a setting whose values are words."""

    values: tuple[Value, ...]
    setting: str

    def __str__(self) -> str:
        return listed(list(map(str, self.values)))


@dataclass(frozen=True)
class _Plain:
    name: str

    def __str__(self) -> str:
        return self.name


_INT = _Plain("a number")
_BOOL = _Plain("true or false")
_Kind = _Plain | _Texts

_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}
_ORDER: Mapping[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class _Failure(Exception):
    """An expression that has no value; what is wrong with it, and where."""

    def __init__(self, slug: str, message: str, span: Span, *help: str) -> None:
        super().__init__(message)
        self.slug, self.message, self.span, self.help = slug, message, span, help


@dataclass(frozen=True)
class Constants:
    """Gives the values of scalars that may be expressions over `settings` (by full name)."""

    names: Names
    settings: Mapping[str, SettingDef]
    parse: Callable[[Span], ast.Expr | None]
    report: Report
    _keys: dict[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)
    """The full names of settings by what rulesets call them."""

    def number(
        self, node: Node | None, ruleset: str, default: int, low: int, high: int = INT_MAX
    ) -> int:
        """The number `node` says to `ruleset`; `default` when there is none or it is broken."""
        if not isinstance(node, Scalar):
            return default
        value = self._value(node, ruleset, _INT)
        if value is None or isinstance(value, str):
            return default
        if not low <= value <= high:
            self.report.error(
                "range" if type(node.value) is int else "setting-impossible",
                f"{value} is outside {low}..{high}",
                node.span,
            )
            return min(max(value, low), high)
        return value

    def truth(self, node: Node | None, ruleset: str, *, broken: bool = True) -> bool:
        """Does the condition `node` hold? Yes when there is none, `broken` when it has no value."""
        if not isinstance(node, Scalar):
            return True
        found = self._value(node, ruleset, _BOOL)
        return broken if found is None else bool(found)

    def _value(self, node: Scalar, ruleset: str, wanted: _Kind) -> Value | None:
        if type(node.value) is (int if wanted is _INT else bool):
            return node.value
        expr = self.parse(node.span)
        if expr is None:
            return None
        try:
            found = self._kind(expr, ruleset)
            if found != wanted:
                raise _Failure("type-mismatch", f"this is {found}, not {wanted}", expr.span)
            return self._fold(expr, ruleset)
        except _Failure as failure:
            self.report.error(failure.slug, failure.message, failure.span, help=failure.help)
            return None

    def _kind(self, expr: ast.Expr, ruleset: str, among: _Kind | None = None) -> _Kind:
        """The type of a constant expression; `among` says what a bare word may be."""
        match expr:
            case ast.Int():
                return _INT
            case ast.Bool():
                return _BOOL
            case ast.Attribute():
                return _setting_kind(self._setting(expr, ruleset))
            case ast.Name(name=name):
                return self._word(name, expr.span, ruleset, among)
            case ast.Unary(operator=operator, operand=operand):
                return self._all(_INT if operator == "-" else _BOOL, ruleset, operand)
            case ast.Binary(operator=operator, left=left, right=right):
                return self._all(_INT if operator in _ARITHMETIC else _BOOL, ruleset, left, right)
            case ast.Compare(operator="==" | "!=", left=left, right=right):
                self._alike(left, right, ruleset)
                return _BOOL
            case ast.Compare(operator=operator, left=left, right=right) if operator in _ORDER:
                self._all(_INT, ruleset, left, right)
                return _BOOL
            case ast.Compare(
                operator="in" | "not in", left=left, right=ast.SetLiteral(items=items)
            ):
                for item in items:
                    self._alike(left, item, ruleset)
                return _BOOL
            case ast.IfElse(then=then, condition=condition, otherwise=otherwise):
                self._all(_BOOL, ruleset, condition)
                return self._alike(then, otherwise, ruleset)
        raise _Failure(
            "bad-value",
            "this is not known before the game begins",
            expr.span,
            "a manifest computes with numbers, conditions and `settings.name` alone",
        )

    def _all(self, wanted: _Kind, ruleset: str, *operands: ast.Expr) -> _Kind:
        """`wanted`, if all operands are of it."""
        for operand in operands:
            found = self._kind(operand, ruleset)
            if found != wanted:
                raise _Failure("type-mismatch", f"this is {found}, not {wanted}", operand.span)
        return wanted

    def _alike(self, left: ast.Expr, right: ast.Expr, ruleset: str) -> _Kind:
        """The type of two operands that must have the same one."""
        if isinstance(left, ast.Name):
            left, right = right, left
        kind = self._kind(left, ruleset)
        other = self._kind(right, ruleset, kind)
        if isinstance(kind, _Texts) is not isinstance(other, _Texts) or (
            isinstance(kind, _Plain) and kind != other
        ):
            raise _Failure("type-mismatch", f"this is {other}, not {kind}", right.span)
        return kind

    def _word(self, name: str, span: Span, ruleset: str, among: _Kind | None) -> _Kind:
        if isinstance(among, _Texts):
            if name in among.values:
                self.names.uses.add(span, member(words_of(among.setting), name))
                return among
            help = did_you_mean(name, map(str, among.values)) or (f"it may be {among}",)
            raise _Failure("unknown-name", f"`{name}` is not one of its values", span, *help)
        known = self.names.spellings(ruleset, ("settings",))
        help = (f"write `settings.{name}`",) if name in known else did_you_mean(name, known)
        help = help or ("write numbers, or an expression over `settings.NAME`",)
        raise _Failure("unknown-name", f"`{name}` means nothing here", span, *help)

    def _setting(self, expr: ast.Attribute, ruleset: str) -> SettingDef:
        """The setting that `settings.name` or `ruleset.settings.name` means."""
        match expr.object:
            case ast.Name(name="settings"):
                name = str(expr.name)
            case ast.Attribute(object=ast.Name(name=owner), name="settings"):
                name = f"{owner}/{expr.name}"
            case ast.Attribute(object=ast.Name(name="settings"), name=owner):
                message = f"a setting `{owner}` has no parts"
                help = f"the setting of another ruleset is `{owner}.settings.{expr.name}`"
                raise _Failure("setting-unknown", message, expr.span, help)
            case _:
                help = "a manifest reads `settings.name` alone"
                message = "this is not known before the game begins"
                raise _Failure("bad-value", message, expr.span, help)
        if (name, ruleset) not in self._keys:
            self._keys[name, ruleset] = self._meant(expr, name, ruleset)
        self.names.uses.add(expr.name.span, declared("setting", self._keys[name, ruleset]))
        return self.settings[self._keys[name, ruleset]]

    def _meant(self, expr: ast.Attribute, name: str, ruleset: str) -> str:
        """The full name of the setting that a ruleset calls so."""
        found = self.names.candidates(name, ruleset, ("settings",), lambda _: True)
        if len(found) > 1:
            help = listed([f"`{e.ruleset}.settings.{e.name}`" for e in found])
            message = f"more than one ruleset has a setting `{name}`"
            raise _Failure("ambiguous-name", message, expr.span, f"write {help}")
        if not found:
            known = self.names.spellings(ruleset, ("settings",), full="/" in name)
            at = expr.span if "/" in name else expr.name.span
            near = did_you_mean(_written(name), map(_written, known), at)
            help_lines = self.names.elsewhere(name, ruleset, ("settings",)) or near
            message = f"there is no setting `{_written(name)}`"
            raise _Failure("setting-unknown", message, expr.span, *help_lines)
        return found[0].key

    def _fold(self, expr: ast.Expr, ruleset: str) -> Value:
        """The value of an expression whose types are known to be right."""
        match expr:
            case ast.Int(value=value) | ast.Bool(value=value):
                return value
            case ast.Name(name=name):
                return name
            case ast.Attribute():
                return self._setting(expr, ruleset).chosen
            case ast.Unary(operator=operator, operand=operand):
                inner = self._fold(operand, ruleset)
                return _fitting(-int(inner), expr.span) if operator == "-" else not inner
            case ast.Binary(operator="and", left=left, right=right):
                return self._fold(left, ruleset) and self._fold(right, ruleset)
            case ast.Binary(operator="or", left=left, right=right):
                return self._fold(left, ruleset) or self._fold(right, ruleset)
            case ast.Binary(operator=operator, left=left, right=right):
                a, b = int(self._fold(left, ruleset)), int(self._fold(right, ruleset))
                if b == 0 and operator in ("div", "mod"):
                    raise _Failure("divisor", "the divisor is 0 with these settings", right.span)
                return _fitting(_ARITHMETIC[operator](a, b), expr.span)
            case ast.Compare(
                operator="in" | "not in", left=left, right=ast.SetLiteral(items=items)
            ):
                wanted = self._fold(left, ruleset)
                within = any(self._fold(item, ruleset) == wanted for item in items)
                return within is (expr.operator == "in")
            case ast.Compare(operator="==" | "!=", left=left, right=right):
                same = self._fold(left, ruleset) == self._fold(right, ruleset)
                return same is (expr.operator == "==")
            case ast.Compare(operator=operator, left=left, right=right):
                a, b = int(self._fold(left, ruleset)), int(self._fold(right, ruleset))
                return _ORDER[operator](a, b)
            case ast.IfElse(then=then, condition=condition, otherwise=otherwise):
                return self._fold(then if self._fold(condition, ruleset) else otherwise, ruleset)
        raise AssertionError(f"{expr} has no type")


def _written(name: str) -> str:
    """A name of a setting, bare or full, as expressions read it."""
    return name.replace("/", ".settings.")


def _setting_kind(setting: SettingDef) -> _Kind:
    match setting.values[0]:
        case bool():
            return _BOOL
        case int():
            return _INT
        case _:
            return _Texts(setting.values, setting.key)


def _fitting(value: int, span: Span) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    raise _Failure("range", "the result does not fit in 32 bits", span)
