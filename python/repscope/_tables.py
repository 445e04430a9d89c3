"""Frames of pandas and polars, tables of Arrow and datasets of Hugging Face as arrays, and as tables of text."""

from __future__ import annotations

import io
import sys
from typing import Any, List

import numpy as np


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def is_frame(value: Any) -> bool:
    """Whether a value is a table with names of columns: of pandas, polars (also a lazy one), Arrow, or of Hugging Face."""
    if _library(value) in ("pyarrow", "datasets"):
        return hasattr(value, "column_names") and hasattr(value, "num_rows") and not isinstance(value, dict)
    return hasattr(value, "collect_schema") or hasattr(value, "columns") and hasattr(value, "to_csv")


def names_of(value: Any) -> List[Any]:
    """The names of the columns of a frame."""
    if hasattr(value, "column_names"):
        return list(value.column_names)
    return list(value.collect_schema().names() if hasattr(value, "collect_schema") else value.columns)


def is_table(value: Any) -> bool:
    """Whether a value is of pandas or polars, or a table of Arrow or Hugging Face."""
    library = _library(value)
    return library in ("pandas", "polars") or library == "datasets" and hasattr(value, "with_format") or library == "pyarrow" and is_frame(value)


def text_of(value: Any, what: str, numbered: bool = False) -> str:
    """The CSV of a frame, with the values that its columns have: narrow floats are not rounded to their shortest digits.

    An index with names becomes columns. Frames whose columns have numbers for names are errors, or, if numbered, a table without names.
    """
    library = _library(value)
    if library in ("pyarrow", "datasets"):
        table = value.with_format("arrow")[:] if library == "datasets" else value
        _need_columns(what, table.column_names)
        return _text_of_arrow(table, what)
    if hasattr(value, "collect_schema"):
        polars = sys.modules["polars"]
        _need_columns(what, value.columns)
        nested = [name for name, kind in value.schema.items() if kind.is_nested()]
        if nested:
            raise TypeError(f"{what}: columns of lists ({few(nested)}), want one value in each cell: frame.explode({nested[0]!r}) makes rows of them")
        text: str = value.cast({name: polars.Float64 for name, kind in value.schema.items() if kind.is_float()}).write_csv()
        return text
    places = numbered and list(value.columns) == list(range(value.shape[1])) and value.index.names == [None]
    if getattr(value.columns, "nlevels", 1) > 1:
        raise TypeError(f"{what}: the columns of the data frame have {value.columns.nlevels} levels; frame.columns = frame.columns.map('/'.join) names them")
    if not places and any(not isinstance(column, str) for column in value.columns):
        raise TypeError(f"{what}: the columns of the data frame are {list(value.columns)}; want names, as of reset_index() or add_prefix()")
    named = [level for level in value.index.names if level is not None]
    both = [level for level in named if level in value.columns]
    if both:
        raise TypeError(f"{what}: {both[0]!r} is the name of a column and of the index; reset_index(drop=True) leaves out the index")
    if named:
        value = value.reset_index()
    _need_columns(what, value.columns)
    narrow = [i for i, kind in enumerate(value.dtypes) if getattr(kind, "kind", "") == "f" and getattr(kind, "itemsize", 8) < 8]
    if narrow:
        value = value.copy(deep=False)
        for i in narrow:
            value.isetitem(i, value.iloc[:, i].to_numpy(dtype=np.float64, na_value=np.nan))
    text = value.to_csv(index=False, header=not places)
    return text


def _need_columns(what: str, names: Any) -> None:
    if len(names) == 0:
        raise TypeError(f"{what}: a data frame without columns")


def _text_of_arrow(table: Any, what: str) -> str:
    import pyarrow
    import pyarrow.csv

    for i, field in enumerate(table.schema):
        kind = field.type
        if pyarrow.types.is_nested(kind):
            raise TypeError(f"{what}: the column {field.name!r} has lists, want one value in each cell")
        if pyarrow.types.is_floating(kind) and kind != pyarrow.float64():
            table = table.set_column(i, field.name, table.column(i).cast(pyarrow.float64()))
        elif pyarrow.types.is_dictionary(kind):
            table = table.set_column(i, field.name, table.column(i).cast(kind.value_type))
    out = io.BytesIO()
    pyarrow.csv.write_csv(table, out)
    return out.getvalue().decode()


