"""HDF5 files and Zarr stores, read in chunks, and recordings of environments."""

from __future__ import annotations

import os
import unittest
import warnings
from unittest import mock

import numpy as np

import repscope
from repscope import _readers

from .support import Case, states

try:
    import h5py
except ImportError:
    h5py = None
try:
    import zarr
except ImportError:
    zarr = None
try:
    import gymnasium
    import minari
    from minari.data_collector import EpisodeBuffer
except ImportError:
    minari = None


def digest(array: object) -> str:
    """What the program read, by its digest."""
    result = repscope.manifold({"z": array}, bootstrap=0, format="none")
    return [e.sha256 for e in result.inputs if e.role == "latents"][0]


def shape(array: object) -> list:
    result = repscope.manifold({"z": array}, bootstrap=0, format="none")
    return [e.shape for e in result.inputs if e.role == "latents"][0]


class Chunked(Case):
    def values(self, array: object, small: int = 700) -> np.ndarray:
        """What a stream writes, in chunks of few rows."""
        with mock.patch.object(_readers, "CHUNK", small):
            stream = _readers.resolve("z", array)
            self.assertIsInstance(stream, _readers.Stream)
            path = os.path.join(self.folder, "out.npy")
            with open(path, "wb") as f:
                stream.write(f)
            stream.close()
        return np.load(path)

    def equal(self, array: object, want: np.ndarray) -> None:
        got = self.values(array)
        self.assertEqual(got.dtype, want.dtype)
        np.testing.assert_array_equal(got, want)

    def test_paths_are_left_alone(self) -> None:
        for value in ("x.npy", "none.h5:/a", "a:b:c", self.folder, ("x.npz", "a"), b"x.h5", states(3)):
            self.assertIs(_readers.resolve("z", value), value)


