# Keeps of results of the built-in examples what the texts on methods read: the golden texts are made of these.
#
#   for name in smoothness …; do bin/$name --example [--samples 300] --out DIR/$name; done
#   python3 suite/testdata/methods/slim.py DIR && go test ./suite -run MethodsGolden -update
import json, pathlib, sys

KEPT = {"name", "target", "probe", "n2", "n1", "k", "window", "quantile", "threshold", "above", "above_quantile", "layer", "sigma", "samples", "left_out", "kind", "dataset", "analysis", "state",
        "role", "path", "dtype", "shape", "pool", "details", "from", "models"}


def slim(v, depth=0):
    if isinstance(v, dict):
        return {k: slim(x, depth + 1) for k, x in v.items()
                if not k.endswith(("_ci", "_sd", "_se")) and k != "reason" and x is not None and not (depth > 0 and isinstance(x, dict))}
    if isinstance(v, list):
        if v and isinstance(v[0], dict):
            return [{k: slim(x, depth + 1) for k, x in row.items() if k in KEPT} for row in v[:40]]
        return v[:4]
    return v


def some(rows, key):
    seen, out = set(), []
    for row in rows:
        if row.get(key) not in seen:
            seen.add(row.get(key))
            out.append(row)
    return out


for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*.json")):
    r = json.loads(path.read_text())
    if not isinstance(r, dict) or r.get("schema") != "repscope/1" or path.stem != r["analysis"]:
        continue
    names = list(r["models"])
    out = {k: r[k] for k in r if k not in ("metrics", "samples", "models", "cases", "warnings", "comparisons", "agreement", "table", "studies", "ranking", "broken_bounds", "pairs", "duplicates", "near", "scores", "labels")}
    out["version"], out["go"], out["started"], out["elapsed_s"] = "devel", "go", "2026-01-01T00:00:00Z", 0
    out.pop("revision", None)
    out["kernel"] = {"name": "avx2", "kc": 256}
    out["models"] = {n: slim(r["models"][n]) if i < 2 else {} for i, n in enumerate(names)}
    for m in out["models"].values():
        if "probes" in m:
            m["probes"] = some(m["probes"], "name")[:40]
    if "agreement" in r:
        out["agreement"] = {k: v for k, v in r["agreement"].items() if not isinstance(v, (dict, list))}
    if "table" in r:
        out["table"] = [{"models": {n: {k: c[k] for k in ("from",) if k in c} for n, c in row["models"].items()}} for row in r["table"][:3]]
        out["studies"] = [{"analysis": s["analysis"]} for s in r["studies"][:1]]
    kept = ("a", "b", "metric", "family", "difference", "ci", "p", "p_holm", "sign_flip_p", "exact", "blocks")
    out["comparisons"] = [{k: c[k] for k in kept if k in c} for c in some(r["comparisons"], "metric")[:20]]
    out["warnings"] = []
    target = pathlib.Path(__file__).parent / (r["analysis"] + ".json")
    target.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
    print(target.name, target.stat().st_size)
