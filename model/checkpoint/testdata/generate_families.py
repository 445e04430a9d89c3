"""Tiny models of published families with random weights, and their outputs.

    python3 generate_families.py [FOLDER]

writes FOLDER/NAME/ (default: families) as the libraries themselves save them: model.safetensors and config.json, or
weights.safetensors of a state dict, in half precision; and golden.npz with inputs x0, x1 … and outputs y0, y1 ….
Weights and inputs are exact in half precision. Outputs are those of PyTorch in float32.

Made with torch 2.9.1, transformers 5.24.0, timm 1.0.31, torchvision 0.24.1, safetensors 0.8.0, numpy 2.4.6.
"""

import io
import json
import os
import sys
import warnings
import zipfile

import numpy as np
import timm
import torch
import torchvision
import transformers as T
from functools import partial
from safetensors.torch import save_file

warnings.filterwarnings("ignore")
torch.set_grad_enabled(False)
OUT = sys.argv[1] if len(sys.argv) > 1 else "families"
SMALL = dict(hidden_size=24, num_hidden_layers=2, num_attention_heads=2, intermediate_size=40, image_size=16, patch_size=4)


def randomize(model, seed):
    """Weights of a spread that keeps all parts of the output visible, exact in half precision."""
    g = torch.Generator().manual_seed(seed)
    for name, p in list(model.named_parameters()) + list(model.named_buffers()):
        if not p.is_floating_point() or not p.numel() or "inv_freq" in name or name.startswith("rope.") or name.endswith(("periods", "bias_mask", "relative_coords_table", "k_bias")):
            continue
        v = torch.randn(p.shape, generator=g) * (0.5 if p.ndim < 2 else (p.numel() / p.shape[0]) ** -0.5)
        if name.endswith("running_var"):
            v = v.abs() + 0.5
        elif p.ndim == 1 and name.endswith("weight") or "lambda" in name or "gamma" in name:
            v = v * 0.4 + 1
        p.copy_(v.half().float())
    return model.eval()


def images(seed, *shape):
    g = torch.Generator().manual_seed(1000 + seed)
    return torch.randn(shape, generator=g).half().float()


def case(name, model, forward, shapes, hub=True, state=None):
    folder = os.path.join(OUT, name)
    os.makedirs(folder, exist_ok=True)
    model = randomize(model, sum(map(ord, name)))
    arrays = {}
    for i, shape in enumerate(shapes):
        x = images(i, *shape)
        arrays[f"x{i}"] = (x.transpose(1, 2) if x.ndim == 5 else x).half().numpy()  # clips: frames before channels
        arrays[f"y{i}"] = forward(model, x).numpy().astype(np.float32)
    np.savez_compressed(os.path.join(folder, "golden.npz"), **arrays)
    if hub:
        model.half().save_pretrained(folder)
        for extra in ("generation_config.json",):
            if os.path.exists(os.path.join(folder, extra)):
                os.remove(os.path.join(folder, extra))
    else:
        tensors = {k: (v.half() if v.is_floating_point() and not k.endswith(("periods", "relative_coords_table")) else v).contiguous() for k, v in (state or (lambda m: m.state_dict()))(model).items()}
        save_file(tensors, os.path.join(folder, "weights.safetensors"))
    print(name, {k: list(v.shape) for k, v in arrays.items()}, flush=True)


last = lambda m, x: m(x).last_hidden_state
resized = lambda m, x: m(x, interpolate_pos_encoding=True).last_hidden_state
two = [(2, 3, 16, 16), (1, 3, 24, 20)]
small = dict(embed_dim=24, depth=2, num_heads=2, num_classes=0)


