"""Prints what scale plan says of 10^5 to 10^8 states: python benchmarks/scale/cost.py bin/scale

The arrays are files of holes in a temporary folder; a plan reads a few of their states.
"""

import json
import subprocess
import sys
import tempfile

import numpy as np

scale = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    for n in 10**5, 10**6, 10**7, 10**8:
        np.lib.format.open_memmap(f"{folder}/f.npy", "w+", np.uint8, (n, 64, 64)).flush()
        np.lib.format.open_memmap(f"{folder}/z.npy", "w+", np.float32, (n, 64)).flush()
        for more in [], ["--approx"]:
            out = subprocess.run(
                [scale, "plan", "--json", "--within", "1h", "--", "neighborhood", "--frames", f"{folder}/f.npy",
                 "--latents", f"z={folder}/z.npy", "--permutations", "0", *more], check=True, capture_output=True, text=True).stdout
            p = json.loads(out)["analyses"][0]
            print(f"{n:.0e} {' '.join(more):9} {p['tasks']:5} tasks of {p['predicted_task_s']:12.1f} s, all {p['predicted_all_s'] / 3600:12.2f} h, "
                  f"memory {p['predicted_memory_bytes'] / 1e9:8.1f} GB, exact up to {p.get('exact_up_to_states', 0):.2e}", flush=True)
