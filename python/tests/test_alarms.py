"""Rules of alarms: what they raise, when, and how often by chance."""

from __future__ import annotations

import math
import unittest
import warnings

import numpy as np

import repscope
from repscope._alarms import _EXPONENTS, Rule
from repscope.monitor import Monitor

from .support import Case, states


def raised(rule: str, values) -> list:
    """The indices of values at which an alarm is raised."""
    series = Rule(rule).series()
    return [i for i, v in enumerate(values) if series.update(float(v))]


class Rules(unittest.TestCase):
    def test_thresholds(self) -> None:
        for rule, want in {
            "x < 3": [2, 5],
            "x ≤ 3 for 2 snapshots": [3],
            "x < 0.5 × first": [2, 5],
            "x<0.5*first for 2 snapshots": [3],
            "x > 2 × previous": [4],
            "x >= 1 x max": [1, 4],
            "x < 1 × min for 1 snapshot": [2],
        }.items():
            self.assertEqual(raised(rule, [6, 7, 2, 2, 9, 2]), want, rule)

    def test_names(self) -> None:
        name = "val/neighborhood/by_k/5/trustworthiness"
        for text, match in {name: True, "by_k/5/trustworthiness": True, "trustworthiness": True, "by_k/*/trustworthiness": True, "worthiness": False, "by_k": False}.items():
            self.assertEqual(Rule(f"{text} < 1").matches(name), match, text)
        self.assertFalse(Rule("rank < 1").matches("manifold/effective_rank_singular"))

    def test_refused(self) -> None:
        for text in ("rank", "rank <", "rank < x", "rank < 1 for 0 snapshots", "rank < 1 × second", "rank falls", "rank falls at 0 %", "rank falls at 100 %", "rank == 1", "a b < 1"):
            with self.assertRaisesRegex(repscope.UsageError, "alarms: "):
                Rule(text)
        with self.assertRaisesRegex(TypeError, "is not a text"):
            Rule(3)  # type: ignore[arg-type]


class Chance(unittest.TestCase):
    def test_the_martingale_is_its_definition(self) -> None:
        values = np.random.default_rng(0).normal(size=40).tolist()
        series = Rule("x falls at 1 %").series()
        products = np.ones(len(_EXPONENTS))
        for i, v in enumerate(values):
            series.update(v)
            p = sum(u <= v for u in values[: i + 1]) / (i + 1)
            products *= _EXPONENTS * p ** (_EXPONENTS - 1)
            self.assertAlmostEqual(float(np.logaddexp.reduce(series._logs)) - math.log(99), math.log(products.mean()), places=9)

    def test_false_alarms(self) -> None:
        """Independent values of any distribution, ties included, raise an alarm of 5 % in at most 5 % of the runs."""
        draw = np.random.default_rng(1)
        for kind in (lambda: draw.normal(size=300), lambda: draw.integers(0, 3, 300), lambda: draw.standard_cauchy(300)):
            for rule in ("x falls at 5 %", "x rises at 5 %"):
                runs = sum(bool(raised(rule, kind())) for _ in range(200))
                self.assertLessEqual(runs, 20, rule)  # 10 expected at most, 20 has a probability of 0.1 %

    def test_a_collapse(self) -> None:
        draw = np.random.default_rng(2)
        quiet = draw.normal(10, 0.1, 30)
        falling = raised("x falls at 1 %", [*quiet, *np.linspace(9, 2, 20)])
        self.assertEqual(len(falling), 1)
        self.assertTrue(30 < falling[0] < 45, falling)
        self.assertEqual(raised("x rises at 1 %", [*quiet, *np.linspace(9, 2, 20)]), [])
        self.assertEqual(raised("x falls at 1 % after 30 snapshots", quiet), [])
        self.assertEqual(raised("x falls at 1 %", [5] * 1000), [])


class Monitored(Case):
    def collapse(self, step: int):
        return lambda batch: batch[:, :4] * np.array([1, *[1 if step < 20 else 1e-3] * 3], np.float32)

    def test_alarms_of_each_fit(self) -> None:
        got = []
        with Monitor(states(), every=10, busy="wait", alarms=["rank < 0.5 × first for 2 snapshots", "nominal_dimension > 100"], on_alarm=got.append, out=self.folder + "/run") as m:
            for _ in range(2):
                for step in range(41):
                    m.step(step, self.collapse(step))
        self.assertEqual([(a.fit, a.step, a.name) for a in m.alarms], [(0, 30, "manifold/effective_rank"), (1, 30, "manifold/effective_rank")])
        self.assertEqual(got, m.alarms)
        self.assertEqual(m.errors, [])
        self.assertEqual([(e.fit, e.step) for e in m.history], [(f, s) for f in (0, 1) for s in (0, 10, 20, 30, 40)])
        for fit in (-1, 0, 1):
            steps, values = m.curve("manifold/effective_rank", fit)
            self.assertEqual(steps.tolist(), [0, 10, 20, 30, 40])
        with open(self.folder + "/run/history.csv", encoding="utf-8") as f:
            rows = f.read().splitlines()
        self.assertTrue(rows[0].startswith("fit,step,manifold/"))
        self.assertEqual([r.split(",")[:2] for r in rows[1:]], [[str(f), str(s)] for f in (0, 1) for s in (0, 10, 20, 30, 40)])

    def test_warnings_and_rules_without_a_number(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with Monitor(states(), lambda b: b[:, :3], alarms=("effective_rnk < 3", "dims_90 > 0")) as m:
                m.step(0)
        texts = [str(w.message) for w in caught]
        self.assertIn("alarm at step 0: manifold/dims_90 is 3 (dims_90 > 0)", texts)
        self.assertTrue(any("'effective_rnk < 3' is about none of the" in t and "effective_rank" in t for t in texts), texts)

    def test_an_alarm_that_fails(self) -> None:
        with Monitor(states(), lambda b: b[:, :3], alarms="dims_90 > 0", on_alarm=lambda a: 1 / 0) as m:
            m.step(0)
        self.assertEqual([(s, w) for s, w, _ in m.errors], [(0, "on_alarm")])
        with self.assertRaisesRegex(TypeError, "on_alarm"):
            Monitor(states(), on_alarm=3)
