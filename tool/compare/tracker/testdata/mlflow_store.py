"""Writes mlruns, the store of MLflow, and runs.csv, what search_runs exports of it.

Usage: python mlflow_store.py, with mlflow-skinny 3.17.2 and pandas."""
import os
import mlflow

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
mlflow.set_tracking_uri("file:./mlruns")
mlflow.set_experiment("study")
for model in ("small", "large"):
    for seed in (1, 2, 3):
        with mlflow.start_run(run_name=f"{model}-{seed}"):
            mlflow.log_param("model", model)
            mlflow.log_param("seed", seed)
            for step in range(3):
                mlflow.log_metric("val/acc", 0.5 + 0.1 * step + 0.01 * seed + (0.1 if model == "large" else 0), step=step)
            mlflow.log_metric("loss", 1 / seed)
with mlflow.start_run(run_name="broken"):
    mlflow.log_metric("loss", float("nan"))
    mlflow.log_metric("val/acc", float("inf"))
mlflow.search_runs(experiment_names=["study"]).to_csv("runs.csv", index=False)
