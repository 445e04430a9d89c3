"""The monitor as a callback of the real trainers, and with the real loggers; each test needs its library."""

from __future__ import annotations

import importlib
import logging
import os
import pathlib
import sys
import unittest
from unittest import mock

import numpy as np

import repscope
from repscope.monitor import Monitor

from .support import Case, states

try:
    import torch
except ImportError:
    torch = None


def library(name: str):
    """A library, or a skipped test."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed")


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Lightning(Case):
    def trainer(self, pl, monitor, **options):
        return pl.Trainer(max_steps=options.pop("max_steps", 5), accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=self.folder, callbacks=[monitor.lightning(**options)])

    def module(self, pl):
        class Module(pl.LightningModule):
            def __init__(self) -> None:
                super().__init__()
                self.encoder = torch.nn.Linear(6, 3)
                self.head = torch.nn.Linear(3, 1)

            def training_step(self, batch, _):
                return self.head(self.encoder(batch[0])).square().mean()

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 0.01)

        return Module()

    def loader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.from_numpy(states(40))), batch_size=4)

    def both(self):
        found = [m for m in ("lightning.pytorch", "pytorch_lightning") if self.installed(m)]
        if not found:
            self.skipTest("lightning is not installed")
        return [importlib.import_module(m) for m in found]

    @staticmethod
    def installed(name: str) -> bool:
        try:
            importlib.import_module(name)
        except ImportError:
            return False
        return True

    def test_fits(self) -> None:
        for pl in self.both():
            with Monitor(states(), every=2, busy="wait") as m:
                module = self.module(pl)
                for _ in range(2):  # the second one begins at step 0 again
                    self.trainer(pl, m, encoder=lambda module: module.encoder).fit(module, self.loader())
            self.assertEqual([(e.fit, e.step) for e in m.history], [(0, 0), (0, 2), (0, 4), (1, 0), (1, 2), (1, 4)], pl.__name__)
            self.assertEqual(m.errors, [])
            self.assertTrue(all(np.isfinite(e.scalars["manifold/effective_rank"]) for e in m.history))

    def test_an_alarm_ends_training(self) -> None:
        pl = self.both()[0]
        with Monitor(states(), every=1, busy="wait", alarms="dims_90 > 0 for 2 snapshots") as m:
            trainer = self.trainer(pl, m, encoder=lambda module: module.encoder, stop=True, max_steps=10)
            trainer.fit(self.module(pl), self.loader())
        self.assertEqual([a.step for a in m.alarms], [1])
        self.assertLess(trainer.global_step, 10)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class HuggingFace(Case):
    def train(self, monitor, **options):
        transformers = library("transformers")
        library("accelerate")

        class Net(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.encoder = torch.nn.Linear(6, 3)

            def forward(self, x, labels=None):
                return {"loss": self.encoder(x).square().mean()}

        data = [{"x": v, "labels": 0} for v in torch.from_numpy(states(40))]
        arguments = transformers.TrainingArguments(output_dir=self.folder, max_steps=5, per_device_train_batch_size=4, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True, logging_strategy="no")
        trainer = transformers.Trainer(model=Net(), args=arguments, train_dataset=data, callbacks=[monitor.transformers(encoder=lambda model: model.encoder, **options)])
        for _ in range(2):
            trainer.train()
        return trainer

    def test_fits(self) -> None:
        with Monitor(states(), every=2, busy="wait") as m:
            self.train(m)
        self.assertEqual([(e.fit, e.step) for e in m.history], [(0, 0), (0, 2), (0, 4), (1, 0), (1, 2), (1, 4)])
        self.assertEqual(m.errors, [])

    def test_an_alarm_ends_training(self) -> None:
        with Monitor(states(), every=1, busy="wait", alarms="dims_90 > 0 for 2 snapshots") as m:
            trainer = self.train(m, stop=True)
        self.assertEqual([(a.fit, a.step) for a in m.alarms], [(0, 1), (1, 1)])
        self.assertLess(trainer.state.global_step, 5)


class Missing(Case):
    def test_libraries_that_are_missing(self) -> None:
        with Monitor(states(), lambda b: b) as m:
            for make, modules in ((m.lightning, ("lightning.pytorch", "pytorch_lightning")), (m.transformers, ("transformers",))):
                with mock.patch.dict(sys.modules):
                    for name in modules:
                        sys.modules.pop(name, None)
                    with mock.patch("repscope._callbacks.import_module", side_effect=ImportError):
                        with self.assertRaisesRegex(repscope.RepscopeError, "is not installed; pip install"):
                            make()


class Loggers(Case):
    def run_with(self, log, scalars=None) -> Monitor:
        with Monitor(states(), lambda b: b[:, :3], every=10, busy="wait", log=log, scalars=scalars) as m:
            for step in range(21):
                m.step(step)
        self.assertEqual(m.errors, [])
        return m

    def test_headline_numbers(self) -> None:
        got = []
        m = self.run_with(lambda scalars, step: got.append(scalars))
        self.assertLessEqual(len(got[0]), 6)
        self.assertIn("manifold/effective_rank", got[0])
        self.assertGreater(len(m.history[0].scalars), 20)
        got.clear()
        m = self.run_with(lambda scalars, step: got.append(scalars), scalars="*")
        self.assertEqual(got[0], m.history[0].scalars)

    def test_headline_rows(self) -> None:
        got = []
        with Monitor(states(), lambda b: b[:, :3], analyses={"neighborhood": {"k": (5, 10)}}, prefix="val/", log=lambda scalars, step: got.append(scalars)) as m:
            m.step(0)
        self.assertEqual(len(got[0]), 6)
        self.assertIn("val/neighborhood/by_k/5/trustworthiness", got[0])

    def test_logging(self) -> None:
        with self.assertLogs("repscope.tests", logging.INFO) as logs:
            self.run_with(logging.getLogger("repscope.tests"))
        self.assertEqual(len(logs.output), 3)
        self.assertRegex(logs.output[1], r"step 10: .*manifold/effective_rank \d")

    def test_mlflow(self) -> None:
        mlflow = library("mlflow")
        environment = mock.patch.dict(os.environ, {"MLFLOW_ALLOW_FILE_STORE": "true"})  # the store of files
        environment.start()
        self.addCleanup(environment.stop)
        mlflow.set_tracking_uri((pathlib.Path(self.folder) / "mlruns").as_uri())
        with mlflow.start_run() as run:
            m = self.run_with(mlflow)
        found = mlflow.MlflowClient().get_metric_history(run.info.run_id, "manifold/effective_rank")
        self.assertEqual([(f.step, f.value) for f in found], [(e.step, e.scalars["manifold/effective_rank"]) for e in m.history])

    def test_tensorboard(self) -> None:
        library("tensorboard")
        if torch is None:
            self.skipTest("PyTorch is not installed")
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(self.folder) as writer:
            m = self.run_with(writer)
        events = EventAccumulator(self.folder)
        events.Reload()
        found = events.Scalars("manifold/effective_rank")
        self.assertEqual([f.step for f in found], [0, 10, 20])
        np.testing.assert_allclose([f.value for f in found], m.curve("manifold/effective_rank")[1], rtol=1e-6)

    def test_wandb(self) -> None:
        wandb = library("wandb")
        with mock.patch.dict(os.environ, {"WANDB_SILENT": "true", "WANDB_MODE": "offline"}):
            run = wandb.init(project="tests", dir=self.folder, mode="offline", settings=wandb.Settings(disable_git=True, console="off"))
            try:
                m = self.run_with(run)
                summary = dict(run.summary)
            finally:
                run.finish()
        wandb.teardown(0)
        self.assertEqual(summary["repscope/step"], 20)
        self.assertEqual(summary["manifold/effective_rank"], m.history[-1].scalars["manifold/effective_rank"])

    def test_trackio(self) -> None:
        with mock.patch.dict(os.environ, {"TRACKIO_DIR": self.folder}):  # which is read at the import
            trackio = library("trackio")
            from trackio.sqlite_storage import SQLiteStorage

            trackio.init(project="tests", name="a", embed=False, auto_log_cpu=False, auto_log_gpu=False)
            m = self.run_with(trackio)
            trackio.finish()
            found = SQLiteStorage.get_logs("tests", "a")
        self.assertEqual([f["repscope/step"] for f in found], [0, 10, 20])
        self.assertEqual([f["manifold/effective_rank"] for f in found], m.curve("manifold/effective_rank")[1].tolist())
