"""Types of keywords, only for type checkers."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, List, Mapping, Protocol, Sequence, SupportsFloat, SupportsIndex, Tuple, Union

from ._progress import ProgressLike
from ._result import Result


class SupportsArray(Protocol):
    """NumPy arrays, tensors of PyTorch, JAX and others, data frames."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class SupportsDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class SupportsCollect(Protocol):
    """Lazy frames of polars."""

    def collect(self, *args: Any, **kwargs: Any) -> Any: ...


class SupportsFormat(Protocol):
    """Datasets of Hugging Face."""

    def with_format(self, *args: Any, **kwargs: Any) -> Any: ...


Path = Union[str, "os.PathLike[str]"]
Array = Union[SupportsArray, SupportsDLPack, SupportsCollect, SupportsFormat, Sequence[Any]]
# a path, with :key or as a pair for an array in a file of several; an array; or arrays by name, as .npz has
File = Union[Path, Tuple[Path, str], Array, Mapping[str, Array]]
Files = Union[Mapping[str, Union[File, List[Path]]], File]
Models = Union[Mapping[str, Union[Path, Any]], Path, Sequence[str], Any]
# paths, results or data frames, which have __array__
Input = Union[Path, Result, SupportsArray]
Inputs = Union[Input, Iterable[Input], Mapping[str, Union[Input, Iterable[Input]]]]

# numbers of Python and NumPy
Int = Union[int, SupportsIndex]
Float = Union[float, SupportsFloat]
Ints = Union[Int, Iterable[Int], str]
Floats = Union[Float, Iterable[Float], str]
Texts = Union[str, Iterable[str]]
Scalar = Union[str, int, float, bool, "os.PathLike[str]"]
Text = Union[Scalar, Iterable[Scalar], Mapping[str, Scalar]]
Each = Union[Text, Mapping[str, Text]]
Many = Union[Scalar, Result, Iterable[Union[Scalar, Result]], Mapping[str, Any]]

__all__ = ["Array", "Callable", "Each", "File", "Files", "Float", "Floats", "Inputs", "Int", "Ints", "Many", "Models", "Path", "ProgressLike", "Text", "Texts"]