def hugging():
    case("vit", T.ViTModel(T.ViTConfig(**SMALL)), resized, two)
    case("deit", T.DeiTModel(T.DeiTConfig(**SMALL), add_pooling_layer=False), resized, two)
    case("mae", T.ViTMAEModel(T.ViTMAEConfig(mask_ratio=0.0, **SMALL)), lambda m, x: unshuffled(m, x), two[:1])
    case("ijepa", T.IJepaModel(T.IJepaConfig(**SMALL)), resized, two)
    case("dinov2", T.Dinov2Model(T.Dinov2Config(**SMALL)), last, two)
    case("dinov2_swiglu", T.Dinov2Model(T.Dinov2Config(use_swiglu_ffn=True, **SMALL)), last, two[:1])
    case("dinov2_registers", T.Dinov2WithRegistersModel(T.Dinov2WithRegistersConfig(num_register_tokens=3, **SMALL)), last, two)
    case("dinov3", T.DINOv3ViTModel(T.DINOv3ViTConfig(num_register_tokens=2, **SMALL)), last, two)
    case("dinov3_gated", T.DINOv3ViTModel(T.DINOv3ViTConfig(num_register_tokens=1, use_gated_mlp=True, hidden_act="silu", **SMALL)), last, two[:1])
    case("dinov3_gated_gelu", T.DINOv3ViTModel(T.DINOv3ViTConfig(use_gated_mlp=True, hidden_act="gelu", **SMALL)), last, two[:1])
    clip = T.CLIPVisionConfig(projection_dim=8, **SMALL)
    case("clip", T.CLIPVisionModelWithProjection(clip), lambda m, x: m(x, interpolate_pos_encoding=True).image_embeds, two)
    case("clip_vision", T.CLIPVisionModel(clip), lambda m, x: m(x, interpolate_pos_encoding=True).pooler_output, two)
    text = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=4, intermediate_size=8, vocab_size=16)
    case("clip_whole", T.CLIPModel(T.CLIPConfig(vision_config=SMALL | dict(projection_dim=8), text_config=text, projection_dim=8)),
         lambda m, x: m.visual_projection(m.vision_model(x).pooler_output), two[:1])
    case("siglip_whole", T.SiglipModel(T.SiglipConfig(vision_config=SMALL, text_config=text)),
         lambda m, x: m.vision_model(x).pooler_output, two[:1])
    case("siglip2", T.Siglip2VisionModel(T.Siglip2VisionConfig(num_patches=16, **{k: v for k, v in SMALL.items() if k != "image_size"})), patches, two + [(1, 3, 8, 12)])
    case("siglip", T.SiglipVisionModel(T.SiglipVisionConfig(**SMALL)), lambda m, x: m(x, interpolate_pos_encoding=True).pooler_output, two)
    video = T.VJEPA2Config(patch_size=4, crop_size=16, frames_per_clip=4, tubelet_size=2, hidden_size=24, num_attention_heads=2,
                           num_hidden_layers=2, pred_hidden_size=12, pred_num_attention_heads=2, pred_num_hidden_layers=1, mlp_ratio=2)
    case("vjepa2", T.VJEPA2Model(video), lambda m, x: m(pixel_values_videos=x.transpose(1, 2), skip_predictor=True).last_hidden_state,
         [(2, 3, 4, 16, 16), (1, 3, 6, 16, 16)])


    clips()


def clips():
    """VideoMAE before and after it has been trained to classify, and ViViT."""
    video = dict(num_frames=4, **SMALL)
    frames = [(2, 3, 4, 16, 16)]
    case("videomae", T.VideoMAEModel(T.VideoMAEConfig(use_mean_pooling=False, **video)), lambda m, x: m(x.transpose(1, 2)).last_hidden_state, frames)
    case("videomae_classifier", T.VideoMAEForVideoClassification(T.VideoMAEConfig(**video)), lambda m, x: m.videomae(x.transpose(1, 2)).last_hidden_state, frames)
    video = dict(num_frames=4, tubelet_size=[2, 4, 4], **{k: v for k, v in SMALL.items() if k != "patch_size"})
    case("vivit", T.VivitModel(T.VivitConfig(**video)), lambda m, x: m(x.transpose(1, 2)).last_hidden_state, frames)


def patches(m, x):
    """Images as rows of the pixels of their patches."""
    b, c, h, w = x.shape
    rows = x.reshape(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(b, -1, 16 * c)
    shapes = torch.tensor([[h // 4, w // 4]] * b)
    return m(pixel_values=rows, pixel_attention_mask=torch.ones(rows.shape[:2]), spatial_shapes=shapes).pooler_output


def convolutional():
    big = [(2, 3, 64, 64), (1, 3, 96, 64)]
    next_ = dict(hidden_sizes=[8, 8, 12, 16], depths=[1, 1, 2, 1])
    pooled = lambda m, x: m(x).pooler_output.flatten(1)
    case("convnext", T.ConvNextModel(T.ConvNextConfig(**next_)), pooled, big)
    case("convnext_v2", T.ConvNextV2Model(T.ConvNextV2Config(**next_)), pooled, big)
    case("convnext_dinov3", T.DINOv3ConvNextModel(T.DINOv3ConvNextConfig(**next_)), pooled, big)
    case("resnet", T.ResNetModel(T.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 16, 24], depths=[1, 2, 1, 1])), pooled, big)
    case("resnet_basic", T.ResNetModel(T.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 16, 24], depths=[1, 2, 1, 1], layer_type="basic")), pooled, big)
    whole = lambda m, x: m(x)
    timms = dict(num_classes=0, dims=(8, 8, 12, 16), depths=(1, 1, 2, 1))
    case("timm_convnext", timm.create_model("convnext_tiny", **timms), whole, big, hub=False)
    case("timm_convnext_v2", timm.create_model("convnextv2_atto", **timms), whole, big, hub=False)
    case("torchvision_convnext", ConvNeXt(), lambda m, x: m.classifier[0](m.avgpool(m.features(x))).flatten(1), big, hub=False)
    resnet = timm.models.resnet
    few = dict(layers=[2, 1, 1, 1], channels=(8, 8, 16, 24), num_classes=0)
    case("timm_resnet", resnet.ResNet(resnet.BasicBlock, **few), whole, big, hub=False)
    case("timm_resnet_deep", resnet.ResNet(resnet.Bottleneck, stem_width=6, stem_type="deep", avg_down=True, block_args=dict(attn_layer="se"), **few),
         whole, big + [(1, 3, 75, 66)], hub=False)
    plain = resnet.ResNet(resnet.BasicBlock, **few)
    case("resnet_sequence", torch.nn.Sequential(plain.conv1, plain.bn1, plain.act1, plain.maxpool, plain.layer1, plain.layer2, plain.layer3, plain.layer4,
                                                torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()), whole, big[:1], hub=False)
    case("timm_resnext", resnet.ResNet(resnet.Bottleneck, cardinality=4, base_width=16, **few), whole, big[:1], hub=False)


