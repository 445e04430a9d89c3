"""Writes the Parquet files of folder parquet: tables with null, images as the library datasets of Hugging Face stores them,
folders of several files, and a data set of LeRobot.

    python parquet.py            # pyarrow 26.0.1, Pillow 13.0.0, NumPy 2.4.6
"""
import io
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parquet")


def save(name, columns, **options):
    path = os.path.join(here, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pq.write_table(pa.table(columns), path, **options)


def image(i, kind="png"):
    """A picture whose pixels follow from its number."""
    pixels = (np.arange(4 * 5 * 3).reshape(4, 5, 3) * 3 + 7 * i).astype(np.uint8)
    b = io.BytesIO()
    Image.fromarray(pixels).save(b, kind, **({"lossless": True} if kind == "webp" else {}))
    return b.getvalue()


def images(numbers, kinds=("png", "webp")):
    return pa.array([{"bytes": image(i, kinds[i % len(kinds)]), "path": f"{i}.png"} for i in numbers], pa.struct([("bytes", pa.binary()), ("path", pa.string())]))


save("table.parquet", {
    "id": pa.array([5, 6, 7, 8]), "code": pa.array(["007", "08", "007", "9"]), "score": [1.5, None, -2.0, 4.0], "count": pa.array([1, None, 3, 4], pa.int8()),
    "good": [True, False, True, True], "word": ["b", None, "a", "b"], "vec": pa.array([[1.0, 2.0]] * 4, pa.list_(pa.float32())),
    "at": pa.array([0, 1, 2, 3], pa.timestamp("ms"))})
save("indexed.parquet", {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "__index_level_0__": pa.array([2, 0, 1])})
frame = pa.table({"a": [1.0, 2.0, 3.0], "frame": pa.array([7, 8, 9])})
pq.write_table(frame.replace_schema_metadata({"pandas": json.dumps({"index_columns": ["frame"], "columns": []})}), os.path.join(here, "framed.parquet"))
save("sequences.parquet", {"id": ["a", "b"], "heavy": ["EVQL", "QVQLV"], "light": ["DIQM", None]})
save("images.parquet", {"image": images(range(3)), "label": [0, 1, 0]})
save("plain.parquet", {"png": pa.array([image(0), image(1)], pa.binary()), "raw": pa.array([b"abc", b"d"], pa.binary())})
save("missing.parquet", {"image": pa.array([{"bytes": image(0), "path": "0.png"}, {"bytes": None, "path": "1.png"}], images([]).type)})
for split, first in (("train", 0), ("test", 10)):
    for k in range(2):
        save(f"hub/data/{split}-0000{k}-of-00002.parquet", {"image": images(range(first + 2 * k, first + 2 * k + 2)), "label": [first + 2 * k, first + 2 * k + 1]})
save("partial/train-00000-of-00003.parquet", {"x": [1.0]})
save("mixed/0.parquet", {"x": [1.0]})
save("mixed/1.parquet", {"x": [1]})
rows = 12
episodes = np.repeat([0, 1, 2], [5, 3, 4])
for k, (lo, hi) in enumerate(((0, 8), (8, 12))):
    part = np.arange(lo, hi)
    save(f"robot/data/chunk-000/file-00{k}.parquet", {
        "observation.state": pa.array([[float(i), i / 2] for i in part], pa.list_(pa.float32(), 2)), "action": pa.array([[float(-i)] * 3 for i in part], pa.list_(pa.float32())),
        "next.reward": (part % 3).astype("f4"), "episode_index": episodes[lo:hi], "index": part, "timestamp": (part / 10).astype("f4"),
        "observation.image": images(part)})
save("robot/meta/episodes/chunk-000/file-000.parquet", {"episode_index": [0, 1, 2], "length": [5, 3, 4]})
features = {"observation.state": {"dtype": "float32", "shape": [2]}, "action": {"dtype": "float32", "shape": [3]}, "observation.image": {"dtype": "image"},
            "observation.images.top": {"dtype": "video", "shape": [480, 640, 3]}, "episode_index": {"dtype": "int64"}}
info = {"codebase_version": "v3.0", "total_episodes": 3, "total_frames": rows, "features": features}
with open(os.path.join(here, "robot/meta/info.json"), "w") as f:
    json.dump(info, f)


# Rows of data sets of LeRobot whose parts contradict each other: an episode without rows, one in two places, frames in
# another order, a length that is not the number of rows.
def contradiction(name, episodes, frames=None, lengths=None):
    columns = {"action": pa.array([[float(i)] for i in range(12)], pa.list_(pa.float32())), "episode_index": np.array(episodes)}
    save(f"{name}/data/chunk-000/file-000.parquet", {**columns, **({"frame_index": np.array(frames)} if frames else {})})
    if lengths:
        save(f"{name}/meta/episodes/chunk-000/file-000.parquet", {"episode_index": [0, 1, 2], "length": lengths})


contradiction("robot_gap", [0] * 5 + [2] * 7)
contradiction("robot_again", [0] * 5 + [1] * 3 + [0] * 2 + [2] * 2)
contradiction("robot_order", [0] * 5 + [1] * 3 + [2] * 4, [0, 1, 2, 3, 4, 0, 2, 1, 0, 1, 2, 3])
contradiction("robot_lengths", [0] * 5 + [1] * 3 + [2] * 4, lengths=[5, 3, 9])
