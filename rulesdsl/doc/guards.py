"""Conditions in words."""

from __future__ import annotations

from markupsafe import Markup, escape

from rulesdsl.doc.code import Code
from rulesdsl.doc.texts import Texts
from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    Binder,
    Compare,
    Const,
    Expr,
    IsKind,
    Local,
    Member,
    Not,
    ReadAttribute,
)
from rulesdsl.model.types import BOOL
from rulesdsl.play.labels import Labels

_VOWELS = "aeiou"
_NUMBERS = ("==", "!=", "<", "<=", ">", ">=")


class Guards:
    """Says conditions of a game in one language; what has no words is shown as it is written."""

    def __init__(self, labels: Labels, code: Code, texts: Texts, language: str) -> None:
        self._labels, self._code, self._texts = labels, code, texts
        self._language = language

    def say(self, expr: Expr, ruleset: str) -> Markup:
        """When the condition holds, as the ruleset `ruleset` wrote it."""
        return _Saying(self._labels, self._code, self._texts, self._language, ruleset).holds(expr)


class _Saying:
    def __init__(
        self, labels: Labels, code: Code, texts: Texts, language: str, ruleset: str
    ) -> None:
        self._labels, self._code, self._texts = labels, code, texts
        self._language, self._ruleset = language, ruleset

    def holds(self, expr: Expr) -> Markup:
        """A condition that holds."""
        texts = self._texts
        match expr:
            case Binary(operator="and", left=left, right=right):
                return texts("and", first=self._part(left), second=self._part(right))
            case Binary(operator="or", left=left, right=right):
                return texts("or", first=self.holds(left), second=self.holds(right))
            case Not(operand=operand):
                return self._holds_not(operand)
            case IsKind() | ReadAttribute() | Const() | Member() | Aggregate(function="any"):
                return self._simple(expr, True)
            case Compare(operator=sign, left=left, right=right) if sign in _NUMBERS:
                return texts(sign, first=self.thing(left), second=self.thing(right))
            case Aggregate(function="all", value=value, binders=(binder,)) if value is not None:
                names, domain = self._domain(binder)
                return texts("every", names=names, domain=domain, words=self.holds(value))
            case _:
                return texts("true", words=self._written(expr))

    def _part(self, expr: Expr) -> Markup:
        """One side of `and`."""
        words = self.holds(expr)
        wide = isinstance(expr, Binary) and expr.operator == "or"
        return self._texts("either", words=words) if wide else words

    def _holds_not(self, expr: Expr) -> Markup:
        """A condition that does not hold."""
        match expr:
            case IsKind() | ReadAttribute() | Const() | Member() | Aggregate(function="any"):
                return self._simple(expr, False)
            case Not(operand=operand):
                return self.holds(operand)
            case Binary() | Compare() | Aggregate():
                return self._texts("not", words=self.holds(expr))
            case _:
                return self._texts("false", words=self._written(expr))

    def _simple(self, expr: Expr, yes: bool) -> Markup:
        """What can be said, and said not to be so, in one clause."""
        texts = self._texts
        match expr:
            case IsKind(object=object, test="none"):
                return texts("is-none" if yes else "is-some", thing=self.thing(object))
            case IsKind(object=object, name=name):
                kind = self._labels(name, self._language)
                article = "an" if kind[:1].lower() in _VOWELS else "a"
                key = "is" if yes else "is-not"
                return texts(key, thing=self.thing(object), article=article, kind=kind)
            case ReadAttribute(type=type_, object=object, attribute=name) if type_ == BOOL:
                label = self._labels(name, self._language)
                return texts("has" if yes else "has-not", thing=self.thing(object), attribute=label)
            case Const(type=type_, setting=str() as name) if type_ == BOOL:
                return texts("on" if yes else "off", setting=self._setting(name))
            case Member(item=item, set=set_):
                key = "in" if yes else "not-in"
                return texts(key, first=self.thing(item), second=self.thing(set_))
            case Aggregate(function="any", value=value, binders=(binder,)):
                names, domain = self._domain(binder)
                words = texts("some" if yes else "no-one", names=names, domain=domain)
                return self._such(words, value)
            case _:
                return texts("true" if yes else "false", words=self._written(expr))

    def thing(self, expr: Expr) -> Markup:
        """What is compared, counted or looked at."""
        match expr:
            case Local(name=name):
                return Markup("<var>{}</var>").format(name)
            case Const(setting=str() as name):
                return self._texts("setting", setting=self._setting(name))
            case Const(value=int() as value) if not isinstance(value, bool):
                return escape(str(value))
            case ReadAttribute(object=object, attribute=name):
                label = self._labels(name, self._language, count=2)
                return self._texts("attribute", attribute=label, thing=self.thing(object))
            case Aggregate(function="count", value=value, binders=(binder,)):
                names, domain = self._domain(binder)
                return self._such(self._texts("number", names=names, domain=domain), value)
            case _:
                return self._written(expr)

    def _domain(self, binder: Binder) -> tuple[Markup, Markup]:
        """The names a binder binds, and where they are from."""
        names = Markup(", ").join(Markup("<var>{}</var>").format(n) for n in binder.names)
        domain = self._written(binder.domain)
        if binder.where is None:
            return names, domain
        return names, self._texts("such", words=domain, condition=self.holds(binder.where))

    def _such(self, words: Markup, value: Expr | None) -> Markup:
        if value is None:
            return words
        return self._texts("such", words=words, condition=self.holds(value))

    def _setting(self, name: str) -> Markup:
        return self._code.link(name, self._labels(name, self._language))

    def _written(self, expr: Expr) -> Markup:
        written = " ".join(expr.span.text.split())
        return Markup("<code>{}</code>").format(self._code.write(written, self._ruleset))
