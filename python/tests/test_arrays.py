"""Arrays of all kinds arrive as they are."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import unittest
import warnings
from unittest import mock

import numpy as np

import repscope
from repscope import _arrays, _folders

from .support import Case, states, until

try:
    import torch
except ImportError:
    torch = None


def digest(array: object, **options: object) -> str:
    """What the program read, by its digest."""
    result = repscope.manifold({"z": array}, format="png", **options)
    return [e.sha256 for e in result.inputs if e.role == "latents"][0]


class Conversion(Case):
    def test_arrays_of_other_libraries(self) -> None:
        z = states()

        class Array:
            def __array__(self, dtype=None, copy=None):
                return z

        class DLPack:
            def __dlpack__(self, **kwargs):
                return z.__dlpack__(**kwargs)

            def __dlpack_device__(self):
                return z.__dlpack_device__()

        want = z.tolist()
        self.assertEqual(_arrays.as_array(Array()).tolist(), want)
        if hasattr(np, "from_dlpack"):
            self.assertEqual(_arrays.as_array(DLPack()).tolist(), want)
        self.assertEqual(_arrays.as_array(want).tolist(), want)

    def test_objects_of_other_libraries(self) -> None:
        """Each object of the table in docs/guides/python-and-notebooks.md gives the values of an array."""
        want = np.arange(12, dtype=np.float32).reshape(4, 3)

        def arrow(pa):
            flat = pa.array(want.ravel())
            yield pa.FixedSizeListArray.from_arrays(flat, 3)
            yield pa.chunked_array([pa.FixedSizeListArray.from_arrays(flat[:6], 3), pa.FixedSizeListArray.from_arrays(flat[6:], 3)])
            yield pa.ListArray.from_arrays(pa.array([0, 3, 6, 9, 12], pa.int32()), flat)
            yield pa.table({"z": pa.FixedSizeListArray.from_arrays(flat, 3)})["z"]
            yield pa.FixedShapeTensorArray.from_numpy_ndarray(want)

        def frames(pd):
            yield pd.DataFrame(want, columns=list("abc"))

        def labeled(xr):
            yield xr.DataArray(want, dims=("sample", "feature"))

        def polars(pl):
            yield pl.DataFrame({"a": want[:, 0], "b": want[:, 1], "c": want[:, 2]})
            yield pl.DataFrame({"a": want[:, 0], "b": want[:, 1], "c": want[:, 2]}).lazy()
            yield pl.Series(want.tolist(), dtype=pl.Array(pl.Float32, 3))
            yield pl.Series(want.tolist())
            yield pl.DataFrame({"z": want.tolist()})

        def hub(datasets):
            whole = datasets.Dataset.from_dict({"z": want.tolist(), "label": list("abcd")})
            yield whole.with_format("numpy")["z"]
            yield whole["z"]
            yield whole.select_columns("z")
            yield datasets.Dataset.from_dict({"a": want[:, 0], "b": want[:, 1], "c": want[:, 2]})
            yield datasets.Dataset.from_dict({"z": want.repeat(2, axis=0)}).select_columns("z").select(range(0, 8, 2))

        def tensors(torch):
            yield torch.from_numpy(want)

        for library, objects in {"pyarrow": arrow, "pandas": frames, "xarray": labeled, "polars": polars, "datasets": hub, "torch": tensors}.items():
            with self.subTest(library):
                try:
                    module = importlib.import_module(library)
                except ImportError:
                    self.skipTest(f"{library} is not installed")
                for value in objects(module):
                    got = _arrays.as_array(value)
                    self.assertEqual(got.shape, (4, 3), type(value))
                    self.assertEqual(got.tolist(), want.tolist(), type(value))
        try:
            import pyarrow as pa
        except ImportError:
            return
        for ragged in ([[1.0], [1.0, 2.0]], [[1.0], None]):
            with self.assertRaisesRegex(ValueError, "z: lists of several lengths"):
                _arrays.as_array(pa.array(ragged), "z")

    def test_frames_of_pandas(self) -> None:
        try:
            import pandas as pd
        except ImportError:
            self.skipTest("pandas is not installed")
        days = pd.date_range("2020-01-01", periods=2, tz="Europe/Berlin")
        frame = pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.Categorical([3, 4]), "c": [True, False], "d": ["1.5", "2"]})
        np.testing.assert_array_equal(_arrays.as_array(frame), [[1, 3, 1, 1.5], [np.nan, 4, 0, 2]])
        self.assertEqual(_arrays.as_array(pd.DataFrame({"z": [[1.0, 2.0], [3.0, 4.0]]})).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(_arrays.as_array(pd.Series([(1.0, 2.0), (3.0, 4.0)])).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(_arrays.as_array(pd.Series(days)).astype("M8[h]").tolist(), [np.datetime64(t, "h").item() for t in ("2019-12-31T23", "2020-01-01T23")])
        self.assertEqual(_arrays.as_array(pd.DataFrame({"t": ["b", "a"]})).tolist(), ["b", "a"])
        for value, message in (
            (pd.DataFrame({"a": [1.0, 2.0], "t": days, "x": ["u", "v"]}), r"z: a frame with columns that are not numbers \(t, x\); want numbers only: frame.drop\(columns="),
            (pd.DataFrame({"a": [1.0, 2.0], "t": days - days[0]}), r"not numbers \(t\)"),
            (pd.Series(["a", None]), "z: element 1 is nan among texts|z: element 1 is None among texts"),
            (pd.Series([[1.0], [1.0, 2.0]]), r"z: lists of several lengths \(1, 2\), want one"),
        ):
            with self.assertRaisesRegex((TypeError, ValueError), message):
                _arrays.as_array(value, "z")

    def test_frames_of_polars(self) -> None:
        try:
            import polars as pl
        except ImportError:
            self.skipTest("polars is not installed")
        got = _arrays.as_array(pl.DataFrame({"a": [1.0, None], "b": [3, 4], "c": [True, False]}))
        np.testing.assert_array_equal(got, [[1, 3, 1], [np.nan, 4, 0]])
        self.assertEqual(_arrays.as_array(pl.DataFrame({"a": [1.0, 2.0]})).shape, (2, 1))
        self.assertEqual(_arrays.as_array(pl.Series(["b", "a"])).tolist(), ["b", "a"])
        self.assertEqual(_arrays.as_array(pl.Series(["1.5"]).cast(pl.Decimal(10, 2))).tolist(), [1.5])
        np.testing.assert_array_equal(_arrays.as_array(pl.Series([True, None])), [1, np.nan])
        for value, message in (
            (pl.DataFrame({"a": [1.0], "t": ["x"]}), r"z: a frame with columns that are not numbers \(t\); want numbers only: frame.drop"),
            (pl.Series([[1.0], [1.0, 2.0]]), "z: lists of several lengths"),
        ):
            with self.assertRaisesRegex((TypeError, ValueError), message):
                _arrays.as_array(value, "z")
        x = states(60, 4)
        want = repscope.manifold({"z": x}, bootstrap=0, progress=False, format="none").json["models"]
        frame = pl.DataFrame({f"z{i}": x[:, i] for i in range(4)})
        self.assertEqual(repscope.manifold({"z": frame.lazy()}, bootstrap=0, progress=False, format="none").json["models"], want)

    def test_datasets(self) -> None:
        try:
            import datasets
        except ImportError:
            self.skipTest("datasets is not installed")
        exact = datasets.Dataset.from_dict({"z": [[0.1, 0.2], [0.3, 0.4]]})
        self.assertEqual(_arrays.as_array(exact).tolist(), [[0.1, 0.2], [0.3, 0.4]])  # float64, which the format of NumPy is not
        images = datasets.Dataset.from_dict({"i": np.ones((2, 3, 4)).tolist()}, features=datasets.Features({"i": datasets.Array2D((3, 4), "float32")}))
        self.assertEqual(_arrays.as_array(images).shape, (2, 3, 4))
        mixed = datasets.Dataset.from_dict({"z": [[1.0]], "t": ["a"]})
        with self.assertRaisesRegex(TypeError, r"z: a dataset with columns that are not single numbers \(z, t\); name one column: dataset.select_columns\('z'\)"):
            _arrays.as_array(mixed, "z")
        for several in (datasets.DatasetDict({"train": mixed}), mixed.to_iterable_dataset()):
            with self.assertRaisesRegex(TypeError, "want one split in memory"):
                _arrays.as_array(several, "z")

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_tensors(self) -> None:
        z = torch.randn(7, 3, dtype=torch.float64)
        self.assertEqual(_arrays.as_array(z.requires_grad_()).dtype, np.float64)
        half = z.detach().to(torch.bfloat16)
        got = _arrays.as_array(half)
        self.assertEqual(got.dtype, np.float32)
        self.assertEqual(got.tolist(), half.to(torch.float64).tolist())
        self.assertEqual(_arrays.as_array(z.detach().half()).dtype, np.float16)
        self.assertEqual(_arrays.as_array(z.detach().t()).shape, (3, 7))
        self.assertEqual(_arrays.as_array(list(z)).tolist(), z.tolist())
        for sparse in (z.detach().to_sparse(), z.detach().to_sparse_csr()):
            self.assertEqual(_arrays.as_array(sparse).tolist(), z.tolist())
        with self.assertRaisesRegex(TypeError, "frames: a tensor of the device meta"):
            _arrays.as_array(z.to("meta"), "frames")

    def test_bfloat16_of_numpy(self) -> None:
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        z = states().astype(ml_dtypes.bfloat16)
        got = _arrays.as_array(z)
        self.assertEqual(got.dtype, np.float32)
        self.assertTrue((got == z.astype(np.float32)).all())

    def test_small_integers_of_numpy(self) -> None:
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        for dtype, want in ((ml_dtypes.int4, np.int8), (ml_dtypes.uint4, np.uint8)):
            got = _arrays.as_array(np.arange(8).astype(dtype))
            self.assertEqual((got.dtype, got.tolist()), (want, np.arange(8).astype(dtype).astype(int).tolist()))

    def test_what_is_no_array_of_numbers(self) -> None:
        for value in (np.zeros(3, complex), np.array([object()]), [[1], [2, 3]], object()):
            with self.assertRaises((TypeError, ValueError)):
                _arrays.as_array(value, "frames")
        with self.assertRaises(TypeError):
            repscope.manifold({"z": 3})

    def test_layouts_and_types_are_the_same_to_the_program(self) -> None:
        z = states(120, 4)
        want = digest(z)
        self.assertEqual(digest(np.asfortranarray(z)), digest(np.asfortranarray(z)))
        wide = np.zeros((240, 8), np.float32)
        wide[::2, ::2] = z
        self.assertEqual(digest(wide[::2, ::2]), want)
        numbers = [repscope.manifold({"z": v}).models.z.participation_ratio for v in (z, np.asfortranarray(z), z[::-1][::-1])]
        self.assertEqual(numbers, numbers[:1] * 3)
        swapped = z.astype(">f4")
        self.assertEqual(repscope.manifold({"z": swapped}).models.z.participation_ratio, numbers[0])
        half = z.astype(np.float16)
        self.assertEqual(
            repscope.manifold({"z": half}).models.z.participation_ratio,
            repscope.manifold({"z": half.astype(np.float32)}).models.z.participation_ratio,
        )


class Mapped(Case):
    def npy(self, array: np.ndarray, mode: str) -> np.ndarray:
        self.path = os.path.join(self.folder, f"zé{len(os.listdir(self.folder)) or ''}.npy")  # Windows replaces none that is mapped
        np.save(self.path, array)
        return np.load(self.path, mmap_mode=mode)

    def test_whole_files_go_by_their_path(self) -> None:
        z = states()
        for mode in ("r", "r+"):
            found = _arrays.mapped_file(self.npy(z, mode))
            self.assertEqual(found, self.path)
        self.assertIsNotNone(_arrays.mapped_file(self.npy(np.asfortranarray(z), "r")))

    def test_other_views_do_not(self) -> None:
        m = self.npy(states(), "r")
        for view in (m[1:], m[::-1], m.T, m.view(np.int32), m[:, :2], np.asarray(m), m + 1):
            self.assertIsNone(_arrays.mapped_file(view))
        self.assertIsNone(_arrays.mapped_file(self.npy(states(), "c")))
        square = self.npy(states(6, 6), "r")
        self.assertIsNone(_arrays.mapped_file(square.T))

    @unittest.skipUnless(sys.platform == "linux", "needs /proc/self/maps")
    def test_a_file_that_took_the_place_of_it(self) -> None:
        z = states()
        m = self.npy(z, "r")
        np.save(self.path + ".part.npy", 2 * z + np.arange(6, dtype=np.float32))
        os.replace(self.path + ".part.npy", self.path)  # as those who write a file whole at any time do
        self.assertIsNone(_arrays.mapped_file(m))
        self.assertEqual(digest(m), digest(z))

    def test_numbers_of_views(self) -> None:
        z = states(130)
        m = self.npy(z, "r")
        want = repscope.manifold({"z": z[10:]}).models.z.participation_ratio
        self.assertEqual(repscope.manifold({"z": m[10:]}).models.z.participation_ratio, want)

    def test_a_copy_on_write_map_goes_as_it_is_in_memory(self) -> None:
        z = states()
        m = self.npy(z, "c")
        m[:] = 2 * z + 1
        self.assertEqual(digest(m), digest(2 * z + 1))


class Empty(Case):
    def test_it_is_read_where_it_is(self) -> None:
        z = states()
        m = repscope.empty(z.shape)
        m[:] = z
        self.assertIsNotNone(_arrays.mapped_file(m))
        result = repscope.manifold({"z": m})
        self.assertEqual([e.path for e in result.inputs if e.role == "latents"], [m.filename])
        self.assertEqual(digest(m), digest(z))

    def test_views_keep_it(self) -> None:
        m = repscope.empty((5, 4), np.uint8)
        path = m.filename
        view = np.asarray(m)[1:]
        del m
        self.assertTrue(os.path.exists(path))
        view[:] = 7
        self.assertEqual(int(view.sum()), 7 * 16)
        del view
        self.assertFalse(until(lambda: os.path.exists(path)))

    def test_shapes(self) -> None:
        self.assertEqual(repscope.empty(3, "int64").shape, (3,))
        self.assertEqual(repscope.empty(()).shape, ())
        self.assertEqual(repscope.empty((0, 4)).shape, (0, 4))
        with self.assertRaises(TypeError):
            repscope.empty(3, object)
        with self.assertRaisesRegex(OSError, "no room for 9007199254740992 bytes"):
            repscope.empty(1 << 50, "f8")

    def test_without_room_in_memory(self) -> None:
        with mock.patch.object(_arrays, "has_room", lambda size: False):
            m = repscope.empty((120, 3))
            self.assertFalse(m.filename.startswith("/dev/shm"))
            m[:] = states(120, 3)
            self.assertEqual(digest(m), digest(np.array(m)))
            self.assertEqual(digest(states(120, 3)), digest(m))


    @unittest.skipUnless(_arrays._memory_folder(), "no files in memory on this system")
    def test_memory_that_others_take_meanwhile(self) -> None:
        class Full:
            """Files in memory cannot be written beyond their first bytes."""

            def __init__(self, path: str, file: object) -> None:
                self.path, self.file = path, file

            def __enter__(self) -> "Full":
                return self

            def __exit__(self, *_: object) -> None:
                self.file.close()

            def write(self, data: bytes) -> int:
                if self.path.startswith("/dev/shm"):
                    raise OSError(28, "No space left on device")
                return self.file.write(data)

        def full(path: str, mode: str = "r", **options: object) -> object:
            file = open(path, mode, **options)
            return Full(path, file) if mode == "wb" and path.endswith(".npy") else file

        z = states()
        with mock.patch.object(_arrays, "open", full, create=True), _arrays.Workspace() as workspace:
            path = workspace.save("z", z)
            self.assertFalse(path.startswith("/dev/shm"))
            self.assertTrue(np.array_equal(np.load(path), z))

        def none(file: int, offset: int, size: int) -> None:
            if os.readlink(f"/proc/self/fd/{file}").startswith("/dev/shm"):
                raise OSError(28, "No space left on device")

        with mock.patch.object(os, "posix_fallocate", none):
            m = repscope.empty((120, 3))
        self.assertFalse(m.filename.startswith("/dev/shm"))


class Leftovers(Case):
    @unittest.skipUnless(sys.platform == "linux", "memory as files is Linux's")
    def test_what_a_killed_process_left_is_removed(self) -> None:
        code = "import os, repscope; m = repscope.empty(1000); print(m.filename, flush=True); os.kill(os.getpid(), 9)"
        path = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True).stdout.strip()
        self.assertTrue(os.path.exists(path), path)
        alive = subprocess.Popen(
            [sys.executable, "-c", "import repscope; m = repscope.empty(1000); print(m.filename, flush=True); input()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        try:
            other = alive.stdout.readline().strip()
            code = "import repscope; repscope.empty(1000)"
            subprocess.run([sys.executable, "-c", code], check=True)
            self.assertFalse(os.path.exists(path), "what is nobody's stays")
            self.assertTrue(os.path.exists(other), "what is in use is removed")
        finally:
            alive.communicate("\n")
        self.assertFalse(os.path.exists(other))

    def test_results_of_a_killed_process(self) -> None:
        code = (
            "import os, numpy as np, repscope\nz = np.random.default_rng(0).normal(size=(80, 3))\n"
            "r = repscope.manifold({'z': z}, block=8, progress=False)\nprint(r.path, flush=True)\nos.kill(os.getpid(), 9)"
        )
        path = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
        self.assertTrue(os.path.exists(path), path)
        subprocess.run([sys.executable, "-c", code.replace("os.kill(os.getpid(), 9)", "")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        self.assertFalse(os.path.exists(path), "what is nobody's stays")

    @unittest.skipIf(os.name == "nt", "Windows removes no folder with open files")
    def test_results_share_a_folder(self) -> None:
        results = _folders.Results()
        first, second = results.make(), results.make()
        self.assertEqual(os.path.dirname(first), os.path.dirname(second))
        results.remove(first)
        self.assertEqual([os.path.exists(p) for p in (first, second)], [False, True])
        shutil.rmtree(os.path.dirname(second))  # by what cleans up
        third = results.make()
        self.assertTrue(os.path.isdir(third))
        results.remove(second)
        results.remove(third)
        self.assertFalse(os.path.exists(os.path.dirname(third)))

    def test_where_open_files_stay(self) -> None:
        with mock.patch.object(_folders, "_OPEN_FILES_STAY", True), mock.patch.dict(_folders._swept, clear=True):
            path, lock = _folders.make(self.folder)
            with mock.patch("shutil.rmtree"):  # as while an array has a file of it mapped
                _folders.release(path, lock)
            self.assertTrue(lock.closed)
            self.assertTrue(os.path.isdir(path))
            left, lock = _folders.make(self.folder)
            lock.close()
            self.assertFalse(os.path.exists(path))
            _folders._swept.clear()
            path, lock = _folders.make(self.folder)  # where the lock of the one before can be removed
            self.assertFalse(os.path.exists(left))
            _folders.release(path, lock)
            self.assertFalse(os.path.exists(path))

    def test_a_fork_removes_nothing(self) -> None:
        if not hasattr(os, "fork"):
            self.skipTest("no fork on this system")
        code = (
            "import os, sys, repscope\nm = repscope.empty(10)\n"
            "if os.fork() == 0: sys.exit(0)\nos.wait(); print(os.path.exists(m.filename))"
        )
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout.strip(), "True")


if __name__ == "__main__":
    unittest.main()
