"""A monitor as a callback of Lightning and of Hugging Face's Trainer."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Callable, List, Optional, Tuple

from ._errors import RepscopeError


class _Follower:
    """Steps a monitor."""

    def __init__(self, monitor: Any, encoder: Optional[Callable[[Any], Any]], stop: bool) -> None:
        self.monitor, self._encoder, self._stop = monitor, encoder, stop

    def _step(self, step: int, model: Any) -> bool:
        """Returns whether an alarm ends training."""
        before = len(self.monitor.alarms)
        if self.monitor.due(step):
            if self._encoder is not None:
                model = self._encoder(model)
            elif self.monitor.model is not None:
                model = None  # of the monitor
        self.monitor.step(step, model)
        return self._stop and len(self.monitor.alarms) > before


def _bases(modules: Tuple[str, ...], name: str, install: str) -> List[Any]:
    """A class of the modules that are imported, or of the first one that is installed."""
    found = [sys.modules[m] for m in modules if m in sys.modules]
    for module in modules if not found else ():
        try:
            found = [import_module(module)]
            break
        except ImportError:
            continue
    if not found:
        raise RepscopeError(1, f"{' or '.join(modules)} is not installed; pip install {install}")
    return [getattr(m, name) for m in found]


def lightning(monitor: Any, encoder: Optional[Callable[[Any], Any]], stop: bool) -> Any:
    bases = _bases(("lightning.pytorch", "pytorch_lightning"), "Callback", "lightning")

    class Callback(_Follower, *bases):  # type: ignore[misc]
        def _follow(self, trainer: Any, module: Any) -> None:
            if trainer.is_global_zero and self._step(trainer.global_step, module):
                trainer.should_stop = True

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            self._follow(trainer, pl_module)

        def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
            self._follow(trainer, pl_module)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            if trainer.is_global_zero:
                self.monitor.wait()

    return Callback(monitor, encoder, stop)


def transformers(monitor: Any, encoder: Optional[Callable[[Any], Any]], stop: bool) -> Any:
    bases = _bases(("transformers",), "TrainerCallback", "transformers accelerate")

    class Callback(_Follower, *bases):  # type: ignore[misc]
        def _follow(self, state: Any, control: Any, model: Any) -> Any:
            if state.is_world_process_zero and self._step(state.global_step, model):
                control.should_training_stop = True
            return control

        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> Any:
            return self._follow(state, control, model)

        def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> Any:
            return self._follow(state, control, model)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            if state.is_world_process_zero:
                self.monitor.wait()
            return control

    return Callback(monitor, encoder, stop)