def ConvNeXt():
    from torchvision.models.convnext import CNBlockConfig
    return torchvision.models.ConvNeXt([CNBlockConfig(8, 8, 1), CNBlockConfig(8, 12, 1), CNBlockConfig(12, 16, 2), CNBlockConfig(16, None, 1)])


def relative():
    """Relative positions, and rotary ones that no tensor records."""
    square = two[:1]
    beit = dict(use_relative_position_bias=True, layer_scale_init_value=0.1, **SMALL)
    case("beit", T.BeitModel(T.BeitConfig(**beit)), lambda m, x: m(x).pooler_output, square)
    case("beit_shared", T.BeitModel(T.BeitConfig(use_shared_relative_position_bias=True, use_mean_pooling=False, use_absolute_position_embeddings=True, **SMALL)),
         last, square)
    case("data2vec_vision", T.Data2VecVisionModel(T.Data2VecVisionConfig(use_shared_relative_position_bias=True, **SMALL)), last, square)
    tiny = dict(img_size=16, patch_size=4, **small)
    whole = lambda m, x: m(x)
    case("timm_beit", timm.create_model("beit_base_patch16_224", **tiny), whole, square, hub=False)
    case("timm_beit_shared", timm.create_model("beitv2_base_patch16_224", use_rel_pos_bias=False, use_shared_rel_pos_bias=True, global_pool="token", **tiny),
         lambda m, x: m.forward_features(x), square, hub=False)
    dynamic = dict(dynamic_img_size=True, **tiny)
    case("timm_eva", timm.create_model("eva_giant_patch14_224", **dynamic), whole, two, hub=False)
    case("timm_eva_after", timm.create_model("eva02_enormous_patch14_clip_224", mlp_ratio=2, **dynamic), lambda m, x: m.forward_features(x), two, hub=False)
    named("timm_eva_after", "eva02_enormous_patch14_clip_224")
    case("timm_eva02", timm.create_model("eva02_tiny_patch14_224", **dynamic), whole, two, hub=False)
    case("timm_eva02_base", timm.create_model("eva02_base_patch14_224", **dynamic), whole, two, hub=False)
    case("timm_eva02_clip", timm.create_model("eva02_base_patch16_clip_224", **dynamic), lambda m, x: m.forward_features(x), two, hub=False)
    case("timm_pe_core", timm.create_model("vit_pe_core_tiny_patch16_384", ref_feat_shape=(4, 4), **dynamic), whole, two, hub=False)
    case("timm_pe_core_gigantic", timm.create_model("vit_pe_core_gigantic_patch14_448", ref_feat_shape=(4, 4), mlp_ratio=2, **dynamic), whole, two, hub=False)


def preactivated():
    whole = lambda m, x: m(x)
    big = [(2, 3, 64, 64), (1, 3, 75, 66)]
    few = dict(layers=[2, 1, 1, 1], channels=(8, 8, 16, 24), stem_chs=8, num_classes=0)
    groups = dict(layers=[2, 1, 1, 1], channels=(64, 64, 64, 64), stem_chs=32, bottle_ratio=0.5, num_classes=0)
    resnet = timm.models.resnetv2
    layers = timm.layers
    norm = partial(layers.GroupNormAct, num_groups=32)
    case("timm_bit", resnet.ResNetV2(conv_layer=partial(layers.StdConv2d, eps=1e-8), norm_layer=norm, stem_type="fixed", **groups), whole, big, hub=False)
    case("timm_resnet_v2", resnet.ResNetV2(conv_layer=layers.create_conv2d, norm_layer=layers.BatchNormAct2d, **few), whole, big, hub=False)
    case("timm_resnet_v2_basic", resnet.ResNetV2(conv_layer=layers.create_conv2d, norm_layer=layers.BatchNormAct2d, bottle_ratio=1.0, basic=True, **few), whole, big[:1], hub=False)


