"""What the program says of files that it does not read: the command in the message converts them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unittest
from typing import Callable

import numpy as np

import repscope

from .support import Case, states


def have(*names: str) -> bool:
    import importlib.util

    return all(importlib.util.find_spec(name) is not None for name in names)


@unittest.skipIf(os.name == "nt", "the commands are those of a POSIX shell")
class Recipes(Case):
    def same(self, name: str) -> None:
        """An array of a file has the numbers of the same array of NumPy."""
        np.save(os.path.join(self.folder, "z.npy"), self.z)
        numbers = []
        for array in [name, "z.npy"]:
            line = [repscope.find_program(), "manifold", "--latents", "z=" + array, "--bootstrap", "0", "--format", "none", "--json", "--quiet"]
            numbers.append(json.loads(subprocess.run(line, cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout)["models"])
        self.assertEqual(numbers[0], numbers[1])

    def convert(self, name: str, write: Callable[[str], None], made: str, array: str = "", want: "np.ndarray | None" = None) -> None:
        """Gives the program a file that it refuses, does what it says, and gives it the result."""
        z = states(40, 3).astype(float)
        old = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, old)
        write(name)
        said = subprocess.run([repscope.find_program(), "manifold", "--latents", "z=" + name + array], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(said.returncode, 1, said.stderr)
        hints = [line.partition("hint: convert it")[2].partition(": ")[2] for line in said.stderr.splitlines() if "hint: convert it" in line]
        self.assertEqual(len(hints), 1, said.stderr)
        command = hints[0]
        if command.endswith(")") and not command.endswith("')"):  # a remark behind it
            command = command[: command.rindex(" (")]
        programs = os.path.join(self.folder, "programs")
        os.makedirs(programs)
        os.symlink(sys.executable, os.path.join(programs, "python"))
        env = {**os.environ, "PATH": programs + os.pathsep + os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        subprocess.run(command, shell=True, check=True, env=env)
        got, _, key = made.partition(":")
        if got.endswith(".pt"):
            import torch

            values = torch.load(got)[key].numpy()
        else:
            values = np.load(got)
            values = values[key] if key else values
        np.testing.assert_allclose(values, z if want is None else want, rtol=0, atol=1e-14)
        if values.ndim == 2:
            repscope.manifold({"z": made}, bootstrap=0, format="none")

    def setUp(self) -> None:
        super().setUp()
        self.z = states(40, 3).astype(float)

    def frame(self):
        import pandas

        return pandas.DataFrame(self.z, columns=list("abc"))

    def test_csv(self) -> None:
        np.savetxt(os.path.join(self.folder, "z.csv"), self.z, delimiter=",", fmt="%.17g")
        self.same("z.csv:*")

    def test_csv_with_names(self) -> None:
        np.savetxt(os.path.join(self.folder, "z.csv"), self.z, delimiter=";", header="a;b;c", comments="", fmt="%.17g")
        self.same("z.csv:a,b,c")

    @unittest.skipUnless(have("pandas"), "no pandas")
    def test_csv_of_pandas(self) -> None:
        self.frame().to_csv(os.path.join(self.folder, "z.csv"))
        self.same("z.csv:*")

    def test_text(self) -> None:
        self.convert("z.txt", lambda p: np.savetxt(p, self.z, fmt="%.17g"), "z.npy")

    def test_json(self) -> None:
        def write(p: str) -> None:
            with open(p, "w") as f:
                json.dump(self.z.tolist(), f)

        self.convert("z.json", write, "z.npy")

    def test_pickle(self) -> None:
        import pickle

        def write(p: str) -> None:
            with open(p, "wb") as f:
                pickle.dump({"z": self.z, "other": [1]}, f)

        self.convert("z.pkl", write, "z.npz:z")

    def test_objects(self) -> None:
        self.convert("z.npy", lambda p: np.save(p, self.z.astype(object)), "z_plain.npy")

    def test_objects_in_an_archive(self) -> None:
        self.convert("z.npz", lambda p: np.savez(p, a=self.z.astype(object), b=self.z), "z_plain.npy", array=":a")

    def test_complex(self) -> None:
        self.convert("z.npy", lambda p: np.save(p, self.z + 2j), "z_parts.npy", want=np.stack([self.z, 0 * self.z + 2], -1))

    def test_records(self) -> None:
        def write(p: str) -> None:
            a = np.zeros(40, [("z", "f8", (3,)), ("n", "i4")])
            a["z"] = self.z
            np.save(p, a)

        self.convert("z.npy", write, "z_fields.npz:z")

    def test_times_and_texts(self) -> None:
        self.convert("t.npy", lambda p: np.save(p, np.arange(40).astype("M8[s]")), "t_seconds.npy", want=np.arange(40))

    def test_texts(self) -> None:
        self.convert("t.npy", lambda p: np.save(p, np.array(list("abca") * 10)), "t_codes.npy", want=np.array([0, 1, 2, 0] * 10))

    @unittest.skipUnless(have("h5py"), "no h5py")
    def test_hdf5(self) -> None:
        """The program reads HDF5 itself: the same numbers as from NumPy's file."""
        import h5py

        with h5py.File(os.path.join(self.folder, "z.h5"), "w") as f:
            f.create_dataset("group/z", data=self.z, chunks=(7, 2), compression="gzip", shuffle=True, fletcher32=True)
        self.same("z.h5:group/z")

    @unittest.skipUnless(have("zarr"), "no zarr")
    def test_zarr_is_read_as_it_is(self) -> None:
        import zarr

        group = zarr.open_group(os.path.join(self.folder, "z.zarr"), mode="w")
        if hasattr(group, "create_array"):
            group.create_array("z", shape=self.z.shape, dtype="f8")[:] = self.z
        else:
            group.array("z", self.z)
        self.same("z.zarr:z")

    @unittest.skipUnless(have("scipy"), "no SciPy")
    def test_matlab(self) -> None:
        import scipy.io

        self.convert("z.mat", lambda p: scipy.io.savemat(p, {"z": self.z}), "z.npz:z")

    @unittest.skipUnless(have("pyarrow"), "no pyarrow")
    def test_parquet_is_read_as_it_is(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet

        lists = pa.FixedSizeListArray.from_arrays(pa.array(self.z.ravel()), self.z.shape[1])
        pyarrow.parquet.write_table(pa.table({"z": lists}), os.path.join(self.folder, "z.parquet"))
        self.same("z.parquet")

    @unittest.skipUnless(have("pandas", "pyarrow"), "no pandas with pyarrow")
    def test_feather(self) -> None:
        self.convert("z.feather", lambda p: self.frame().to_feather(p), "z.npy")

    @unittest.skipUnless(have("pandas"), "no pandas")
    def test_json_lines(self) -> None:
        self.convert("z.jsonl", lambda p: self.frame().to_json(p, orient="records", lines=True, double_precision=15), "z.npy")

    @unittest.skipUnless(have("tensorflow"), "no TensorFlow")
    def test_tfrecord(self) -> None:
        import tensorflow as tf

        def write(p: str) -> None:
            with tf.io.TFRecordWriter(p) as w:
                for row in self.z:
                    feature = tf.train.Feature(float_list=tf.train.FloatList(value=row))
                    w.write(tf.train.Example(features=tf.train.Features(feature={"KEY": feature})).SerializeToString())

        self.convert("z.tfrecord", write, "z.npy", want=self.z.astype(np.float32))

    @unittest.skipUnless(have("torch"), "no PyTorch")
    def test_modules_in_a_file_of_pytorch(self) -> None:
        import torch

        self.convert("z.pt", lambda p: torch.save({"z": torch.from_numpy(self.z), "net": torch.nn.Linear(2, 2)}, p), "z_tensors.pt:z")

    @unittest.skipUnless(shutil.which("gunzip"), "no gunzip")
    def test_gzip(self) -> None:
        import gzip

        def write(p: str) -> None:
            np.save("z.npy", self.z)
            with open("z.npy", "rb") as f, gzip.open(p, "wb") as g:
                g.write(f.read())
            os.unlink("z.npy")

        self.convert("z.npy.gz", write, "z.npy")


if __name__ == "__main__":
    unittest.main()