@unittest.skipIf(h5py is None, "no h5py")
class HDF5(Chunked):
    def setUp(self) -> None:
        super().setUp()
        self.path = os.path.join(self.folder, "run é.h5")
        self.z = states(100, 7)
        with h5py.File(self.path, "w") as f:
            f["z"] = self.z
            f.create_dataset("deep/frames", data=np.arange(240, dtype=np.uint8).reshape(20, 3, 4), chunks=(7, 3, 4), compression="gzip")
            f["deep/half"] = self.z.astype(np.float16)
            f["deep/big"] = self.z.astype(">f8")
            f["deep/flags"] = self.z > 0
            f["empty"] = np.zeros((0, 3))
            f["scalar"] = 3.0
            f["text"] = np.array([b"a", b"b"])
            f["complex"] = self.z * 1j
            f["records"] = np.zeros(3, [("a", "f4"), ("b", "i4")])

    def test_paths(self) -> None:
        self.equal(self.path + ":/z", self.z)
        self.equal(self.path + ":z", self.z)
        self.equal((self.path, "z"), self.z)
        self.equal(self.path + ":deep/frames", np.arange(240, dtype=np.uint8).reshape(20, 3, 4))
        self.equal(self.path + ":deep/half", self.z.astype(np.float16))
        self.equal(self.path + ":deep/big", self.z.astype(">f8"))
        self.equal(self.path + ":deep/flags", self.z > 0)
        self.equal(self.path + ":empty", np.zeros((0, 3)))

    def test_the_program_reads_them(self) -> None:
        want = digest(self.z)
        self.assertEqual(digest(self.path + ":/z"), want)
        with h5py.File(self.path, "r") as f:
            self.assertEqual(digest(f["z"]), want)
        result = repscope.neighborhood(self.path + ":/z", {"half": (self.path, "deep/half")}, bootstrap=0, permutations=0, format="none")
        self.assertEqual([e.path for e in result.inputs], [self.path + ":/z", self.path + ":deep/half"])

    def test_objects(self) -> None:
        with h5py.File(self.path, "r") as f:
            self.equal(f["z"], self.z)
            with self.assertRaisesRegex(repscope.UsageError, "contains 4 arrays; name one as"):
                _readers.resolve("z", f["deep"])
        one = os.path.join(self.folder, "one.hdf5")
        with h5py.File(one, "w") as f:
            f["a/b"] = self.z
        self.equal(one, self.z)
        with h5py.File(one, "r") as f:
            self.equal(f, self.z)

    def test_little_is_held(self) -> None:
        read = []
        with h5py.File(self.path, "r") as f:

            class Watched:
                shape, dtype, chunks = f["z"].shape, f["z"].dtype, (6, 7)

                def __getitem__(self, rows):
                    read.append(rows.stop - rows.start)
                    return f["z"][rows]

            with mock.patch.object(_readers, "CHUNK", 700):
                parts = list(_readers.Stream(Watched(), "z").chunks())
        np.testing.assert_array_equal(np.concatenate(parts), self.z)
        self.assertEqual(set(read[:-1]), {24})  # rows of 28 bytes, whole chunks of six

    def test_wrong(self) -> None:
        for key, message in {
            ":none": "no array 'none'; the arrays are",
            ":deep": "'deep' is a group of deep/big, deep/flags",
            "": "contains 10 arrays; name one as",
            ":text": "want numbers",
            ":complex": "complex numbers",
            ":records": "records of a, b; give one field",
            ":scalar": "a scalar, want an array",
        }.items():
            with self.assertRaisesRegex((repscope.UsageError, TypeError), message):
                repscope.manifold({"z": self.path + key})

    def test_odd_datasets(self) -> None:
        path = os.path.join(self.folder, "odd.h5")
        with h5py.File(path, "w") as f:
            f.create_dataset("kinds", data=np.arange(60) % 2, dtype=h5py.enum_dtype({"A": 0, "B": 1}))
            f.create_dataset("none", data=h5py.Empty("f4"))
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # NumPy warns of names of an enumeration
            warnings.simplefilter("ignore", repscope.RepscopeWarning)
            self.equal(path + ":kinds", (np.arange(60) % 2).astype(np.uint8))
            repscope.manifold({"z": path + ":kinds"}, block=20, progress=False)
            with h5py.File(path, "r") as f:
                kept = f["kinds"]
                repscope.manifold({"z": f["kinds"][:]}, block=20, progress=False)
        with self.assertRaisesRegex(TypeError, "none: a dataset without a shape"):
            repscope.manifold({"z": path + ":none"})
        with self.assertRaisesRegex(repscope.UsageError, r"latents z: a h5py\.Dataset of a closed file"):
            repscope.manifold({"z": kept})

    def test_without_the_library(self) -> None:
        with mock.patch.dict("sys.modules", h5py=None):
            with self.assertRaisesRegex(ImportError, "pip install h5py"):
                repscope.manifold({"z": self.path + ":z"})

    def test_a_damaged_file(self) -> None:
        with open(self.path, "r+b") as f:
            f.truncate(1500)
        with self.assertRaisesRegex(OSError, "run é.h5: "):
            repscope.manifold({"z": self.path + ":z"})


@unittest.skipIf(zarr is None, "no zarr")
class Zarr(Chunked):
    def setUp(self) -> None:
        super().setUp()
        self.z = states(100, 7)
        self.path = os.path.join(self.folder, "run.zarr")
        group = zarr.open_group(self.path, mode="w")
        for name, value in {"z": self.z, "frames": np.arange(240, dtype=np.uint8).reshape(20, 3, 4)}.items():
            array = group.create_array(name, shape=value.shape, dtype=value.dtype, chunks=(9, *value.shape[1:])) if hasattr(group, "create_array") else group.zeros(
                name, shape=value.shape, dtype=value.dtype, chunks=(9, *value.shape[1:]))
            array[:] = value
        below = group.create_group("deep")
        array = below.create_array("half", shape=self.z.shape, dtype="float16") if hasattr(below, "create_array") else below.zeros("half", shape=self.z.shape, dtype="float16")
        array[:] = self.z

    def test_paths(self) -> None:
        self.equal(self.path + ":z", self.z)
        self.equal((self.path, "/z"), self.z)
        self.equal(os.path.join(self.path, "z"), self.z)
        self.equal(self.path + ":deep/half", self.z.astype(np.float16))
        self.assertEqual(digest(self.path + ":z"), digest(self.z))

    def test_objects(self) -> None:
        group = zarr.open_group(self.path, mode="r")
        self.equal(group["z"], self.z)
        self.equal(group["deep"], self.z.astype(np.float16))
        self.assertEqual(digest(group["z"]), digest(self.z))

    def test_wrong(self) -> None:
        for key, message in {":none": "no array 'none'; the arrays are deep/half, frames, z", "": "contains 3 arrays", ":deep": "is a group of deep/half"}.items():
            with self.assertRaisesRegex(repscope.UsageError, message):
                repscope.manifold({"z": self.path + key})
        with self.assertRaisesRegex(repscope.UsageError, "is one array and has no 'a'"):
            repscope.manifold({"z": os.path.join(self.path, "z") + ":a"})
        with mock.patch.dict("sys.modules", zarr=None):
            with self.assertRaisesRegex(ImportError, "pip install zarr"):
                repscope.manifold({"z": self.path})


