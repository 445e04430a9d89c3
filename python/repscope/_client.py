"""Runs the program: converts values to flags, arrays to files, and messages to progress, warnings and errors."""

from __future__ import annotations

import json
import numbers
import os
import re
import threading
import time
import warnings
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._arrays import Workspace, as_array, is_part, is_path
from ._beside import Beside
from ._errors import RepscopeError, RepscopeWarning, UsageError
from ._find import find_program, window
from ._labeled import has_coordinates, implied, in_order, is_field, is_labeled, only_variable, save_field
from ._progress import Progress, progress_of
from ._readers import Stream, resolve
from ._result import Result, _Folder, labeled
from ._tables import is_frame, is_table, names_of


class Flag(NamedTuple):
    """How a keyword becomes a flag of the program.

    kind is one of "bool", "int", "float", "ints", "floats", "texts", "size", "text", "path" (a path),
    "file" (a path, or an array), "table" (as "file", where a data frame is a table with its names),
    "config" (a path, or a mapping that is written as one), "named" (NAME=FILE: a mapping of names to
    paths or arrays), "tables" (as "named", of tables), "model" (NAME=FILE: of names to paths or
    modules), "each" ([NAME=]VALUE: one value, or a mapping of names to values), "many" (repeats).
    """

    name: str
    kind: str
    separator: str = ","  # of the parts of a text
    default: str = ""  # name of a single array of "named"


class Command(NamedTuple):
    name: str
    arguments: str  # keyword of what stands beside the flags; empty for nothing
    flags: Mapping[str, Flag]


# Says to the program: progress as lines of JSON, and to end with its standard input.
# A crash of the program is a signal then, not the status of wrong usage.
_CALLED = {"REPSCOPE_CALLED": "json", "GOTRACEBACK": "crash"}

# How long a run that is to end has before the next, less friendly, request.
_PATIENCE = (2.0, 1.0, 2.0)


_commands: Dict[str, Command] = {}


def _command(function: str) -> Command:
    """A command of the generated table, by the name of its function."""
    if function not in _commands:
        from ._functions import COMMANDS

        if function not in COMMANDS:
            raise UsageError(2, f"unknown function {function!r}; want one of {', '.join(COMMANDS)}")
        name, arguments, table = COMMANDS[function]
        flags = {}
        for entry in table.split():
            keyword, kind, *separator = entry.split(":", 2)
            flags[keyword] = Flag(keyword.replace("_", "-"), kind, separator[0] if separator else ",", keyword)
        _commands[function] = Command(name, arguments, flags)
    return _commands[function]


def call_named(function: str, values: Mapping[str, Any]) -> Result:
    """Calls a command with the keywords of its generated function."""
    return _call(_command(function), values, stacklevel=4)


def run(function: str, *inputs: Any, **options: Any) -> Result:
    """Runs a function by name: ``run("manifold", latents={"jepa": z})``.

    Positional inputs are passed on to the function.
    """
    from . import _functions

    _command(function)  # an error for one that there is not
    result: Result = getattr(_functions, function)(*inputs, **options)
    return result


