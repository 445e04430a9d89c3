"""Reads arrays of HDF5 files (also NetCDF) and Zarr stores in chunks, with h5py and zarr.

``frames="run.h5:/obs/frames"``, ``frames="run.zarr:obs"``, ``target="truth.nc:t2m"``, an ``h5py.Dataset`` or a
``zarr.Array`` go over to the program a chunk at a time, whatever their size, with the values that xarray decodes.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

from ._arrays import conversion, is_part, is_path
from ._decode import decoder
from ._errors import UsageError

CHUNK = 32 << 20  # bytes of rows that are held at a time, at least one row

_HDF5_ENDINGS = (".h5", ".hdf5", ".he5", ".hdf", ".h5ad", ".nc", ".mat")
_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_ZARR_FILES = (".zarray", ".zgroup", "zarr.json")


class Stream:
    """An array read in ranges of rows.

    shape and dtype describe the concatenation of all :meth:`chunks` along the first axis.
    """

    def __init__(self, source: Any, label: str, keep: Any = None) -> None:
        self._source = source
        self._keep = keep  # the open file, closed with this object
        self.label = label
        if source.shape is None:
            raise TypeError(f"{label}: a dataset without a shape, want an array")
        self.shape: Tuple[int, ...] = tuple(int(n) for n in source.shape)
        if getattr(source.dtype, "names", None):
            fields = source.dtype.names
            raise TypeError(f"{label}: records of {', '.join(fields)}; give one field, as dataset.fields({fields[0]!r})[:]")
        self._convert = conversion(source.dtype, label)
        # without metadata, such as names of an enumeration
        self.dtype = np.dtype(np.dtype(source.dtype).str) if self._convert is None else np.dtype(self._convert)
        try:
            self._decoder = decoder(source)
        except TypeError as err:
            raise TypeError(f"{label}: {err}") from None
        if self._decoder is not None:
            self.dtype = self._decoder.dtype
        if not self.shape:
            raise TypeError(f"{label}: a scalar, want an array")

    @property
    def nbytes(self) -> int:
        size = self.dtype.itemsize
        for n in self.shape:
            size *= n
        return size

    def chunks(self) -> Iterator[np.ndarray]:
        n = self.shape[0]
        row = max(1, self.nbytes // max(n, 1))
        step = max(1, CHUNK // row)
        stored = getattr(self._source, "chunks", None)  # whole ones, so that none is decompressed twice
        if stored and isinstance(stored[0], (int, np.integer)) and stored[0] <= step:
            step -= step % int(stored[0])
        for lo in range(0, n, step):
            part = np.asarray(self._source[lo : min(lo + step, n)])
            if self._decoder is not None:
                part = self._decoder.decode(part)
            elif self._convert is not None:
                part = part.astype(self._convert)
            yield np.ascontiguousarray(part)

    def write(self, f: Any) -> None:
        """Writes a .npy file."""
        np.lib.format.write_array_header_1_0(f, {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": self.shape})
        written = 0
        for part in self.chunks():
            if part.shape[1:] != self.shape[1:] or part.dtype != self.dtype:
                raise ValueError(f"{self.label}: rows of shape {part.shape[1:]} and type {part.dtype}, want {self.shape[1:]} and {self.dtype}")
            raw = part.view(np.int64) if part.dtype.kind in "mM" else part
            f.write(raw.data.cast("B") if part.size else b"")
            written += len(part)
        if written != self.shape[0]:
            raise ValueError(f"{self.label}: {written} rows, want {self.shape[0]}; check that no program is writing to the file")

    def save(self, name: str, workspace: Any) -> str:
        """Writes a .npy file into a workspace, closes the source and returns the path."""
        try:
            path: str = workspace.write(workspace.place(name + ".npy", self.nbytes), self.write)
        finally:
            self.close()
        workspace.labels[path] = self.label
        if self._decoder is not None and self._decoder.about:
            workspace.notes.append(f"{self.label}: {self._decoder.about}")
        return path

    def close(self) -> None:
        if self._keep is not None:
            self._keep.close()
            self._keep = None


def resolve(key: str, value: Any) -> Any:
    """A :class:`Stream` for an array or a path of HDF5 or Zarr; any other value unchanged.

    Paths are "FILE:/path", "FILE" for a file with one array, or pairs (FILE, path).
    """
    library = type(value).__module__.split(".")[0]
    if library in ("h5py", "zarr"):
        return _of_object(key, value, library)
    path, inner = value, None
    if is_part(value):
        path, inner = value
    elif not is_path(value):
        return value
    path = os.fspath(path)
    if not isinstance(path, str):
        return value
    if inner is None and not os.path.exists(path):
        path, inner = _split(path)
    if path and _is_hdf5(path):
        return _of_hdf5(path, inner)
    if path and _is_zarr(path):
        return _of_zarr(path, inner)
    return value


def _split(text: str) -> Tuple[str, Optional[str]]:
    """FILE and key of "FILE:key", split at the last colon that follows the name of a file; else the text itself."""
    at = text.rfind(":")
    while at > 0:
        if os.path.exists(text[:at]):
            return text[:at], text[at + 1 :]
        at = text.rfind(":", 0, at)
    return text, None


def _is_hdf5(path: str) -> bool:
    if not path.lower().endswith(_HDF5_ENDINGS) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as f:
            if f.read(8) == _HDF5_MAGIC:
                return True
            f.seek(512)  # MATLAB 7.3 begins with a text
            return f.read(8) == _HDF5_MAGIC
    except OSError:
        return False


def _is_zarr(path: str) -> bool:
    if os.path.isdir(path):
        return any(os.path.exists(os.path.join(path, name)) for name in _ZARR_FILES)
    return path.lower().endswith(".zarr.zip") and os.path.isfile(path)


def _of_object(key: str, value: Any, library: str) -> Any:
    kind = type(value).__name__
    if library == "h5py" and not value:
        raise UsageError(2, f"{key}: a {library}.{kind} of a closed file")
    where = str(getattr(getattr(value, "file", None), "filename", "") or getattr(value, "store_path", "") or "")
    path = str(getattr(value, "name", "") or "")
    label = f"{key} ({library} {where}{':' if where and path else ''}{path})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return Stream(value, label)
    if hasattr(value, "keys") or hasattr(value, "arrays"):
        return Stream(_only(value, where or label, library)[1], label)
    raise TypeError(f"{key}: a {library}.{kind} is not an array")


def _of_hdf5(path: str, inner: Optional[str]) -> Stream:
    try:
        import h5py
    except ImportError as err:
        raise ImportError(f"{path} is an HDF5 file and needs h5py (pip install h5py)") from err
    try:
        file = h5py.File(path, "r")
    except OSError as err:
        raise OSError(f"{path}: {err}") from err
    try:
        name, array = _find(file, path, inner, "h5py")
        return Stream(array, f"{path}:{name}", keep=file)
    except BaseException:
        file.close()
        raise


def _of_zarr(path: str, inner: Optional[str]) -> Stream:
    try:
        import zarr
    except ImportError as err:
        raise ImportError(f"{path} is a Zarr store and needs zarr (pip install zarr)") from err
    node = zarr.open(path, mode="r")
    if hasattr(node, "shape"):
        if inner:
            raise UsageError(2, f"{path} is one array and has no {inner!r}")
        return Stream(node, path)
    name, array = _find(node, path, inner, "zarr")
    return Stream(array, f"{path}:{name}")


def _find(group: Any, path: str, inner: Optional[str], library: str) -> Tuple[str, Any]:
    if not inner or not inner.strip("/"):
        return _only(group, path, library)
    try:
        node = group[inner.strip("/")]
    except KeyError:
        raise UsageError(2, f"{path}: no array {inner!r}; the arrays are {_listed(group, library)}") from None
    if not hasattr(node, "shape") or not hasattr(node, "dtype"):
        below = ", ".join(f"{inner.rstrip('/')}/{n}" for n in _names(node, library)[:12])
        raise UsageError(2, f"{path}: {inner!r} is a group of {below or 'no arrays'}, want an array")
    return inner, node


def _only(group: Any, path: str, library: str) -> Tuple[str, Any]:
    names = _names(group, library)
    data = [name for name in names if not _is_coordinate(name, group[name])]
    if len(data) == 1:
        names = data
    if len(names) != 1:
        first = f"; name one as {path}:{names[0]}" if names else ""
        raise UsageError(2, f"{path}: contains {len(names)} arrays{first} (the arrays are {_listed(group, library)})")
    return names[0], group[names[0]]


def _listed(group: Any, library: str) -> str:
    names = _names(group, library)
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return (", ".join(names[:12]) + more) or "nothing"


def _is_coordinate(name: str, node: Any) -> bool:
    """Whether an array is a coordinate: a dimension of NetCDF, or a Zarr array named like its only axis."""
    attributes = getattr(node, "attrs", {})
    if "CLASS" in attributes:
        return bool(attributes["CLASS"] in (b"DIMENSION_SCALE", "DIMENSION_SCALE"))
    axes = attributes.get("_ARRAY_DIMENSIONS") or getattr(getattr(node, "metadata", None), "dimension_names", None)
    return axes is not None and list(axes) == [name.rpartition("/")[2]]


def _is_empty_axis(node: Any) -> bool:
    """Whether a dataset is NetCDF's placeholder for a dimension without values."""
    name = node.attrs.get("NAME", b"")
    return (name.encode() if isinstance(name, str) else bytes(name)).startswith(b"This is a netCDF dimension but not")


def _names(group: Any, library: str) -> List[str]:
    """The paths of all arrays of a group."""
    found: List[str] = []
    if library == "h5py":
        h5py = sys.modules["h5py"]

        def visit(name: str, node: Any) -> None:
            if isinstance(node, h5py.Dataset) and not _is_empty_axis(node):
                found.append(name)

        group.visititems(visit)
        return found

    def walk(node: Any, prefix: str) -> None:
        for name, _ in node.arrays():
            found.append(prefix + name)
        for name, below in node.groups():
            walk(below, prefix + name + "/")

    walk(group, "")
    return sorted(found)
