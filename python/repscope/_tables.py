"""Frames of polars and datasets of Hugging Face as arrays."""

from __future__ import annotations

import sys
from typing import Any, List


def is_table(value: Any) -> bool:
    """Whether a value is of polars, or a dataset of Hugging Face."""
    library = type(value).__module__.partition(".")[0]
    return library == "polars" or library == "datasets" and hasattr(value, "with_format")


def columns_of(value: Any, what: str) -> Any:
    """A value that NumPy turns into an array: numbers of all columns, or the lists of the only one, without loss.

    Missing numbers are NaN. Columns of texts next to others, and lists of several lengths, are errors.
    """
    if type(value).__module__.partition(".")[0] == "datasets":
        return _of_dataset(value, what)
    polars = sys.modules["polars"]
    if isinstance(value, polars.LazyFrame):
        value = value.collect()
    if isinstance(value, polars.DataFrame):
        if value.width == 1 and value.dtypes[0].is_nested():
            return columns_of(value.to_series(), what)
        texts = [name for name, kind in value.schema.items() if not (kind.is_numeric() or kind == polars.Boolean)]
        if texts:
            raise TypeError(f"{what}: a frame with columns that are not numbers ({_few(texts)}); want numbers only: frame.drop({texts!r})")
        return value.cast({name: polars.Float64 for name, kind in value.schema.items() if kind.is_decimal()})
    if isinstance(value, polars.Series):
        kind = value.dtype
        if kind == polars.List:
            lengths = value.list.len().unique().to_list()
            if len(lengths) != 1 or lengths[0] is None:
                raise ValueError(f"{what}: lists of several lengths ({', '.join(map(str, lengths[:3]))}), want one")
            return columns_of(value.list.to_array(lengths[0]), what)
        if kind.is_decimal() or kind == polars.Boolean and value.null_count() > 0:
            return value.cast(polars.Float64)
    return value


def _of_dataset(value: Any, what: str) -> Any:
    names = getattr(value, "column_names", None)
    if not isinstance(names, list) or not hasattr(value, "num_rows") or isinstance(value, dict):
        raise TypeError(f"{what}: a {type(value).__name__}, want one split in memory, as dataset['train']")
    table = value.with_format("arrow")[:]  # with its types, which the format of NumPy narrows
    if len(names) == 1:
        return table.column(0)
    types = sys.modules["pyarrow"].types
    others = [f.name for f in table.schema if not (types.is_integer(f.type) or types.is_floating(f.type) or types.is_boolean(f.type))]
    if others:
        raise TypeError(f"{what}: a dataset with columns that are not single numbers ({_few(others)}); name one column: dataset.select_columns({others[0]!r})")
    return table.to_pandas()


def _few(names: List[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