def unshuffled(m, x):
    """All tokens in their order: the noise of the masking is increasing."""
    n = (x.shape[2] // 4) * (x.shape[3] // 4)
    return m(x, noise=torch.arange(n).float().repeat(len(x), 1)).last_hidden_state


def other():
    features = lambda m, x: m.forward_features(x)
    dynamic = dict(dynamic_img_size=True, img_size=16, patch_size=4, **small)
    case("timm_vit", timm.create_model("vit_tiny_patch16_224", **dynamic), features, two, hub=False)
    case("timm_registers", timm.create_model("vit_small_patch14_reg4_dinov2", **dynamic), features, two, hub=False)
    case("timm_swiglu", timm.create_model("vit_giant_patch14_reg4_dinov2", **dynamic), features, two[:1], hub=False)
    case("timm_gap",
         timm.create_model("vit_tiny_patch16_224", global_pool="avg", **dynamic), lambda m, x: m(x), two[:1], hub=False)
    case("timm_clip", timm.create_model("vit_base_patch32_clip_224", **dynamic), features, two, hub=False)
    case("timm_siglip", timm.create_model("vit_base_patch16_siglip_224", **dynamic), lambda m, x: m(x), two, hub=False)
    case("timm_dinov3", timm.create_model("vit_small_patch16_dinov3", **dynamic), features, two, hub=False)
    case("timm_distilled", timm.create_model("deit_tiny_distilled_patch16_224", **dynamic), features, two, hub=False)
    case("torchvision_vit", torchvision.models.VisionTransformer(image_size=16, patch_size=4, num_layers=2, num_heads=2, hidden_dim=24, mlp_dim=40),
         lambda m, x: m.encoder(torch.cat([m.class_token.expand(len(x), -1, -1), m._process_input(x)], 1)), two[:1], hub=False)


def swin():
    two = [(1, 3, 48, 48), (1, 3, 60, 52)]
    sizes = dict(patch_size=2, embed_dim=4, num_classes=0, mlp_ratio=2.0)
    layout = dict(depths=(2, 1, 2, 1), num_heads=(1, 2, 2, 4))

    def at(name, **kw):
        """Of the size of the images: timm decides windows when a model is made."""
        def forward(m, x):
            m2 = timm.create_model(name, img_size=tuple(x.shape[2:]), **kw, **sizes, **layout).eval()
            m2.load_state_dict(m.state_dict())
            return m2(x)
        return forward

    for version, shapes, kw in ((1, two, dict(window_size=3)), (2, two, dict(window_size=3)),
                                (2, two[:1], dict(window_size=6, pretrained_window_sizes=(3, 3, 3, 2)))):
        name = "swin_tiny_patch4_window7_224" if version == 1 else "swinv2_tiny_window8_256"
        folder = "timm_swin" + {1: "", 2: "_v2"}[version] + ("_before" if len(kw) > 1 else "")
        case(folder, timm.create_model(name, img_size=48, **kw, **sizes, **layout), at(name, **kw), shapes, hub=False)
        if version == 2:
            published = "swinv2_tiny_window3to6_24to48" if len(kw) > 1 else "swinv2_tiny_window3_48"
            named(folder, published)
    hub = dict(image_size=48, patch_size=2, embed_dim=4, depths=[2, 1, 2, 1], num_heads=[1, 2, 2, 4], mlp_ratio=2.0)
    pooled = lambda m, x: m(x).pooler_output
    case("swin", T.SwinModel(T.SwinConfig(window_size=3, **hub)), pooled, two)
    case("swin_v2", T.Swinv2Model(T.Swinv2Config(window_size=3, **hub)), pooled, two)
    case("swin_v2_before", T.Swinv2Model(T.Swinv2Config(window_size=6, pretrained_window_sizes=[3, 3, 3, 2], **hub)), pooled, two[:1])
    vision = torchvision.models.swin_transformer
    sizes = dict(patch_size=[2, 2], embed_dim=4, depths=[2, 1, 2, 1], num_heads=[1, 2, 2, 4], window_size=[3, 3], mlp_ratio=2.0, num_classes=1)

    def features(m, x):
        m.head = torch.nn.Identity()
        return m(x)

    small = two + [(1, 3, 30, 34)]
    case("torchvision_swin", vision.SwinTransformer(**sizes), features, small, hub=False)
    v2 = dict(block=vision.SwinTransformerBlockV2, downsample_layer=vision.PatchMergingV2)
    case("torchvision_swin_v2", vision.SwinTransformer(**sizes, **v2), features, small, hub=False)


def efficient():
    """Tiny by a width factor; the channels of the original plans otherwise."""
    big = [(1, 3, 40, 48), (1, 3, 35, 33)]
    whole = lambda m, x: m(x)
    builder = timm.models._efficientnet_builder
    from timm.models.efficientnet import EfficientNet
    from timm.models.mobilenetv3 import MobileNetV3

    def net(kind, plan, act, **kw):
        return kind(builder.decode_arch_def(plan, depth_multiplier=1.0), num_classes=0, stem_size=8,
                    act_layer=timm.layers.get_act_layer(act), **kw)

    v1 = [["ds_r1_k3_s1_e1_c8_se0.25"], ["ir_r2_k3_s2_e2_c12_se0.25"], ["ir_r1_k5_s2_e2_c12_se0.25"], ["ir_r1_k3_s2_e2_c16_se0.25"],
          ["ir_r2_k5_s1_e2_c16_se0.25"], ["ir_r1_k5_s2_e2_c20_se0.25"], ["ir_r1_k3_s1_e2_c24_se0.25"]]
    exact = dict(round_chs_fn=lambda c: c)
    head = dict(num_features=28, **exact)
    case("timm_efficientnet", net(EfficientNet, v1, "swish", **head), whole, big, hub=False)
    tf = dict(pad_type="same", norm_layer=partial(torch.nn.BatchNorm2d, eps=1e-3))
    case("timm_tf_efficientnet", net(EfficientNet, v1, "swish", **head, **tf), whole, big, hub=False)
    named("timm_tf_efficientnet", "tf_efficientnet_b0")
    v2 = [["cn_r2_k3_s1_e1_c8_skip"], ["er_r2_k3_s2_e2_c8"], ["er_r1_k3_s2_e2_c12"], ["ir_r2_k3_s2_e2_c12_se0.25"],
          ["ir_r1_k3_s1_e2_c16_se0.25"], ["ir_r1_k3_s2_e2_c20_se0.25"]]
    case("timm_efficientnet_v2", net(EfficientNet, v2, "swish", **head), whole, big, hub=False)
    named("timm_efficientnet_v2", "efficientnetv2_s")
    lite = [[s[0].replace("_se0.25", "")] for s in v1]
    case("timm_efficientnet_lite", net(EfficientNet, lite, "relu6", **head), whole, big[:1], hub=False)
    mobile = [["ds_r1_k3_s1_e1_c8_nre"], ["ir_r2_k3_s2_e2_c12_nre"], ["ir_r1_k5_s2_e2_c12_se0.25_nre"], ["ir_r1_k3_s2_e2_c16"],
              ["ir_r2_k3_s1_e2_c16_se0.25"], ["ir_r1_k5_s2_e2_c20_se0.25"], ["cn_r1_k1_s1_c24"]]
    small = [["ds_r1_k3_s2_e1_c8_se0.25_nre"], ["ir_r2_k3_s2_e2_c12_nre"], ["ir_r1_k5_s2_e2_c12_se0.25"], ["ir_r1_k5_s1_e2_c16_se0.25"],
             ["ir_r1_k5_s2_e2_c20_se0.25"], ["cn_r1_k1_s1_c24"]]
    from timm.models.mobilenetv3 import SqueezeExcite
    se = partial(SqueezeExcite, gate_layer="hard_sigmoid", force_act_layer=torch.nn.ReLU)
    for folder, plan in (("timm_mobilenet_v3", mobile), ("timm_mobilenet_v3_small", small)):
        case(folder, net(MobileNetV3, plan, "hard_swish", se_layer=se, **head), whole, big, hub=False)
    hub = T.EfficientNetConfig(width_coefficient=0.25, depth_coefficient=1.0, depth_divisor=4, num_block_repeats=[1, 2, 1, 1, 2, 1, 1],
                               hidden_dim=320, out_channels=[16, 32, 48, 64, 80, 96, 112], in_channels=[32, 16, 32, 48, 64, 80, 96],
                               expand_ratios=[1, 2, 2, 2, 2, 2, 2], depthwise_padding=[4])
    case("efficientnet", T.EfficientNetModel(hub), lambda m, x: m(x).pooler_output, big)
    vision = torchvision.models.efficientnet
    M, F = vision.MBConvConfig, vision.FusedMBConvConfig
    B = partial(M, width_mult=0.25, depth_mult=1.0)
    plan = [B(1, 3, 1, 32, 32, 1), B(2, 3, 2, 32, 48, 2), B(2, 5, 2, 48, 64, 1), B(2, 3, 2, 64, 80, 1), B(2, 5, 1, 80, 96, 2), B(2, 5, 2, 96, 112, 1), B(2, 3, 1, 112, 128, 1)]
    pooled = lambda m, x: m.avgpool(m.features(x)).flatten(1)
    case("torchvision_efficientnet", vision.EfficientNet(plan, 0.2, num_classes=1), pooled, big, hub=False)
    plan = [F(1, 3, 1, 8, 8, 2), F(2, 3, 2, 8, 12, 1), F(2, 3, 2, 12, 16, 1), M(2, 3, 2, 16, 20, 2), M(2, 3, 1, 20, 24, 1), M(2, 3, 2, 24, 28, 1)]
    case("torchvision_efficientnet_v2", vision.EfficientNet(plan, 0.2, num_classes=1, last_channel=32, norm_layer=partial(torch.nn.BatchNorm2d, eps=1e-3)), pooled, big, hub=False)
    vision = torchvision.models.mobilenetv3
    I = partial(vision.InvertedResidualConfig, dilation=1, width_mult=1.0)
    def plan(rows): return [I(i, k, e, o, s, "HS" if h else "RE", t) for i, k, e, o, s, h, t in rows]
    large = plan([(8, 3, 8, 8, False, 0, 1), (8, 3, 16, 16, False, 0, 2), (16, 3, 24, 16, False, 0, 1), (16, 5, 24, 24, True, 0, 2), (24, 3, 32, 32, False, 1, 2), (32, 3, 40, 40, True, 1, 1), (40, 5, 48, 48, True, 1, 2)])
    case("torchvision_mobilenet_v3", vision.MobileNetV3(large, 8, num_classes=1), pooled, big, hub=False)
    small = plan([(8, 3, 8, 8, True, 0, 2), (8, 3, 16, 16, False, 0, 2), (16, 3, 24, 16, False, 0, 1), (16, 5, 24, 24, True, 1, 2), (24, 5, 32, 32, True, 1, 1), (32, 5, 40, 40, True, 1, 2)])
    case("torchvision_mobilenet_v3_small", vision.MobileNetV3(small, 8, num_classes=1), pooled, big, hub=False)


class Residual(torch.nn.Module):
    def __init__(self, channels, first, second):
        super().__init__()
        self.names = first, second
        for name in self.names:
            setattr(self, name, torch.nn.Conv2d(channels, channels, 3, padding=1))

    def forward(self, x):
        y = x
        for name in self.names:
            y = getattr(self, name)(y.relu())
        return x + y


class Sequence(torch.nn.Module):
    """A sequence of IMPALA: the names of its residual blocks and of their convolutions differ among libraries."""

    def __init__(self, inputs, channels, blocks, convs):
        super().__init__()
        self.conv, self.blocks = torch.nn.Conv2d(inputs, channels, 3, padding=1), blocks
        for block in blocks:
            setattr(self, block, Residual(channels, *convs))

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(self.conv(x), 3, stride=2, padding=1)
        for block in self.blocks:
            x = getattr(self, block)(x)
        return x


class Named(torch.nn.Module):
    """Modules of any names, applied in their order by a function."""

    def __init__(self, apply, **modules):
        super().__init__()
        self.apply_ = apply
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x):
        return self.apply_(self, x)


