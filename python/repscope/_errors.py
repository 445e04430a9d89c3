"""Exceptions and warnings."""

from __future__ import annotations

from typing import Any, Sequence, Tuple


class RepscopeError(RuntimeError):
    """A run that failed, with the message of the program.

    Attributes:
        exit_code: exit code of the program: 1 for a failed run, 2 for wrong usage.
        message: the error message, without the program's name.
        hints: suggestions for a fix.
    """

    def __init__(self, exit_code: int, message: str, hints: Sequence[str] = ()) -> None:
        self.exit_code = exit_code
        self.message = message
        self.hints = list(hints)
        super().__init__("\n".join([message] + ["hint: " + h for h in self.hints]))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.exit_code, self.message, self.hints)


class UsageError(RepscopeError, ValueError):
    """Wrong options or inputs that do not fit together: exit code 2."""


class RepscopeWarning(UserWarning):
    """A warning of the program, also in :attr:`Result.warnings`."""
