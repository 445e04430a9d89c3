"""A page of marimo: two encoders next to each other, with a slider for the number of neighbors.

    marimo edit marimo_page.py                          # or marimo run
    marimo export html marimo_page.py -o page.html
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo
    import numpy as np

    import repscope

    return mo, np, repscope


@app.cell
def _(np):
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(300, 32)).astype("float32") * np.linspace(1, 0.1, 32, dtype="float32")
    latents = {"first 8": frames[:, :8], "random": frames @ rng.normal(size=(32, 8)).astype("float32")}
    return frames, latents


@app.cell
def _(mo):
    neighbors = mo.ui.slider(5, 30, step=5, value=10, label="neighbors")
    neighbors
    return (neighbors,)


@app.cell
def _(frames, latents, neighbors, repscope):
    # A result is shown as its table, warnings and first figure.
    result = repscope.neighborhood(frames, latents, k=neighbors.value, block=20, permutations=0, progress=False)
    result
    return (result,)


@app.cell
def _(result):
    result.figure("rnx_curves")
    return


@app.cell
def _(latents, mo, repscope, result):
    # Several results stand in tabs, columns and texts as any other value.
    dimensions = repscope.manifold(latents, block=20, format="svg", progress=False)
    mo.vstack([
        mo.md(f"Trustworthiness of **first 8**: {result.models['first 8'].by_k[0].trustworthiness:.3f}"),
        mo.ui.tabs({"dimensions": dimensions, "figure": dimensions.figure()}),
    ])
    return (dimensions,)


if __name__ == "__main__":
    app.run()