class Episodes(Case):
    def episode(self, n: int, seed: int = 0, last: bool = True, **more: object) -> dict:
        r = np.random.default_rng(seed)
        steps = n - last
        return {"observations": r.integers(0, 255, (n, 4, 4), dtype=np.uint8), "actions": r.integers(0, 3, steps), "rewards": r.normal(size=steps),
                "terminations": np.arange(steps) == steps - 1, **more}

    def test_mappings(self) -> None:
        a, b = self.episode(5), self.episode(7, 1, last=False)
        got = repscope.read_episodes([a, b])
        np.testing.assert_array_equal(got.frames, np.concatenate([a["observations"], b["observations"]]))
        self.assertEqual(got.frames.dtype, np.uint8)
        self.assertEqual(got.episodes.tolist(), [0] * 5 + [1] * 7)
        np.testing.assert_array_equal(got.rewards, np.concatenate([a["rewards"], [0], b["rewards"]]))
        np.testing.assert_array_equal(got.actions, np.concatenate([a["actions"], [0], b["actions"]]))

    def test_objects_generators_and_lists_of_steps(self) -> None:
        class Episode:
            obs = [np.full(3, i, dtype=np.float32) for i in range(4)]
            action = [0, 1, 0]
            reward = [1.0, 2.0, 3.0]

        got = repscope.read_episodes((Episode() for _ in range(3)), episodes=2)
        self.assertEqual((got.frames.shape, got.episodes.tolist(), got.rewards.tolist()), ((8, 3), [0] * 4 + [1] * 4, [1, 2, 3, 0] * 2))

    def test_observations_of_several_parts(self) -> None:
        image, other = np.zeros((3, 2, 2), np.uint8), np.ones((3, 5))
        nested = {"observations": {"camera": {"image": image, "depth": other}, "state": other}}
        self.assertEqual(repscope.read_episodes([nested], observation="camera/image").frames.shape, (3, 2, 2))
        self.assertEqual(repscope.read_episodes([nested], observation=lambda o: o["state"]).frames.shape, (3, 5))
        self.assertEqual(repscope.read_episodes([{"obs": {"image": image}}]).frames.shape, (3, 2, 2))
        steps = [{"obs": [{"image": i, "state": 1.0} for i in image]}]
        self.assertEqual(repscope.read_episodes(steps, observation="image").frames.shape, (3, 2, 2))
        for observation, message in ((None, "several among the observations; name one by observation=: camera, state"), ("camera", "several .* image, depth"),
                                     ("none", "no 'none'"), ("camera/image/x", "an array, which has no .x")):
            with self.assertRaisesRegex(repscope.UsageError, message):
                repscope.read_episodes([nested], observation=observation)

    def test_one_mapping_of_all_steps(self) -> None:
        flat = {"observations": np.arange(12.0).reshape(6, 2), "actions": np.arange(6), "rewards": np.arange(6.0), "terminals": [0, 0, 1, 0, 0, 0], "timeouts": [0, 0, 0, 0, 1, 0]}
        got = repscope.read_episodes(flat)
        self.assertEqual(got.episodes.tolist(), [0, 0, 0, 1, 1, 2])
        self.assertEqual(got.actions.tolist(), [0, 1, 2, 3, 4, 5])
        for message, change in {"needs the ends of episodes": {"terminals": None, "timeouts": None}, "timeouts: 3 values": {"timeouts": [0, 0, 1]}, "rewards: 2 values": {"rewards": [0, 1]}}.items():
            with self.assertRaisesRegex(repscope.UsageError, message):
                repscope.read_episodes({**flat, **change})

    def test_wrong(self) -> None:
        a = self.episode(5)
        for message, source in {
            "no episodes": [],
            "episode 0 has no observations; it has x": [{"x": 1}],
            "without observations": [3],
            "episode 1: observations of shape .2, 2., earlier episodes have .4, 4.": [a, {"observations": np.zeros((3, 2, 2), np.uint8)}],
            "observations of type float64, earlier episodes have uint8": [a, {"observations": np.zeros((3, 4, 4))}],
            "1 of 2 episodes have actions": [a, {"observations": a["observations"]}],
            "rewards of shape .2. for 5 observations, want 5 or 4": [{**a, "rewards": [1.0, 2.0]}],
            "no observations": [{"observations": np.zeros((0, 3))}],
            "the observation of step 1 has b, the observation of step 0 has a": [{"observations": [{"a": 1.0}, {"b": 1.0}]}],
        }.items():
            with self.assertRaisesRegex(repscope.UsageError, message):
                repscope.read_episodes(source)
        for source in ("d4rl/door/human-v2", 3):
            with self.assertRaises(TypeError):
                repscope.read_episodes(source)
        with self.assertRaisesRegex(repscope.UsageError, "want at least 1"):
            repscope.read_episodes([a], episodes=0)
        for message, options in {"episodes: '2' is not a whole number": {"episodes": "2"}, "observation: 3 is not a path": {"observation": 3}}.items():
            with self.assertRaisesRegex(TypeError, message):
                repscope.read_episodes([a], **options)
        with self.assertRaisesRegex(TypeError, "episode 0: observations: elements of type <U1, text"):
            repscope.read_episodes([{"observations": ["a", "b"]}])

    def test_it_grows_onto_the_disk(self) -> None:
        from repscope import _recordings

        want = np.concatenate([self.episode(5, i)["observations"] for i in range(4)])
        growing = _recordings._Growing("observations")
        for i in range(4):
            if i == 2:
                self.assertEqual(growing._to_disk(), _recordings.Workspace is not None and os.path.exists("/dev/shm"))
            growing.append(self.episode(5, i)["observations"], "")
        np.testing.assert_array_equal(growing.array(), want)

    def test_for_the_functions(self) -> None:
        r = repscope.read_episodes([self.episode(30, i) for i in range(6)])
        z = r.frames.reshape(len(r.frames), -1)[:, :5].astype(np.float32)
        result = repscope.reward(latents={"z": z}, episodes=r.episodes, rewards=r.rewards, probes="ridge", bootstrap=0, format="none")
        self.assertGreater(result.models.z.probes[0].mse, 0)
        repscope.neighborhood(r.frames, {"z": z}, episodes=r.episodes, bootstrap=0, permutations=0, format="none")

    @unittest.skipIf(minari is None, "no Minari")
    def test_minari(self) -> None:
        os.environ["MINARI_DATASETS_PATH"] = self.folder
        self.addCleanup(os.environ.pop, "MINARI_DATASETS_PATH")
        buffers = []
        env = gymnasium.make("CartPole-v1")
        for i in range(3):
            observation, _ = env.reset(seed=i)
            b = {"observations": [observation], "actions": [], "rewards": [], "terminations": [], "truncations": []}
            while not (b["terminations"] and (b["terminations"][-1] or b["truncations"][-1])):
                action = len(b["actions"]) % 2
                observation, reward, terminated, truncated, _ = env.step(action)
                for name, value in zip(b, (observation, np.int64(action), reward, terminated, truncated)):
                    b[name].append(value)
            buffers.append(EpisodeBuffer(**b))
        dataset = minari.create_dataset_from_buffers("cartpole/test-v0", buffers, env=env)
        got = repscope.read_episodes(dataset)
        self.assertEqual(got.frames.shape, (dataset.total_steps + dataset.total_episodes, 4))
        for i, e in enumerate(dataset.iterate_episodes()):
            rows = got.episodes == i
            np.testing.assert_array_equal(got.frames[rows], e.observations)
            np.testing.assert_array_equal(got.rewards[rows], [*e.rewards, 0])
            np.testing.assert_array_equal(got.actions[rows], [*e.actions, 0])
        env.close()


if __name__ == "__main__":
    unittest.main()