def columns_of(value: Any, what: str) -> Any:
    """A value that NumPy turns into an array: numbers of all columns, or the lists of the only one, without loss.

    Missing numbers are NaN. Columns of texts next to others, and lists of several lengths, are errors.
    """
    library = _library(value)
    if library == "datasets":
        return _of_dataset(value, what)
    if library == "pyarrow":
        return _of_arrow(value, what)
    if library == "pandas":
        return _of_pandas(value, what)
    polars = sys.modules["polars"]
    if isinstance(value, polars.LazyFrame):
        value = value.collect()
    if isinstance(value, polars.DataFrame):
        if value.width == 1 and not (value.dtypes[0].is_numeric() or value.dtypes[0] == polars.Boolean):
            return columns_of(value.to_series(), what)
        _need_numbers(what, [name for name, kind in value.schema.items() if not (kind.is_numeric() or kind == polars.Boolean)], "frame.drop({})")
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
    return _of_arrow(value.with_format("arrow")[:], what)  # with its types, which the format of NumPy narrows


def _of_arrow(table: Any, what: str) -> Any:
    if len(table.column_names) == 1:
        return table.column(0)
    types = sys.modules["pyarrow"].types
    others = [f.name for f in table.schema if not (types.is_integer(f.type) or types.is_floating(f.type) or types.is_boolean(f.type))]
    if others:
        raise TypeError(f"{what}: a table with columns that are not single numbers ({few(others)}); name one column: .select_columns({others[0]!r})")
    return table.to_pandas()


def _of_pandas(value: Any, what: str) -> Any:
    pandas = sys.modules["pandas"]
    if isinstance(value, pandas.DataFrame):
        columns = [value.iloc[:, i] for i in range(value.shape[1])]
        if len(columns) == 1 and _has_lists(columns[0]):
            return _stacked(columns[0], what)
        kinds = {getattr(kind, "kind", "O") if isinstance(kind, np.dtype) else "O" for kind in value.dtypes}
        if kinds <= set("iuf") or kinds == {"b"} or kinds == {"c"}:
            return value
        numbers = [_numbers_of(column, pandas) for column in columns]
        if len(columns) == 1 and numbers[0] is None:
            return _of_pandas(columns[0], what)  # texts or times
        _need_numbers(what, [str(name) for name, found in zip(value.columns, numbers) if found is None], "frame.drop(columns={})")
        return np.column_stack(numbers) if numbers else np.zeros((len(value), 0))
    if getattr(value.dtype, "tz", None) is not None:
        return np.asarray(value, dtype="datetime64[ns]")  # of UTC
    return _stacked(value, what) if _has_lists(value) else value


def _numbers_of(column: Any, pandas: Any) -> Any:
    """A column as numbers, with NaN for missing ones; None for texts, times and others."""
    kind = column.dtype
    if isinstance(kind, pandas.CategoricalDtype):
        kind = kind.categories.dtype
    if pandas.api.types.is_complex_dtype(kind) or getattr(kind, "kind", "O") in "mM":
        return None
    try:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return None


def _has_lists(column: Any) -> bool:
    return getattr(column.dtype, "kind", "") == "O" and len(column) > 0 and isinstance(column.iloc[0] if hasattr(column, "iloc") else column[0], (list, tuple, np.ndarray))


def _stacked(column: Any, what: str) -> np.ndarray:
    lengths = {len(v) if hasattr(v, "__len__") else -1 for v in column}
    if len(lengths) > 1:
        raise ValueError(f"{what}: lists of several lengths ({', '.join(map(str, sorted(lengths)[:3]))}), want one")
    return np.stack([np.asarray(v) for v in column])


def _need_numbers(what: str, others: List[str], drop: str) -> None:
    if others:
        raise TypeError(f"{what}: a frame with columns that are not numbers ({few(others)}); want numbers only: {drop.format(others)}")


def few(names: List[Any]) -> str:
    return ", ".join(map(str, names[:6])) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
