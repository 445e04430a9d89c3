"""Writes language_*.onnx, models of tokens as exporters write them, and golden_language.npz.

Every model has random weights. golden_language.npz holds, for each file NAME, the batch NAME/input_ids, NAME/lengths (and NAME/chains),
padded with token 1, and what ONNX Runtime answers: NAME/logits, NAME/hidden, NAME/attentions [B, layers, heads, L, L].

    python generate_language.py transformers   # torch, transformers, onnxscript, onnx, onnxruntime
    python generate_language.py torch          # torch 1.13: its own exporter, nn.TransformerEncoder
    python generate_language.py answers        # onnxruntime: golden_language.npz

The files of the first two are written apart, as no environment has both; versions are in README.md.
"""
import os
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
here = os.path.dirname(os.path.abspath(__file__))
LAYERS, HEADS, WIDTH, INNER = 2, 2, 16, 32


def path(name):
    return os.path.join(here, "language_" + name)


def batch(vocabulary, lengths=(13, 21, 16)):
    rng = np.random.default_rng(7)
    ids = rng.integers(4, vocabulary - 1, (len(lengths), max(lengths)))
    mask = np.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, length:] = 1
        ids[row, 5::7] = np.where(ids[row, 5::7] == 1, 1, vocabulary - 1)  # hidden from the model
        mask[row, :length] = 1
    chains = (np.arange(max(lengths))[None] >= np.array(lengths)[:, None] // 2).astype(np.int64) * mask
    return ids, mask, chains


def transformers_files():
    import torch
    from transformers import BertConfig, BertForMaskedLM, EsmConfig, EsmForMaskedLM

    torch.set_num_threads(1)

    def esm(attention):
        return EsmForMaskedLM(EsmConfig(
            vocab_size=33, mask_token_id=32, pad_token_id=1, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            intermediate_size=INNER, max_position_embeddings=400, position_embedding_type="rotary", token_dropout=True,
            emb_layer_norm_before=False, attn_implementation=attention))

    def bert(attention):
        return BertForMaskedLM(BertConfig(
            vocab_size=32, pad_token_id=1, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            intermediate_size=INNER, max_position_embeddings=64, attn_implementation=attention))

    class Export(torch.nn.Module):
        def __init__(self, model, attentions):
            super().__init__()
            self.model, self.attentions = model, attentions

        def forward(self, input_ids, attention_mask, token_type_ids=None):
            types = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
            out = self.model(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True,
                             output_attentions=self.attentions != "", **types)
            if self.attentions == "stacked":
                return out.logits, torch.stack(out.hidden_states), torch.stack(out.attentions)
            if self.attentions:
                return (out.logits, *out.hidden_states, *out.attentions)
            return out.logits, out.hidden_states[-1]

    for name, build, attention, attentions, dynamo, opset in [
        ("esm_script", esm, "eager", "layers", False, 17),
        ("esm_dynamo", esm, "eager", "stacked", True, 20),
        ("esm_sdpa_script", esm, "sdpa", "", False, 14),
        ("esm_sdpa_dynamo", esm, "sdpa", "", True, 20),
        ("bert_script", bert, "eager", "stacked", False, 17),
        ("bert_dynamo", bert, "eager", "layers", True, 18),
        ("bert_sdpa_dynamo", bert, "sdpa", "", True, 18),
    ]:
        torch.manual_seed(14)
        model = build(attention)
        with torch.no_grad():
            for key, p in model.named_parameters():
                if "query" in key or "key" in key:
                    p.mul_(20)  # attention that is not uniform
        module = Export(model, attentions).eval()
        ids, mask, chains = (torch.from_numpy(v) for v in batch(model.config.vocab_size))
        inputs = (ids, mask, chains) if build is bert else (ids, mask)
        ins = ["input_ids", "attention_mask", "token_type_ids"][:len(inputs)]
        outs = {"": ["logits", "last_hidden_state"], "stacked": ["logits", "hidden_states", "attentions"],
                "layers": ["logits", *(f"hidden_states.{k}" for k in range(LAYERS + 1)), *(f"attentions.{k}" for k in range(LAYERS))]}[attentions]
        if dynamo:
            axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
            how = dict(dynamo=True, dynamic_shapes=[axes] * len(ins), external_data=False, verbose=False)
        else:
            how = dict(dynamo=False, dynamic_axes={n: {0: "batch", 1: "length"} for n in ins})
        torch.onnx.export(module, inputs, path(name) + ".onnx", input_names=ins, output_names=outs, opset_version=opset, **how)
        strip(path(name) + ".onnx")


def strip(file):
    """Drops what only debugging reads: the places in the source that nodes come from."""
    import onnx
    model = onnx.load(file)
    del model.graph.value_info[:]
    del model.metadata_props[:]
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in [*model.graph.input, *model.graph.output, *model.graph.initializer]:
        del value.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.functions[:]
    onnx.save(model, file)


def torch_files():
    import torch

    torch.set_num_threads(1)
    assert torch.__version__.startswith("1.13"), torch.__version__

    class Encoder(torch.nn.Module):
        """nn.TransformerEncoder with the antibody alphabet, chains and a padding mask, which is true where padding is."""

        def __init__(self):
            super().__init__()
            self.tokens, self.chains = torch.nn.Embedding(32, WIDTH), torch.nn.Embedding(2, WIDTH)
            self.places = torch.nn.Embedding(320, WIDTH)
            layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, activation="gelu", batch_first=True, norm_first=True)
            self.encoder = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
            self.head = torch.nn.Linear(WIDTH, 32)

        def forward(self, token_ids, chain_ids, padding_mask, position_ids):
            x = self.tokens(token_ids) + self.chains(chain_ids) + self.places(position_ids)
            x = self.encoder(x, src_key_padding_mask=padding_mask)
            return self.head(x), x

    class Unmasked(torch.nn.Module):
        """Tokens alone, as of a model that takes sequences of one length, and attention written by hand."""

        def __init__(self):
            super().__init__()
            self.tokens = torch.nn.Embedding(32, WIDTH)
            self.qkv, self.head = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, 32)

        def forward(self, x):
            x = self.tokens(x)
            b, n, _ = x.shape
            q, k, v = self.qkv(x).reshape(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
            weights = torch.softmax(q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5, -1)
            x = x + (weights @ v).transpose(1, 2).reshape(b, n, WIDTH)
            return self.head(x), weights.mean(1)

    class Ignored(Unmasked):
        """Takes the mask and does nothing with it."""

        def forward(self, token_ids, attention_mask):
            logits, _ = super().forward(token_ids)
            return logits + 0 * attention_mask.unsqueeze(-1)

    for name, build, inputs, ins, outs, opset, fixed in [
        ("encoder", Encoder, "icmp", ["token_ids", "chain_ids", "padding_mask", "position_ids"], ["logits", "hidden"], 14, False),
        ("encoder_fixed", Encoder, "icmp", ["token_ids", "chain_ids", "padding_mask", "position_ids"], ["logits", "hidden"], 13, True),
        ("unmasked", Unmasked, "i", ["x"], ["out", "weights"], 13, False),
        ("ignored", Ignored, "ia", ["token_ids", "attention_mask"], ["out"], 13, False),
    ]:
        torch.manual_seed(15)
        module = build().train()  # not eval: its fast path does not export
        for m in list(module.modules()):
            for key, child in m.named_children():
                if isinstance(child, torch.nn.Dropout):
                    setattr(m, key, torch.nn.Identity())
            if isinstance(m, torch.nn.MultiheadAttention):
                m.dropout = 0.0
        ids, mask, chains = (torch.from_numpy(v) for v in batch(32))
        values = {"i": ids, "a": mask, "c": chains, "m": mask == 0, "p": torch.arange(ids.shape[1])[None].expand(*ids.shape)}
        axes = {} if fixed else {n: {0: "batch", 1: "length"} for n in ins}
        torch.onnx.export(module, tuple(values[c] for c in inputs), path(name) + ".onnx", input_names=ins, output_names=outs, opset_version=opset,
                          dynamic_axes=axes, training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=True)


def answers():
    import glob

    import onnxruntime

    out = {}
    for file in sorted(glob.glob(path("*.onnx"))):
        name = os.path.basename(file)[len("language_"):-len(".onnx")]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.graph_optimization_level = 1, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        vocabulary = 33 if name.startswith("esm") else 32
        lengths = (21, 21, 21) if name in ("unmasked", "ignored") else (13, 21, 16)
        ids, mask, chains = batch(vocabulary, lengths)
        values = {"input_ids": ids, "token_ids": ids, "input": ids, "x": ids, "attention_mask": mask, "token_type_ids": chains, "chain_ids": chains,
                  "padding_mask": mask == 0, "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape).copy()}
        names = [o.name for o in session.get_outputs()]
        got = dict(zip(names, session.run(names, {i.name: values[i.name] for i in session.get_inputs()})))
        out[name + "/input_ids"], out[name + "/chains"], out[name + "/lengths"] = ids, chains, np.array(lengths)
        out[name + "/logits"] = got.get("logits", got.get("out"))
        hidden = [n for n in names if "hidden" in n]
        if hidden:
            h = got[hidden[-1]]
            out[name + "/hidden"] = h[-1] if h.ndim == 4 else h
        attentions = [n for n in names if n.startswith("attentions.")]
        if attentions:
            out[name + "/attentions"] = np.stack([got[n] for n in attentions], 1)
        elif "attentions" in got:
            out[name + "/attentions"] = got["attentions"].transpose(1, 0, 2, 3, 4)
        elif "weights" in got:
            out[name + "/attentions"] = got["weights"][:, None, None]
    np.savez_compressed(os.path.join(here, "golden_language.npz"), **out)


if __name__ == "__main__":
    {"transformers": transformers_files, "torch": torch_files, "answers": answers}[sys.argv[1]]()
