"""Passes arrays to the program: as files in shared memory where possible, read in place by both sides."""

from __future__ import annotations

import errno
import numbers
import os
import re
import sys
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._folders import make, release, temporary
from ._labeled import decoded, in_order, is_labeled
from ._tables import columns_of, few, is_table, text_of

if TYPE_CHECKING:
    from typing import TypeGuard

_NAME_BYTES = 120  # of a file's name, of which file systems take 255
_SPARE = 16 << 20  # of a file system that is left to others


def is_path(value: Any) -> TypeGuard[Union[str, os.PathLike[str]]]:
    return isinstance(value, (str, os.PathLike))


def is_part(value: Any) -> bool:
    """Whether a value is a pair of a file and the name of an array in it."""
    return isinstance(value, tuple) and len(value) == 2 and is_path(value[0]) and isinstance(value[1], str)


def conversion(dtype: Any, what: str) -> Optional[type]:
    """The type to convert numbers to for the program; None if unchanged."""
    if str(getattr(dtype, "name", dtype)).startswith(("bfloat16", "float8_", "float6_", "float4_")):
        return np.float32
    if re.match(r"u?int[124]$", str(getattr(dtype, "name", ""))):  # of ml_dtypes
        return np.uint8 if dtype.name.startswith("u") else np.int8
    dtype = np.dtype(dtype)
    if dtype.kind in "mM":  # times, which the program takes where they are meant
        return None
    if dtype.kind == "c":
        raise TypeError(f"{what}: complex numbers; give real and imaginary parts as two arrays")
    if dtype.names:
        fields = f"fields {', '.join(map(repr, dtype.names[:6]))}"
        raise TypeError(f"{what}: records with the {fields}, want numbers; x[{dtype.names[0]!r}] is one field, structured_to_unstructured of numpy.lib.recfunctions all")
    if dtype.kind not in "biuf":
        hint = "; .astype(float) makes numbers of objects that are such" if dtype.kind == "O" else ""
        raise TypeError(f"{what}: elements of type {dtype}, want numbers{hint}")
    return np.float64 if dtype.kind == "f" and dtype.itemsize > 8 else None


def as_array(value: Any, what: str = "array") -> np.ndarray:
    """A NumPy array from a tensor, an object with ``__array__`` or DLPack, or nested sequences.

    Axes of a DataArray are put in order by their names. Tensors are copied to the CPU. bfloat16 and eight-bit floats become float32,
    which represents all their values.
    """
    if is_labeled(value):
        value = in_order(decoded(value), what)
    elif is_table(value):
        value = columns_of(value, what)
    array = value if isinstance(value, np.ndarray) else _convert(value, what)
    if array.dtype.kind in "OT":
        array = _of_objects(value, array, what)
    masked: Any = sys.modules.get("numpy.ma")  # which nobody has used where it is not loaded
    if masked is not None and isinstance(array, masked.MaskedArray):
        if masked.is_masked(array):
            of = what if what.isidentifier() else ""
            raise TypeError(f"{what}: a masked array with masked values; give {of}.filled(np.nan) and skip_nan=True, or {of}.data")
        array = np.ma.getdata(array)
    if array.dtype.metadata:  # such as names of an enumeration of HDF5, with which NumPy writes no file
        array = array.view(np.dtype(array.dtype.str))
    to = None if array.dtype.kind in "SU" else conversion(array.dtype, what)
    return array if to is None else array.astype(to)


def _of_objects(value: Any, array: np.ndarray, what: str) -> np.ndarray:
    """Object arrays as arrays of text, or of numbers of pandas with NaN for missing values."""
    elements = array.ravel().tolist()
    texts = [isinstance(v, str) for v in elements]
    if all(texts) and texts:
        return np.array(elements, dtype=str).reshape(array.shape)
    if hasattr(value, "to_numpy"):
        try:
            converted: np.ndarray = value.to_numpy(dtype=np.float64, na_value=np.nan)
            return converted
        except (TypeError, ValueError):
            pass
    if any(texts):
        i = texts.index(False)
        raise TypeError(f"{what}: element {i} is {elements[i]!r:.40} among texts, want texts only, or numbers only")
    for i, element in enumerate(elements if array.ndim > 0 else []):
        if not isinstance(element, (numbers.Number, np.generic)) and element is not None:
            raise TypeError(f"{what}: element {i} is {element!r:.40}, want numbers")
    return array


