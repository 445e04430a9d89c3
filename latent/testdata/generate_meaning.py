"""Writes meaning.tar.gz: models of sentences, pictures and captions with random weights, and golden.json.

sentence*.onnx and vision_*.onnx are encoders as PyTorch exports them; captioner_blip and captioner_vit are folders as Optimum
writes them: a BLIP, and a vision transformer with GPT-2. golden.json holds what ONNX Runtime answers (embeddings), and
the tokens that transformers' generate makes of a few pictures, greedily.

    python generate_meaning.py    # torch, transformers, tokenizers, onnx, onnxscript, onnxruntime, pillow; versions in golden.json
"""
import gzip
import json
import io
import os
import shutil
import tarfile
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import PIL
import tokenizers
import torch
import transformers
from PIL import Image

from generate_language import strip

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
here = os.path.dirname(os.path.abspath(__file__))
root = tempfile.mkdtemp()
SIZES = [(30, 31), (24, 24), (18, 40), (64, 50), (25, 60), (52, 47), (24, 31), (12, 9)]
TEXTS = ["a login screen", "a login screen with a button", "a map with pins and a search bar", "settings: notifications, privacy",
         "a", "", "a shopping cart with 3 items and a very long list of other things that one could buy here if one had to buy any of them"]


def picture(k):
    """A picture [h, w, 3] of bytes by a formula."""
    h, w = SIZES[k]
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    return ((x * (3 + k) + y * (7 + 2 * k) + c * 29 + (x * y) // (5 + k) + 40 * ((x // 6 + y // 9 + c) % 2) * (k % 3)) % 256).astype(np.uint8)


def export(module, inputs, file, ins, outs, axes, opset=17):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    torch.onnx.export(module.eval(), inputs, file, input_names=ins, output_names=outs, opset_version=opset, dynamo=False, dynamic_axes=axes)
    strip(file)


class Lambda(torch.nn.Module):
    def __init__(self, model, f):
        super().__init__()
        self.model, self.f = model, f

    def forward(self, *args):
        return self.f(self.model, *args)


def randomize(model, seed, loud=1.5):
    """Weights of which tokens and patches matter, and of few bits, so that files are small."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for key, p in model.named_parameters():
            if p.dim() > 1:
                fan = 1 if "embed" in key and "patch_embedding" not in key or "wte" in key or "wpe" in key else p[0].numel()
                p.copy_(loud * torch.randn_like(p) / fan**0.5)
            elif "weight" not in key:
                p.copy_(0.1 * torch.randn_like(p))
            p.copy_(p.bfloat16().float())


def session(file):
    return onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])


def sentences(golden):
    from transformers import BertConfig, BertModel
    tokens = tokenizers.Tokenizer.from_file(os.path.join(root, "captioner_blip", "tokenizer.json"))
    bert = BertModel(BertConfig(vocab_size=tokens.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                                max_position_embeddings=64, attn_implementation="eager"))
    randomize(bert, 3)
    ids = torch.randint(5, 90, (2, 9))
    one = torch.ones_like(ids)

    def all_of(m, i, a, t):
        o = m(input_ids=i, attention_mask=a, token_type_ids=t)
        w = a.unsqueeze(-1).to(o.last_hidden_state.dtype)
        mean = (o.last_hidden_state * w).sum(1) / w.sum(1).clamp(min=1e-9)
        return o.last_hidden_state, o.pooler_output, torch.nn.functional.normalize(mean + 1, dim=1)

    free = {0: "batch", 1: "length"}
    ins = ["input_ids", "attention_mask", "token_type_ids"]
    export(Lambda(bert, all_of), (ids, one, 0 * one), os.path.join(root, "sentence.onnx"), ins, ["last_hidden_state", "pooler_output", "sentence_embedding"],
           {n: free for n in [*ins, "last_hidden_state"]} | {"pooler_output": {0: "batch"}, "sentence_embedding": {0: "batch"}})
    fixed = torch.randint(5, 90, (1, 40))
    export(Lambda(bert, lambda m, i, a: m(input_ids=i, attention_mask=a).last_hidden_state), (fixed, torch.ones_like(fixed)), os.path.join(root, "sentence_fixed.onnx"),
           ["input_ids", "attention_mask"], ["last_hidden_state"], {})
    a = session(os.path.join(root, "sentence.onnx"))
    for text in TEXTS:
        e = tokens.encode(text)
        ids, mask = np.array([e.ids]), np.array([e.attention_mask])
        hidden, vector, sentence = a.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * ids})
        golden["sentences"].append({"text": text, "ids": e.ids, "mean": hidden[0].astype(float).mean(0).tolist(), "cls": hidden[0, 0].tolist(), "pooler": vector[0].tolist(),
                                    "sentence": sentence[0].tolist()})


def processed(p, k):
    """What the processor of a folder makes of a picture, by Pillow and NumPy."""
    im = Image.fromarray(picture(k))
    if "shortest_edge" in p["size"]:
        w, h = im.size
        s = p["size"]["shortest_edge"]
        im = im.resize((s, int(s * h / w)) if w <= h else (int(s * w / h), s), p["resample"])
        ch, cw = p["crop_size"]["height"], p["crop_size"]["width"]
        w, h = im.size
        left, top = (w - cw) // 2, (h - ch) // 2
        im = im.crop((left, top, left + cw, top + ch))
    else:
        im = im.resize((p["size"]["width"], p["size"]["height"]), p["resample"])
    v = np.asarray(im).astype(np.float64) * p["rescale_factor"]
    v = (v - np.array(p["image_mean"])) / np.array(p["image_std"])
    return torch.from_numpy(v.transpose(2, 0, 1)[None].astype(np.float32))


CLIP = {"image_processor_type": "CLIPImageProcessor", "do_resize": True, "size": {"shortest_edge": 24}, "resample": 3, "do_center_crop": True,
        "crop_size": {"height": 24, "width": 24}, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True,
        "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
VIT = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "size": {"height": 24, "width": 24}, "resample": 2, "do_rescale": True,
       "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
BLIP = {"image_processor_type": "BlipImageProcessor", "do_resize": True, "size": {"height": 24, "width": 24}, "resample": 3, "do_rescale": True,
        "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": CLIP["image_mean"], "image_std": CLIP["image_std"]}


def vision(golden):
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection, ViTConfig, ViTModel
    pixels = torch.randn(2, 3, 24, 24)
    clip = CLIPVisionModelWithProjection(CLIPVisionConfig(hidden_size=16, intermediate_size=32, projection_dim=12, num_hidden_layers=2, num_attention_heads=2,
                                                          image_size=24, patch_size=8, attn_implementation="eager"))
    randomize(clip, 4)
    batch = {0: "batch"}
    export(Lambda(clip, lambda m, x: (lambda o: (o.image_embeds, o.last_hidden_state))(m(pixel_values=x))), (pixels,), os.path.join(root, "vision_clip.onnx"), ["pixel_values"],
           ["image_embeds", "last_hidden_state"], {n: batch for n in ["pixel_values", "image_embeds", "last_hidden_state"]})
    vit = ViTModel(ViTConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=24, patch_size=8,
                             attn_implementation="eager"), add_pooling_layer=False)
    randomize(vit, 5)
    export(Lambda(vit, lambda m, x: m(pixel_values=x).last_hidden_state), (pixels[:1],), os.path.join(root, "vision_vit.onnx"), ["pixel_values"], ["last_hidden_state"], {})
    a, b = session(os.path.join(root, "vision_clip.onnx")), session(os.path.join(root, "vision_vit.onnx"))
    for k in range(len(SIZES)):
        x = processed(VIT, k).numpy()
        states = b.run(None, {"pixel_values": x})[0][0]
        golden["pictures"].append({"clip": a.run(["image_embeds"], {"pixel_values": processed(CLIP, k).numpy()})[0][0].tolist(), "cls": states[0].tolist(),
                                   "mean": states.astype(float).mean(0).tolist()})
    golden["clip"], golden["vit"] = CLIP, VIT


def write(folder, name, value):
    os.makedirs(os.path.join(root, folder), exist_ok=True)
    with open(os.path.join(root, folder, name), "w") as f:
        json.dump(value, f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")


def known_tokenizers():
    with gzip.open(os.path.join(here, "..", "..", "internal", "tokenizer", "testdata", "tokenizers.json.gz")) as f:
        return json.load(f)


def caption(golden, folder, model, processor, tokens, how):
    rows = []
    for k in range(len(SIZES)):
        ids = model.generate(pixel_values=processed(processor, k), num_beams=1, do_sample=False, max_new_tokens=50, **how)[0].tolist()
        rows.append({"ids": ids[1:], "text": " ".join(tokens.decode(ids[1:], skip_special_tokens=True).split())})
    golden["captions"][folder] = rows
    print(folder, [len(r["ids"]) for r in rows], len({tuple(r["ids"]) for r in rows}), rows[0])


def blip(golden):
    from transformers import BlipConfig, BlipForConditionalGeneration
    of = known_tokenizers()["bert_uncased"]
    write("captioner_blip", "tokenizer.json", of)
    tokens = tokenizers.Tokenizer.from_str(json.dumps(of))
    config = BlipConfig(
        vision_config=dict(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, image_size=24, patch_size=8),
        text_config=dict(vocab_size=tokens.get_vocab_size(), hidden_size=16, encoder_hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
                         max_position_embeddings=64, bos_token_id=2, eos_token_id=9, sep_token_id=3, pad_token_id=0))
    model = BlipForConditionalGeneration(config).eval()
    randomize(model, 961, 1.3)
    with torch.no_grad():
        model.text_decoder.cls.predictions.bias[3] += 3  # texts end now and then
    folder = os.path.join(root, "captioner_blip")
    write("captioner_blip", "preprocessor_config.json", BLIP)
    write("captioner_blip", "config.json", {"model_type": "blip", "text_config": {k: getattr(config.text_config, k) for k in
                                                                                   ["bos_token_id", "eos_token_id", "sep_token_id", "pad_token_id"]}})
    write("captioner_blip", "generation_config.json", {"bos_token_id": 7, "eos_token_id": 9, "pad_token_id": 0})
    pixels = torch.randn(1, 3, 24, 24)
    export(Lambda(model.vision_model, lambda m, x: m(pixel_values=x).last_hidden_state), (pixels,), os.path.join(folder, "vision_model.onnx"), ["pixel_values"],
           ["last_hidden_state"], {})
    states = model.vision_model(pixel_values=pixels).last_hidden_state
    ids = torch.tensor([[2, 20, 30, 40, 50]])
    ones = torch.ones_like(ids)
    export(Lambda(model.text_decoder, lambda m, i, a, s, e: m(input_ids=i, attention_mask=a, encoder_hidden_states=s, encoder_attention_mask=e, use_cache=False).logits),
           (ids, ones, states, torch.ones(states.shape[:2], dtype=torch.long)), os.path.join(folder, "text_decoder.onnx"),
           ["input_ids", "attention_mask", "encoder_hidden_states", "encoder_attention_mask"], ["logits"],
           {n: {1: "length"} for n in ["input_ids", "attention_mask", "logits"]})
    caption(golden, "captioner_blip", model, BLIP, tokens, {})


def vit(golden):
    from transformers import GPT2Config, GPT2LMHeadModel, VisionEncoderDecoderModel, ViTConfig, ViTModel
    of = known_tokenizers()["gpt2"]
    write("captioner_vit", "tokenizer.json", of)
    tokens = tokenizers.Tokenizer.from_str(json.dumps(of))
    encoder = ViTModel(ViTConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, image_size=24, patch_size=8), add_pooling_layer=False)
    decoder = GPT2LMHeadModel(GPT2Config(vocab_size=tokens.get_vocab_size(), n_positions=64, n_embd=16, n_layer=1, n_head=2, add_cross_attention=True,
                                         bos_token_id=0, eos_token_id=0))
    model = VisionEncoderDecoderModel(encoder=encoder, decoder=decoder).eval()
    randomize(model, 530, 2)
    folder = os.path.join(root, "captioner_vit")
    write("captioner_vit", "preprocessor_config.json", VIT)
    write("captioner_vit", "config.json", {"model_type": "vision-encoder-decoder", "decoder": {"bos_token_id": 0, "eos_token_id": 0}, "decoder_start_token_id": 1,
                                           "eos_token_id": [0, 306], "pad_token_id": 0})
    pixels = torch.randn(1, 3, 24, 24)
    export(Lambda(model.encoder, lambda m, x: m(pixel_values=x).last_hidden_state), (pixels,), os.path.join(folder, "onnx", "encoder_model.onnx"), ["pixel_values"],
           ["last_hidden_state"], {"pixel_values": {0: "batch"}, "last_hidden_state": {0: "batch"}})
    states = model.encoder(pixel_values=pixels).last_hidden_state
    ids = torch.tensor([[0, 20, 30, 40, 50]])
    export(Lambda(model.decoder, lambda m, i, s: m(input_ids=i, attention_mask=torch.ones_like(i), encoder_hidden_states=s, use_cache=False).logits), (ids, states),
           os.path.join(folder, "onnx", "decoder_model.onnx"), ["input_ids", "encoder_hidden_states"], ["logits"],
           {"input_ids": {0: "batch", 1: "length"}, "encoder_hidden_states": {0: "batch", 1: "states"}, "logits": {0: "batch", 1: "length"}})
    caption(golden, "captioner_vit", model, VIT, tokens, dict(decoder_start_token_id=1, eos_token_id=[0, 306], pad_token_id=0))


def main():
    golden = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__, "tokenizers": tokenizers.__version__, "onnx": onnx.__version__,
                           "onnxruntime": onnxruntime.__version__, "pillow": PIL.__version__, "numpy": np.__version__},
              "sizes": SIZES, "sentences": [], "pictures": [], "captions": {}}
    blip(golden)
    vit(golden)
    sentences(golden)
    vision(golden)
    with open(os.path.join(root, "golden.json"), "w") as f:
        json.dump(golden, f, separators=(",", ":"))
    pack()


def pack():
    """One archive of all files, of the same bytes for the same files."""
    with open(os.path.join(here, "meaning.tar.gz"), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                file = os.path.join(folder, name)
                info = tarfile.TarInfo(os.path.relpath(file, root))
                with open(file, "rb") as f:
                    data = f.read()
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    shutil.rmtree(root)


main()
