// Runs the models of a manifest in ONNX Runtime and writes their outputs; called by generate.py.
//
//   node oracle.js FOLDER_OF_NODE_MODULES MANIFEST.json
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, manifestPath] = process.argv.slice(2);
const ort = require(path.join(path.resolve(modules), "onnxruntime-node"));
const manifest = JSON.parse(fs.readFileSync(manifestPath, "utf8"));
const folder = path.dirname(path.resolve(manifestPath));

const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, int64: BigInt64Array, int32: Int32Array,
  int16: Int16Array, int8: Int8Array, uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array, bool: Uint8Array,
};

function load(t) {
  const bytes = new Uint8Array(fs.readFileSync(path.join(folder, t.file)));
  return new ort.Tensor(t.dtype, new arrays[t.dtype](bytes.buffer, 0, bytes.byteLength / arrays[t.dtype].BYTES_PER_ELEMENT), t.dims);
}

async function main() {
  if (ort.env.versions.node !== manifest.version) throw new Error(`onnxruntime-node ${ort.env.versions.node}, want ${manifest.version}`);
  for (const c of manifest.cases) {
    try {
      // Without rewrites: the operators as they stand.
      const session = await ort.InferenceSession.create(path.join(folder, c.model), { graphOptimizationLevel: "disabled", logSeverityLevel: 4 });
      const feeds = {};
      for (const t of c.inputs) feeds[t.name] = load(t);
      const out = await session.run(feeds);
      c.outputs = session.outputNames.map((name, i) => {
        const t = out[name], file = `${c.name}.output_${i}.raw`;
        fs.writeFileSync(path.join(folder, file), Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength));
        return { name, dtype: t.type, dims: t.dims, file };
      });
    } catch (e) {
      c.error = String(e.message || e);
    }
  }
  fs.writeFileSync(manifestPath, JSON.stringify(manifest));
}

main().catch((e) => { console.error(e); process.exit(1); });
