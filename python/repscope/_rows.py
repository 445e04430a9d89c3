"""Arrays with one row of numbers per sample, for scores of two arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import as_array


class InvalidParameter(ValueError, TypeError):
    """An error caught as ValueError and as TypeError, as scikit-learn's error of this name."""


def rows_of(value: Any, name: str) -> np.ndarray:
    """An array with one row of numbers per sample, in a type that is compared exactly."""
    try:
        if hasattr(value, "toarray") and hasattr(value, "nnz"):  # sparse
            value = value.toarray()
        if hasattr(value, "dtypes") or getattr(value, "dtype", None) == object:  # frames of columns of several types
            value = np.asarray(value)
            value = value.astype(np.float64) if value.dtype == object else value
        array = as_array(value, name)
    except TypeError as err:
        raise InvalidParameter(str(err)) from None
    if array.ndim < 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: {name} has shape {array.shape}; want one row per sample")
    if array.dtype.kind in "SU":
        array = array.astype(np.float64)
    if array.dtype not in (np.uint8, np.float32, np.float64):
        array = array.astype(np.float64)
    if array.dtype.byteorder == ">" or array.ndim > 2:
        array = np.ascontiguousarray(array).reshape(len(array), -1)
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required: {name}")
    return array
