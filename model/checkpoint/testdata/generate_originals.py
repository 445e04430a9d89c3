"""As generate_families.py, for state dicts in the layout of the code that published the models.

    python3 generate_originals.py FOLDER REPOSITORIES

REPOSITORIES is a folder with clones of github.com/facebookresearch/dinov2 (b8931f7), dinov3 (6876159), vjepa2 (c2963a4)
and ijepa (52c1ae9), whose modules are imported, and nothing of which is stored here but outputs. Also made with open_clip_torch.
"""

import os
import sys

import torch

sys.argv, arguments = sys.argv[:2], sys.argv
import generate_families as g

REPOSITORIES = arguments[2]


def module(repository, name, folder=""):
    """A module of a repository; modules of others with the same names are forgotten."""
    for loaded in list(sys.modules):
        if loaded.split(".")[0] in ("src", "dinov2", "dinov3", "app"):
            del sys.modules[loaded]
    sys.path.insert(0, os.path.join(REPOSITORIES, repository))
    try:
        return __import__(name, fromlist=["x"])
    finally:
        sys.path.pop(0)


small = dict(patch_size=4, embed_dim=24, depth=2, num_heads=2)
two = [(2, 3, 16, 16), (1, 3, 24, 20)]


def tokens(m, x):
    """The normalized tokens: class token, registers, patches."""
    out = m.forward_features(x)
    registers = out.get("x_norm_regtokens", out.get("x_storage_tokens"))
    return torch.cat([out["x_norm_clstoken"][:, None]] + ([registers] if registers.shape[1] else []) + [out["x_norm_patchtokens"]], 1)


def dino():
    vit = module("dinov2", "dinov2.models.vision_transformer")
    settings = dict(img_size=16, init_values=1.0, block_chunks=0, ffn_layer="mlp", **small)
    g.case("dinov2_original", vit.DinoVisionTransformer(**settings), tokens, two, hub=False)
    g.case("dinov2_original_registers", vit.DinoVisionTransformer(**settings | dict(
        num_register_tokens=3, interpolate_antialias=True, interpolate_offset=0.0)), tokens, two, hub=False)
    g.case("dinov2_original_swiglu", vit.DinoVisionTransformer(**settings | dict(ffn_layer="swiglu")), tokens, two[:1], hub=False)
    vit = module("dinov3", "dinov3.models.vision_transformer")
    settings = dict(img_size=16, layerscale_init=1.0, n_storage_tokens=2, mask_k_bias=True, norm_layer="layernormbf16",
                    pos_embed_rope_dtype="fp32", **small)
    g.case("dinov3_original", masked(vit.DinoVisionTransformer(**settings)), tokens, two, hub=False)
    g.case("dinov3_original_swiglu", masked(vit.DinoVisionTransformer(**settings | dict(ffn_layer="swiglu"))), tokens, two[:1], hub=False)


def masked(m):
    """With the mask of the biases as published files have it: none for keys."""
    m.init_weights()
    for name, b in m.named_buffers():
        if name.endswith("bias_mask"):
            n = len(b) // 3
            b[:] = 1
            b[n:2 * n] = 0
    return m


def jepa():
    vit = module("ijepa", "src.models.vision_transformer")
    g.case("ijepa_original", vit.VisionTransformer(img_size=[16], qkv_bias=True, norm_layer=norm, **small), whole, two[:1], hub=False)
    vit = module("vjepa2", "src.models.vision_transformer")
    clip = dict(img_size=16, num_frames=4, tubelet_size=2, qkv_bias=True, norm_layer=norm, **small)
    shapes = [(2, 3, 4, 16, 16), (1, 3, 6, 24, 20)]
    g.case("vjepa2_original", vit.VisionTransformer(use_rope=True, **clip), whole, shapes, hub=False)
    g.case("vjepa1_original", vit.VisionTransformer(handle_nonsquare_inputs=True, **clip | dict(num_frames=16)), whole,
           [(1, 3, 16, 16, 16), (1, 3, 16, 24, 20)], hub=False)


def norm(width):
    return torch.nn.LayerNorm(width, eps=1e-6)


whole = lambda m, x: m(x)


def clip():
    import open_clip
    config = dict(embed_dim=8, vision_cfg=dict(image_size=16, layers=2, width=24, head_width=12, patch_size=4),
                  text_cfg=dict(context_length=8, vocab_size=16, width=8, heads=2, layers=1))
    g.case("open_clip", open_clip.CLIP(**config), lambda m, x: m.encode_image(x), two[:1], hub=False)


if __name__ == "__main__":
    dino()
    jepa()
    clip()