def _call(command: Command, values: Mapping[str, Any], stacklevel: int, labels: Optional[Mapping[str, str]] = None) -> Result:
    """One run of the program. Keywords that are None are left out; labels describe the contents of files given by path."""
    values = dict(values)
    progress = progress_of(values.pop("progress", None), command.name.split(" ")[0])
    nice = values.pop("nice", None)
    nice = 0 if nice is None else nice
    if not isinstance(nice, numbers.Integral):
        raise TypeError(f"nice: {nice!r} is not a whole number")
    out = values.pop("out", None)
    study = values.get("suite") if command.name == "evaluate" else None
    if out is None and isinstance(study, Mapping) and not isinstance(study, Result):
        out = study.get("out")
    if out is not None and not isinstance(out, bytes):
        out = _path("out", out)
    quietly = values.get("dry_run") is True
    # A study goes on where it was: its arrays have the names of before.
    with Workspace(os.path.abspath(os.fsdecode(out)) if study is not None and out is not None else "") as workspace:
        workspace.labels.update(labels or {})
        arguments = command.name.split(" ")
        arguments += _flags(command, values, workspace)
        folder = _Folder(None if out is None else os.fsdecode(out))
        try:
            if "out" in command.flags:
                arguments.append("--out=" + folder.path)
            if quietly:
                arguments.append("--json")
            for note in workspace.notes:
                progress.note(note)
            done = _run(arguments, progress, workspace, int(nice))
            said = _Said(command.name.split(" ")[0], done.stderr, workspace, command.flags)
            if done.code != 0:
                raise said.error(done.code)
            result = Result(command.name, folder, done.stdout, workspace.notes + said.notes + said.told(), done.elapsed, workspace.labels, plan=quietly)
        except BaseException:
            folder.discard()
            raise
    for text in said.warnings:
        warnings.warn(text, RepscopeWarning, stacklevel=stacklevel)
    return result


def _flags(command: Command, values: Mapping[str, Any], workspace: Workspace) -> List[str]:
    flags: List[str] = []
    if command.name == "forecast":
        values = _with_coordinates(values, workspace)
    for key, value in values.items():
        if value is None:
            continue
        if key == command.arguments:
            if key == "suite" and command.name in ("scale slurm", "scale k8s") and isinstance(value, Mapping) and not isinstance(value, Result):
                raise UsageError(2, f"{key}: tasks read the suite after this call; want a file, not a mapping")
            flags += _arguments(key, value, workspace)
            continue
        flag = command.flags.get(key)
        if flag is None:
            raise UsageError(2, f"{command.name} has no option {key!r}")
        if flag.kind == "model":
            value = _models(key, flag, value, values, workspace)
        for text in _texts(key, flag, value, workspace):
            flags.append(f"--{flag.name}" if text is True else f"--{flag.name}={text}")
    return flags


def _with_coordinates(values: Mapping[str, Any], workspace: Workspace) -> Mapping[str, Any]:
    """The options of forecast, also those that follow from coordinates."""
    more = implied(values)
    if more:
        workspace.notes.append(f"{', '.join(more)}: from the coordinates of the DataArrays")
    return {**values, **more}


def _arguments(key: str, value: Any, workspace: Workspace) -> List[str]:
    """The arguments next to flags: paths or results, or a mapping of names to them. A suite can be a mapping itself."""
    if key == "suite" and isinstance(value, Mapping) and not isinstance(value, Result):
        return [_suite(key, value, workspace)]
    if isinstance(value, Mapping) and not isinstance(value, Result):
        texts = [_joined(_name(key, name), part) for name, v in value.items() for part in _each_path(key, v, workspace)]
    else:
        texts = _each_path(key, value, workspace)
    for text in texts:
        if text.startswith("-"):
            raise UsageError(2, f"{key}: {text!r} looks like a flag; write ./{text} for a file of that name")
    return texts


def _each_path(key: str, value: Any, workspace: Workspace) -> List[str]:
    if isinstance(value, Result):
        return [value.path]
    if is_path(value):
        return [os.fspath(value)]
    if is_frame(value):
        return [workspace.save_frame(key, value)]
    numeric = getattr(getattr(value, "dtype", None), "kind", "O") not in "OUST"
    if numeric or hasattr(value, "get_group") or not hasattr(value, "__iter__"):
        raise TypeError(f"{key}: {_brief(value)} is not a path, a result or a data frame; want a frame with names of columns, such as .reset_index() of a Series")
    return [text for v in value for text in _each_path(key, v, workspace)]


def _brief(value: Any) -> str:
    """A number as it is, and what anything else is."""
    return repr(value) if isinstance(value, numbers.Number) else f"a {type(value).__name__}"