def agents():
    """The encoders of agents as CleanRL (09f7a7f), Stable-Baselines3, train-procgen-pytorch (03bbd04) and TorchBeast (3f3029c)
    define them, written again from their definitions, with few channels."""
    nn = torch.nn
    convs = lambda: [nn.Conv2d(4, 3, 8, 4), nn.ReLU(), nn.Conv2d(3, 4, 4, 2), nn.ReLU(), nn.Conv2d(4, 5, 3, 1), nn.ReLU(), nn.Flatten()]
    head = lambda n: nn.Sequential(nn.Linear(n, 6), nn.ReLU())
    atari = [(1, 4, 84, 84)]
    case("cleanrl_nature", Named(lambda m, x: m.network(x), network=nn.Sequential(*convs(), *head(245)), actor=nn.Linear(6, 2), critic=nn.Linear(6, 1)),
         lambda m, x: m(x), atari, hub=False)
    extractor = Named(lambda m, x: m.linear(m.cnn(x)), cnn=nn.Sequential(*convs()), linear=head(245))
    case("sb3_nature", Named(lambda m, x: m.features_extractor(x), features_extractor=extractor, action_net=nn.Linear(6, 2)),
         lambda m, x: m(x), atari, hub=False)
    sequence = lambda inputs, channels: Sequence(inputs, channels, ("res_block0", "res_block1"), ("conv0", "conv1"))
    procgen = [(1, 3, 64, 64)]
    network = nn.Sequential(sequence(3, 3), sequence(3, 4), sequence(4, 4), nn.Flatten(), nn.ReLU(), nn.Linear(256, 6), nn.ReLU())
    case("cleanrl_impala", Named(lambda m, x: m.network(x), network=network, actor=nn.Linear(6, 2), critic=nn.Linear(6, 1)), lambda m, x: m(x), procgen, hub=False)
    block = lambda inputs, channels: Sequence(inputs, channels, ("res1", "res2"), ("conv1", "conv2"))
    embedder = Named(lambda m, x: m.fc(m.block3(m.block2(m.block1(x))).relu().flatten(1)).relu(),
                     block1=block(3, 3), block2=block(3, 4), block3=block(4, 4), fc=nn.Linear(256, 6))
    case("procgen_impala", Named(lambda m, x: m.embedder(x), embedder=embedder, fc_policy=nn.Linear(6, 2), fc_value=nn.Linear(6, 1)), lambda m, x: m(x), procgen, hub=False)
    channels = [4, 3, 4, 4]
    residuals = lambda: nn.ModuleList(nn.Sequential(nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1)) for c in channels[1:])

    def beast(m, x):
        for i, conv in enumerate(m.feat_convs):
            x = conv(x)
            x = x + m.resnet1[i](x)
            x = x + m.resnet2[i](x)
        return m.fc(x.relu().flatten(1)).relu()

    feats = nn.ModuleList(nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.MaxPool2d(3, 2, 1)) for a, b in zip(channels, channels[1:]))
    case("torchbeast_impala", Named(beast, feat_convs=feats, resnet1=residuals(), resnet2=residuals(), fc=nn.Linear(4 * 11 * 11, 6),
                                    policy=nn.Linear(7, 2), baseline=nn.Linear(7, 1)), lambda m, x: m(x), atari, hub=False)


