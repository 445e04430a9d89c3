"""The peer of benchmarks/peers/language.py: ONNX Runtime over 64 sequences of 120 to 320 tokens.

    peer_language.py export FOLDER      writes esm_{sdpa,eager}_{script,dynamo}.onnx (torch, transformers, onnxscript)
    peer_language.py run FILE THREADS   prints processor and wall seconds, the best of batches of 1, 4, 8 and 32 (onnxruntime)
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def export(folder):
    """ESM-2 with 8 million weights: 6 layers, 320 wide, 20 heads; random weights."""
    import torch
    from transformers import EsmConfig, EsmForMaskedLM

    class Export(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            out = self.model(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True)
            return out.logits, out.hidden_states[-1]

    for attention in ("sdpa", "eager"):
        for dynamo in (False, True):
            torch.manual_seed(0)
            model = Export(EsmForMaskedLM(EsmConfig(
                vocab_size=33, mask_token_id=32, pad_token_id=1, hidden_size=320, num_hidden_layers=6, num_attention_heads=20,
                intermediate_size=1280, max_position_embeddings=1026, position_embedding_type="rotary", token_dropout=True,
                emb_layer_norm_before=False, attn_implementation=attention))).eval()
            ids = torch.randint(4, 24, (2, 40))
            mask = torch.ones_like(ids)
            mask[1, 30:] = 0
            names = ["input_ids", "attention_mask"]
            if dynamo:
                axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
                how = dict(dynamo=True, dynamic_shapes=[axes] * 2, external_data=False, verbose=False, opset_version=20)
            else:
                how = dict(dynamo=False, dynamic_axes={n: {0: "batch", 1: "length"} for n in names}, opset_version=17)
            file = f"{folder}/esm_{attention}_{'dynamo' if dynamo else 'script'}.onnx"
            torch.onnx.export(model, (ids, mask), file, input_names=names, output_names=["logits", "hidden"], **how)


def run(file, threads):
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    lengths = [120 + i * 200 // 63 for i in range(64)]
    best = (float("inf"), float("inf"))
    for rows in (1, 4, 8, 32):
        wall, cpu = time.perf_counter(), time.process_time()
        for lo in range(0, 64, rows):
            part = lengths[lo:lo + rows]
            ids = np.ones((len(part), max(part)), np.int64)
            mask = np.zeros_like(ids)
            for row, length in enumerate(part):
                ids[row, :length], mask[row, :length] = 4 + (np.arange(length) ** 2 + lo + row) % 20, 1
            session.run(["logits"], {"input_ids": ids, "attention_mask": mask})
        best = min(best, (time.process_time() - cpu, time.perf_counter() - wall))
    print(*best)


if __name__ == "__main__":
    {"export": export, "run": run}[sys.argv[1]](*sys.argv[2:])