def _texts(key: str, flag: Flag, value: Any, workspace: Workspace) -> List[Any]:
    """The values of a flag on the command line; True for a flag without one."""
    kind = flag.kind
    if kind == "bool":
        if not isinstance(value, (bool, int)) and type(value).__name__ not in ("bool_", "bool"):
            raise TypeError(f"{key}: {value!r} is not True or False")
        return [True if value else "false"]
    if kind == "path":
        return [value.path if isinstance(value, Result) else _path(key, value)]
    if kind in ("file", "table"):
        return [_file(key, key, value, workspace, kind == "table")]
    if kind == "config":
        return [_config(key, value, workspace)]
    if kind in ("named", "tables", "model"):
        return _named(key, flag, value, workspace)
    if kind == "each" and isinstance(value, Mapping):
        return [_joined(_name(key, name), _text(key, flag, v)) for name, v in value.items()]
    if kind == "many" and is_frame(value):
        return [workspace.save_frame(key, value)]
    if kind == "many" and isinstance(value, Mapping):
        value = {name: workspace.save_frame(f"{key} {name}", v) if is_frame(v) else v for name, v in value.items()}
        if flag.separator == "=":
            return [_joined(_name(key, name), _text(key, flag, v)) for name, v in value.items()]
        return [f"{name}{flag.separator}{_text(key, flag, v)}" for name, v in value.items()]
    if kind == "many" and not is_path(value) and not isinstance(value, Result) and hasattr(value, "__iter__"):
        return [workspace.save_frame(key, v) if is_frame(v) else _text(key, flag, v) for v in value]
    return [_text(key, flag, value)]


def _path(key: str, value: Any) -> str:
    if is_part(value):
        return str(os.fspath(value[0])) + ":" + str(value[1])
    if not is_path(value):
        raise TypeError(f"{key}: {value!r} is not a path")
    return os.fsdecode(value)


def _file(key: str, name: str, value: Any, workspace: Workspace, table: bool = False) -> str:
    """The path of a file, of an array in a file (a pair of path and key), or of an array in memory; of a table where frames are such."""
    if isinstance(value, Result):
        return value.path
    if table and is_frame(value):
        return workspace.save_frame(name, value, numbered=True)
    if is_frame(value):
        workspace.pair(key, names_of(value))
    value = only_variable(value, name)
    if is_labeled(value) and has_coordinates(value, key):
        return save_field(value, name, workspace)
    if is_field(key) and (is_path(value) or is_part(value)):
        return _path(key, value)  # the program reads the coordinates too
    value = resolve(name, value)
    if isinstance(value, Stream):
        return value.save(name, workspace)
    if is_path(value) or is_part(value):
        return _path(key, value)
    return workspace.save(name, value)


def _config(key: str, value: Any, workspace: Workspace) -> str:
    if not isinstance(value, Mapping):
        return _path(key, value)
    path = workspace.place(key + ".yaml", 0)
    # options by their names in Python too
    value = {k.replace("_", "-") if isinstance(k, str) else k: v for k, v in value.items()}
    with open(path, "w", encoding="utf-8") as f:  # JSON is YAML
        json.dump({k: _plain_parts(f"{key}, {k}", v) for k, v in value.items()}, f)
    workspace.labels[path] = f"{key} (a mapping)"
    return path


def _suite(key: str, value: Mapping[str, Any], workspace: Workspace) -> str:
    """Writes a suite given as a mapping to a file; arrays, readers and modules in it become files too."""
    tree = {str(k): _plain_parts(str(k), v) for k, v in value.items() if k not in ("defaults", "datasets")}
    for part in ("defaults", "datasets"):
        options = value.get(part)
        if options is not None and not isinstance(options, Mapping):
            raise UsageError(2, f"{key}: {part} is a {type(options).__name__}, want a mapping")
    if value.get("defaults") is not None:
        tree["defaults"] = _suite_options("defaults", value["defaults"], workspace)
    if value.get("datasets") is not None:
        tree["datasets"] = {str(k): _suite_options(str(k), v, workspace) for k, v in value["datasets"].items()}
    path = workspace.place(key + ".yaml", 0)
    with open(path, "w", encoding="utf-8") as f:  # JSON is YAML
        json.dump(tree, f)
    workspace.labels[path] = f"{key} (a mapping)"
    return path