def vectors():
    """Layers of agents of vectors as Stable-Baselines3 names them; the last one of the third is a head."""
    nn = torch.nn
    layers = lambda act, *widths: nn.Sequential(*[m for a, b in zip(widths, widths[1:]) for m in (nn.Linear(a, b), act())])
    few = [(3, 5)]
    extractor = Named(None, policy_net=layers(nn.Tanh, 5, 7, 4), value_net=layers(nn.Tanh, 5, 3))
    case("sb3_vectors", Named(lambda m, x: m.mlp_extractor.policy_net(x), mlp_extractor=extractor, action_net=nn.Linear(4, 2), value_net=nn.Linear(3, 1)),
         lambda m, x: m(x), few, hub=False)
    actor = Named(None, latent_pi=layers(nn.ReLU, 5, 7, 4), mu=nn.Linear(4, 2), log_std=nn.Linear(4, 2))
    case("sb3_latent_pi", Named(lambda m, x: m.actor.latent_pi(x), actor=actor, critic=Named(None, qf0=layers(nn.ReLU, 7, 4, 1)[:-1])),
         lambda m, x: m(x), few, hub=False)
    net = lambda: Named(None, q_net=layers(nn.ReLU, 5, 7, 4, 2)[:-1])
    case("sb3_values", Named(lambda m, x: m.q_net.q_net[:4](x), q_net=net(), q_net_target=net()), lambda m, x: m(x), few, hub=False)


