"""A function for each binary. Written by packaging/functions from the flags of the binaries: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._client import call_named as _call

if TYPE_CHECKING:
    from typing import Any, Literal, Mapping, Optional, Sequence, Union

    from ._result import Result
    from ._types import Each, File, Files, Float, Floats, Inputs, Int, Ints, Many, Models, Path, ProgressLike, Text, Texts

__all__ = [
    "smoothness",
    "robustness",
    "neighborhood",
    "manifold",
    "geometry",
    "reconstruction",
    "reward",
    "generation",
    "forecast",
    "sequence",
    "canvas",
    "encode",
    "compare",
    "evaluate",
    "scale_merge",
    "scale_plan",
    "scale_slurm",
    "scale_k8s",
    "scale_status",
    "scale_task",
    "scale_finish",
]

# By function: the command, the keyword of its arguments, and its flags as keyword:kind:separator.
COMMANDS = {
    "smoothness": (
        "smoothness",
        "",
        "frames:file "
        "latents:named "
        "episodes:file "
        "model:model "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "horizons:ints "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "robustness": (
        "robustness",
        "",
        "frames:file "
        "model:model "
        "episodes:file "
        "latents:named "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "box_level:float "
        "clip:text "
        "corruption:text "
        "draws:int "
        "levels:floats "
        "noise_unit:text "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "per_sample:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "neighborhood": (
        "neighborhood",
        "",
        "frames:file "
        "latents:named "
        "episodes:file "
        "model:model "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "approx:bool "
        "approx_references:int "
        "coranking:text "
        "exclude_window:text "
        "k:ints "
        "latent_metric:text "
        "metric:text "
        "null:text "
        "permutations:int "
        "space:text "
        "ties:text "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "per_point:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "manifold": (
        "manifold",
        "",
        "latents:named "
        "frames:file "
        "episodes:file "
        "model:model "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "approx:bool "
        "duplicate_tolerance:float "
        "estimator:text "
        "exclude_window:text "
        "gride:ints "
        "neighbors:ints "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "geometry": (
        "geometry",
        "",
        "latents:named "
        "frames:file "
        "episodes:file "
        "model:model "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "clusters:ints "
        "exclude_window:text "
        "k:ints "
        "labels:file "
        "lags:int "
        "rsa_pairs:int "
        "starts:int "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "per_point:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "reconstruction": (
        "reconstruction",
        "",
        "frames:file "
        "predictions:named "
        "episodes:file "
        "model:model "
        "latents:named "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "actions:file "
        "decoder:model "
        "decoder_pool:each "
        "moving_threshold:float "
        "object_area:int "
        "object_threshold:float "
        "predictions_range:each "
        "predictor:model "
        "predicts:text "
        "rollout_steps:int "
        "ssim_window:text "
        "time_axis:text "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "samples_shown:int "
        "save_frames:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "reward": (
        "reward",
        "",
        "latents:named "
        "rewards:file "
        "frames:file "
        "episodes:file "
        "model:model "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "actions:file "
        "alpha:float "
        "control:bool "
        "decoder_pool:each "
        "disentanglement:bool "
        "folds:int "
        "head:model "
        "horizon:int "
        "label_efficiency:floats "
        "min_entropy:float "
        "predicted:named "
        "predicted_rewards:named "
        "predictor:model "
        "probe_features:text "
        "probes:texts "
        "regress:text "
        "rollout_starts:file "
        "rollouts:named "
        "targets:named "
        "samples:int "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "latent_scale:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "predictions_csv:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
        "memory:size "
        "cache:path "
        "shard:text:/ "
    ),
    "generation": (
        "generation",
        "",
        "generated:named "
        "real:file "
        "example:bool "
        "reconstruction:named "
        "latents:named "
        "predictions:named "
        "groups:named "
        "holdout:path "
        "real_latents:file "
        "real_predictions:path "
        "label_names:path "
        "encoder:model "
        "decoder:model "
        "classifier:path "
        "grids:file "
        "config:config "
        "definition:text "
        "metrics:text "
        "num_samples:int "
        "revalidate:bool "
        "strict:bool "
        "temperature:float "
        "threshold:float "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "classifier_checkpoint:path "
        "cpu:bool "
        "data:path "
        "documented_json:text "
        "output:text "
        "threads:int "
        "memory:size "
        "shard:text:/ "
    ),
    "forecast": (
        "forecast",
        "",
        "target:file "
        "forecast:named "
        "example:bool "
        "model:model "
        "input:file "
        "leads:file "
        "groups:file "
        "weights:file "
        "lat:file "
        "regions:named "
        "climatology:file "
        "config:config "
        "batch_size:int "
        "crps:text "
        "energy:text "
        "event_quantiles:floats "
        "event_rule:text "
        "fss_windows:ints "
        "intervals:floats "
        "max_distance:float "
        "metrics:texts "
        "pairs:int "
        "patch:int "
        "patch_mode:text "
        "quantiles:floats "
        "spectrum:text "
        "thresholds:floats "
        "tile:int "
        "variogram:text "
        "variogram_p:float "
        "wrap:bool "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "variables:text "
        "input_variables:text "
        "n_samples:int "
        "skip_nan:bool "
        "skip_members:bool "
        "units:text "
        "lead_unit:text "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "documented_json:text "
        "save_results:text "
        "device:text "
        "threads:int "
        "memory:size "
        "shard:text:/ "
    ),
    "sequence": (
        "sequence",
        "",
        "model:model "
        "sequences:many:= "
        "example:bool "
        "dump:named "
        "positions:named "
        "substitutions:named "
        "vocabulary:path "
        "config:config "
        "mask:text "
        "mask_cdr:float "
        "mask_nongermline:float "
        "mask_rate:float "
        "metrics:text "
        "region_mode:text "
        "regions:texts "
        "set:many:= "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "columns:text "
        "residues:texts "
        "inputs:text "
        "outputs:text "
        "position_batch:int "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "documented_json:text "
        "mask_plan:file "
        "threads:int "
        "memory:size "
        "shard:text:/ "
    ),
    "canvas": (
        "canvas",
        "",
        "example:bool "
        "base_dir:path "
        "task:text "
        "variant:text "
        "model:many "
        "ids:many "
        "snapshots:bool "
        "reference_json:path "
        "reference_image:path "
        "generated_json:path "
        "generated_image:path "
        "trace:path "
        "expected_trace:path "
        "ratings:path "
        "config:config "
        "alignment_tolerance:float "
        "alpha:text "
        "borji_splits:int "
        "caption_tokens:int "
        "captioner:path "
        "captions:path "
        "definition:text "
        "embeddings_generated:file "
        "embeddings_ids:path "
        "embeddings_reference:file "
        "fixations:file "
        "generated_node:text "
        "image_embeddings_generated:file "
        "image_embeddings_reference:file "
        "metrics:text "
        "perceptual_model:path "
        "perceptual_scale:text "
        "precompute_semantic:bool "
        "reference_node:text "
        "saliency_channels:text "
        "saliency_generated:file "
        "saliency_kl:text "
        "saliency_mean:text "
        "saliency_model:path "
        "saliency_reference:file "
        "saliency_scale:text "
        "saliency_size:text:x "
        "saliency_std:text "
        "sentence_model:path "
        "sentence_pool:text "
        "skip_saliency:bool "
        "skip_semantic:bool "
        "ssim:text "
        "text_similarity:text "
        "tokenizer:path "
        "vision_mean:text "
        "vision_model:path "
        "vision_normalize:text "
        "vision_pool:text "
        "vision_preprocessor:path "
        "vision_size:int "
        "vision_std:text "
        "seed:int "
        "bootstrap:int "
        "block:text "
        "family:text "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "eval_snapshots:bool "
        "plots:bool "
        "precompute_blip:bool "
        "reports:bool "
        "saliency_plots:bool "
        "save_saliency_vis:bool "
        "skip_all:bool "
        "skip_blip:bool "
        "skip_visual_saliency:bool "
        "vis:bool "
        "workers:int "
        "resume:bool "
        "threads:int "
        "memory:size "
        "shard:text:/ "
    ),
    "encode": (
        "encode",
        "",
        "model:model "
        "frames:file "
        "episodes:file "
        "weights:many:= "
        "baseline:many "
        "example:bool "
        "config:config "
        "dtype:text "
        "output:text "
        "to:text "
        "samples:int "
        "seed:int "
        "family:text "
        "window:each "
        "episodes_kind:text "
        "layout:text "
        "pixel_range:text "
        "skip_nan:bool "
        "preprocess:each "
        "resize:each:x "
        "interpolation:each "
        "input_scale:each "
        "mean:each "
        "std:each "
        "layer:each "
        "pool:each "
        "activation:each "
        "final_activation:each "
        "heads:each "
        "state:each "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "arch:bool "
        "layers:text "
        "ops:bool "
        "profile:bool "
        "restart:bool "
        "device:text "
        "precision:text "
        "batch:int "
        "threads:int "
    ),
    "compare": (
        "compare",
        "files",
        "results:many:= "
        "task:text "
        "columns:many "
        "wide:text "
        "losses:named "
        "example:bool "
        "config:config "
        "allow_different:bool "
        "baseline:text "
        "fail_if_worse:many:> "
        "family:text "
        "fixed:many "
        "higher:many "
        "interval:text "
        "loss_columns:many "
        "lower:many "
        "metrics:many "
        "names:many:= "
        "orient:text "
        "scale:path "
        "select:text "
        "seed:int "
        "bootstrap:int "
        "methods:bool "
        "dry_run:bool "
        "out:path "
        "format:texts "
        "width:text "
        "figure:many "
        "plot:many "
        "save_plot:many "
        "save_table:many "
        "table:many "
        "threads:int "
    ),
    "evaluate": (
        "evaluate",
        "suite",
        "methods:bool "
        "out:path "
        "width:text "
        "check:bool "
        "dry_run:bool "
        "example:bool "
        "fail_fast:bool "
        "init:bool "
        "jobs:int "
        "list:bool "
        "only:many "
        "resume:bool "
        "schema:bool "
        "skip:many "
        "wait:bool "
    ),
    "scale_merge": (
        "scale merge",
        "files",
        "out:path "
        "threads:int "
        "memory:size "
    ),
    "scale_plan": (
        "scale plan",
        "suite",
        "out:path "
        "cpus:int "
        "max_tasks:int "
        "rates:path "
        "shards:int "
        "within:text "
        "memory:size "
    ),
    "scale_slurm": (
        "scale slurm",
        "suite",
        "out:path "
        "at_most:int "
        "cpus:int "
        "follow:bool "
        "max_array:int "
        "max_tasks:int "
        "poll:text "
        "program:path "
        "rates:path "
        "resubmit:bool "
        "sbatch:many:= "
        "shards:int "
        "submit:bool "
        "within:text "
        "memory:size "
    ),
    "scale_k8s": (
        "scale k8s",
        "suite",
        "out:path "
        "at_most:int "
        "claim:text "
        "cpus:int "
        "image:text "
        "max_tasks:int "
        "mount:text "
        "namespace:text "
        "program:text "
        "rates:path "
        "retries:int "
        "shards:int "
        "within:text "
        "memory:size "
    ),
    "scale_status": (
        "scale status",
        "suite",
        "",
    ),
    "scale_task": (
        "scale task",
        "folder",
        "index:int "
        "offset:int "
        "threads:int "
        "memory:size "
    ),
    "scale_finish": (
        "scale finish",
        "folder",
        "threads:int "
        "memory:size "
    ),
}


def smoothness(
    frames: Optional[File] = None,
    latents: Optional[Files] = None,
    *,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    horizons: Optional[Ints] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""How evenly an encoder maps small changes of the state to small changes of the latent.

    smoothness relates, over pairs of states (s_t, s_t+h) of one episode, the pixel
    distance of the last frames to the distance of the latents: the least-squares
    line (slope, intercept, r, R²), Spearman's rank correlation, the Theil–Sen
    slope, and the ratio latent/pixel distance (mean, median, 95th and 99th
    percentile, maximum: empirical Lipschitz constants).

    Latent distances are divided by the RMS distance of two random states
    (latent_scale rms), so that the slopes of different models compare; the file
    holds the raw numbers too, and the CSV files are raw, with the published
    columns. Intervals delete whole episodes or blocks of states with their pairs,
    because consecutive frames are not independent: the classical p value and
    standard error of the line (iid_p_value, iid_std_error) are too small.

    A low slope is not good by itself: a collapsed encoder maps everything to one
    point. Read it beside R² (does the latent follow the change at all) and the
    effective rank.

    Few pairs may decide a line: those with the blank frame that every episode of a
    game begins with may hold nearly all of the variance of pixel distances, and R²
    is then near 1 for noise too; no deletion of episodes shows that. Where pairs
    more than 3.2 standard deviations from the mean distance hold half of it or more, a
    warning names them, and slope, R², Spearman and Theil–Sen without them stand
    beside (leverage.without). A comparison of lines that the other pairs do not confirm,
    or that Theil–Sen or Spearman contradict, has no p value.

    Args:
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        latents: NAME=FILE[:key] of latents computed elsewhere.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        horizons: LIST of distances in time of the two states of a pair. Default: 1.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: rms.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            smoothness_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print
            that and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("smoothness", locals())


def robustness(
    frames: Optional[File] = None,
    model: Optional[Models] = None,
    *,
    episodes: Optional[File] = None,
    latents: Optional[Files] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    box_level: Optional[Float] = None,
    clip: Optional[Literal["range", "none", "reflect"]] = None,
    corruption: Optional[Literal["gaussian", "salt-pepper", "blur", "brightness", "contrast", "occlusion", "shift", "jpeg"]] = None,
    draws: Optional[Int] = None,
    levels: Optional[Floats] = None,
    noise_unit: Optional[Literal["sd", "mad"]] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    per_sample: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""How far latents move when frames are corrupted.

    robustness corrupts every state at a number of levels, encodes it again with
    every model, and reports how far the latent moved: mean, standard deviation,
    standard error, median, extremes, and relative to the RMS distance of two random
    states: relative_mean, of which random states have 0.80 to 1 (one dimension to
    many), and relative_rms, the root mean square, of which they have 1; the share of
    corrupted latents to which another clean latent is nearer than their own (flip rate;
    a repeated frame, whose latent is as near, is no flip), and the cosine similarity.
    All models see the same corrupted frames, and a state gets the same
    noise whatever the batch size, the number of threads or the other states. A model
    with a shorter window than others sees the last frames of the same corrupted states.

    Noise is relative to the pixel range: x' = range·clip(x/range + σ·ε, 0, 1). The
    mean change of the input after clipping is reported too. Vectors have no pixel range,
    and the extremes of a sample are none, because they grow with it: their levels are in
    units of the standard deviation of the states, pooled over the values (noise_unit;
    printed and stored as noise_unit), x' = x + σ·unit·ε, and nothing is clipped. Intervals
    have the error of that unit in them; those of salt and pepper, which lie two units below
    and above the mean, take it as known. Vectors with pixel_range are treated as images.

    A collapsed encoder does not move at all: read distances beside the spread of the
    latents (RMS distance, effective rank), and the flip rate, which it cannot fake.
    Intervals delete whole episodes or blocks of states, from the RMS distance too.
    The average of relative_mean over the levels (auc_relative) and its slope
    (curve_slope) say how flat the curve is.

    With example 192 of its 1,960 states are corrupted; samples 0 takes all. Flip
    rates grow with the number of states: there are more latents that may be nearer.

    Models must be encoders (model, weights, baseline); latents computed
    elsewhere cannot encode a corrupted frame.

    Args:
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        latents: NAME=FILE[:key] of latents computed elsewhere.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        box_level: LEVEL of the box plot and of the comparisons; 0: 0.1 if it is a level, else the middle one. Default:
            0.
        clip: RULE for pixels outside the pixel range: range clips, reflect mirrors, none keeps; vectors have no range
            and are kept (range, none, reflect). Default: range.
        corruption: NAME of the change (gaussian, salt-pepper, blur, brightness, contrast, occlusion, shift, jpeg).
            Default: gaussian.
        draws: N corruptions of every state at every level. Default: 1.
        levels: LIST of levels: standard deviations of the noise, or shares, of the pixel range; of vectors, in units of
            noise_unit. Default: 0.01,0.05,0.1,0.15,0.2.
        noise_unit: UNIT of levels where states are vectors without pixel_range: sd, the standard deviation of the
            states pooled over their values, or mad, 1.4826 times their median absolute deviation, which outliers do not
            move (sd, mad). Default: sd.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all; 192 of the example,
            if not given. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: rms.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            robustness_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print
            that and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        per_sample: write robustness_samples.csv, the scores of every state, by which compare pairs models of different
            runs.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("robustness", locals())


def neighborhood(
    frames: Optional[File] = None,
    latents: Optional[Files] = None,
    *,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    approx: Optional[bool] = None,
    approx_references: Optional[Int] = None,
    coranking: Optional[Literal["auto", "full", "off"]] = None,
    exclude_window: Optional[Text] = None,
    k: Optional[Ints] = None,
    latent_metric: Optional[Literal["same", "euclidean", "cosine"]] = None,
    metric: Optional[Literal["euclidean", "cosine", "precomputed"]] = None,
    null: Optional[Literal["time", "independent"]] = None,
    permutations: Optional[Int] = None,
    space: Optional[Literal["auto", "frame", "clip"]] = None,
    ties: Optional[Literal["average", "random", "index"]] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    per_point: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""How well an encoder keeps the neighbourhoods of the original states.

    neighborhood asks whether states that are close to each other stay close in the
    latent space, and whether states that become close were close before.
    Trustworthiness T(k) falls when the k nearest latents of a state were far away in
    the original space, continuity C(k) when the k nearest states become far away in
    the latent space (Venna and Kaski 2001). 1 is perfect, about 0.5 the level of
    independent states. From the same pass: the share of common neighbours Q_NX, R_NX
    (the same corrected for what independent states share: they have 0), LCMC, MRRE,
    and the curves of Q_NX and R_NX over all K.
    Everything is exact, over all states.

    Where distances tie, as between repeated frames, ties average (the default) gives the
    exact mean of every score over all orders of equal distances, independent in both
    spaces: ranks are uniform within a tie, and of t states of which m belong to a
    neighbourhood each does with probability m/t. ties random draws one such order from
    seed; ties index puts the lower index first in both spaces, which scores the order
    of the recording. Ties and duplicates are counted. Where all latents are equal no
    score is defined, and the model is left out of the comparisons.

    The original space is what the latents see (space auto). Where a state is a
    single frame, that frame. Where a state is a window or clip of several frames: the
    last frame if all encoders are known to look at that alone (a ConvEncoder
    checkpoint pooled by "last", or a window of one frame), else the whole clip;
    baselines do not decide. The choice is printed and stored as "space" of every model.

    Consecutive frames are alike whatever the encoder does: exclude_window w takes
    states at most w frames apart in one episode out of neighbourhoods and ranks; auto
    takes the longest autocorrelation time of the models, the window that the warning of
    slow states suggests, but at most one that leaves every state half of the others; it
    is printed and stored as "exclude_window" of every model. States of samples keep the
    times of their frames, but have no autocorrelation time; such a window is left out on
    the processor.

    Intervals delete whole episodes or blocks of states in turn and rank again (the
    delete-block jackknife): resampling with replacement would make duplicates, which
    bias ranks. bootstrap 0 turns them off; other values of it change nothing.
    Columns Trust_std and Cont_std of the summary are these jackknife standard errors,
    not the spread over states. The null gives states the latents of others
    (permutations, the same orders for all models) and keeps the order in time:
    slow latents that have nothing to do with the states score far above 0.5, the
    level of independent states. What is not above the null is not known to be above
    nothing. null independent gives every state the latent of any other.

    metric precomputed takes the frames for a matrix of distances between the states:
    float32 or float64 [N, N], not negative, symmetric, with any diagonal; row i ranks the
    neighbours of state i. Latents are compared by Euclidean distances.

    latent_metric compares latents by another distance than states, such as cosine
    distances of states with Euclidean ones of latents.

    latent_scale l2 compares directions of latents; raw and rms have the same
    neighbours. per_point finds badly embedded states: Sample_ID counts states,
    Frame is the row of the frames at which the state begins.

    approx is for numbers of states that cannot all be ranked (the time grows with
    their square). It draws reference states, in proportion from every episode or
    stretch of the recording, and computes their distances to all states in all
    spaces: neighbours, ranks and penalties of a reference are exact, and only the
    average is that of a sample. Scores are unbiased, their standard errors for the
    draw stand beside them (sampling_se, neighborhood_sampling.csv); there are no
    intervals, no comparisons of models and no curves.

    Args:
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        latents: NAME=FILE[:key] of latents computed elsewhere.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        approx: rank a sample of reference states, each exactly against all states, for very many states; sampling
            errors instead of intervals.
        approx_references: N reference states of approx, at least 2. Default: 2000.
        coranking: WHEN to rank all states for the curves over all K; auto: up to 5000 states (auto, full, off).
            Default: auto.
        exclude_window: FRAMES within which states of one episode are no neighbours, or auto: the longest
            autocorrelation time of the models. Default: 0.
        k: LIST of neighbourhood sizes. Default: 5,10,20.
        latent_metric: NAME of the distance of latents; same: that of metric, euclidean beside precomputed ones (same,
            euclidean, cosine). Default: same.
        metric: NAME of the distance; precomputed: the frames are a matrix of distances (euclidean, cosine,
            precomputed). Default: euclidean.
        null: KIND of these pairings: time (episodes exchanged and rotated, which keeps the order in time) or
            independent (any state) (time, independent). Default: time.
        permutations: N other pairings of states and latents behind the null; 0: none. Default: 10.
        space: NAME of the original space: the last frame of a state or all its frames; auto: what the latents see
            (auto, frame, clip). Default: auto.
        ties: RULE for states at equal distances: the mean over all orders, independent in both spaces; one random order
            (seed); the lower index first (average, random, index). Default: average.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: raw.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            neighborhood_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print
            that and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        per_point: write the scores of every state to neighborhood_per_point.csv.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("neighborhood", locals())


def manifold(
    latents: Optional[Files] = None,
    *,
    frames: Optional[File] = None,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    approx: Optional[bool] = None,
    duplicate_tolerance: Optional[Float] = None,
    estimator: Optional[Literal["mle", "fit", "documented"]] = None,
    exclude_window: Optional[Text] = None,
    gride: Optional[Ints] = None,
    neighbors: Optional[Ints] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""How many dimensions a representation really uses.

    manifold counts dimensions in two ways. Linear ones, from the eigenvalues λ of the
    latents' covariance: the participation ratio (Σλ)²/Σλ² and its share of the
    nominal dimension, the entropy effective rank, RankMe, the stable rank, the
    numbers of directions for 90 % and 99 % of the variance, and dead dimensions.
    Intrinsic ones, from nearest-neighbour distances: Two-NN (maximum likelihood and
    the published fit), Gride and Levina–Bickel over growing neighbourhoods, and
    Two-NN over smaller and smaller random subsets (decimation).

    The participation ratio of a sample is too small by about a factor of
    1 + (PR + 1)/m for dependent latents worth m independent ones. Tables, figures and
    comparisons show the corrected one, the ratio of unbiased estimates of (tr C)² and
    tr C² from latents of different blocks; the plain one is in the files. The effective
    rank is that of the variance spectrum (Roy and Vetterli take singular values:
    effective_rank_singular). It and RankMe are too small, too; the bias that the
    jackknife finds is printed.

    Two-NN looks at the smallest scale, where noise adds dimensions; a value that
    falls along Gride's orders or with decimation says so. Duplicate latents are
    removed and counted: equal ones, those that differ by rounding alone (16 units in the
    last place of their norm in float32 and float64, one in half precision, as an encoder
    makes of one frame in batches of other sizes), and those of equal frames, where frames
    are given beside latents, up to a hundredth of the RMS distance. Where two neighbours
    are equally far from many latents, as from codes of few values, the dimension is that
    of a lattice: the share is printed, with a warning above 5 %, and Two-NN is not
    compared. The nearest neighbours of frames of an episode are often the
    frames just before and after: distances to them say how fast the episode runs, and
    a path through three dimensions is given five. The share of such neighbours is
    printed. exclude_window looks for neighbours among states that are more than so
    many frames apart in an episode, from the state and from each other (Theiler 1986;
    without the latter, frames of another pass of the same path have nearly equal
    distances, and the path is given thirty dimensions): states are dealt out in turn to
    as many sets as that needs, and neighbours are of the same set. auto takes the longest
    autocorrelation time of the models. States of samples keep their frame numbers.

    Intervals of linear dimensions delete whole episodes or blocks of states in turn.
    For nearest neighbours that is too wide by 1.4 to 1.9; theirs compare halves of the
    blocks with each other (Shao and Wu 1989), on a log scale. The interval for
    independent ratios stands beside them in the file (mle_ci); the ratios of
    neighbours are not, and it is too narrow by about 1.3.

    approx is for numbers of states whose pairs cannot all be looked at: the states are
    put into cells around centres (k-means), and neighbours are looked for in the cells
    nearest to each state; their distances are exact, and the share of true
    neighbours found (recall) is measured on 500 states, printed and stored, with a
    warning below 0.95. Where an exact search takes seconds (up to about 40,000 states of 64
    dimensions) it is made instead, and the output says so. The steps of the
    decimation curve look at some of many small subsets then.

    Args:
        latents: NAME=FILE[:key] of latents computed elsewhere.
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        approx: search nearest neighbours approximately, for very many states; the recall is measured.
        duplicate_tolerance: SHARE of the RMS distance up to which latents count as duplicates; those that rounding
            alone tells apart do in any case. Default: 1e-07.
        estimator: NAME of the Two-NN estimate in tables and figures; documented is the published formula, which cannot
            exceed 1.7325 (mle, fit, documented). Default: mle.
        exclude_window: FRAMES within which states of one episode are no neighbours, or auto: the longest
            autocorrelation time of the models. Default: 0.
        gride: LIST of Gride's neighbour orders n2, with n1 = n2/2 (default 2,4,8,16,32,64).
        neighbors: LIST of the k of Levina–Bickel (default 5,10,20,50).
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: raw.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            manifold_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("manifold", locals())


def geometry(
    latents: Optional[Files] = None,
    *,
    frames: Optional[File] = None,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    clusters: Optional[Ints] = None,
    exclude_window: Optional[Text] = None,
    k: Optional[Ints] = None,
    labels: Optional[File] = None,
    lags: Optional[Int] = None,
    rsa_pairs: Optional[Int] = None,
    starts: Optional[Int] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    per_point: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""The shape of latent spaces: sphere, clusters, similarity, paths in time.

    geometry looks at latents without the frames.
    On the unit sphere (Wang and Isola 2020): uniformity log E exp(-2|u-v|²) over all
    pairs, 0 when all latents point the same way, about -4 when they are spread evenly;
    alignment E|u_t - u_{t+1}|² of consecutive states, 0 when they coincide. Both are
    better when lower, uniformity also about the mean latent (centred), which an offset
    that all latents share does not move. Latents that do not vary have neither.

    Clusters: silhouette, Davies-Bouldin and Calinski-Harabasz of the groups given by
    labels and of k-means clusters (clusters; seeded k-means++, the best of
    starts); with labels also NMI, AMI and ARI of clusters against labels, and how
    often the nearest latents have the same label (k, leave one out), among states more
    than exclude_window frames apart in an episode; auto takes the longest
    autocorrelation time of the models, at most a window that leaves every state half of
    the others, and it is printed and stored as "exclude_window" of every model.

    Between models: linear CKA (also debiased: 0 for unrelated spaces however many the
    dimensions), the orthogonal Procrustes distance of spaces scaled to length 1 (0 the
    same shape, √2 nothing in common), and RSA, the rank correlation of distances within
    the two spaces, over rsa_pairs pairs of states drawn with the seed, or all.

    In time, inside episodes: the autocorrelation of the latents by lag and its integral
    τ, the sizes of steps relative to the RMS distance of random states, and
    straightness, the cosine of successive steps (1 a straight line, 0 independent
    steps; beside it that of three states drawn at random, -0.5 in many dimensions).

    Intervals delete episodes or blocks in turn and compute everything again: clusters
    are found anew, neighbours are those that remain, and what is divided by the RMS
    distance takes its error along. Silhouettes of k-means are not compared between
    models, for each model has clusters of its own. samples limits the states of the
    measures over pairs; measures of time see all states.

    Args:
        latents: NAME=FILE[:key] of latents computed elsewhere.
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        clusters: LIST of numbers of k-means clusters. Default: 10.
        exclude_window: FRAMES within which states of one episode are no neighbours, or auto: the longest
            autocorrelation time of the models. Default: 0.
        k: LIST of neighbourhood sizes for the consistency of labels. Default: 1,5,20.
        labels: FILE[:key] of an integer class or a text per frame (a window has that of its last frame); with example
            also example:NAME, example:lives unless given.
        lags: N, the largest lag of the autocorrelation. Default: 100.
        rsa_pairs: N pairs of states whose distances RSA ranks; 0: all. Default: 2000000.
        starts: N k-means++ starts, of which the best counts. Default: 10.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: raw.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            geometry_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        per_point: write the silhouette of every state to geometry_per_point.csv.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("geometry", locals())


def reconstruction(
    frames: Optional[File] = None,
    predictions: Optional[Files] = None,
    *,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    latents: Optional[Files] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    actions: Optional[File] = None,
    decoder: Optional[Models] = None,
    decoder_pool: Optional[Each] = None,
    moving_threshold: Optional[Float] = None,
    object_area: Optional[Int] = None,
    object_threshold: Optional[Float] = None,
    predictions_range: Optional[Each] = None,
    predictor: Optional[Models] = None,
    predicts: Optional[Literal["next", "same"]] = None,
    rollout_steps: Optional[Int] = None,
    ssim_window: Optional[Literal["uniform", "gaussian"]] = None,
    time_axis: Optional[Literal["horizon", "clip"]] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    samples_shown: Optional[Int] = None,
    save_frames: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Predicted against true next frames: errors, similarity, sharpness, what moves.

    reconstruction compares predicted with true next frames. Every state with a successor
    in its episode is a sample; row i of predictions predicts the last frame of the
    successor of state i, so that with windows the successor of frames i … i+T-1 is frame
    i+T. A prediction of what follows the last state of an episode is ignored and counted.
    Rows are one per frame, one per state, or one per state with a successor.

    With predicts same row i is of state i itself, such as a decoder's, and every state is
    a sample, images that no other comes before too. Then copy_last, skill, motion and what
    moves leave out the states that no other comes before, and models are compared with
    copy_last over the states of both.

    Pixels are in units of the pixel range: mse is that of 0..1. Predictions may be of
    another type or range than the frames: integers have the range of their type,
    floating-point numbers that of the frames or, beside frames of 0..255, 0..1 or -1..1 if
    they lie there; what is taken is printed, and what does not fit has to be said
    (predictions_range). Values outside the range are compared as they are.

      mse, mae         mean squared and absolute error
      psnr             mean over frames of 10 log10(1/mse of the frame); frames without an
                       error have an infinite one, are left out and counted.
                       psnr_of_mean_mse is that of the mean mse, which no frame dominates
      ssim             structural similarity (Wang et al. 2004): scikit-image's defaults, or
                       with ssim_window gaussian the windows of the paper
      sharpness_ratio  gradient energy of the predictions over that of the true frames: below
                       1 for blurred ones, above for noisy ones
      moving_mse       error of the pixels that change by more than moving_threshold to the
      static_mse       next frame, and of all others; moving_share of them move
      skill            1 - mse / mse of copy_last: above 0 where something is predicted

    Two models of every run learn nothing: copy_last repeats the current frame, and
    mean_frame is the mean of the frames of all other episodes (of the other half where there
    is one episode), so that no frame is predicted from itself. Most pixels do not move and
    copying gets them right: read moving_mse beside mse.

    Predictions [N,T,…] have T steps: step h of row i predicts state i+h, over the samples
    whose episode lasts so long (time_axis clip: the T frames of one predicted clip, of
    which the last one counts). "horizon" in the result file and a figure of its own follow
    the scores by steps ahead, beside those of copying over the same samples.

    A decoder makes the frames of a model's latents: of those that predictor NAME makes of
    the latent of state i and the action there, or, without one, of the latent of the next
    state itself, which is the best that this decoder could be given. rollout_steps gives a
    predictor what it made, with the actions in between. Both get the encoder's output before
    pooling, unless decoder_pool says otherwise.

    Objects are 8-connected components of at least object_area pixels that differ from the
    median frame of the episode by more than object_threshold; true and predicted ones are
    matched one to one where they overlap by a tenth. object_recall is also that of small,
    middle and large objects, by terciles of their areas. motion_cosine is that of predicted
    and true change, motion_energy_ratio their squared lengths.

    Ratios are ratios of sums over samples, and are deleted from as such: every moving pixel
    counts alike. Intervals delete whole episodes or blocks of states. Models are compared
    with each other and with both baselines. reconstruction_samples.csv, by which runs are
    compared, holds the share of each sample in a score, reconstruction_raw_data.csv its own.

    LPIPS and other perceptual distances are not computed: they are networks of their own,
    whose weights would have to be brought along.

    Args:
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        predictions: NAME=FILE[:key] of predicted frames [N,H,W], [N,C,H,W] or [N,H,W,C], or of several steps [N,T,…],
            one row per state or frame.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        latents: NAME=FILE[:key] of latents computed elsewhere.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        actions: FILE[:key] of the action at every frame, for predictor: integers or vectors (a window has that of its
            last frame).
        decoder: NAME=FILE.onnx that makes frames of the latents of model NAME: of those that predictor NAME makes, else
            of the latents of the next states.
        decoder_pool: [NAME=]MODE of pooling before latents go into decoders, predictors and other heads, as for pool:
            last, mean, cls, flatten, index:K; default: outputs as they are.
        moving_threshold: SHARE of the pixel range by which a pixel must change to be one that moves. Default: 0.02.
        object_area: PIXELS that an object has at least. Default: 4.
        object_threshold: SHARE of the pixel range by which pixels of objects differ from the background. Default: 0.1.
        predictions_range: [NAME=]RANGE of the pixel values of predictions: LOW,HIGH, frames for that of the frames, or
            auto: from the type or the data. Default: auto.
        predictor: NAME=FILE.onnx that makes the next latent of model NAME from its latent and an action.
        predicts: WHAT row i of predictions is: a prediction of the successor of state i, or of state i itself (next,
            same). Default: next.
        rollout_steps: N steps ahead that predictors are given what they made, with the actions in between. Default: 1.
        ssim_window: WINDOW of the structural similarity: 7 × 7 equal weights, or 11 × 11 of a Gaussian (uniform,
            gaussian). Default: uniform.
        time_axis: MEANING of the axis T of predictions [N,T,…]: steps ahead, or the frames of one predicted clip, of
            which the last counts (horizon, clip). Default: horizon.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            reconstruction_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print
            that and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        samples_shown: N samples of the contact sheet, drawn with seed. Default: 6.
        save_frames: write the frames of the contact sheet to frames/<sample>_{current,true,NAME,error}.png.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("reconstruction", locals())


def reward(
    latents: Optional[Files] = None,
    rewards: Optional[File] = None,
    *,
    frames: Optional[File] = None,
    episodes: Optional[File] = None,
    model: Optional[Models] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    actions: Optional[File] = None,
    alpha: Optional[Float] = None,
    control: Optional[bool] = None,
    decoder_pool: Optional[Each] = None,
    disentanglement: Optional[bool] = None,
    folds: Optional[Int] = None,
    head: Optional[Models] = None,
    horizon: Optional[Int] = None,
    label_efficiency: Optional[Floats] = None,
    min_entropy: Optional[Float] = None,
    predicted: Optional[Files] = None,
    predicted_rewards: Optional[Files] = None,
    predictor: Optional[Models] = None,
    probe_features: Optional[Literal["auto", "current,next", "next"]] = None,
    probes: Optional[Union[Literal["ridge", "mlp", "knn", "logistic"], Sequence[Literal["ridge", "mlp", "knn", "logistic"]], str]] = None,
    regress: Optional[Text] = None,
    rollout_starts: Optional[File] = None,
    rollouts: Optional[Files] = None,
    targets: Optional[Files] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    latent_scale: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    predictions_csv: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    cache: Optional[Path] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""What probes read from true and from predicted latents: reward, and any other target.

    reward fits probes that read a target from latents, and says how well they do on
    episodes that they have not seen: episodes are divided into folds, and every
    sample is predicted by a probe fitted on the other folds.

    The reward of a transition is read from the latents of both its states (z_t and
    z_t+1, as published; probe_features next: of the second alone), and any other
    target (targets: lives, positions, RAM) from the latent of its state. Numbers are
    regressed (mse, r2, nmse = 1 - r2; auroc of rewards above 0, over pairs of one fold,
    since folds have heads of their own), integers classified (accuracy,
    balanced_accuracy, macro f1; regress NAME for integers that are quantities).
    Probes: ridge regression, whose strength is chosen by cross-validation inside the
    training folds; a small network; nearest neighbours; logistic regression for classes. Heads trained elsewhere stand beside them as probe "given".

    With latents that a dynamics model predicted (predicted), each probe is fitted on
    true latents and evaluated on true and on predicted ones, and fitted and evaluated on
    predicted ones:
      transfer_gap   what a head loses that was fitted on true latents when it reads
                     predicted ones, as a planner does
      published_gap  the loss of a head fitted and evaluated on predicted latents less
                     that of one fitted and evaluated on true ones
    both in the loss (mse, or the share of wrong classes), paired over samples. A gap of 0
    with a bad probe says nothing: read r2 beside it.

    Of the predictions themselves, from predicted or made here by predictor (ONNX):
      latent_prediction  error of the next latent, R² per dimension, and skill, 1 - mse over
                         that of copying the latent (copy_mse) and of the mean (mean_mse)
      rollout            the same by step, open loop: rollouts, or predictor for horizon
                         steps from every state whose episode lasts so long; rollout_horizon is
                         the step at which the baselines become better
      temporal_distance  rank correlation of latent distance with time, inside episodes
    and with actions the action is a target, read from both latents (inverse dynamics).

    Baselines are models of every result: the mean of the other folds, the reward before,
    the commonest class; and with frames pixel PCA, fitted on the pixels of all states and
    on no target, and an untrained encoder (others: baseline pca:32).
    A model is as good as what it adds to these.

    Intervals delete whole episodes (pieces of them where there are fewer than 5) in turn.
    Ridge probes are fitted again without each, so that their intervals hold what depends
    on the training episodes too. Rewards are one per frame; the last state of an episode
    has no successor, is ignored and counted.

    Args:
        latents: NAME=FILE[:key] of latents computed elsewhere.
        rewards: FILE[:key] of a number per frame: the reward of the transition from it to the next (a window has that
            of its last frame); by default those of a published dataset given with frames.
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        actions: FILE[:key] of the action taken at every frame, an integer from 0 (a window has that of its last frame),
            for predictor, and read from the latents of both states of a transition; by default those of a published
            dataset given with frames.
        alpha: STRENGTH of ridge; 0: chosen from 10^-4 to 10^4 by cross-validation inside the training folds. Default:
            0.
        control: also fit every linear probe on targets of other episodes (selectivity).
        decoder_pool: [NAME=]MODE of pooling before latents go into decoders, predictors and other heads, as for pool:
            last, mean, cls, flatten, index:K; default: outputs as they are.
        disentanglement: also measure DCI and MIG of the targets of states.
        folds: K folds of whole episodes. Default: 5.
        head: NAME:ON=FILE.onnx of a reward head of NAME that takes z_t and z_next, trained on true or predicted latents
            as ON says; a true one is also evaluated on predicted latents.
        horizon: H steps that predictor is rolled out from every state. Default: 16.
        label_efficiency: LIST of shares of the labels that linear probes are also fitted on, such as 0.01,0.1,1.
        min_entropy: NATS of entropy below which a target of classes is left out. Default: 0.6.
        predicted: NAME=FILE[:key] of latents [N,D] that a dynamics model of NAME predicted: row i is the prediction of
            the successor of state i.
        predicted_rewards: NAME:ON=FILE[:key] of the rewards that a head of NAME trained elsewhere predicted, where ON,
            true or predicted, says from which latents.
        predictor: NAME=FILE.onnx of a model of dynamics that makes the next latent of a latent of NAME and the action
            taken.
        probe_features: LIST of latents that a target is read from: of both states of a transition, or of the second;
            auto: both for rewards, the state alone for its own targets (auto, current,next, next). Default: auto.
        probes: LIST of probes: linear (ridge; logistic, for classes), a small network, nearest neighbours (ridge, mlp,
            knn, logistic). Default: ridge,mlp.
        regress: LIST of targets of integers that are quantities and are regressed; * and ? stand for any characters and
            any one.
        rollout_starts: FILE[:key] of the state that each of rollouts starts from, counted from 0 as rows of latents;
            may be missing if there is one from every state.
        rollouts: NAME=FILE[:key] of open-loop predictions [M,T,D] of NAME: 1 to T steps from each of M states.
        targets: [CATEGORY/]NAME=FILE[:key] of a value per frame that is read from the latent of its state: numbers are
            regressed, integers classified; an array [N,K] or a CSV table (or FILE.csv:column) is K targets; with
            example also example:COLUMN.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive states, or auto: whole episodes if
            there are at least 5, else pieces. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        latent_scale: SCALE of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states).
            Default: raw.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper: reward_methods.md,
            .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that and stop, with json
            as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        predictions_csv: write what every probe said of every sample to reward_predictions.csv.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        cache: DIR that keeps encoded latents between runs, or off (default: the user's cache folder).
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("reward", locals())


def generation(
    generated: Optional[Files] = None,
    real: Optional[File] = None,
    *,
    example: Optional[bool] = None,
    reconstruction: Optional[Files] = None,
    latents: Optional[Files] = None,
    predictions: Optional[Files] = None,
    groups: Optional[Files] = None,
    holdout: Optional[Path] = None,
    real_latents: Optional[File] = None,
    real_predictions: Optional[Path] = None,
    label_names: Optional[Path] = None,
    encoder: Optional[Models] = None,
    decoder: Optional[Models] = None,
    classifier: Optional[Path] = None,
    grids: Optional[File] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    definition: Optional[Literal["default", "documented"]] = None,
    metrics: Optional[Text] = None,
    num_samples: Optional[Int] = None,
    revalidate: Optional[bool] = None,
    strict: Optional[bool] = None,
    temperature: Optional[Float] = None,
    threshold: Optional[Float] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    classifier_checkpoint: Optional[Path] = None,
    cpu: Optional[bool] = None,
    data: Optional[Path] = None,
    documented_json: Optional[Text] = None,
    output: Optional[Text] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""What a generative model makes: reconstruction, diversity, likeness to real data, latents, control by labels.

    generation measures generators of binary grids (such as problems of a climbing board) or of
    rows of numbers, each under a name that is a column of the result. The metrics are, with the
    tier of how far generators may be chosen by them:

      reconstruction  how well samples are reconstructed, by IoU of their cells;
                      tier high, needs reconstruction NAME=FILE; published target IoU > 0.7
      diversity       how different generated samples are from each other and from real ones;
                      tier high, needs generated NAME=FILE; published target > 80 % unique
      similarity      how near the statistics of generated samples are to those of real ones;
                      tier high, needs generated NAME=FILE and real FILE; published target distance < 0.1
      clusters        how labels are arranged among the latents;
                      tier medium, needs latents NAME=FILE; published target silhouette > 0.2
      conditioning    whether a classifier finds in samples the label that they were made for;
                      tier low, needs predictions NAME=FILE or classifier FILE.onnx
      fidelity        precision, recall, density, coverage and memorization by nearest neighbors;
                      tier medium, needs generated NAME=FILE and real FILE, or latents NAME=FILE and real_latents FILE

    A metric whose input is missing is skipped, with the reason, as is a label with too few
    samples; nothing that is unknown is 0. Every metric says how it is read: which way is better,
    what can be reached on these data, and the published target.

    Samples are independent of each other unless groups or block says otherwise; intervals
    delete them in turn, and generators are compared on what they share: the items that both
    reconstruct, the real samples that both are held against.

    After metrics that take a while the result so far is written to generation.json.partial
    in out, and when a run is stopped. A run that was stopped is continued by the same command: inputs, options and
    definitions must be the same, else it begins anew and says why.

    Args:
        generated: NAME=FILE of generated samples: problems of a board (.json), grids (.npy, .npz with labels), or rows
            of numbers (.csv with label; columns are joined with those of real by name).
        real: FILE of real samples, as generated, that the generators were trained on.
        example: measure the built-in example: models of a toy climbing board, with one known defect each.
        reconstruction: NAME=FILE.npz with original (0 or 1, [N,C,…]), recon_logits or recon_prob of the same shape,
            label [N].
        latents: NAME=FILE.npz with latent [N,D] and label [N].
        predictions: NAME=FILE.csv with the columns target and predicted: what a classifier says of samples made for a
            label.
        groups: NAME=FILE[:key] of a number per sample of NAME: equal ones are not independent, such as draws from one
            latent.
        holdout: FILE of real samples, as real, that no generator was trained on: what novelty and memorization are held
            against.
        real_latents: FILE.npz of latents of real samples, as latents.
        real_predictions: FILE.csv of what the classifier says of real samples, as predictions: the ceiling of
            conditioning.
        label_names: FILE.json of the names of labels, {"0": "6A+", …}.
        encoder: NAME=FILE.onnx: grids to latents.
        decoder: NAME=FILE.onnx: latents, and labels if it takes them, to cells.
        classifier: FILE.onnx: grids to a score for each label; stands in for predictions.
        grids: FILE[:key] of real grids that encoder and decoder reconstruct.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        definition: NAME of the definition of similarity: of all generated samples, num_middle the holds that are
            neither start nor end; or, as published, of the valid ones, num_middle holds − start − end (default,
            documented). Default: default.
        metrics: LIST of metrics (default: all that the inputs allow): reconstruction, diversity, similarity
            (statistical), clusters (latent_space), conditioning (grade_conditioning), fidelity.
        num_samples: N samples of each label: drawn by decoder (0: 100), or taken from files (0: all). Default: 0.
        revalidate: decide by the rule (a start, an end, at least 3 other holds) which problems are valid, whatever the
            file says.
        strict: fail at a problem that cannot be read, where it would be left out.
        temperature: T that standard normal latents are multiplied by before they are decoded. Default: 1.
        threshold: P above which a reconstructed cell is set. Default: 0.5.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive samples, or auto. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            generation_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print
            that and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        classifier_checkpoint: the same as classifier.
        cpu: run models on the processor, as they always are.
        data: the same as real.
        documented_json: FILE.json for {checkpoint, metrics} of the first generator, as published.
        output: the same as documented_json.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("generation", locals())


def forecast(
    target: Optional[File] = None,
    forecast: Optional[Files] = None,
    *,
    example: Optional[bool] = None,
    model: Optional[Models] = None,
    input: Optional[File] = None,
    leads: Optional[File] = None,
    groups: Optional[File] = None,
    weights: Optional[File] = None,
    lat: Optional[File] = None,
    regions: Optional[Files] = None,
    climatology: Optional[File] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    batch_size: Optional[Int] = None,
    crps: Optional[Literal["fair", "biased"]] = None,
    energy: Optional[Literal["fair", "biased"]] = None,
    event_quantiles: Optional[Floats] = None,
    event_rule: Optional[Literal["at-least", "above"]] = None,
    fss_windows: Optional[Ints] = None,
    intervals: Optional[Floats] = None,
    max_distance: Optional[Float] = None,
    metrics: Optional[Union[Literal["errors", "mae", "mse", "rmse", "bias", "crps", "crps_skill", "crps_spread", "variogram_score", "energy_score", "patched_energy_score", "pairwise_energy_score", "tiled_energy_score", "tiled_variogram_score", "spread_skill", "spread", "skill", "spread_skill_ratio", "debiased_mse", "rank_histogram", "rank_bias", "rank_dispersion", "reliability", "intervals", "weighted_interval_score", "interval_score", "width", "coverage", "quantiles", "quantile_score", "dawid_sebastiani", "error_spread", "events", "hits", "misses", "false_alarms", "correct_negatives", "base_rate", "pod", "pofd", "far", "csi", "ets", "hss", "sedi", "frequency_bias", "probabilities", "brier", "brier_fair", "brier_skill", "brier_fair_skill", "brier_reliability", "brier_resolution", "brier_uncertainty", "roc_area", "corp_miscalibration", "corp_discrimination", "twcrps", "fractions", "fss", "fss_mean", "spectrum", "log_spectral_distance", "log_spectral_distance_mean", "effective_resolution", "effective_resolution_mean", "fourier_rmse_low", "fourier_rmse_mid", "fourier_rmse_high", "fields", "vrmse", "nrmse", "max_error", "boundary_rmse", "conserved_rmse", "anomalies", "acc", "acc_centered"], Sequence[Literal["errors", "mae", "mse", "rmse", "bias", "crps", "crps_skill", "crps_spread", "variogram_score", "energy_score", "patched_energy_score", "pairwise_energy_score", "tiled_energy_score", "tiled_variogram_score", "spread_skill", "spread", "skill", "spread_skill_ratio", "debiased_mse", "rank_histogram", "rank_bias", "rank_dispersion", "reliability", "intervals", "weighted_interval_score", "interval_score", "width", "coverage", "quantiles", "quantile_score", "dawid_sebastiani", "error_spread", "events", "hits", "misses", "false_alarms", "correct_negatives", "base_rate", "pod", "pofd", "far", "csi", "ets", "hss", "sedi", "frequency_bias", "probabilities", "brier", "brier_fair", "brier_skill", "brier_fair_skill", "brier_reliability", "brier_resolution", "brier_uncertainty", "roc_area", "corp_miscalibration", "corp_discrimination", "twcrps", "fractions", "fss", "fss_mean", "spectrum", "log_spectral_distance", "log_spectral_distance_mean", "effective_resolution", "effective_resolution_mean", "fourier_rmse_low", "fourier_rmse_mid", "fourier_rmse_high", "fields", "vrmse", "nrmse", "max_error", "boundary_rmse", "conserved_rmse", "anomalies", "acc", "acc_centered"]], str]] = None,
    pairs: Optional[Int] = None,
    patch: Optional[Int] = None,
    patch_mode: Optional[Literal["pool", "tile"]] = None,
    quantiles: Optional[Floats] = None,
    spectrum: Optional[Literal["dct", "fft"]] = None,
    thresholds: Optional[Floats] = None,
    tile: Optional[Int] = None,
    variogram: Optional[Literal["proper", "documented"]] = None,
    variogram_p: Optional[Float] = None,
    wrap: Optional[bool] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    variables: Optional[Text] = None,
    input_variables: Optional[Text] = None,
    n_samples: Optional[Int] = None,
    skip_nan: Optional[bool] = None,
    skip_members: Optional[bool] = None,
    units: Optional[Text] = None,
    lead_unit: Optional[Text] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    documented_json: Optional[Text] = None,
    save_results: Optional[Text] = None,
    device: Optional[Text] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Ensemble forecasts of fields: errors, proper scores, calibration, against persistence and climatology.

    forecast scores ensemble forecasts [N,S,V,H,W] of N samples (S members, V variables,
    H × W cells) against the truth [N,V,H,W]. Samples are read one at a time, by as many
    threads as memory has room for: arrays may be larger than memory. (Compressed npz
    members are unpacked whole.) An array [N,V,H,W] is a forecast of one member. Arrays of
    one variable may have no axis for it: [N,H,W], forecasts [N,S,H,W], a climatology [H,W].

    Persistence (input) predicts the input field of the same variable, which is found by
    its name; climatology (climatology) the mean of other times, or with target the mean
    of the targets of all other initial times. Both are models of the run, and skill_scores
    are 1 - score / score of persistence, or without it of climatology.

    metrics takes families and scores:

    errors: mae, mse, rmse and bias of the ensemble mean
      mae: mean absolute error of the ensemble mean
      mse: mean squared error of the ensemble mean
      rmse: root of the mean squared error over all samples
      bias: mean of ensemble mean − truth; 0 is best

    crps: continuous ranked probability score and its parts
      crps: continuous ranked probability score E|X − y| − E|X − X'|/2; of one member the
        absolute error
      crps_skill: E|X − y|, the first part of crps
      crps_spread: E|X − X'|; crps is crps_skill − crps_spread/2

    variogram_score: variogram score
      variogram_score: weighted mean over pairs of cells of (|y_i − y_j|^p − mean |x_i −
        x_j|^p)²

    energy_score: energy score of whole fields
      energy_score: E‖X − y‖ − E‖X − X'‖/2, all variables and cells as one vector; of one
        member its distance from the truth

    patched_energy_score: energy score of patches
      patched_energy_score: energy score of averages over patches, or with patch_mode
        tile the mean of the energy scores of patches

    pairwise_energy_score: energy score of neighboring cells
      pairwise_energy_score: mean energy score of pairs of neighboring cells, of all
        variables

    tiled_energy_score: mean energy score of tiles of tile cells
      tiled_energy_score: mean energy score of tiles, in each all variables and cells as
        one vector

    tiled_variogram_score: mean variogram score of tiles of tile cells
      tiled_variogram_score: mean over tiles of the variogram score of the pairs of cells
        within

    spread_skill: spread of the members beside the error of their mean
      spread: root of the mean variance of the members
      skill: root mean squared error of the ensemble mean, as rmse
      spread_skill_ratio: √((S + 1)/S)·spread/skill: 1 for a calibrated ensemble, less for
        one that is too sure
      debiased_mse: mean squared error without what the small number of members adds: mse
        − variance/S

    rank_histogram: ranks of the truth among the members, probability integral transform
      rank_bias: mean of 1 − 2u over the places u of the truth among the members: above 0
        where forecasts are too high
      rank_dispersion: above 0 where the truth lies in the middle of the members too often
        (spread too large), below where it lies outside
      reliability: sum over ranks of |share − 1/(S + 1)|: 0 for a flat histogram, above
        from chance alone

    intervals: coverage, width and interval score of the intervals of intervals, and their weighted interval score
      weighted_interval_score: (|y − median|/2 + Σ α/2·interval score)/(K + ½) over the K
        intervals of intervals
      interval_score: width and, where the truth lies outside, 2/α times how far
      width: of the central interval between quantiles of the members
      coverage: share of cells whose truth lies in the interval: nominal in large
        calibrated ensembles, less in small ones

    quantiles: quantile scores of the levels of quantiles
      quantile_score: (1{y ≤ q} − level)·(q − y) of the ensemble's quantile q

    dawid_sebastiani: (y − m)²/s² + ln s² of the mean m and variance s² of the members
      dawid_sebastiani: (y − m)²/s² + ln s² of the mean m and variance s² of the members

    error_spread: (s² − e² − e·s·g)² of the error e of the mean, the variance s² and skewness g of the members
      error_spread: (s² − e² − e·s·g)² of the error e of the mean, the variance s² and
        skewness g of the members

    events: events of thresholds and event_quantiles: hits and misses of the ensemble mean, CSI, ETS, HSS, SEDI
      hits: share of cells
      misses: share of cells
      false_alarms: share of cells
      correct_negatives: share of cells
      base_rate: share of cells with the event
      pod: probability of detection: hits/(hits + misses)
      pofd: probability of false detection: false alarms/(false alarms + correct
        negatives)
      far: false alarm ratio: false alarms/(hits + false alarms)
      csi: critical success index: hits/(hits + misses + false alarms)
      ets: equitable threat score: CSI without the hits of chance
      hss: Heidke's skill score: correct cells beyond those of chance
      sedi: symmetric extremal dependence index, for rare events
      frequency_bias: how often the event is forecast over how often it occurs; 1 is best

    probabilities: probabilities of events as shares of members: Brier score and its parts, ROC, reliability (CORP)
      brier: Brier score of the shares of members
      brier_fair: Brier score of an ensemble of infinitely many such members (Ferro 2014)
      brier_skill: 1 − brier/uncertainty: against forecasting the base rate of these
        samples
      brier_fair_skill: 1 − brier_fair/uncertainty
      brier_reliability: part of brier from probabilities that are not frequencies
      brier_resolution: part of brier that frequencies take off by differing between
        probabilities
      brier_uncertainty: Brier score of forecasting the base rate
      roc_area: area below the relative operating characteristic; 0.5 for chance
      corp_miscalibration: part of brier that isotonic recalibration would take off; above
        0 from chance alone
      corp_discrimination: what recalibrated forecasts are better than the base rate by;
        above 0 from chance alone

    twcrps: threshold-weighted CRPS of events: of the values from each of thresholds and event_quantiles on
      twcrps: threshold-weighted CRPS: of the values from the threshold on, those below
        taken for it

    fractions: fractions skill score of events, by fss_windows
      fss: fractions skill score of the probabilities
      fss_mean: fractions skill score of the ensemble mean

    spectrum: radial power spectra (spectrum): log-spectral distance, effective resolution, error in three bands
      log_spectral_distance: between the mean power spectra of members and of truth
      log_spectral_distance_mean: of the ensemble mean, which is smooth by averaging
      effective_resolution: wavelength at which members fall below half of the power of
        truth
      effective_resolution_mean: of the ensemble mean
      fourier_rmse_low: error of the ensemble mean in Fourier space (PDEBench):
        wavenumbers below 4
      fourier_rmse_mid: error of the ensemble mean in Fourier space (PDEBench): 4 to 11
      fourier_rmse_high: error of the ensemble mean in Fourier space (PDEBench): 12 and
        above

    fields: errors of whole fields: vrmse, nrmse, max_error, boundary_rmse, conserved_rmse
      vrmse: root of the mean squared error over the variance of the true field; 1 for its
        mean
      nrmse: root of the mean squared error over the mean square of the true field
      max_error: mean over samples of the largest error of a cell
      boundary_rmse: root mean squared error of the outermost cells
      conserved_rmse: root mean square over samples of the error of the mean of the field

    anomalies: correlation of the anomalies from climatology
      acc: mean over samples of the correlation of anomalies, without taking their means
        away
      acc_centered: the same with the mean of each field's anomalies taken away

    Cells count by weights, by the cosines of their latitudes (lat), or by the product of
    both. A cell of weight 0 (a mask) counts nowhere, whatever it holds, NaN too: scores are
    those of the field without it. Windows have no event there, as outside the grid; waves
    are those of the field filled with the mean of the cells that count. regions gives the
    scores of parts of the grid beside those of all, with the products of their weights and
    those of cells. Variables count alike: by_variable has each, in its unit. Scores of all
    variables together add up different units; scale such variables beforehand.

    by_lead has the samples of each of leads. All leads are of the same initial times
    (groups): those that lack a lead are left out. Where none has all, or nobody says which
    is which and leads have unequal numbers of samples, there are no scores over all leads.

    Every sample has its scores and counts alike: a score is a function of means over
    samples, NAME_sd the standard deviation over samples (ddof 0), NAME_batch_sd that over
    batches of batch_size, the last of which counts by its samples.

    Intervals and comparisons delete blocks of samples in turn. Samples of one of groups
    depend on each other. Groups with one sample of every lead are initial times: blocks are
    runs of them, as long as the scores remember each other. Groups with several samples of
    a lead are stretches of time, such as simulations: each is a block (block episode does
    this for initial times, too). Fewer than 5 groups are cut into pieces.

    An event is a value of at least one of thresholds, or of at least a quantile of all
    true values of the variable (event_quantiles), or with event_rule above a value above
    it: rain of at least 0 is everywhere. Probabilities are shares of members. Windows
    (fss_windows) around all cells reach beyond the grid, where no event is; those of even
    size one cell further up and left. effective_resolution is the wavelength at which
    members fall below half of the power of truth. diebold_mariano, in the result file, tests
    equal accuracy over the sequence of initial times, of at least 50 that forget soon.

    documented_json writes {metrics, evaluation_config} of the first model as published,
    with the standard deviation over batches, or without batch_size over samples:
    "std_over" says which.

    Args:
        target: FILE[:key] of the truth [N,V,H,W], or [N,H,W] of one variable: .npy, .npz, .safetensors, .pt, .pth, .tif
            or a folder of images.
        forecast: NAME=FILE[:key] of an ensemble [N,S,V,H,W], or of one member [N,V,H,W]; of one variable without its
            axis.
        example: run on the built-in example: made weather of known truth, and ensembles with one defect each.
        model: NAME=FILE.onnx that makes n_samples members of the fields of input.
        input: FILE[:key] of the fields that forecasts begin with [N,Vin,H,W]: persistence predicts them.
        leads: FILE[:key] of the lead of every sample [N]: numbers in any unit, or durations (timedelta64, texts such as
            PT6H), which become hours; or FILE.csv:column.
        groups: FILE[:key] of the initial time of every sample [N], a number that ascends with it, a time (datetime64)
            or a text such as 2020-01-31, or of its simulation; or FILE.csv:column: samples of one depend on each other
            (default: the k-th sample of every lead is of time k).
        weights: FILE[:key] of weights of cells [H,W] or of rows [H], such as areas or a mask.
        lat: FILE[:key] of the latitudes of rows [H] in degrees, or of cells [H,W]: weights are their cosines, times
            weights.
        regions: NAME=FILE[:key] of a mask [H,W] of 0 and 1, or of weights: scores of that part of the grid too.
        climatology: FILE[:key] of a climatology [V,H,W], or one per sample [N,V,H,W]; target: the mean of the targets
            of all other initial times.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        batch_size: N consecutive samples of a batch: scores have NAME_batch_sd, the standard deviation over batches
            too; 0: none. Default: 0.
        crps: ESTIMATOR of the continuous ranked probability score (fair, biased). Default: fair.
        energy: ESTIMATOR of energy scores (fair, biased). Default: fair.
        event_quantiles: LIST of probabilities between 0 and 1: events of at least this quantile of all true values of
            the variable (with example 0.9).
        event_rule: RULE of events: values of at least a threshold or quantile, or above it (rain of at least 0 is
            everywhere) (at-least, above). Default: at-least.
        fss_windows: LIST of sides of windows of the fractions skill score, in cells (default 1,3,7,15,… up to the
            shorter side).
        intervals: LIST of probabilities of central intervals, whose coverage, width and scores are taken. Default:
            0.5,0.9.
        max_distance: CELLS that pairs of the variogram score are apart at most; 0: all pairs (with example 6). Default:
            0.
        metrics: LIST of scores or families of them; default: all that the input allows (errors, mae, mse, rmse, bias,
            crps, crps_skill, crps_spread, variogram_score, energy_score, patched_energy_score, pairwise_energy_score,
            tiled_energy_score, tiled_variogram_score, spread_skill, spread, skill, spread_skill_ratio, debiased_mse,
            rank_histogram, rank_bias, rank_dispersion, reliability, intervals, weighted_interval_score, interval_score,
            width, coverage, quantiles, quantile_score, dawid_sebastiani, error_spread, events, hits, misses,
            false_alarms, correct_negatives, base_rate, pod, pofd, far, csi, ets, hss, sedi, frequency_bias,
            probabilities, brier, brier_fair, brier_skill, brier_fair_skill, brier_reliability, brier_resolution,
            brier_uncertainty, roc_area, corp_miscalibration, corp_discrimination, twcrps, fractions, fss, fss_mean,
            spectrum, log_spectral_distance, log_spectral_distance_mean, effective_resolution,
            effective_resolution_mean, fourier_rmse_low, fourier_rmse_mid, fourier_rmse_high, fields, vrmse, nrmse,
            max_error, boundary_rmse, conserved_rmse, anomalies, acc, acc_centered).
        pairs: N pairs of neighboring cells, drawn with seed, of the pairwise energy score; 0: all. Default: 0.
        patch: CELLS of a patch in either direction, of the patched energy score. Default: 4.
        patch_mode: MODE of the patched energy score: of fields averaged over patches, or the mean over patches (pool,
            tile). Default: pool.
        quantiles: LIST of levels of quantile scores. Default: 0.1,0.5,0.9.
        spectrum: TRANSFORM of power spectra: cosines, or Fourier for fields that are periodic in both directions (dct,
            fft). Default: dct.
        thresholds: LIST of values: cells of at least so much are events, scored by hits and misses, probabilities and
            windows.
        tile: CELLS of a tile in either direction, of tiled scores (with example 6). Default: 8.
        variogram: DEFINITION of the variogram score; the documented one, of the ensemble mean, is improper (proper,
            documented). Default: proper.
        variogram_p: P of the differences |x_i − x_j|^P. Default: 0.5.
        wrap: the columns go round, as the longitudes of a whole circle do: the last is beside the first, for pairs of
            cells and windows, and no side of the grid.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive initial times, or auto. Default:
            auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        variables: LIST of the names of the variables of target (default v0,v1,…).
        input_variables: LIST of the names of the variables of input (default those of variables).
        n_samples: N members that are scored: the first of forecast, 0: all; those that model makes, 0: 100. Default: 0.
        skip_nan: leave out samples with NaN or Inf in any array, for all models, and count them, instead of failing.
        skip_members: leave out members with NaN or Inf: of every sample the first n_samples of the others are scored; a
            sample that has fewer is an error, or left out with skip_nan.
        units: LIST of the units of the variables, for figures.
        lead_unit: NAME of the unit of leads, for figures.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            forecast_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        documented_json: FILE for {metrics, evaluation_config} of the first model, as published.
        save_results: the same as documented_json.
        device: DEVICE that model is asked to run on; it runs on the processor (cpu). Default: cpu.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("forecast", locals())


def sequence(
    model: Optional[Models] = None,
    sequences: Optional[Many] = None,
    *,
    example: Optional[bool] = None,
    dump: Optional[Files] = None,
    positions: Optional[Files] = None,
    substitutions: Optional[Files] = None,
    vocabulary: Optional[Path] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    mask: Optional[Text] = None,
    mask_cdr: Optional[Float] = None,
    mask_nongermline: Optional[Float] = None,
    mask_rate: Optional[Float] = None,
    metrics: Optional[Text] = None,
    region_mode: Optional[Literal["standard", "per-position", "region-level"]] = None,
    regions: Optional[Union[Literal["hfwr1", "hcdr1", "hfwr2", "hcdr2", "hfwr3", "hcdr3", "hfwr4", "lfwr1", "lcdr1", "lfwr2", "lcdr2", "lfwr3", "lcdr3", "lfwr4", "all_cdr", "all_fwr", "heavy", "light", "overall", "germline", "nongermline"], Sequence[Literal["hfwr1", "hcdr1", "hfwr2", "hcdr2", "hfwr3", "hcdr3", "hfwr4", "lfwr1", "lcdr1", "lfwr2", "lcdr2", "lfwr3", "lcdr3", "lfwr4", "all_cdr", "all_fwr", "heavy", "light", "overall", "germline", "nongermline"]], str]] = None,
    set: Optional[Many] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    columns: Optional[Text] = None,
    residues: Optional[Union[Literal["upper", "stop", "gaps"], Sequence[Literal["upper", "stop", "gaps"]], str]] = None,
    inputs: Optional[Text] = None,
    outputs: Optional[Text] = None,
    position_batch: Optional[Int] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    documented_json: Optional[Text] = None,
    mask_plan: Optional[File] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Masked language models of sequences: predictions by region, contacts, probes, effects of substitutions.

    sequence evaluates masked language models of sequences, such as those of paired antibody
    chains: models that are run from ONNX, or what models answered elsewhere. The metrics are:

      masked_accuracy      share of masked residues whose most probable token is the true one
      loss                 cross-entropy of masked residues: mean of −ln of the probability of the true one
      perplexity           exponential of the cross-entropy of masked residues
      p_at_l               precision of the L pairs of residues that attention ranks first, as contacts
      chain_probe          reads from the mean hidden state of a chain which chain it is
      position_probe       reads from the hidden state of a residue in which third of its chain it lies
      cdr_probe            reads from the hidden state of a residue whether it lies in a CDR
      cdr_probe_class      reads from the hidden state of a residue in which CDR it lies, or in none
      region_accuracy      accuracy by region, of aggregates and of residues of the germline and not
      region_loss          cross-entropy and mean probability of the true residue by region
      region_perplexity    perplexity by region
      cross_chain          share of attention that crosses the chains, and of that between the end of the first and the beginning of the second
      pseudo_perplexity    pseudo-log-likelihood and its perplexity: every residue masked alone
      one_pass_perplexity  the same of one pass over sequences without masks, which sees what it scores
      region_germline      accuracy, loss and perplexity by region, of residues of the germline and of others (table and CSV file)
      per_position         accuracy, loss and probability by position in the chain, counted from 1 (table and CSV file)
      per_residue          accuracy, loss and probability by true residue (table and CSV file), and the mean accuracy of residues
      confusion            which residue is predicted for which (table and CSV file), and Matthews correlation of predicted and true residues
      top_k                share of masked residues that are among the 3, 5 and 10 most probable, and mean reciprocal rank
      bits_below_unigram   bits per masked residue by which the loss is below the entropy of the residues' frequencies
      calibration          confidence against accuracy of masked predictions: Brier score, overconfidence, calibration errors, reliability (table and CSV file)
      substitutions        scores of measured variants (substitutions) without training: masked and wild-type marginals, change of pseudo-likelihood; rank correlation, NDCG, AUC, MCC, top recall

    Options of metrics, which set METRIC.KEY=VALUE sets (null: the default):

      p_at_l.contact_threshold=8           distance in ångström below which residues touch, of the atoms whose coordinates are given (Cα or Cβ)
      p_at_l.min_seq_sep=6                 least separation |i − j| of pairs, special tokens not counted
      p_at_l.num_layers=null               number of last layers whose heads are averaged; null: a tenth of them, at least one
      p_at_l.scores=auto                   attention, given (contact scores of a dump), or auto: given where there are any
      p_at_l.logistic=false                also fit regressions on the heads of all layers, and test them on other sequences
      p_at_l.logistic_sequences=20         number of sequences that regressions are fitted on and tested with
      p_at_l.logistic_penalty=l1           l1 or l2
      p_at_l.logistic_c=0.15               inverse penalty, as scikit-learn counts it
      p_at_l.logistic_folds=5              number of folds, of whole clusters
      chain_probe.n_train=0                sequences that each head is fitted on; 0: all of the other folds
      chain_probe.regularization=1         strength of the L2 penalty, 1/C of scikit-learn
      chain_probe.max_rows=100000          rows of about which not more are read, of whole sequences drawn by seed; 0: all
      position_probe.n_train=0             sequences that each head is fitted on; 0: all of the other folds
      position_probe.regularization=1      strength of the L2 penalty, 1/C of scikit-learn
      position_probe.max_rows=100000       rows of about which not more are read, of whole sequences drawn by seed; 0: all
      position_probe.n_bins=3              parts of a chain
      position_probe.sample_per_seq=10     residues of each sequence, drawn by seed
      cdr_probe.n_train=0                  sequences that each head is fitted on; 0: all of the other folds
      cdr_probe.regularization=1           strength of the L2 penalty, 1/C of scikit-learn
      cdr_probe.max_rows=100000            rows of about which not more are read, of whole sequences drawn by seed; 0: all
      cdr_probe.sample_per_seq=20          residues of each sequence, drawn by seed
      cdr_probe_class.n_train=0            sequences that each head is fitted on; 0: all of the other folds
      cdr_probe_class.regularization=1     strength of the L2 penalty, 1/C of scikit-learn
      cdr_probe_class.max_rows=100000      rows of about which not more are read, of whole sequences drawn by seed; 0: all
      cdr_probe_class.sample_per_seq=20    residues of each sequence, drawn by seed
      cross_chain.num_layers=null          number of last layers whose heads are averaged; null: all
      cross_chain.interface=5              number of residues at the end of the heavy and at the beginning of the light chain
      calibration.bins=15                  bins of confidence
      substitutions.delta_pll=true         score variants that are sequences of the dataset by the change of their pseudo-log-likelihood
      substitutions.lower_is_fitter=false  smaller measurements are better, as dissociation constants
      substitutions.cutoff=null            measurement from which a variant is fit, where the table has no column of classes: a number or median (default: none)

    A metric whose input is missing is skipped, with the reason; what is undefined is null, never 0.
    Hidden states, attentions and contact scores are those of sequences without masks; predictions
    are those of masked residues. Intervals delete sequences in turn, or whole clusters
    (columns cluster=…), and models are compared on the sequences that they share.

    sequence_sequences.csv has the scores of single sequences; sequence_samples.csv what each
    contributes to a number, its share with the mean of all added, by which compare pairs runs: the
    mean of a column is the number.

    Args:
        model: NAME=FILE.onnx that is run on sequences.
        sequences: FILE of sequences: a table (.csv, .tsv) or .fasta (also DATASET=FILE).
        example: evaluate the built-in example: small models of made antibodies, with one known defect each.
        dump: NAME=FILE.npz of what a model answered: token_ids [N,L], logits [N,L,V], … (NAME/DATASET=FILE of several
            datasets).
        positions: NAME=FILE.csv of the predictions of a model: seq, pos, region_mode, target, pred, nll, prob.
        substitutions: ASSAY=FILE.csv[:COLUMN] of variants with measured effects: mutant (A23C:D45E) or
            mutated_sequence, DMS_score, … (ASSAY/DATASET=FILE of several datasets).
        vocabulary: FILE.json of another alphabet than that of antibodies: a list of tokens, or tokens and their ids.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        mask: RULE that chooses the residues that are masked: uniform, information (drawn by weight), ranked (the
            largest weights), given (by the file); auto: given, else uniform. Default: auto.
        mask_cdr: WEIGHT that a residue of a CDR has beyond 1, with mask information or ranked. Default: 1.
        mask_nongermline: WEIGHT that a residue that is not of the germline has beyond 1. Default: 1.
        mask_rate: SHARE of the residues that are masked. Default: 0.15.
        metrics: LIST of metrics (default: all that the inputs allow): masked_accuracy, loss, perplexity, p_at_l,
            chain_probe, position_probe, cdr_probe, cdr_probe_class, region_accuracy, region_loss, region_perplexity,
            cross_chain, pseudo_perplexity, one_pass_perplexity, region_germline, per_position, per_residue, confusion,
            top_k, bits_below_unigram, calibration, substitutions.
        region_mode: MODE of what is hidden for the scores of regions: the standard mask, every position alone, or the
            whole region (standard, per-position, region-level). Default: standard.
        regions: LIST of regions and aggregates that are scored (default: all) (hfwr1, hcdr1, hfwr2, hcdr2, hfwr3,
            hcdr3, hfwr4, lfwr1, lcdr1, lfwr2, lcdr2, lfwr3, lcdr3, lfwr4, all_cdr, all_fwr, heavy, light, overall,
            germline, nongermline).
        set: METRIC.KEY=VALUE of an option of a metric.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive sequences, or auto. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        columns: ROLE=NAME,… of the columns of sequences: id, cluster, heavy, light, heavy_cdr, light_cdr,
            heavy_non_templated, light_non_templated, heavy_coords, light_coords, chain, locus.
        residues: LIST of what is done with letters of sequences: upper reads small letters as capital ones, stop leaves
            a * at the end of a chain out, gaps leaves - and . out (default: letters that are not in the vocabulary are
            errors) (upper, stop, gaps).
        inputs: ROLE=NAME,… of the inputs of model: tokens, chains, mask, padding, positions (default: guessed by their
            names).
        outputs: ROLE=NAME,… of the outputs of model: logits, hidden, attentions (default: guessed by their names; *
            stands for the number of a layer).
        position_batch: N passes over which every position is hidden alone that are run together. Default: 32.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            sequence_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        documented_json: FILE.json for {dataset: {key: value}} of the first model, as published.
        mask_plan: FILE.npz for the masked inputs of all passes, for a model that is run elsewhere; nothing else is
            done.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("sequence", locals())


def canvas(
    *,
    example: Optional[bool] = None,
    base_dir: Optional[Path] = None,
    task: Optional[Text] = None,
    variant: Optional[Text] = None,
    model: Optional[Many] = None,
    ids: Optional[Many] = None,
    snapshots: Optional[bool] = None,
    reference_json: Optional[Path] = None,
    reference_image: Optional[Path] = None,
    generated_json: Optional[Path] = None,
    generated_image: Optional[Path] = None,
    trace: Optional[Path] = None,
    expected_trace: Optional[Path] = None,
    ratings: Optional[Path] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    alignment_tolerance: Optional[Float] = None,
    alpha: Optional[Text] = None,
    borji_splits: Optional[Int] = None,
    caption_tokens: Optional[Int] = None,
    captioner: Optional[Path] = None,
    captions: Optional[Path] = None,
    definition: Optional[Literal["default", "documented", "published"]] = None,
    embeddings_generated: Optional[File] = None,
    embeddings_ids: Optional[Path] = None,
    embeddings_reference: Optional[File] = None,
    fixations: Optional[File] = None,
    generated_node: Optional[Text] = None,
    image_embeddings_generated: Optional[File] = None,
    image_embeddings_reference: Optional[File] = None,
    metrics: Optional[Text] = None,
    perceptual_model: Optional[Path] = None,
    perceptual_scale: Optional[Text] = None,
    precompute_semantic: Optional[bool] = None,
    reference_node: Optional[Text] = None,
    saliency_channels: Optional[Text] = None,
    saliency_generated: Optional[File] = None,
    saliency_kl: Optional[Text] = None,
    saliency_mean: Optional[Text] = None,
    saliency_model: Optional[Path] = None,
    saliency_reference: Optional[File] = None,
    saliency_scale: Optional[Text] = None,
    saliency_size: Optional[Text] = None,
    saliency_std: Optional[Text] = None,
    sentence_model: Optional[Path] = None,
    sentence_pool: Optional[Text] = None,
    skip_saliency: Optional[bool] = None,
    skip_semantic: Optional[bool] = None,
    ssim: Optional[Text] = None,
    text_similarity: Optional[Text] = None,
    tokenizer: Optional[Path] = None,
    vision_mean: Optional[Text] = None,
    vision_model: Optional[Path] = None,
    vision_normalize: Optional[Text] = None,
    vision_pool: Optional[Text] = None,
    vision_preprocessor: Optional[Path] = None,
    vision_size: Optional[Int] = None,
    vision_std: Optional[Text] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    block: Optional[Text] = None,
    family: Optional[Text] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    eval_snapshots: Optional[bool] = None,
    plots: Optional[bool] = None,
    precompute_blip: Optional[bool] = None,
    reports: Optional[bool] = None,
    saliency_plots: Optional[bool] = None,
    save_saliency_vis: Optional[bool] = None,
    skip_all: Optional[bool] = None,
    skip_blip: Optional[bool] = None,
    skip_visual_saliency: Optional[bool] = None,
    vis: Optional[bool] = None,
    workers: Optional[Int] = None,
    resume: Optional[bool] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    shard: Optional[Text] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Generated interface designs against references: pixels, layout, texts, saliency, tools.

    canvas scores interface designs that models have generated against references: one design,
    or all of a benchmark, which is a folder of

      benchmarks/<task without _gen>_gt/<gid>.png, <gid>.json      (of modifications <gid>-base and <gid>-target)
      results/<task>/<variant>/<gid>-<model>-<variant>/<case>-canvas.png, <case>-json-structure.json,
          <case>-json-response.json, snapshots/<case>-snapshot-N.png, <case>-snapshot-N-structure.json

    where <gid> has two parts between dashes, such as gid6-27, and <case> is <gid>-<model>-<variant>. The metrics are:

      fill                 share of the canvas that elements paint, and how far that is from the reference
      image                structural similarity, peak signal-to-noise ratio and error of the pixels
      ms_ssim              structural similarity of the brightness at five scales
      gmsd                 deviation of the similarity of gradients of the brightness
      fsim                 similarity of features, by phase congruency and gradients, without and with colors
      perceptual           distance of both screens by a model such as LPIPS
      semantic             cosine of the embeddings of both captions
      image_similarity     cosine of the embeddings of both screens
      saliency             saliency map against that of the reference, and against fixations
      saliency_shuffled    AUC of fixations against those of other samples
      saliency_baselines   maps that know no screen, held against the same map and fixations
      element_count        number of elements over that of the reference
      layout               overlap of elements with those of the reference that they are matched with
      alignment            groups of aligned elements that the reference and the generated design share
      defects              elements of the generated design that collide, leave their parents or the canvas
      blocks               texts that are matched by what they say: their area, wording, place and color
      contrast             contrast of texts with what is behind them (WCAG 2), and the share that passes level AA
      tree                 edit distance of the node hierarchies, their parts of height 1 (TreeBLEU), depth, and order of reading
      tools                steps and calls of tools, and how few they are
      tool_accuracy        calls of tools beside the expected ones: order, sets and edit distance
      completeness         mean of fill, structural similarity and meaning; mean of element count, layout and alignment

    What nobody gave is null with a reason, never 0. A case whose files are missing or cannot be read
    counts as failed: the others go on, all files are written, and the exit code is 1.

    Rows of cases are kept in evaluation_results.json, in eval_outputs/<task>/<variant> of the tree or
    in out, beside canvas.json. A run replaces the rows of the cases it scores, and keeps all others;
    resume takes over what was computed of the same files by the same definitions.

    Args:
        example: score the built-in example: made screens of graded damage.
        base_dir: DIR that holds benchmarks and results. Default: dataset.
        task: NAME of the task: a folder of results, such as replication_gen or modification_gen.
        variant: NAME of the variant: a folder of the task, which ends the names of its cases, such as image_only.
        model: LIST of the models whose cases are scored, by their names (default: all).
        ids: LIST of samples (gid6-27), cases, patterns (gid6-*) or ranges (gid6-27..gid6-40) that are scored (default:
            all).
        snapshots: score the steps on the way to every design too, by their number.
        reference_json: FILE.json of the design that is wanted, as Figma writes it.
        reference_image: FILE of the image that is wanted.
        generated_json: FILE.json of the design that was generated.
        generated_image: FILE of the image that was generated.
        trace: FILE.json of the tools that were called.
        expected_trace: FILE.json of the tools that should have been called.
        ratings: FILE.csv of what people think of cases: case_id, rating, and rater if there are several.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        alignment_tolerance: SHARE of the side of the canvas up to which lines of boxes are aligned. Default: 0.02.
        alpha: what becomes of transparent pixels: they are laid on white, or their colors are taken as they are (white,
            drop). Default: white.
        borji_splits: N random splits for AUC-Borji, as published code has 100; 0: its exact expectation. Default: 0.
        caption_tokens: N tokens of a caption at most. Default: 50.
        captioner: folder with a vision encoder and a decoder of text as Optimum exports them, which makes the captions
            that captions lacks.
        captions: table of captions with the columns case_id, gt_caption and gen_caption.
        definition: NAME of the definitions of metrics: ours, those that the publication documents, or those that its
            numbers follow (default, documented, published). Default: default.
        embeddings_generated: array [N, D] of the embeddings of the captions of the generated designs.
        embeddings_ids: file that names the cases of the rows of embeddings: one per line, or a list in JSON, or the
            column case_id of a table; without it the rows are those of captions.
        embeddings_reference: array [N, D] of the embeddings of the captions of the reference designs.
        fixations: FILE|top:Q with fixations on the reference: CSV of x,y in pixels, a binary PNG, or .npy; of several
            samples a name with {sample}, a folder of <sample>-fixations.csv, <sample>.csv, .png or .npy, or a CSV with
            a column sample; top:5 takes the highest 5 % of the reference's map. Without it NSS and AUC are null.
        generated_node: NODE of the generated designs that is the canvas.
        image_embeddings_generated: array [N, D] of the embeddings of the generated screens.
        image_embeddings_reference: array [N, D] of the embeddings of the reference screens.
        metrics: LIST of metrics, or of numbers that they compute; usual (the default) are all but fsim, which takes
            long: fill, image, ms_ssim, gmsd, fsim, perceptual, semantic, image_similarity, saliency, saliency_shuffled,
            saliency_baselines, element_count, layout, alignment, defects, blocks, contrast, tree, tools, tool_accuracy,
            completeness.
        perceptual_model: FILE.onnx that says how far apart two screens look, such as LPIPS or DISTS: two screens [1, 3,
            H, W] in, a number out.
        perceptual_scale: SCALE of the pixels that it is given: signed for -1..1, as LPIPS takes them, unit for 0..1,
            raw for 0..255. Default: signed.
        precompute_semantic: compute the scores of captions first and keep them in precomputed_blip_scores.json of out,
            where later runs find them.
        reference_node: NODE of the references that is the canvas, by its id (1:2) or its name (default: the first frame
            of a page, else the largest node).
        saliency_channels: ORDER of the channels that the model takes: rgb or bgr. Default: rgb.
        saliency_generated: FILE with the saliency map of the generated design, brought to the size of the reference's;
            of several cases a name with {case}, or a folder of <case>-saliency.png, <case>.png or .npy.
        saliency_kl: FORM of the divergence of the reference's map p from the other, q: added, with 1e-8 added to both;
            ratio, p·ln(ε + p/(q+ε)) with ε = 2⁻⁵², as the code of the MIT saliency benchmark has it; exact, without ε.
            Default: added.
        saliency_mean: M or one per channel, in the model's order, subtracted from pixels after saliency_scale (default
            0).
        saliency_model: FILE.onnx that makes the maps which no file holds: a screen [1, 3, H, W] in, a map [1, 1, h, w]
            out.
        saliency_reference: FILE with the saliency map of the reference: a gray PNG, or .npy [H, W]; of several samples
            a name with {sample}, or a folder of <sample>-saliency.png, <sample>.png or .npy.
        saliency_scale: SCALE of the pixels that the model is given: unit for 0..1, raw for 0..255. Default: unit.
        saliency_size: HxW that screens are resized to for the model, height first; needed where the file does not fix
            it.
        saliency_std: S or one per channel, by which pixels are divided after that (default 1).
        sentence_model: FILE.onnx that makes embeddings of captions: ids of tokens in, hidden states or an embedding
            out.
        sentence_pool: how an embedding follows from the output of sentence_model: auto is the output sentence_embedding
            where there is one, else the mean of the tokens (auto, mean, cls, output). Default: auto.
        skip_saliency: compute no saliency: what an earlier run has of the same inputs is kept.
        skip_semantic: compute no semantic match: what an earlier run has of the same captions and images is kept.
        ssim: window of structural similarity: 7 × 7 equal weights, or the 11 × 11 Gaussian ones of Wang et al. 2004
            (uniform, gaussian). Default: uniform.
        text_similarity: how texts are compared: by edit distance, or by matching blocks as Python's difflib finds them,
            which Design2Code uses (edit, blocks). Default: edit.
        tokenizer: tokenizer.json of sentence_model: WordPiece or byte-pair encoding.
        vision_mean: M or one per channel, subtracted from pixels of 0..1, in place of those of vision_normalize.
        vision_model: FILE.onnx that makes embeddings of screens: [1, 3, H, W] in.
        vision_normalize: means and standard deviations that vision_model expects (clip, imagenet). Default: clip.
        vision_pool: how an embedding follows from the states of patches (auto, mean, cls). Default: auto.
        vision_preprocessor: preprocessor_config.json of vision_model, in place of the flags below.
        vision_size: N to which both sides of a screen are resized for vision_model; 0: as its file fixes them. Default:
            0.
        vision_std: S or one per channel, by which pixels are divided after that.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        block: SPEC of the blocks behind intervals: episode, a number of consecutive samples, or auto. Default: auto.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        methods: also write how the numbers were computed, in words and with references, for a paper: canvas_methods.md,
            .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that and stop, with json
            as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        eval_snapshots: the same as snapshots.
        plots: draw bars and boxes of every metric, in evaluation_results_vis.
        precompute_blip: the same as precompute_semantic.
        reports: write what was matched in every case, in reports.
        saliency_plots: write maps over screens into saliency_visualizations.
        save_saliency_vis: the same as saliency_plots.
        skip_all: the same as resume.
        skip_blip: the same as skip_semantic.
        skip_visual_saliency: the same as skip_saliency.
        vis: the same as plots.
        workers: N cases that are scored at a time; 0: threads. Default: 0.
        resume: take from an earlier run what it computed of the same files by the same definitions.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        shard: I/N does a part of the work, of n that may run anywhere in any order: of the units of the work, which are
            numbered from 0 whatever n is, i, i + n, i + 2n and so on, i from 0 to n − 1. A file ANALYSIS.I-of-N.shard
            is written in place of the result; "scale merge" makes of all of them what one process would have written.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("canvas", locals())


def encode(
    model: Optional[Models] = None,
    frames: Optional[File] = None,
    *,
    episodes: Optional[File] = None,
    weights: Optional[Many] = None,
    baseline: Optional[Many] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    dtype: Optional[Literal["float32", "float16"]] = None,
    output: Optional[Text] = None,
    to: Optional[Text] = None,
    samples: Optional[Int] = None,
    seed: Optional[Int] = None,
    family: Optional[Text] = None,
    window: Optional[Each] = None,
    episodes_kind: Optional[Text] = None,
    layout: Optional[Text] = None,
    pixel_range: Optional[Text] = None,
    skip_nan: Optional[bool] = None,
    preprocess: Optional[Each] = None,
    resize: Optional[Each] = None,
    interpolation: Optional[Each] = None,
    input_scale: Optional[Each] = None,
    mean: Optional[Each] = None,
    std: Optional[Each] = None,
    layer: Optional[Each] = None,
    pool: Optional[Each] = None,
    activation: Optional[Each] = None,
    final_activation: Optional[Each] = None,
    heads: Optional[Each] = None,
    state: Optional[Each] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    arch: Optional[bool] = None,
    layers: Optional[Literal["list"]] = None,
    ops: Optional[bool] = None,
    profile: Optional[bool] = None,
    restart: Optional[bool] = None,
    device: Optional[Text] = None,
    precision: Optional[Text] = None,
    batch: Optional[Int] = None,
    threads: Optional[Int] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Frames and models to latents, or to any of their layers.

    encode writes what every model makes of the states into a file of its own: an
    array with one row per state, in the order of the frames. With layer it is not
    the model's output but any values of its graph, one file for each; layers list
    shows them. Rows are pooled to vectors as the analyses do (pool); pool none,
    which is the default with layer, keeps the shapes. The files serve as latents
    of the other binaries. Before a model sees a frame it is resized (resize), then
    scaled (input_scale), then normalised (mean, std).

    Frames are read and latents written batch by batch, so that neither has to fit in
    memory. Until all is done the files are called NAME.partial, beside a journal
    encode.partial.json. A run that was interrupted, in whatever way, continues when the
    same command is given again, and ends with the same bytes as one that was not.
    Other inputs or options are refused then, unless restart throws the rest away.

    profile tells which steps of the models take the time: the steps of the graph as it is
    computed, where operators have become one, with shapes, GFLOP/s of products and GB/s of
    what is read and written. Of a long recording samples 1000 is enough.

    If the rows are not simply the frames (windows, samples, skip_nan),
    encode_frames.npy tells the frame at which the state of each row begins (where models
    have windows of their own, that with the longest), and encode_episodes.npy the number
    of its episode, from 1: episodes for the latents without the frames. Rows of samples
    and skip_nan are not all consecutive.

    Args:
        model: NAME=FILE of an encoder: ONNX, .pth, .safetensors.
        frames: FILE[:key] of the original states [N,…]: .npy, .npz, .safetensors, .pt, .pth, .tif or a folder of
            images.
        episodes: FILE[:key] of an episode number or an end-of-episode flag per frame, or FILE.csv:column; see
            episodes_kind.
        weights: DIR whose <name>/best_encoder.{onnx,pth,safetensors} are all models.
        baseline: LIST of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models.
        example: run on the built-in example: frames of a small arcade game, two trained encoders, both baselines.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        dtype: TYPE of the numbers (float32, float16). Default: float32.
        output: PATTERN of the files' names, made of {model} and {layer} (default {model}.npy, with several layers
            {model}.{layer}.npy).
        to: FORMAT of the files: npy, npz, safetensors (default: by output, else npy); the array's name is latents.
        samples: N states or pairs to analyse, drawn with seed and the same for all models; 0: all. Default: 0.
        seed: N that all random draws come from. Default: 42.
        family: SCOPE of Holm's correction of p values: metric (all rows of a metric) or run (all rows of the run).
            Default: metric.
        window: [NAME=]T consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its
            own; models with windows of their own see the last frames of the same states. Default: 0.
        episodes_kind: KIND of episodes: numbers, flags of the last (ends) or first (starts) frames of episodes, or auto
            to decide by the values. Default: auto.
        layout: AXES of one frame or clip (auto, D, HW, CHW, HWC, THW, CTHW, TCHW, THWC, TD). Default: auto.
        pixel_range: LOW,HIGH of the pixel values; auto: from the type or the data. Default: auto.
        skip_nan: drop states with NaN or Inf, and count them, instead of failing.
        preprocess: [NAME=]PRESET of what follows: imagenet is resize 224x224 (bilinear), one channel repeated to three,
            input_scale unit and the mean and std of ImageNet; other flags override it, those for one model one for all,
            or none.
        resize: [NAME=]HxW that frames are resized to, first of all, for the encoders; their distances are measured as
            they are.
        interpolation: [NAME=]METHOD of resize: bilinear (between pixel centres, no smoothing), nearest. Default:
            bilinear.
        input_scale: [NAME=]SCALE of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto:
            unit with mean or std, else raw. Default: auto.
        mean: [NAME=]LIST of one value, or one per channel, subtracted after scaling.
        std: [NAME=]LIST of one value, or one per channel, divided by after mean.
        layer: [NAME=]LAYER of the model that is used instead of its output: the name of a value of its graph or of the
            node that makes it; * and ? stand for any characters and any one; see encode layers list.
        pool: [NAME=]MODE for outputs of several vectors per state: last, mean, cls, flatten, index:K, or none for
            outputs as they are, of any shape.
        activation: [NAME=]FUNCTION between the layers of a checkpoint that does not tell: silu (default of a
            ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none.
        final_activation: [NAME=]FUNCTION after the last layer of a DQN checkpoint: relu (default), none.
        heads: [NAME=]N attention heads of a ViT checkpoint that does not tell.
        state: [NAME=]KEY of the state dict in a training checkpoint, such as model, ema or target; default:
            encoder_state_dict, state_dict or model_state_dict, else the only one.
        methods: also write how the numbers were computed, in words and with references, for a paper: encode_methods.md,
            .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that and stop, with json
            as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        arch: print the architectures that are known by the tensors of a checkpoint, and stop.
        layers: list: print every value of the models' graphs, which layer can name, and stop (list).
        ops: print the supported ONNX operators and stop.
        profile: print what the steps of the models take, and write it to encode_profile.json.
        restart: throw away what an interrupted run left in out, and begin anew.
        device: DEVICE for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or
            auto for the first GPU, if there is one, else the processor. Default: auto.
        precision: PRECISION of matrix products on GPUs (tf32, fp32, bf16), with float32 sums; the processor computes in
            float32. Default: tf32.
        batch: N states per batch. Default: 64.
        threads: N cores to use; 0: all. Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("encode", locals())


def compare(
    files: Optional[Inputs] = None,
    *,
    results: Optional[Many] = None,
    task: Optional[Text] = None,
    columns: Optional[Many] = None,
    wide: Optional[Text] = None,
    losses: Optional[Files] = None,
    example: Optional[bool] = None,
    config: Optional[Union[Path, Mapping[str, Any]]] = None,
    allow_different: Optional[bool] = None,
    baseline: Optional[Text] = None,
    fail_if_worse: Optional[Many] = None,
    family: Optional[Text] = None,
    fixed: Optional[Many] = None,
    higher: Optional[Many] = None,
    interval: Optional[Text] = None,
    loss_columns: Optional[Many] = None,
    lower: Optional[Many] = None,
    metrics: Optional[Many] = None,
    names: Optional[Many] = None,
    orient: Optional[Text] = None,
    scale: Optional[Path] = None,
    select: Optional[Text] = None,
    seed: Optional[Int] = None,
    bootstrap: Optional[Int] = None,
    methods: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    out: Optional[Path] = None,
    format: Optional[Union[Literal["png", "pdf", "svg", "none"], Sequence[Literal["png", "pdf", "svg", "none"]], str]] = None,
    width: Optional[Text] = None,
    figure: Optional[Many] = None,
    plot: Optional[Many] = None,
    save_plot: Optional[Many] = None,
    save_table: Optional[Many] = None,
    table: Optional[Many] = None,
    threads: Optional[Int] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Compares results: which models differ, by how much, and which differences are significant.

    compare reads result files of any binary (files, or folders that it searches) and puts
    their models into one table per metric: values with intervals, the better direction, the
    difference from a baseline with its interval, the improvement in percent, p values with
    Holm's correction, and ranks. Models that do not differ share a rank. ~ marks undecided
    rows, with the smallest difference that the test finds with 80 % power and the number of
    blocks that the observed difference needs. * marks the models that may be the best: the
    95 % confidence set, tested against all other models at once. Nothing is marked if no
    model can be excluded.

    Several analyses are printed as one screen with two headline metrics of each; verbose
    prints all headline metrics with intervals, differences and a sentence per row.

    Name tasks and runs on the command line. Files of one task need no name; for several
    tasks give TASK=FILE (or TASK=FOLDER). Training runs (seeds) of one model are NAME@RUN
    in a file, or files given as @RUN=FILE, or TASK@RUN=FILE for both. The same model with
    the same numbers in two files counts once.

    If one file holds both models, the difference comes from that file. Across files it comes
    from scores per sample (<analysis>_samples.csv), paired by name, in blocks of their
    group, if both models have them. With several runs and no intervals it comes from one
    number per run, by Welch's t test. Otherwise it comes from the two intervals, as if their
    errors were independent. The column "from" names the source. Results with other data,
    definitions, options or block lengths are rejected, with the differences listed, unless
    allow_different is set.

    Over several tasks it computes the interquartile mean, mean and median, the probability
    of improvement, performance profiles and average ranks (Agarwal et al. 2021).

    It also reads {"metrics": {x, x_std}, "evaluation_config": …}, {"checkpoint": …,
    "metrics": …}, {dataset: {key: value}}, lists of rows with "id" and "model", results and
    logged samples of lm-evaluation-harness, output of go test -bench, and text tables: scores
    per sample (model, sample, group), long tables (model, task, run, metric, score; several
    rows of one model, task and metric are runs) and wide tables, with a column per metric or
    per model. In a table with a column model, the other columns are metrics. Without it, the
    other columns are models if there is a column metric, or a column task or run and no known
    metric. wide overrides this, and columns maps columns with other names. Losses
    (losses) are drawn and summarized; losses with different names are different functions
    and are never ranked.

    With fail_if_worse the exit status is 1 if a bound is broken; all files are written.

    Args:
        files: FILES…; paths, results, or a mapping of names to them.
        results: [TASK][@RUN=]FILE or folder, as an argument, in the order of the command line.
        task: NAME of the task for files without one.
        columns: LIST of ROLE=NAME for tables of scores: the column NAME holds the model, task, run, metric or score, or
            is ignored (skip); several tasks or runs are joined (default: columns with these names in any case, and
            common synonyms).
        wide: KIND of the number columns of a wide table without a column model: models or metrics.
        losses: NAME=FILE of losses by step or epoch: CSV of W&B or TensorBoard, JSON lines, or a PyTorch checkpoint;
            NAME:COLUMN=FILE names a column of values.
        example: compare a synthetic study: models trained several times on several tasks.
        config: FILE.yaml with the same names as the flags, and sections for single commands (smoothness: {horizons:
            [1,7]}), which win over what is common; the command line wins over both: an option given there takes the
            place of the file's, of all its values if it repeats.
        allow_different: compare results with different data, definitions, options or block lengths, with a warning.
        baseline: NAME of the model that the others are compared with (default: persistence, if there is such a model).
        fail_if_worse: METRIC>PERCENT: exit with status 1 if a model is worse than the baseline by more than that.
        family: NAME of the tests that p values are corrected over: metric (all rows of a metric, in all tasks), task
            (all rows of a metric in one task) or run (the whole table). Default: metric.
        fixed: LIST of models without other runs, such as untrained models; other models with a single run are assumed
            to vary as models with several runs do (persistence is fixed).
        higher: LIST of metrics where higher is better, if the files do not say so.
        interval: NAME of the intervals over tasks and runs: jackknife or bootstrap, which is stratified by tasks, with
            bootstrap resamples, and too narrow for few runs. Default: jackknife.
        loss_columns: LIST of columns of losses (default train_loss, val_loss, val_reconstruction_loss).
        lower: LIST of metrics where lower is better.
        metrics: LIST of metrics: paths such as by_k[k=10].trustworthiness, else paths without rows, else their last
            names; * is any text; ANALYSIS:METRIC for one analysis (default: the metrics by which the files compare
            models; with more than 24, console, figure, Markdown and LaTeX show the headline metrics).
        names: LIST of names: one for each file in turn if each has one model; or OLD=NEW, or FILE:OLD=NEW for the model
            of one file; an equals sign in a name has a backslash before it.
        orient: ROWS of the tables: metrics or models. Default: metrics.
        scale: FILE.csv with the columns task, worst, best (and metric), for scores of tasks on one scale: (score −
            worst)/(best − worst).
        select: METRIC that selects a checkpoint: the one with the best value, and all that may be the best.
        seed: N that all random draws come from. Default: 42.
        bootstrap: N above 0: intervals and comparisons of models, by deleting blocks in turn, the same for every
            number; 0: neither. Default: 1000.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            compare_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        dry_run: check inputs, options and models, say what would be read and written and about how long encoding would
            take, and stop; of the frames a few states are read, nothing is written; with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        format: LIST of figure formats; none: no figures are drawn (png, pdf, svg, none). Default: png.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        figure: LIST of files, .png, .pdf or .svg, to write the figure to as well as to out.
        plot: LIST: the same as figure.
        save_plot: LIST: the same as figure.
        save_table: LIST: the same as table.
        table: LIST of files, .csv, .md or .tex, to write the table to as well as to out.
        threads: N cores to use; 0: all. Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("compare", locals())


def evaluate(
    suite: Optional[Inputs] = None,
    *,
    methods: Optional[bool] = None,
    out: Optional[Path] = None,
    width: Optional[Text] = None,
    check: Optional[bool] = None,
    dry_run: Optional[bool] = None,
    example: Optional[bool] = None,
    fail_fast: Optional[bool] = None,
    init: Optional[bool] = None,
    jobs: Optional[Int] = None,
    list: Optional[bool] = None,
    only: Optional[Many] = None,
    resume: Optional[bool] = None,
    schema: Optional[bool] = None,
    skip: Optional[Many] = None,
    wait: Optional[bool] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Runs a whole study from one file of datasets, models and analyses, and resumes it after an interruption.

    evaluate runs a whole study: the analyses of a suite file on its datasets and models.
    Each task writes to its own folder (OUT/dataset/analysis), and a summary covers all tasks.
    Running the same command again resumes the study: a task whose options, inputs and
    program are unchanged is not run again.

      datasets:
        pong:
          frames: pong.npz:frames
          episodes: pong.npz:episode
          model: {jepa: jepa.onnx, "run": runs/*/step_*.onnx}
      analyses: [smoothness, neighborhood, manifold]
      defaults:
        seed: 1
        neighborhood: {k: [5, 10]}

    The keys of a dataset are options of the analyses; a section named after an analysis
    applies to that analysis only. "defaults" holds options for all datasets. The most specific
    value wins: section of the dataset, dataset, section of the defaults, defaults. Options
    that an analysis does not have are ignored there. "enabled: false" skips a dataset, "only"
    and "skip" select its analyses; a section also enables its analysis.

    A pattern (* or ?, or {name} for each value of "matrix: {name: […]}") stands for one model
    per matching file. The matched part is appended to the name: run/a/100 for
    runs/a/step_100.onnx. Models that differ only in their last number form a curve.

    width overrides the width in the defaults and also sets the width of the page's figures.

    report.html shows all results on one page. "evaluate report DIR…" makes this page from any
    result files in folders, with or without a suite.

    "evaluate --dry-run" lists the tasks to run, with the reason. "evaluate --init FILES…"
    prints a first suite file for these files, "evaluate --schema" a JSON Schema for editors.
    "evaluate --check" compares results and inputs with their recorded digests. Paths are
    relative to the working folder. Only one process works in a folder at a time; a lock left
    by a killed process is detected. The exit status is 1 if a task failed; the other tasks
    run all the same.

    Args:
        suite: SUITE.yaml; a path, or a mapping of what the file holds, in which arrays, readers and modules go over as
            files.
        methods: also write how the numbers were computed, in words and with references, for a paper:
            evaluate_methods.md, .tex and .bib; with the result file of an earlier run (methods RESULT.json) print that
            and stop, with json as JSON.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        width: LENGTH of figures, such as 89mm or 7.2in: texts keep their sizes (6 pt or more), panels stand below each
            other where they need to; default: that of the figure.
        check: compare the results of finished tasks, and their inputs, with the recorded digests, and stop; with json
            as JSON.
        dry_run: list the tasks to run, why (the option, input or program that changed) and the files they would write,
            and stop; with json as JSON.
        example: run all analyses on their built-in examples; no suite file is needed.
        fail_fast: start no further task after a failure.
        init: print a commented suite file for these files, and stop.
        jobs: N tasks at a time, each with all cores; more than two share half of the memory. Use 1 if all tasks share
            one GPU. Default: 2.
        list: print the tasks and whether they are done, and stop.
        only: LIST of datasets, analyses or dataset/analysis of the file to run (with * and ?).
        resume: skip finished, unchanged tasks; resume=false runs them again. Default: true.
        schema: print a JSON Schema of suite files for editors, and stop.
        skip: LIST of datasets, analyses or dataset/analysis to skip (with * and ?).
        wait: wait for another process that works in the folder.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("evaluate", locals())


def scale_merge(
    files: Optional[Inputs] = None,
    *,
    out: Optional[Path] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""The result of an analysis from its shards.

    merge makes of the shards of an analysis (ANALYSIS shard i/n) the files that one process
    would have written, byte for byte but for its time stamps. FILES are shards, in any order, and
    folders that hold them. Shards of different n may be mixed and some may be there twice, if they
    are equal; together they have to have all units.

    It reads what the analysis has read, wherever the shards say it is, but computes none of their
    units again: merge in the folder in which the shards were made. Latents are those of the cache,
    where it has them. Refused, with their names: files that are damaged or no shards, shards of
    other inputs, options or definitions, shards that differ on a unit, inputs that have changed,
    and sets with missing units, for which the commands that make them are printed.

    The files go into the folder of out, or where the analysis puts them without. memory and
    threads are those of the analysis.

    Args:
        files: FILES…; paths, results, or a mapping of names to them.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_merge", locals())


def scale_plan(
    suite: Optional[Inputs] = None,
    *,
    out: Optional[Path] = None,
    cpus: Optional[Int] = None,
    max_tasks: Optional[Int] = None,
    rates: Optional[Path] = None,
    shards: Optional[Int] = None,
    within: Optional[Text] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""Tasks, time, memory and bytes of a work before it is begun.

    scale plan says into how many tasks an analysis, or every analysis of a suite, is divided, and
    what a task takes: time, memory, bytes read.

      scale plan --within 2h --memory 8GB -- neighborhood --frames val.npy --model jepa=jepa.onnx
      scale plan SUITE.yaml

    The number of tasks is the smallest with which each ends within within. Its model is measured
    on this machine: neighborhood and smoothness are run on small random states of some sizes, other
    analyses with their own options on parts of their own states that double (samples), as long as
    they take half a minute together. That is done once and kept in the user's cache folder, run by run:
    a plan that is interrupted goes on where it was.
    A few states are encoded by every model, and the largest input is read. Numbers that were measured
    and that are predicted are printed as such; where no part can be taken, the time is not known.
    Another machine takes another time: with cpus, times are divided by the number of cores.

    Latents are encoded once, by a task that goes first, and kept in the cache for the others where
    encoding takes more than ten seconds; the cache (cache of the analysis, or the user's cache
    folder) must then be one that all machines see.

    Args:
        suite: SUITE.yaml | -- ANALYSIS …; a path, or a mapping of what the file holds, in which arrays, readers and
            modules go over as files.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        cpus: N cores of a task; 0: as many as this machine has. Default: 0.
        max_tasks: N tasks of one analysis at most (default 1000). Default: 0.
        rates: DIR that keeps what was measured of this machine (default: the user's cache folder).
        shards: N tasks of every analysis that can be divided; 0: as many as within asks for. Default: 0.
        within: TIME within which a task should end, such as 20m or 2h. Default: 1h.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_plan", locals())


def scale_slurm(
    suite: Optional[Inputs] = None,
    *,
    out: Optional[Path] = None,
    at_most: Optional[Int] = None,
    cpus: Optional[Int] = None,
    follow: Optional[bool] = None,
    max_array: Optional[Int] = None,
    max_tasks: Optional[Int] = None,
    poll: Optional[Text] = None,
    program: Optional[Path] = None,
    rates: Optional[Path] = None,
    resubmit: Optional[bool] = None,
    sbatch: Optional[Many] = None,
    shards: Optional[Int] = None,
    submit: Optional[bool] = None,
    within: Optional[Text] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""A divided work as jobs of a cluster with Slurm.

    scale slurm divides a work as scale plan does and writes what runs it on a cluster with Slurm: into
    OUT/slurm a script for the tasks, one for the job that puts them together, and submit.sh, which
    submits both: arrays of jobs within the site's MaxArraySize, and the last job once all of them
    have succeeded. With submit it is run at once.

      scale slurm --within 2h --submit --follow -- neighborhood --frames val.npy --latents z=z.npy
      scale slurm SUITE.yaml --submit
      scale slurm DIR --resubmit --follow

    resubmit submits what is neither complete nor in the queue. Options of sbatch that the site
    asks for are given with sbatch. Cores, memory and time of the jobs come from the plan, with
    room to spare (memory 1.25 times and 256 MB, time twice and ten minutes); sbatch wins over them.
    The program, the inputs and OUT must be on disks that all machines see.

    Args:
        suite: SUITE.yaml | DIR | -- ANALYSIS …; a path.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        at_most: N tasks of an array at the same time; 0: as many as the site lets. Default: 0.
        cpus: N cores of a task; 0: as many as this machine has. Default: 0.
        follow: wait until no job is left in the queue, and say how many tasks are complete.
        max_array: N, the site's MaxArraySize; 0: what scontrol says, or 1001 where it is not there. Default: 0.
        max_tasks: N tasks of one analysis at most (default 1000). Default: 0.
        poll: TIME between two looks of follow. Default: 10s.
        program: FILE of scale on the machines of the cluster (default: this one).
        rates: DIR that keeps what was measured of this machine (default: the user's cache folder).
        resubmit: submit what of DIR is neither complete nor in the queue.
        sbatch: OPTION of sbatch for all jobs, such as partition=long.
        shards: N tasks of every analysis that can be divided; 0: as many as within asks for. Default: 0.
        submit: submit the jobs.
        within: TIME within which a task should end, such as 20m or 2h. Default: 1h.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_slurm", locals())


def scale_k8s(
    suite: Optional[Inputs] = None,
    *,
    out: Optional[Path] = None,
    at_most: Optional[Int] = None,
    claim: Optional[Text] = None,
    cpus: Optional[Int] = None,
    image: Optional[Text] = None,
    max_tasks: Optional[Int] = None,
    mount: Optional[Text] = None,
    namespace: Optional[Text] = None,
    program: Optional[Text] = None,
    rates: Optional[Path] = None,
    retries: Optional[Int] = None,
    shards: Optional[Int] = None,
    within: Optional[Text] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""A divided work as indexed Jobs of Kubernetes.

    scale k8s divides a work as scale plan does and writes it as Jobs of Kubernetes into OUT/k8s: an
    indexed Job with an index for each task, and a Job that puts them together; where latents are
    encoded, a Job before for the tasks that encode. apply.sh applies them one after the other.

      scale k8s --within 1h --image registry/repscope:1 --claim data --mount /data \
                --out /data/results -- neighborhood --frames /data/val.npy --latents z=/data/z.npy

    An index is tried retries times again (backoffLimitPerIndex), but not after exit status 2: the
    analysis was called wrongly (podFailurePolicy: FailIndex); a crash ends with another status. A pod
    that is evicted does not count.
    Paths are those in the pods, so that scale k8s is best run where the volume is mounted at the same
    place. Kubernetes 1.33 or later.

    Args:
        suite: SUITE.yaml | -- ANALYSIS …; a path.
        out: DIR for the result file, the CSV files and the figures; by default a temporary folder that goes with the
            result.
        at_most: N pods at the same time; 0: all. Default: 0.
        claim: NAME of the claim of a volume with inputs and results, which many nodes can write (required).
        cpus: N cores of a task; 0: as many as this machine has. Default: 0.
        image: NAME of the image that has the binaries (required).
        max_tasks: N tasks of one analysis at most (default 1000). Default: 0.
        mount: DIR where the volume is mounted. Default: /data.
        namespace: NAME of the namespace; default: that of kubectl.
        program: FILE of scale in the image. Default: scale.
        rates: DIR that keeps what was measured of this machine (default: the user's cache folder).
        retries: N times that a task is tried again (default 3). Default: 3.
        shards: N tasks of every analysis that can be divided; 0: as many as within asks for. Default: 0.
        within: TIME within which a task should end, such as 20m or 2h. Default: 1h.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_k8s", locals())


def scale_status(
    suite: Optional[Inputs] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""What of a divided work is there, and what is missing.

    scale status says what of a divided work is complete, running, failed, damaged or missing, and the
    command that finishes it. DIR is the folder of "scale slurm" or "scale k8s", or any folder with
    shards (ANALYSIS.i-of-n.shard); SUITE.yaml stands for the folder of the suite.

    Exit status 0 if everything is complete and put together, 1 if not.

    Args:
        suite: DIR | SUITE.yaml; paths, results, or a mapping of names to them.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_status", locals())


def scale_task(
    folder: Optional[Inputs] = None,
    *,
    index: Optional[Int] = None,
    offset: Optional[Int] = None,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""One task of a divided work.

    scale task does one task of a work that "scale slurm" or "scale k8s" has divided. They call it; by
    hand it serves to try one, or to do all on a machine without a scheduler:

      scale task DIR --index 3

    The number comes from index, or from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, to which
    offset is added. A task that is complete is not done again; two processes never do the same
    task at once. Exit status 2 where the analysis was called wrongly, which no repetition mends; 1
    for anything else.

    Args:
        folder: DIR; paths, results, or a mapping of names to them.
        index: N of the task; default: of SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX. Default: -1.
        offset: N to add to the index of a scheduler. Default: 0.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_task", locals())


def scale_finish(
    folder: Optional[Inputs] = None,
    *,
    threads: Optional[Int] = None,
    memory: Optional[Union[Int, str]] = None,
    progress: ProgressLike = None,
    nice: Optional[Int] = 0,
) -> Result:
    r"""The results of a divided work whose tasks are complete.

    scale finish puts the shards of a divided work together, when all of its tasks are complete: each
    analysis as "scale merge" does, and for a suite the summary that evaluate writes. It is the last
    job of "scale slurm" and "scale k8s".

    Args:
        folder: DIR; paths, results, or a mapping of names to them.
        threads: N cores to use; 0: all. Default: 0.
        memory: SIZE of the working memory, such as 450MB; 0: a quarter of what the machine has, or of what its limits
            leave (control groups, ulimit -v). Default: 0.
        progress: True or False, or a function of the work's name, what is done and the total; by default a line on a
            terminal and in a notebook.
        nice: by how much the run yields to others (nice; below normal on Windows).
    """
    return _call("scale_finish", locals())
