"""Exported results, read by the programs that they are for. What is not installed is skipped by name."""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import subprocess
import unittest
from typing import Any

import numpy as np

import repscope

from .support import Case, states


def needs(*names: str) -> Any:
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, "not installed: " + ", ".join(missing))


class Export(Case):
    def export(self, *flags: str) -> dict:
        """The result of a run, which is exported into the folder out."""
        for name, seed in [("a", 1), ("b", 2)]:
            np.save(os.path.join(self.folder, name + ".npy"), states(seed=seed))
        latents = ["--latents", "first one=a.npy", "--latents", "b=b.npy", "--out", "run", "--format", "none", "--quiet"]
        program = repscope.find_program()
        subprocess.run([program, "manifold", *latents], cwd=self.folder, check=True)
        line = [program, "export", "run/manifold.json", "--out", "out", "--quiet", *flags]
        subprocess.run(line, cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "run", "manifold.json"), encoding="utf-8") as file:
            return json.load(file)

    @needs("pyarrow", "pandas")
    def test_parquet(self) -> None:
        import pandas
        import pyarrow as pa
        import pyarrow.parquet

        self.export("--to", "parquet")
        read = pa.parquet.read_table
        metrics, comparisons = (os.path.join(self.folder, "out", name + ".parquet") for name in ["metrics", "comparisons"])
        table = read(metrics)
        names = ["Result", "Analysis", "Model", "Metric", "Parameter", "Estimate", "Low", "High", "Std_Error", "Reason"]
        self.assertEqual(table.column_names, names)
        numbers = {"Estimate", "Low", "High", "Std_Error"}
        for field in table.schema:
            self.assertEqual(field.type, pa.float64() if field.name in numbers else pa.string(), field.name)
        written = pandas.read_csv(os.path.join(self.folder, "run", "manifold_metrics.csv"), keep_default_na=False, na_values=[""])
        frame = pandas.read_parquet(metrics)
        for name in names[2:]:
            for got, want in zip(table[name].to_pylist(), written[name]):
                self.assertTrue(got is None if pandas.isna(want) else got == want, f"{name}: {got}, want {want}")
        self.assertGreater(table["Low"].null_count, 0)
        self.assertEqual(len(frame), len(written))
        types = {f.name: f.type for f in read(comparisons).schema}
        self.assertEqual([types[n] for n in ["A", "Difference", "Exact", "Blocks"]], [pa.string(), pa.float64(), pa.bool_(), pa.int64()])

    @needs("huggingface_hub", "yaml")
    def test_eval_results(self) -> None:
        import yaml

        try:
            from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries
        except ImportError:
            self.skipTest("huggingface_hub has no evaluation results")
        result = self.export("--to", "hf_eval_results", "--dataset-id", "org/data", "--metrics", "rankme", "--task-id", "rank", "--source-url", "https://example.org")
        files = glob.glob(os.path.join(self.folder, "out", "*", ".eval_results", "manifold.yaml"))
        self.assertEqual({os.path.relpath(f, os.path.join(self.folder, "out")).split(os.sep)[0] for f in files}, {"first_one", "b"})
        for path in files:
            with open(path, encoding="utf-8") as file:
                data = yaml.safe_load(file)
            (entry,) = parse_eval_result_entries(data)
            model = "first one" if "first_one" in path else "b"
            self.assertEqual((entry.dataset_id, entry.task_id, entry.value), ("org/data", "rank", result["models"][model]["rankme"]))
            self.assertEqual(eval_result_entries_to_yaml([entry]), data)


if __name__ == "__main__":
    unittest.main()
