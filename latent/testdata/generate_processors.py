"""Writes processors.npz: frames preprocessed by transformers, timm and open_clip, and their configurations.

    python3 generate_processors.py

"frames HxW" are colored frames of 8 bits [N, 3, H, W]; "CASE|FILE" is the text of the configuration as the library saves
it, "CASE HxW" what the library makes of the frames. Made with transformers 5.24.0, timm 1.0.31, open_clip_torch 3.3.0,
torchvision 0.24.1 and Pillow 12.0.0 (Pillow 13 resizes frames that shrink more in height in another order).
"""

import json
import os

import numpy as np
import timm.data
import torch
import transformers as T
from open_clip.transform import PreprocessCfg, image_transform_v2
from PIL import Image
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.convnext.image_processing_pil_convnext import ConvNextImageProcessorPil
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

random = np.random.default_rng(3)
arrays, frames = {}, {}
for size in [(60, 84), (84, 60), (33, 33)]:
    smooth = Image.fromarray(random.integers(0, 256, (7, 9, 3), dtype=np.uint8)).resize(size[::-1], Image.BICUBIC)
    noise = random.integers(-40, 41, (*size, 3))
    frames["%dx%d" % size] = [np.clip(np.asarray(smooth) + noise, 0, 255).astype(np.uint8)]
for size, list_ in frames.items():
    arrays["frames " + size] = np.stack(list_).transpose(0, 3, 1, 2)


def case(name, file, config, transform):
    arrays[f"{name}|{file}"] = np.frombuffer(json.dumps(config).encode(), dtype=np.uint8)
    for size, list_ in frames.items():
        arrays[f"{name} {size}"] = np.stack([np.asarray(transform(Image.fromarray(f))) for f in list_]).astype(np.float32)
    print(name, {s: arrays[f"{name} {s}"].shape for s in frames})


def hugging(name, processor):
    case(name, "preprocessor_config.json", json.loads(processor.to_json_string()), lambda f: np.asarray(processor(f, return_tensors="np")["pixel_values"])[0])


hugging("vit", ViTImageProcessorPil(size={"height": 24, "width": 24}))
hugging("vit_number", ViTImageProcessorPil(size={"height": 16, "width": 20}, image_mean=[0.1, 0.2, 0.3], image_std=[0.3, 0.2, 0.1]))
for code, filter_ in enumerate(["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]):
    hugging("vit_" + filter_, ViTImageProcessorPil(size={"height": 20, "width": 28}, resample=code))
hugging("clip", CLIPImageProcessorPil(size={"shortest_edge": 24}, crop_size={"height": 24, "width": 24}))
hugging("clip_crop", CLIPImageProcessorPil(size={"shortest_edge": 31}, crop_size={"height": 24, "width": 20}))
hugging("siglip", SiglipImageProcessorPil(size={"height": 32, "width": 32}))
hugging("convnext", ConvNextImageProcessorPil(size={"shortest_edge": 28}, crop_pct=0.875))
hugging("plain", ViTImageProcessorPil(do_resize=False, do_rescale=False, do_normalize=False))
hugging("raw", ViTImageProcessorPil(size={"height": 24, "width": 24}, do_rescale=False, image_mean=[128.0, 100.0, 90.0], image_std=[50.0, 60.0, 70.0]))
hugging("scaled", ViTImageProcessorPil(size={"height": 24, "width": 24}, rescale_factor=1 / 127.5, image_mean=[1.0, 1.0, 1.0], image_std=[1.0, 1.0, 1.0]))
hugging("fast_vit", T.ViTImageProcessor(size={"height": 24, "width": 24}))
hugging("fast_clip", T.CLIPImageProcessor(size={"shortest_edge": 31}, crop_size={"height": 24, "width": 24}))
hugging("fast_siglip", T.SiglipImageProcessor(size={"height": 32, "width": 32}))
hugging("fast_dinov2", T.BitImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 28, "width": 28}))
hugging("fast_dinov3", T.DINOv3ViTImageProcessor(size={"height": 28, "width": 28}))
for name, config in {
    "timm": dict(input_size=[3, 24, 24], interpolation="bicubic", crop_pct=0.9, mean=[0.5] * 3, std=[0.5] * 3),
    "timm_default": dict(input_size=[3, 28, 28]),
    "timm_squash": dict(input_size=[3, 24, 20], interpolation="bilinear", crop_pct=0.95, crop_mode="squash", mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    "timm_whole": dict(input_size=[3, 25, 25], interpolation="bicubic", crop_pct=1.0, crop_mode="center", mean=[0.48145466, 0.4578275, 0.40821073],
                       std=[0.26862954, 0.26130258, 0.27577711]),
}.items():
    data = timm.data.resolve_data_config({}, pretrained_cfg=config)
    case(name, "config.json", {"architecture": "vit_tiny_patch16_224", "pretrained_cfg": config}, timm.data.create_transform(**data, is_training=False))
for name, config in {
    "open_clip": dict(size=24),
    "open_clip_squash": dict(size=32, mean=[0.5] * 3, std=[0.5] * 3, interpolation="bicubic", resize_mode="squash"),
    "open_clip_odd": dict(size=[27, 27], interpolation="bilinear", resize_mode="shortest"),
}.items():
    transform = image_transform_v2(PreprocessCfg(**config), is_train=False)
    case(name, "open_clip_config.json", {"model_cfg": {"vision_cfg": {"image_size": 24}}, "preprocess_cfg": config}, transform)
np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "processors.npz"), **arrays)