def _suite_options(name: str, options: Any, workspace: Workspace, function: str = "") -> Any:
    """Options of a dataset, of all of them, or of one analysis in them."""
    from ._functions import COMMANDS

    if not isinstance(options, Mapping):
        return _plain_parts(name, options)
    tree: Dict[str, Any] = {}
    if function == "forecast":
        options = _with_coordinates(options, workspace)
    for option, value in options.items():
        keyword = str(option).replace("-", "_")
        if not function and keyword in COMMANDS and isinstance(value, Mapping):
            tree[str(option)] = _suite_options(f"{name}, {option}", value, workspace, keyword)
            continue
        flags = [_command(f).flags.get(keyword) for f in ([function] if function else COMMANDS)]
        flag = next((f for f in flags if f is not None and f.kind in ("file", "table", "named", "tables", "model")), None)
        what = f"{keyword} of {name}"
        if flag is None:
            try:
                tree[str(option)] = _plain_parts(what, value)
            except TypeError:
                if any(f is not None for f in flags):
                    raise
                if function and function in _command(function).flags:
                    example = f"{function}: {{{function}: {{{option}: array}}}}"
                    raise UsageError(2, f"{name}: {option!r} is no option of {function}; write {example}, as in a file") from None
                tree[str(option)] = type(value).__name__  # the program refuses the key
        elif flag.kind in ("file", "table"):
            tree[str(option)] = _file(keyword, what, value, workspace, flag.kind == "table")
        else:
            if flag.kind == "model":
                value = _models(keyword, flag, value, options, workspace)
            if not isinstance(value, Mapping):
                tree[str(option)] = _named(keyword, flag, value, workspace)
                continue
            tree[str(option)] = {
                _name(what, n): [_source(what, flag, n, p, workspace) for p in v] if isinstance(v, list) and all(map(is_path, v)) else _source(what, flag, n, v, workspace)
                for n, v in value.items()
            }
    return tree


def _plain_parts(what: str, value: Any) -> Any:
    """A value as JSON has it: paths as text, arrays as lists."""
    if isinstance(value, Mapping):
        return {str(k): _plain_parts(what, v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, range)):
        return [_plain_parts(what, v) for v in value]
    return value if _is_plain(value) else _plain(what, value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool, type(None)))


def _plain(what: str, value: Any) -> Any:
    if is_path(value):
        return os.fspath(value)
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) < 2:
        return value.tolist()
    raise TypeError(f"{what}: a {type(value).__name__} cannot be written to a configuration; want numbers, texts and lists of them")


def _joined(name: str, value: str) -> str:
    """NAME=VALUE as the program splits it: at the first equals sign without a backslash before it."""
    return name.replace("\\", "\\\\").replace("=", "\\=") + "=" + value


def _name(key: str, name: Any) -> str:
    if not isinstance(name, str) or not name or "\0" in name:
        raise UsageError(2, f"{key}: {name!r} is not a name; want a text without zero bytes")
    if any("\ud800" <= c <= "\udfff" for c in name):
        raise UsageError(2, f"{key}: {name!r} is not a name; it contains half a surrogate pair")
    return name


def _named(key: str, flag: Flag, value: Any, workspace: Workspace) -> List[str]:
    if isinstance(value, Mapping):
        texts = []
        for name, v in value.items():
            several = v if isinstance(v, list) and v and all(is_path(p) for p in v) else [v]
            texts += [_joined(_name(key, name), _source(key, flag, name, part, workspace)) for part in several]
        return texts
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value):
        return list(value)  # NAME=FILE, as on the command line
    if isinstance(value, str) and "=" in value and not os.path.exists(value):
        return [value]
    if is_path(value):
        stem = os.path.splitext(os.path.basename(os.fspath(value)))[0]
        return [_joined(_name(key, stem), os.fspath(value))]
    return [f"{flag.default}={_source(key, flag, flag.default, value, workspace)}"]


