"""Results of runs: numbers, tables and figures."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._folders import results

if TYPE_CHECKING:
    import pandas

_FIGURES = {".png": "image/png", ".svg": "image/svg+xml", ".pdf": "application/pdf"}


class Numbers(Dict[str, Any]):
    """A part of a result: a dictionary with its entries as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r}; want one of {', '.join(map(str, self))}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(k for k in self if k.isidentifier())]


def labeled(text: str, labels: Mapping[str, str]) -> str:
    """A text with descriptions of arrays instead of the paths of their files."""
    for path, label in labels.items():
        role, _, array = label.partition(" (")
        for between in (": ", " "):
            text = text.replace(role + between + path, f"{role} ({array}")
        text = text.replace(path, label)
    return text


class _Folder:
    """The folder of a run's files: named, or temporary and removed with the result."""

    def __init__(self, path: Optional[str]) -> None:
        self.temporary = path is None
        self._finalizer = None
        if path is None:
            path = results().make()
            self._finalizer = weakref.finalize(self, _remove, os.getpid(), path)
        self.path = os.fsdecode(path)

    def discard(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def _remove(process: int, path: str) -> None:
    if os.getpid() == process:  # not in a fork
        results().remove(path)


class Figure:
    """A figure of a result; notebooks display it."""

    def __init__(self, path: Path, folder: Optional[_Folder] = None) -> None:
        self.path = path
        self._folder = folder  # its file does not go before it

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the figure to a file of the same format, or into a folder, and returns its path."""
        import shutil

        target = Path(path)
        if target.is_dir():
            target = target / self.path.name
        if target.suffix.lower() != self.path.suffix:
            raise ValueError(f"{target}: the figure is {self.path.suffix}; request other formats with format= of the call")
        shutil.copyfile(self.path, target)
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        kind = _FIGURES[self.path.suffix]
        if kind == "image/svg+xml":
            return {kind: self.data.decode("utf-8"), "text/plain": repr(self)}, {}
        metadata: Dict[str, Any] = {}
        if kind == "image/png":  # 300 dots per inch; as large as on paper, or as the page is wide
            width = int.from_bytes(self.data[16:20], "big")
            metadata = {kind: {"width": min(width // 3, 1000)}}
        return {kind: base64.b64encode(self.data).decode("ascii"), "text/plain": repr(self)}, metadata

    def __repr__(self) -> str:
        return f"<figure {self.path.name}>"


def _content(path: Path) -> bytes:
    """The content of a file that may be compressed by gzip."""
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


class Result:
    """The result of a run.

    Entries of the result file are attributes (``result.models.jepa.by_k[0].trustworthiness``); :attr:`json` is
    the whole file. Files written without ``out=`` are removed with the object; :meth:`save`
    keeps them.

    Attributes:
        command: the analysis or tool.
        json: the result file; empty if the command writes none.
        text: the console output of the program.
        warnings: warnings about the numbers.
        notes: other messages of the program.
        elapsed: duration of the call in seconds.
    """

    def __init__(
        self, command: str, folder: _Folder, text: str, notes: List[str], elapsed: float, labels: Optional[Mapping[str, str]] = None, plan: bool = False
    ) -> None:
        self.command = command
        self.text = labeled(text, labels or {})
        self.notes = list(notes)
        self.elapsed = elapsed
        self._folder = folder
        self.json = self._read(plan)
        for entry in self.json.get("inputs") or []:
            if isinstance(entry, dict) and entry.get("path") in (labels or {}):
                entry["path"] = (labels or {})[entry["path"]]
        self.warnings: List[str] = [labeled(w, labels or {}) for w in self.json.get("warnings") or []]
        models = self.json.get("models")
        for model in models.values() if isinstance(models, dict) else ():
            if isinstance(model, dict) and model.get("skipped") is True:  # it could not be measured
                model["reason"] = labeled(str(model.get("reason")), labels or {})

    def _read(self, plan: bool) -> Numbers:
        if plan:
            text = self.text
        else:
            path = self._result_file()
            if path is None:
                return Numbers()
            text = _content(path).decode("utf-8")
        numbers: Numbers = json.loads(text, object_hook=Numbers)
        return numbers

    def _result_file(self) -> Optional[Path]:
        name = self.command.split(" ")[-1]
        for candidate in (name, "merged"):
            for ending in (".json", ".json.gz"):
                path = self.dir / (candidate + ending)
                if path.is_file():
                    return path
        return None

    @property
    def dir(self) -> Path:
        """The folder of the files; a temporary folder is removed with this object."""
        return Path(self._folder.path)

    @property
    def path(self) -> str:
        """The path of the result file, for :func:`compare` and similar functions."""
        path = self._result_file()
        if path is None:
            self._check_there()
            raise FileNotFoundError(f"{self.command} wrote no result file in {self.dir}")
        return str(path)

    @property
    def files(self) -> List[Path]:
        """All files, by name."""
        return sorted(p for p in self.dir.rglob("*") if p.is_file())

    # numbers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "json":
            raise AttributeError(name)
        try:
            return self.json[name]
        except KeyError:
            raise AttributeError(f"the result of {self.command} has no {name!r}; want one of {', '.join(self.json) or '(no result file)'}") from None

    def __getitem__(self, name: str) -> Any:
        return self.json[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.json)

    def __contains__(self, name: object) -> bool:
        return name in self.json

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(k for k in self.json if k.isidentifier())]

    def get(self, path: str, default: Any = None) -> Any:
        """The entry at a path such as ``models.jepa.by_k.0.trustworthiness``."""
        at: Any = self.json
        for part in path.split("."):
            if isinstance(at, dict) and part in at:
                at = at[part]
            elif isinstance(at, list) and part.lstrip("-").isdigit() and -len(at) <= int(part) < len(at):
                at = at[int(part)]
            else:
                return default
        return at

    # tables

    @property
    def tables(self) -> List[str]:
        """Names of the tables, without the command's prefix and .csv; the first is the default of :meth:`to_frame`."""
        found = [p for p in self.files if p.name.endswith((".csv", ".csv.gz"))]
        names = [self._short(p) for p in found]
        return sorted(names, key=lambda n: (n != "metrics", n))

    def _short(self, path: Path) -> str:
        name = path.relative_to(self.dir).as_posix()
        name = name[: -len(".gz")] if name.endswith(".gz") else name
        name = os.path.splitext(name)[0]
        head = self.command.split(" ")[0] + "_"
        return name[len(head) :] if name.startswith(head) else name

    def _find(self, what: str, name: Optional[str], choices: Dict[str, Path]) -> Path:
        if not choices:
            self._check_there()
            raise LookupError(f"{self.command} wrote no {what}")
        if name is None:
            return next(iter(choices.values()))
        for key, path in choices.items():
            if name in (key, path.name, path.stem):
                return path
        raise KeyError(f"{self.command} wrote no {what} {name!r}; want one of {', '.join(choices)}")

    def table(self, name: Optional[str] = None) -> Dict[str, np.ndarray]:
        """A table as a dictionary of columns: float64 arrays if every cell is a number or empty (NaN), else text."""
        import csv

        by_name = {self._short(p): p for p in self.files if p.name.endswith((".csv", ".csv.gz"))}
        path = self._find("table", name, {n: by_name[n] for n in self.tables})
        head, *rows = list(csv.reader(io.StringIO(_content(path).decode("utf-8"), newline="")))
        out: Dict[str, np.ndarray] = {}
        for i, column in enumerate(head):
            cells = [row[i] if i < len(row) else "" for row in rows]
            try:
                out[column] = np.array([float(c) if c else np.nan for c in cells], dtype=np.float64)
            except ValueError:
                out[column] = np.array(cells, dtype=str)
        return out

    def to_frame(self, name: Optional[str] = None) -> "pandas.DataFrame":
        """A table as a data frame of pandas; default: all numbers with their intervals."""
        try:
            import pandas
        except ImportError as err:
            raise ImportError("to_frame needs pandas (pip install pandas); table() does without") from err
        return pandas.DataFrame(self.table(name))

    def array(self, name: str) -> np.ndarray:
        """An output array, such as latents of :func:`encode`, mapped into memory."""
        arrays = {self._short(p): p for p in self.files if p.suffix == ".npy"}
        array: np.ndarray = np.load(self._find("array", name, arrays), mmap_mode="r", allow_pickle=False)
        return array

    # figures

    @property
    def figures(self) -> List[str]:
        """Names of the figures."""
        return list(dict.fromkeys(self._short(p) for p in self._figure_files()))

    def _figure_files(self) -> List[Path]:
        order = list(_FIGURES)
        found = [p for p in self.files if p.suffix in _FIGURES and p.parent == self.dir]
        return sorted(found, key=lambda p: (order.index(p.suffix), p.name))

    def figure(self, name: Optional[str] = None, format: Optional[str] = None) -> Figure:
        """A figure, by default the first; notebooks display it."""
        found = self._figure_files()
        if format is not None:
            found = [p for p in found if p.suffix == "." + format.lstrip(".")]
            if not found:
                raise LookupError(f"{self.command} wrote no figure in format {format!r}; request it with format= of the call")
        choices: Dict[str, Path] = {}
        for p in found:
            choices.setdefault(self._short(p), p)
        return Figure(self._find("figure", name, choices), self._folder)

    # files

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> Path:
        """Copies all files into a folder, created if absent, and overwrites files of the same names; returns the folder."""
        import shutil

        self._check_there()
        target = Path(folder)
        for path in self.files:
            to = target / path.relative_to(self.dir)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
        return target

    def close(self) -> None:
        """Removes the files if their folder is temporary; numbers and text remain."""
        self._folder.discard()

    def _check_there(self) -> None:
        if not self.dir.is_dir():
            raise FileNotFoundError(f"the files of this result of {self.command} no longer exist: it was closed, or {self.dir} was removed")

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        content = {p.relative_to(self.dir).as_posix(): p.read_bytes() for p in self.files} if self._folder.temporary else None
        state = {k: v for k, v in self.__dict__.items() if k != "_folder"}
        return _restore, (state, None if self._folder.temporary else self._folder.path, content)

    # how it is shown

    def __repr__(self) -> str:
        parts = []
        models = self.json.get("models")
        if models:
            parts.append(", ".join(models))
        if self.figures:
            parts.append(f"{len(self.figures)} figure" + "s" * (len(self.figures) > 1))
        if self.warnings:
            parts.append(f"{len(self.warnings)} warning" + "s" * (len(self.warnings) > 1))
        return f"<repscope {self.command}: {'; '.join(parts) or 'done'}>"

    def __str__(self) -> str:
        return self.text or repr(self)

    def _repr_html_(self) -> str:
        return "".join(self._html())

    def _html(self) -> Iterator[str]:
        import html

        yield f"<div><b>repscope {html.escape(self.command)}</b>"
        for text in self.warnings:
            yield f"<p>⚠ {html.escape(text)}</p>"
        if self.text.strip():
            yield f'<pre style="line-height:1.3;overflow-x:auto">{html.escape(self.text.rstrip())}</pre>'
        for path in self._figure_files()[:1]:
            bundle, _ = Figure(path)._repr_mimebundle_()
            kind = _FIGURES[path.suffix]
            data = bundle[kind] if kind != "image/svg+xml" else base64.b64encode(bundle[kind].encode()).decode()
            if kind != "application/pdf":
                yield f'<img style="max-width:min(100%,60em)" alt="{html.escape(self._short(path))}" src="data:{kind};base64,{data}">'
        yield "</div>"


def _restore(state: Dict[str, Any], path: Optional[str], content: Optional[Dict[str, bytes]]) -> Result:
    """Restores a pickled result with its files."""
    result = Result.__new__(Result)
    result.__dict__.update(state)
    folder = _Folder(path)
    for name, data in (content or {}).items():
        to = Path(folder.path) / name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)
    result._folder = folder
    return result