def _of_arrow(value: Any, what: str) -> np.ndarray:
    """Arrays and columns of pyarrow; lists of one length become further axes."""
    types = sys.modules["pyarrow"].types
    if hasattr(value, "combine_chunks"):
        value = value.combine_chunks()
    shape = [len(value)]
    while types.is_list(value.type) or types.is_large_list(value.type) or types.is_fixed_size_list(value.type) or hasattr(value, "storage"):
        if hasattr(value, "storage"):  # an extension, such as tensors of one shape
            value = value.storage
            continue
        lengths = set(value.value_lengths().to_pylist())
        if len(lengths) > 1 or None in lengths:
            raise ValueError(f"{what}: lists of several lengths ({', '.join(map(str, list(lengths)[:3]))}), want one")
        shape.append(lengths.pop() if lengths else 0)
        value = value.flatten()
    array: np.ndarray = value.to_numpy(zero_copy_only=False)
    return array.reshape(shape)


def _convert(value: Any, what: str) -> np.ndarray:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if value.is_meta or value.is_nested:
            raise TypeError(f"{what}: a tensor " + ("of the device meta, which has no values" if value.is_meta else "with rows of different lengths"))
        value = value.detach()
        if value.layout != torch.strided:  # sparse
            value = value.to_dense()
        if value.is_quantized:
            value = value.dequantize()
        value = value.cpu().resolve_conj().resolve_neg()
        if value.dtype.is_floating_point and value.dtype not in (torch.float16, torch.float32, torch.float64):
            value = value.float()
        array: np.ndarray = value.numpy()
        return array
    if type(value).__module__.split(".")[0] == "pyarrow" and hasattr(value, "null_count"):
        return _of_arrow(value, what)
    if hasattr(value, "__array__"):
        try:
            return np.asarray(value)
        except TypeError:  # CuPy refuses, and has DLPack
            if not hasattr(value, "__dlpack__"):
                raise
    if hasattr(value, "__dlpack__"):
        from_dlpack = getattr(np, "from_dlpack", None)
        if from_dlpack is None:
            raise TypeError(f"{what}: a {type(value).__name__} by DLPack needs NumPy 1.23 or newer")
        try:
            return np.asarray(from_dlpack(value, device="cpu"))
        except TypeError:  # NumPy before 2.1 has no device
            return np.asarray(from_dlpack(value))
    if torch is not None and isinstance(value, (list, tuple)):  # NumPy takes none with a gradient or on another device
        value = [as_array(v, what) if isinstance(v, torch.Tensor) else v for v in value]
    try:
        array = np.asarray(value)
    except ValueError as err:  # sequences of several lengths
        raise ValueError(f"{what}: {err}") from None
    if array.dtype.kind == "O" and _of_objects(value, array, what).dtype.kind == "O":
        raise TypeError(f"{what}: a {type(value).__name__} is not an array of numbers")
    return array


def mapped_file(array: np.ndarray) -> Optional[str]:
    """The .npy file that an array maps as a whole; None for any other array."""
    name = getattr(array, "filename", None)
    if not isinstance(array, np.memmap) or name is None or array.mode == "c" or array.dtype.hasobject:
        return None  # what is written to a copy-on-write map is not in the file
    try:
        with open(name, "rb") as f:
            if not _is_mapped(array, os.fstat(f.fileno()).st_ino):
                return None  # another file has its name now
            version = np.lib.format.read_magic(f)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = read(f)
            offset = f.tell()
            size = os.fstat(f.fileno()).st_size
    except (OSError, ValueError):
        return None
    order = array.flags.f_contiguous if fortran else array.flags.c_contiguous
    if shape != array.shape or dtype != array.dtype or not order or size != offset + array.nbytes:
        return None  # a part of it, or another view
    if getattr(array, "offset", offset) != offset:
        return None
    return str(os.fspath(name))