def _models(key: str, flag: Flag, value: Any, values: Mapping[str, Any], workspace: Workspace) -> Any:
    """The models of a keyword, modules of PyTorch among them exported to ONNX."""
    from ._modules import is_module

    def held(v: Any) -> bool:
        return is_module(v) or isinstance(v, tuple) and len(v) >= 2 and is_module(v[0])

    if held(value):
        module = value[0] if isinstance(value, tuple) else value
        value = {type(module).__name__: value}
    if not isinstance(value, Mapping) or not any(held(v) for v in value.values()):
        return value
    return {name: _exported(key, flag, name, v, values, workspace) if held(v) else v for name, v in value.items()}


def _exported(key: str, flag: Flag, name: str, value: Any, values: Mapping[str, Any], workspace: Workspace) -> str:
    import torch

    from ._modules import export, inputs_for

    module, *given = value if isinstance(value, tuple) else (value,)
    if given:
        examples = [tuple(_twice(torch, torch.as_tensor(t)) for t in given)]
    else:
        shape = _shape_of_states(values.get("frames")) if key == "model" else None
        options = {k: v.get(name) if isinstance(v, Mapping) else v for k, v in values.items()}
        examples = [(torch.rand(2, *s),) for s in inputs_for(shape, options)]
        if not examples:
            raise UsageError(
                2,
                f"{key}: the input of module {name} does not follow from the frames",
                [f"give an example of it with the module: {key}={{{name!r}: (module, tensor)}}"],
            )
    size = sum(t.numel() * 4 for t in [*module.parameters(), *module.buffers()])
    path = workspace.place(f"{key} {name}.onnx", 2 * size)
    done = export(module, path, examples, bool(given), str(name))
    workspace.labels[path] = f"{key} {name} ({type(module).__name__} as ONNX)"
    workspace.notes.append(done.note)
    return path


def _twice(torch: Any, tensor: Any) -> Any:
    """An example with more than one row: exporters treat a single row as a fixed size."""
    return torch.cat([tensor, tensor]) if tensor.ndim and tensor.shape[0] == 1 else tensor


def _shape_of_states(frames: Any) -> Optional[Tuple[int, ...]]:
    """The shape of one state of the frames, if it is known without reading them."""
    if frames is None or isinstance(frames, (tuple, Mapping)):
        return None
    if is_path(frames):
        import numpy as np

        path = os.fspath(frames)
        if not str(path).endswith(".npy") or not os.path.isfile(path):
            return None
        return tuple(np.load(path, mmap_mode="r").shape[1:])
    if is_table(frames):
        frames = as_array(frames, "frames")
    shape = getattr(in_order(frames, "frames") if is_labeled(frames) else frames, "shape", None)
    if shape is None:
        import numpy as np

        shape = np.shape(frames)
    return tuple(int(n) for n in shape[1:])


def _source(key: str, flag: Flag, name: str, value: Any, workspace: Workspace) -> str:
    if flag.kind == "model" and not is_path(value) and not isinstance(value, (tuple, Result)):
        raise TypeError(f"{key}: {name!r} is a {type(value).__name__}, want the path of a model or a module of PyTorch")
    return _file(key, f"{key} {name}", value, workspace, flag.kind == "tables")


def _text(key: str, flag: Flag, value: Any) -> str:
    """One value as the program reads it."""
    kind = flag.kind
    if isinstance(value, Result):
        raise TypeError(f"{key}: {value!r} is not a value that the program accepts")
    if isinstance(value, str):
        return value
    if is_path(value):
        return os.fsdecode(value)
    if isinstance(value, Mapping):
        return ",".join(f"{k}={_scalar(key, v)}" for k, v in value.items())
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple, range, set, frozenset)) or (hasattr(value, "__iter__") and not isinstance(value, bytes)):
        parts = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        if kind in ("int", "float", "size"):
            raise TypeError(f"{key}: {value!r} is not a number")
        if not parts and kind in ("ints", "floats"):
            raise TypeError(f"{key}: {value!r} contains no number")
        return flag.separator.join(_scalar(key, v, kind) for v in parts)
    return _scalar(key, value, kind)