def policies():
    """A model of Stable-Baselines3 2.9.2 as it is saved but for what describes the machine, with gymnasium 1.4.0."""
    import gymnasium
    import stable_baselines3 as sb3

    class Vectors(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(-1, 1, (5,), np.float32)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, seed=None, options=None):
            return np.zeros(5, np.float32), {}

    folder = os.path.join(OUT, "sb3_saved")
    os.makedirs(folder, exist_ok=True)
    agent = sb3.A2C("MlpPolicy", Vectors(), device="cpu", policy_kwargs=dict(net_arch=[7, 4]))
    randomize(agent.policy, 11)
    whole = io.BytesIO()
    agent.save(whole)
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(os.path.join(folder, "model.zip"), "w") as out:
        for name in read.namelist():
            if name not in ("data", "system_info.txt"):  # which describe the machine
                out.writestr(zipfile.ZipInfo(name), read.read(name))
    x = images(0, 3, 5)
    np.savez_compressed(os.path.join(folder, "golden.npz"), x0=x.half().numpy(), y0=agent.policy.mlp_extractor.policy_net(x).numpy())


def eight():
    """Weights of 8 bits, which are exact in the file."""
    nn = torch.nn
    model = randomize(nn.Sequential(nn.Conv2d(4, 3, 8, 4), nn.ReLU(), nn.Conv2d(3, 4, 4, 2), nn.ReLU(), nn.Conv2d(4, 5, 3, 1), nn.ReLU(),
                                    nn.Flatten(), nn.Linear(245, 6), nn.ReLU()), 8)
    tensors = {k: v.to(torch.float8_e4m3fn if k.endswith("weight") else torch.float8_e5m2) for k, v in model.state_dict().items()}
    model.load_state_dict({k: v.float() for k, v in tensors.items()})
    x = images(0, 1, 4, 84, 84)
    folder = os.path.join(OUT, "nature_eight_bits")
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, "weights.safetensors"))
    np.savez_compressed(os.path.join(folder, "golden.npz"), x0=x.half().numpy(), y0=model(x).numpy())


