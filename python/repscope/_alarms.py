"""Rules of alarms for the numbers of a monitor.

>>> rule = Rule("rank < 0.3 × first for 2 snapshots")
>>> rule.matches("manifold/effective_rank")
True
>>> series = rule.series()
>>> [series.update(v) for v in (10.0, 2.0, 1.0, 1.0, 9.0, 2.0)]
[False, False, True, False, False, False]
"""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_right, insort
from fnmatch import fnmatchcase
from typing import List, NamedTuple

import numpy as np

from ._errors import UsageError

_ALIASES = {"rank": "effective_rank"}
_COMPARE = {"<": operator.lt, "<=": operator.le, "≤": operator.le, ">": operator.gt, ">=": operator.ge, "≥": operator.ge}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_RULE = re.compile(
    r"\s*(?P<name>[^\s<>≤≥]+)(?:"
    rf"\s*(?P<compare><=|>=|[<>≤≥])\s*(?P<factor>{_NUMBER})\s*(?:[×x*]\s*(?P<base>first|previous|max|min)\b)?(?:\s+for\s+(?P<count>[1-9]\d*)\s+snapshots?)?"
    rf"|\s+(?P<direction>falls|rises)\s+at\s+(?P<level>{_NUMBER})\s*%(?:\s+after\s+(?P<after>\d+)\s+snapshots?)?"
    r")\s*",
    re.IGNORECASE,
)
_EXPONENTS = np.arange(1, 100) / 100


class Alarm(NamedTuple):
    """A rule that became true.

    Attributes:
        step: step of the snapshot.
        name: name of the number.
        value: the number.
        rule: the rule as text.
        fit: number of the fit, from 0.
    """

    step: int
    name: str
    value: float
    rule: str
    fit: int = 0


class Rule:
    """A rule as text: ``NAME < 0.3 × first for 3 snapshots`` or ``NAME falls at 1 %``; see the monitor."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"alarms: {text!r} is not a text; want rules such as 'rank < 0.3 × first for 3 snapshots'")
        match = _RULE.fullmatch(text)
        if match is None:
            raise UsageError(2, f"alarms: {text!r} is not a rule; want 'rank < 0.3 × first for 3 snapshots', 'dead_dims > 0' or 'rank falls at 1 %'")
        self.text = text
        self.match = match
        self.name = _ALIASES.get(match["name"], match["name"])
        if match["level"] and not 0 < float(match["level"]) < 100:
            raise UsageError(2, f"alarms: {text!r}: level {match['level']} %, want one between 0 and 100 %")

    def matches(self, name: str) -> bool:
        """Whether the rule is about a number: its whole name, its last parts, or a pattern of them."""
        return fnmatchcase(name, self.name) or fnmatchcase(name, "*/" + self.name)

    def series(self) -> "Series":
        """The state of the rule for one number in one fit."""
        return _Chance(self) if self.match["direction"] else _Threshold(self)


class Series:
    """The values of one number, one after the other."""

    def update(self, value: float) -> bool:
        """Takes the next value; returns whether the alarm is raised now, and was not before."""
        raise NotImplementedError


class _Threshold(Series):
    def __init__(self, rule: Rule) -> None:
        self._compare = _COMPARE[rule.match["compare"]]
        self._factor = float(rule.match["factor"])
        self._base = (rule.match["base"] or "").lower()
        self._count = int(rule.match["count"] or 1)
        self._values: List[float] = []
        self._true = 0

    def update(self, value: float) -> bool:
        values = self._values
        true = False
        if not self._base:
            true = self._compare(value, self._factor)
        elif values:
            base = {"first": values[0], "previous": values[-1], "max": max(values), "min": min(values)}[self._base]
            true = self._compare(value, self._factor * base)
        values.append(value)
        self._true = self._true + 1 if true else 0
        return self._true == self._count


class _Chance(Series):
    """The power martingale of the ranks among earlier values, mixed over exponents (Vovk, Nouretdinov & Gammerman 2003).

    Of exchangeable values the rank of each among the earlier ones is uniform and independent of the earlier ranks, so
    that the martingale ever reaches 1/level with probability ≤ level (Ville 1939).
    """

    def __init__(self, rule: Rule) -> None:
        self._sign = 1.0 if rule.match["direction"].lower() == "falls" else -1.0
        self._threshold = -math.log(float(rule.match["level"]) / 100)
        self._skip = int(rule.match["after"] or 0)
        self._sorted: List[float] = []
        self._logs = np.zeros(len(_EXPONENTS))
        self._raised = False

    def update(self, value: float) -> bool:
        if self._skip > 0:
            self._skip -= 1
            return False
        insort(self._sorted, self._sign * value)
        p = bisect_right(self._sorted, self._sign * value) / len(self._sorted)
        self._logs += np.log(_EXPONENTS) + (_EXPONENTS - 1) * math.log(p)
        log = float(np.logaddexp.reduce(self._logs)) - math.log(len(_EXPONENTS))
        raised = not self._raised and log >= self._threshold
        self._raised = self._raised or raised
        return raised