def _scalar(key: str, value: Any, kind: str = "text") -> str:
    if isinstance(value, str):
        return value
    if is_path(value):
        return os.fsdecode(value)
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        if kind in ("int", "ints", "float", "floats", "size"):
            raise TypeError(f"{key}: {value!r} is not a number")
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and kind in ("int", "ints", "size"):
        value = int(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and kind not in ("int", "ints"):
        return repr(value)
    raise TypeError(f"{key}: {value!r} is not a {'whole number' if kind in ('int', 'ints', 'size') else 'value'} that the program accepts")


class _Done(NamedTuple):
    code: int
    stdout: str
    stderr: str
    elapsed: float


def _encoded(text: str) -> Union[str, bytes]:
    """An argument for the program in UTF-8, in any locale."""
    try:
        os.fsencode(text)
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")


def _run(arguments: Sequence[str], progress: Progress, workspace: Workspace, nice: int) -> _Done:
    import queue
    import subprocess

    program = find_program()
    line = [program, *arguments]
    options: Dict[str, Any] = {}
    if os.name == "nt":
        options["creationflags"] = window()
        if nice > 0:
            options["creationflags"] |= getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS")
    elif nice:
        import shutil

        tool = shutil.which("nice")
        if tool:
            line = [tool, "-n", str(nice), *line]
    start = time.perf_counter()
    options.update(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **_CALLED})
    process = _Process([_encoded(part) for part in line], options)
    events: "queue.SimpleQueue[Tuple[str, bytes]]" = queue.SimpleQueue()

    def read(name: str, stream: Any) -> None:
        try:
            for text in stream if name == "stderr" else iter(lambda: stream.read(1 << 16), b""):
                events.put((name, text))
        except (OSError, ValueError):
            pass
        events.put((name, b""))

    readers: List[Beside] = []
    out: List[bytes] = []
    said: List[bytes] = []
    try:
        try:
            child = process.start()
        except OSError as err:
            if err.errno == 7:  # E2BIG
                raise RepscopeError(1, f"the command line is too long: {err}") from err
            raise RepscopeError(1, f"{program}: {err.strerror or err}") from err
        for name, stream in (("stdout", child.stdout), ("stderr", child.stderr)):
            reader = Beside(read, name, stream)
            reader.start()
            readers.append(reader)
        left = len(readers)
        while left:
            # With a timeout, as without one nothing interrupts it on Windows.
            try:
                name, text = events.get(timeout=0.2)
            except queue.Empty:
                progress.tick()
                continue
            if not text:
                left -= 1
            elif name == "stdout":
                out.append(text)
            elif text.startswith(b"\x1e"):
                try:
                    event = json.loads(text[1:])
                except ValueError:  # cut by the end of the program
                    continue
                progress.event(event)
            else:
                progress.clear()
                said.append(text)
        child.wait()
    except BaseException:
        process.end()
        raise
    finally:
        progress.close()
        for reader in readers:
            reader.wait(1)
        process.close()
    return _Done(child.returncode, b"".join(out).decode("utf-8", "replace"), b"".join(said).decode("utf-8", "replace"), time.perf_counter() - start)


class _Process:
    """A process started in another thread, so that no interrupt comes between its start and its registration."""

    def __init__(self, line: Sequence[Any], options: Mapping[str, Any]) -> None:
        self._line = line
        self._options = options
        self._guard = threading.Lock()
        self._left = False  # nobody wants it any more
        self._child: Any = None
        self._error: Optional[BaseException] = None
        self._begun: Optional[Beside] = None

    def start(self) -> Any:
        self._begun = Beside(self._start)
        self._begun.start()
        self._begun.wait()
        if self._error is not None:
            raise self._error
        return self._child

    def _start(self) -> None:
        import subprocess

        try:
            child = subprocess.Popen(self._line, **self._options)
        except BaseException as err:
            self._error = err
            return
        with self._guard:
            self._child = child
            if not self._left:
                return
        _end(child)
        self.close()

    def end(self) -> None:
        with self._guard:
            self._left = True
            child = self._child
        if child is not None:
            _end(child)
        elif self._begun is not None:
            self._begun.wait(sum(_PATIENCE))

    def close(self) -> None:
        for stream in () if self._child is None else (self._child.stdin, self._child.stdout, self._child.stderr):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass


def _end(child: Any) -> None:
    """Ends a run: first by closing its input, on which it removes its files; then by signals."""
    import signal
    import subprocess

    def close() -> None:
        if child.stdin is not None:
            child.stdin.close()

    steps: List[Callable[[], None]] = [close, child.terminate, child.kill]
    if os.name != "nt":
        steps[1] = lambda: child.send_signal(signal.SIGINT)
    for step, patience in zip(steps, _PATIENCE):
        try:
            step()
            child.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue
        except OSError:
            continue
        except KeyboardInterrupt:  # once more
            child.kill()


def _in_python(text: str, flags: Mapping[str, Flag]) -> str:
    """Replaces flags in a message of the program by the corresponding keywords."""
    keywords = {flag.name: (keyword + "=True" if flag.kind == "bool" else keyword) for keyword, flag in flags.items()}

    def keyword(found: "re.Match[str]") -> str:
        if found[1] not in keywords:
            return found[0]
        return keywords[found[1]] + (f"={{NAME: {found[2]}}}" if found[2] else "")

    return re.sub(r"(?:\bflag )?--([a-z][a-z0-9-]*)(?: NAME=([A-Za-z:\[\]]+))?", keyword, text)


def _of_memory(hint: str, workspace: Workspace) -> str:
    """A command that converts a file of the workspace is what to call with the array instead."""
    found = re.search(r"np\.save\(\"([^\"]*)\", (.*)\)'( \(.*)?$", hint)
    if found is None or not any(found[1].startswith(os.path.dirname(path)) for path in workspace.labels):
        return hint
    return "convert it: " + re.sub(r"np\.load\(\"[^\"]*\"\)", "array", found[2]) + (found[3] or "")


# How much of the trace of a crash a message has.
_TRACE_LINES = 12


def _crash(code: int, lines: Sequence[str]) -> str:
    """The message of a program ended by a signal."""
    import signal

    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    if name == "SIGKILL":
        return "the program was killed (SIGKILL), probably because memory ran out"
    return "\n".join([f"the program ended by {name}", *lines[:_TRACE_LINES]])


class _Said:
    """The lines of standard error by kind: warnings, notes, hints and others."""

    def __init__(self, name: str, text: str, workspace: Workspace, flags: Mapping[str, Flag] = {}) -> None:
        text = _in_python(labeled(text, workspace.labels), flags)
        self.warnings: List[str] = []
        self.notes: List[str] = []
        self.hints: List[str] = []
        self.others: List[str] = []
        for line in text.splitlines():
            head, _, rest = line.partition(": ")
            own = head == name or head == "repscope" or head.startswith(name + " ")
            if own and rest.startswith("warning: "):
                self.warnings.append(rest[len("warning: ") :])
            elif own and rest.startswith("hint: "):
                hint = _of_memory(rest[len("hint: ") :], workspace)
                if hint.endswith("--help for all flags"):
                    hint = f"help(repscope.{name}) lists all keywords"
                hint = hint.replace(f"{name} example=True", f"repscope.{name}(example=True)")
                self.hints.append(hint)
            elif own and rest.startswith("note: "):
                self.notes.append(rest[len("note: ") :])
            else:
                self.others.append(rest if own else line)

    def told(self) -> List[str]:
        """Other lines of a successful run, without the list of files, which the result has."""
        return [line for line in self.others if line and not line.startswith("wrote ")]

    def error(self, code: int) -> RepscopeError:
        if code < 0:
            return RepscopeError(1, _crash(code, self.others), self.hints)
        message = "\n".join(self.others).strip() or f"the program ended with status {code}"
        if code == 2:
            return UsageError(code, message, self.hints)
        return RepscopeError(code, message, self.hints)