def _is_mapped(array: np.ndarray, inode: int) -> bool:
    """Whether an array is in a mapping of the file with this inode, if the system reports it."""
    if array.size == 0 or sys.platform != "linux":
        return True
    address = array.__array_interface__["data"][0]
    try:
        with open("/proc/self/maps", "rb") as f:
            for line in f:
                area, _, _, _, number = line.split(None, 5)[:5]
                low, _, high = area.partition(b"-")
                if int(low, 16) <= address < int(high, 16):
                    return int(number) == inode
    except OSError:
        return True
    return False


class Workspace:
    """A folder for the arrays of one call, removed when the call ends or fails.

    It is in a memory file system with enough room, else in the folder of temporary files.
    A process that is killed leaves its folder behind: its lock is free then, and the next process
    removes it. Workspaces with the same purpose have folders of the same name, one after the other.
    """

    def __init__(self, purpose: str = "") -> None:
        self._purpose = purpose
        self._folders: Dict[bool, Tuple[str, Any]] = {}  # with their locks
        self._finalizer = weakref.finalize(self, _remove_all, os.getpid(), self._folders)
        self.labels: Dict[str, str] = {}  # what the arrays in the files are, for messages
        self.notes: List[str] = []  # what was done to what was given
        self._columns: List[Tuple[str, List[Any]]] = []  # of frames that are arrays, by keyword

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._finalizer()

    def folder(self, memory: bool) -> str:
        if memory not in self._folders:
            self._folders[memory] = make((_memory_folder() if memory else None) or temporary(), self._purpose)
        return self._folders[memory][0]

    def in_memory(self, path: str) -> bool:
        return True in self._folders and os.path.dirname(path) == self._folders[True][0]

    def place(self, name: str, size: int) -> str:
        """A path for a new file of the given size."""
        memory = has_room(size)
        return _unused(self.folder(memory), name)

    def save(self, name: str, value: Any) -> str:
        """The path of a file with an array, or with a mapping of names to arrays (.npz); a given path is returned unchanged."""
        if is_path(value):
            return str(os.fspath(value))
        if isinstance(value, Mapping):
            arrays = {str(k): as_array(v, f"{name}[{k!r}]") for k, v in value.items()}
            path = self.place(name + ".npz", sum(a.nbytes for a in arrays.values()))
            self.write(path, lambda f: _write_archive(f, arrays))
            self.labels[path] = f"{name} (arrays {', '.join(arrays)})"
            return path
        array = as_array(value, name)
        found = mapped_file(array)
        if found is not None:
            return found
        if array.ndim == 0:
            raise TypeError(f"{name}: {value!r:.80} is one value; want an array or a path")
        if array.dtype.kind in "SU" and array.ndim > 1:
            raise TypeError(f"{name}: elements of text type {array.dtype}; give numbers instead: np.unique(x, return_inverse=True)[1]")
        path = self.place(name + ".npy", array.nbytes)
        path = self.write(path, lambda f: np.lib.format.write_array(_Stream(f), array, allow_pickle=False))
        self.labels[path] = f"{name} (array {list(array.shape)}, {array.dtype})"
        return path

    def save_frame(self, name: str, value: Any, numbered: bool = False) -> str:
        """The path of a CSV file with the rows of a data frame; an index with names becomes columns."""
        value = value.collect() if hasattr(value, "collect_schema") and not hasattr(value, "write_csv") else value
        data = text_of(value, name, numbered).encode()
        path = self.write(self.place(name + ".csv", len(data)), lambda f: f.write(data))
        shape = value.shape if hasattr(value, "shape") else (value.num_rows, value.num_columns)
        self.labels[path] = f"{name} (data frame {list(shape)})"
        return path

    def pair(self, key: str, names: List[Any]) -> None:
        """Checks that frames of several keywords, which are compared by position, have common columns in the same order."""
        for other, theirs in self._columns:
            common = [name for name in names if name in theirs and isinstance(name, str)]
            if other != key and common and names != theirs:
                raise TypeError(f"{key}: a frame with the columns {few(names)}, but {other} has {few(theirs)}; give the same columns in the same order")
        self._columns.append((key, names))

    def write(self, path: str, write: Any) -> str:
        """Calls a function to write a file of the workspace; returns the final path."""
        try:
            with open(path, "wb") as f:
                write(f)
            return path
        except OSError:
            if not self.in_memory(path) or not os.path.exists(path):
                raise
            os.unlink(path)  # the memory was taken meanwhile
        path = _unused(self.folder(False), os.path.basename(path))
        with open(path, "wb") as f:
            write(f)
        return path