def towers():
    """Encoders of tokens: two sequences, of which the second has padding, and the first one masked token."""
    tiny = dict(vocab_size=33, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, max_position_embeddings=32)
    esm = dict(pad_token_id=1, mask_token_id=32, layer_norm_eps=1e-5, **tiny)
    models = dict(
        bert=T.BertForMaskedLM(T.BertConfig(**tiny)),
        bert_base=T.BertModel(T.BertConfig(hidden_act="gelu_new", **tiny)),
        roberta=T.RobertaForMaskedLM(T.RobertaConfig(type_vocab_size=1, **tiny)),
        esm2=T.EsmForMaskedLM(T.EsmConfig(position_embedding_type="rotary", token_dropout=True, emb_layer_norm_before=False, **esm)),
        esm1b=T.EsmModel(T.EsmConfig(position_embedding_type="absolute", token_dropout=False, emb_layer_norm_before=True, **esm)))
    g = torch.Generator().manual_seed(5)
    ids = torch.randint(4, 32, (2, 11), generator=g)
    ids[0, 3] = 32
    mask = torch.ones_like(ids)
    mask[1, 8:] = 0
    for name, model in models.items():
        model = randomize(model, sum(map(ord, name)))
        model.config._attn_implementation = "eager"
        tokens = ids.clone()
        tokens[1, 8:] = model.config.pad_token_id
        out = model(input_ids=tokens, attention_mask=mask, output_hidden_states=True, output_attentions=True)
        arrays = dict(ids=tokens.numpy(), mask=mask.numpy(), hidden=out.hidden_states[-1].numpy(), attentions=torch.stack(out.attentions).numpy())
        if "last_hidden_state" in out:
            arrays["hidden"] = out.last_hidden_state.numpy()
        if "logits" in out:
            arrays["logits"] = out.logits.numpy()
        folder = os.path.join(OUT, name)
        model.half()
        if name == "esm2":  # frequencies of a rotary embedding keep their precision
            model.esm.rotary_embeddings.inv_freq = 1 / 10000 ** (torch.arange(0, 8, 2) / 8)
        model.save_pretrained(folder)
        np.savez_compressed(os.path.join(folder, "tokens.npz"), **arrays)
        print(name, {k: list(v.shape) for k, v in arrays.items()}, flush=True)


def original_tower():
    """ESM-2 of fair-esm 2.0.0, with the names of its files."""
    from esm.model.esm2 import ESM2
    model = randomize(ESM2(num_layers=2, embed_dim=16, attention_heads=2), 17)
    g = torch.Generator().manual_seed(5)
    ids = torch.randint(4, 24, (2, 11), generator=g)
    ids[0, 3] = 32
    ids[1, 8:] = 1
    seen = []  # the model itself clears the attentions of padding
    for layer in model.layers:
        layer.register_forward_hook(lambda m, x, y: seen.append(y[1].permute(1, 0, 2, 3)))
    out = model(ids, repr_layers=[2], need_head_weights=True)
    arrays = dict(ids=ids.numpy(), mask=(ids != 1).long().numpy(), hidden=out["representations"][2].numpy(), logits=out["logits"].numpy(),
                  attentions=torch.stack(seen).numpy())
    folder = os.path.join(OUT, "esm2_original")
    os.makedirs(folder, exist_ok=True)
    head = ("lm_head.", "contact_head.")
    state = {("encoder." if k.startswith(head) else "encoder.sentence_encoder.") + k: v.half() if "inv_freq" not in k else v
             for k, v in model.state_dict().items() if not k.startswith("contact_head.")}
    torch.save(dict(args=None, model=state), os.path.join(folder, "esm2.pt"))
    np.savez_compressed(os.path.join(folder, "tokens.npz"), **arrays)


def named(folder, architecture):
    with open(os.path.join(OUT, folder, "config.json"), "w") as f:
        json.dump(dict(architecture=architecture), f)


if __name__ == "__main__":
    if len(sys.argv) > 2:  # some of the groups: python3 generate_families.py families swin
        for group in sys.argv[2:]:
            globals()[group]()
        sys.exit()
    hugging()
    swin()
    efficient()
    agents()
    vectors()
    policies()
    towers()
    original_tower()
    eight()
    other()
    convolutional()
    relative()
    preactivated()