class _Stream:
    """A file that NumPy writes part by part.

    Into files that NumPy knows it writes at once, in C code that turns an interrupt of that moment into a TypeError.
    """

    def __init__(self, file: Any) -> None:
        self.write = file.write


def _write_archive(f: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes a .npz file, also for names that are keywords of np.savez."""
    import zipfile

    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array, allow_pickle=False)


def _unused(folder: str, name: str) -> str:
    # separators and what the program takes for the end of a name must not be in it, nor what an ASCII locale has not
    name = "".join(c if c.isascii() and c.isalnum() or c in "-_." else "_" for c in name).lstrip(".") or "array"
    if len(name) > _NAME_BYTES:
        stem, suffix = os.path.splitext(name)
        name = stem[: _NAME_BYTES - len(suffix)] + suffix
    path, n = os.path.join(folder, name), 1
    while os.path.exists(path):
        n += 1
        stem, suffix = os.path.splitext(name)
        path = os.path.join(folder, f"{stem}-{n}{suffix}")
    return path


def empty(shape: Union[int, Tuple[int, ...]], dtype: Any = np.float32) -> np.ndarray:
    """An uninitialized array that the program reads in place, without a copy.

    It is a mapped file in memory, or in the folder of temporary files if memory has no room, and
    is removed with the last array that views it.
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "biuf":
        raise TypeError(f"elements of type {dtype}, want numbers")
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    count = 1
    for n in shape:
        count *= int(n)
    size = count * dtype.itemsize
    if not has_room(size) and not has_room_on_disk(size):
        raise OSError(errno.ENOSPC, f"no room for {size} bytes in memory or among temporary files")
    workspace = Workspace()
    try:
        path = workspace.place("array.npy", size)
        try:
            array = _mapped(path, dtype, shape)
        except OSError:
            if not workspace.in_memory(path):
                raise
            os.unlink(path)  # the memory was taken meanwhile
            array = _mapped(_unused(workspace.folder(False), "array.npy"), dtype, shape)
    except BaseException:
        workspace.close()
        raise
    # the map lives as long as any view of it
    owner = getattr(array, "_mmap", None)
    weakref.finalize(array if owner is None else owner, workspace.close)
    return array


def _mapped(path: str, dtype: Any, shape: Tuple[int, ...]) -> np.ndarray:
    """A new mapped file with its space allocated now: running out of space later would end the process."""
    array = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as f:
            size = os.fstat(f.fileno()).st_size
            if size:
                os.posix_fallocate(f.fileno(), 0, size)
    return array


def has_room(size: int) -> bool:
    """Whether a file of a size fits into memory."""
    folder = _memory_folder()
    if folder is None:
        return False
    try:
        s = os.statvfs(folder)
    except OSError:
        return False
    return s.f_bavail * s.f_frsize >= size + _SPARE


def has_room_on_disk(size: int) -> bool:
    """Whether a file of a size fits into the folder of temporary files."""
    import shutil

    try:
        return shutil.disk_usage(temporary()).free >= size + _SPARE
    except OSError:
        return False


def allocate(fd: int, size: int) -> None:
    """Sets the size of an empty file and allocates all its space now: running out later would end a process that writes to its mapping."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(fd, 0, size)
            return
        except OSError as err:
            if err.errno not in (errno.EOPNOTSUPP, errno.EINVAL):  # file systems that do not know it
                raise
    zeros = memoryview(bytes(min(size, 1 << 20)))
    os.lseek(fd, 0, os.SEEK_SET)
    while size > 0:
        size -= os.write(fd, zeros[:size])


def _memory_folder() -> Optional[str]:
    folder = "/dev/shm"
    if sys.platform == "linux" and os.access(folder, os.W_OK | os.X_OK):
        return folder
    return None


def _remove_all(process: int, folders: Dict[bool, Tuple[str, Any]]) -> None:
    if os.getpid() != process:
        return  # a fork of the process whose they are
    for path, lock in folders.values():
        release(path, lock)
    folders.clear()
