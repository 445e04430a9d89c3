"""Writes integers.tar.gz: every operator of integers with every type of integers that the standard gives it, at the ends of their
ranges, in the ONNX node-test format; see README.md and cases.py. Outputs are those of Python's integers, which have no ends, brought
to the type's bits; where ONNX Runtime has the operator for the type, its own are compared with them, and what differs is listed.

    python integers.py
"""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper

import cases

archive = cases.Cases(53)
rng = archive.rng
TYPES = {name: np.dtype(name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}
SIGNED = [name for name in TYPES if name[0] == "i"]
ONNX = {name: cases.TYPES[kind] for name, kind in TYPES.items()}
differ, compared = [], 0


def bits(name):
    return int(name.lstrip("uint"))


def wrap(values, name):
    """The low bits of Python's integers as a type."""
    n = bits(name)
    def one(v):
        v = int(v) & (1 << n) - 1
        return v - (1 << n) if name[0] == "i" and v >> (n - 1) else v
    values = np.asarray(values, object)
    out = np.empty(values.shape, TYPES[name])
    for i in np.ndindex(values.shape):
        out[i] = one(values[i])
    return out


def some(name, *shape, ends=True):
    """Integers of all sizes, the ends of the range among the first."""
    info = np.iinfo(TYPES[name])
    low, high = int(info.min), int(info.max)
    n = math.prod(shape)
    list_ = [int(rng.integers(0, 2 ** 63)) >> int(rng.integers(0, 63)) for _ in range(n)]
    list_ = [v * int(rng.choice([-1, 1])) for v in list_]
    if ends:
        first = [high, low, 0, 1, high - 1, low + 1, -1, 2, high // 2, high // 2 + 1, 3, -2, 7]
        list_[:min(n, len(first))] = first[:n]
    return wrap(list_, name).reshape(shape)


def small(name, *shape, high=6):
    return rng.integers(0, high, shape).astype(TYPES[name])


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def each(function, *arrays):
    arrays = np.broadcast_arrays(*[np.asarray(a).astype(object) for a in arrays])
    out = np.empty(arrays[0].shape, object)
    for i in np.ndindex(out.shape):
        out[i] = function(*[a[i] for a in arrays])
    return out


def add(name, nodes, inputs, outputs, opset, constants=None):
    """Adds a case whose outputs are known, and compares them with ONNX Runtime's."""
    global compared
    kinds = [cases.TYPES[np.asarray(v).dtype] for v in outputs.values()]
    opset = opset if len(nodes) == 1 and nodes[0].op_type not in ("If", "Loop", "Scan") else max(opset, 14)  # as of which Add has all types
    for reference in (False, None):
        try:
            archive.graph(name, opset, nodes, inputs, list(outputs), constants, reference=reference, out=kinds, values=outputs if reference is None else None)
        except Exception as e:  # ONNX Runtime has no kernel for the type
            assert reference is False and ("NOT_IMPLEMENTED" in str(e) or "NotImplemented" in type(e).__name__ or "opset" in str(e)), (name, e)
            continue
        got = archive.cases[f"{name}_opset{opset}"][2]
        if reference is False:
            compared += 1
            for k, v in outputs.items():
                if got[k].dtype != v.dtype or got[k].shape != v.shape or not (got[k] == v).all():
                    at = np.argwhere(got[k] != v)[:3] if got[k].shape == v.shape else got[k].shape
                    differ.append((name, k, [(tuple(map(int, i)), got[k][tuple(i)], v[tuple(i)]) for i in at] if not isinstance(at, tuple) else (at, v.shape)))


def case(op, name, inputs, output, opset=21, rest=(), tag="", outputs=1, **attributes):
    """A case of one node; inputs and rest (constants) are arrays."""
    names = [f"x{i}" for i in range(len(inputs))] + ["" if c is None else f"c{i}" for i, c in enumerate(rest)]
    out = output if isinstance(output, list) else [output]
    ys = [f"y{i}" for i in range(len(out))]
    add(f"integers/{op.lower()}{tag}_{name}", [helper.make_node(op, names, ys, **attributes)], {f"x{i}": x for i, x in enumerate(inputs)},
        dict(zip(ys, out)), opset, {f"c{i}": c for i, c in enumerate(rest) if c is not None})


def allowed(op, name, opset=28, what="T"):
    """Whether the standard gives the operator the type."""
    schema = onnx.defs.get_schema(op, opset)
    for c in schema.type_constraints:
        if c.type_param_str == what:
            return f"tensor({name})" in c.allowed_type_strs
    raise KeyError((op, what))


for name, kind in TYPES.items():
    a, b = some(name, 4, 9), some(name, 9)
    b = np.roll(b, 3)
    nonzero = np.where(b == 0, np.array(3, kind), b)
    low, high = (int(v) for v in (np.iinfo(kind).min, np.iinfo(kind).max))
    for op, f in {"Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mul": lambda x, y: x * y, "Max": max, "Min": min}.items():
        case(op, name, [a, b], wrap(each(f, a, b), name), opset=14)
    # ONNX Runtime ends by a fault where the least integer is divided by −1.
    dividend = np.where(a == low, np.array(low + 1, kind), a) if name[0] == "i" else a
    case("Div", name, [dividend, nonzero], wrap(each(truncated, dividend, nonzero), name), opset=14)
    case("Mod", name, [dividend, nonzero], wrap(each(lambda x, y: x - y * (x // y), dividend, nonzero), name), opset=13)
    case("Mod", name, [dividend, nonzero], wrap(each(lambda x, y: x - y * truncated(x, y), dividend, nonzero), name), opset=13, tag="_fmod", fmod=1)
    if allowed("Pow", name):
        base, exponent = some(name, 3, 13), np.array([0, 1, 2, 3, 5, 7, 0, 1, 2, 3, 4, 6, 2], kind)
        case("Pow", name, [base, exponent], wrap(each(lambda x, y: x ** y, base, exponent), name), opset=15)
    if allowed("Pow", name):
        base, exponent = some(name, 3, 6), np.array([0, 1, 2, 3, 2 ** 63, 2 ** 64 - 1], np.uint64)
        case("Pow", name, [base, exponent], wrap(each(lambda x, y: pow(x, y, 2 ** 64), base, exponent), name), opset=15, tag="_uint64")
    for op, f in {"Equal": lambda x, y: x == y, "Greater": lambda x, y: x > y, "GreaterOrEqual": lambda x, y: x >= y, "Less": lambda x, y: x < y,
                  "LessOrEqual": lambda x, y: x <= y}.items():
        case(op, name, [a, np.roll(a, 1, axis=0)], each(f, a, np.roll(a, 1, axis=0)).astype(bool), opset=19 if op == "Equal" else 16)
    for op, f in {"BitwiseAnd": lambda x, y: x & y, "BitwiseOr": lambda x, y: x | y, "BitwiseXor": lambda x, y: x ^ y}.items():
        case(op, name, [a, b], wrap(each(f, a, b), name), opset=18)
    case("BitwiseNot", name, [a], wrap(each(lambda x: ~x, a), name), opset=18)
    shifts = (np.arange(36).reshape(4, 9) % bits(name)).astype(kind)
    for direction in ("LEFT", "RIGHT"):
        if allowed("BitShift", name, 28):
            shifted = each(lambda x, y: x << y if direction == "LEFT" else x >> y, a, shifts)
            case("BitShift", name, [a, shifts], wrap(shifted, name), opset=11 if name[0] == "u" else 28, tag="_" + direction.lower(), direction=direction)
    case("Abs", name, [a], wrap(each(abs, a), name), opset=13)
    case("Sign", name, [a], wrap(each(lambda x: (x > 0) - (x < 0), a), name), opset=13)
    if name in SIGNED:
        case("Neg", name, [a], wrap(each(lambda x: -x, a), name), opset=13)
        case("Relu", name, [a], wrap(each(lambda x: max(x, 0), a), name), opset=14)
    for tag, bounds in (("", [low + 1, high - 1]), ("_low", [high // 2 + 1, None]), ("_high", [None, high // 2])):
        least, most = (end if v is None else v for v, end in zip(bounds, (low, high)))
        case("Clip", name, [a], wrap(each(lambda x: min(max(x, least), most), a), name), opset=13, tag=tag, rest=[None if v is None else np.array(v, kind) for v in bounds])
    condition = rng.integers(0, 2, (4, 9)) > 0
    case("Where", name, [condition, a, b], np.where(condition, a, b), opset=16)

    # Conversions.
    for to in TYPES:
        case("Cast", name, [a], wrap(a.astype(object), to), tag="_to_" + to, opset=19, to=ONNX[to])
        case("CastLike", name, [a], wrap(a.astype(object), to), tag="_to_" + to, opset=19, rest=[np.zeros(1, TYPES[to])])
        if bits(to) == bits(name):
            case("BitCast", name, [a], wrap(a.astype(object), to), tag="_to_" + to, opset=26, to=ONNX[to])
    case("Cast", name, [a], a != 0, tag="_to_bool", opset=19, to=TensorProto.BOOL)
    case("Cast", name, [a != 0], (a != 0).astype(kind), tag="_of_bool", opset=19, to=ONNX[name])
    case("Cast", name, [a], a.astype(np.float32), tag="_to_float", opset=19, to=TensorProto.FLOAT)
    floats = np.float32([0, 0.5, 1.9, -0.5, -1.9, 127.9, 200, 255.9, 256, 300, -129, -300, 32768, 65536, 70000, -70000, 2.0 ** 31, -2.0 ** 31, 3e9, 5e9, -5e9,
                         2.0 ** 62, 2.0 ** 63, 1.5 * 2.0 ** 63, 2.0 ** 64, 1e30, -2.0 ** 63, -1e30, np.inf, -np.inf, np.nan])

    def converted(v):
        """As x86 does it: by 32 bits, or by 64 for int64, uint32 and uint64, with the least integer for what does not fit."""
        wide = 64 if name in ("int64", "uint32", "uint64") else 32
        if name == "uint64" and 2.0 ** 63 <= v < 2.0 ** 64:
            return int(v)
        if name == "uint64" and v >= 2.0 ** 64:
            return 0
        return int(v) if -2.0 ** (wide - 1) - 1 < v < 2.0 ** (wide - 1) else -2 ** (wide - 1)

    if name == "uint32":  # ONNX Runtime does otherwise beyond 2^32 with vectors than for one number
        floats = floats[(floats > -2.0 ** 31) & (floats < 2.0 ** 32)]
    case("Cast", name, [floats], wrap([converted(float(v)) for v in floats], name), tag="_of_float", opset=19, to=ONNX[name])

    # Reductions, places, running sums.
    cube = some(name, 3, 5, 4)
    for op, f in {"ReduceSum": sum, "ReduceProd": math.prod, "ReduceMax": max, "ReduceMin": min, "ReduceL1": lambda v: sum(map(abs, v)),
                  "ReduceSumSquare": lambda v: sum(x * x for x in v)}.items():
        if allowed(op, name):
            for axes in ([1], [0, 2]):
                moved = np.moveaxis(cube.astype(object), axes, range(len(axes))).reshape(math.prod(cube.shape[i] for i in axes), -1)
                shape = [d for i, d in enumerate(cube.shape) if i not in axes]
                want = wrap([f([int(v) for v in moved[:, i]]) for i in range(moved.shape[1])], name).reshape(shape)
                case(op, name, [cube], want, opset=20, tag="_" + "".join(map(str, axes)), rest=[np.array(axes)], keepdims=0)
    if allowed("ReduceMean", name):
        few = (cube // np.array(8, kind)).astype(kind)  # sums that fit: beyond, ONNX Runtime divides what is left of the sum
        sums = few.astype(object).sum(axis=1)
        case("ReduceMean", name, [few], wrap(each(lambda v: truncated(v, 5), sums), name), opset=18, rest=[np.array([1])], keepdims=0)
    for op in ("ArgMax", "ArgMin"):
        if allowed(op, name):
            for last in (0, 1):
                flip = np.flip(cube, 1) if last else cube
                place = (flip.argmax if op == "ArgMax" else flip.argmin)(axis=1)
                case(op, name, [cube], 4 - place if last else place, opset=13, tag=f"_{last}", axis=1, keepdims=0, select_last_index=last)
    if allowed("TopK", name):
        for largest in (0, 1):
            row = np.unique(some(name, 40))[:12]
            row = row[rng.permutation(len(row))]
            order = np.argsort(row.astype(object))
            order = order[::-1][:5] if largest else order[:5]
            case("TopK", name, [row], [row[order], order.astype(np.int64)], opset=11, tag=f"_{largest}", rest=[np.array([5])], largest=largest)
    for op, f in (("CumSum", np.cumsum), ("CumProd", np.cumprod)):
        if allowed(op, name):
            case(op, name, [a], wrap(f(a.astype(object), axis=1), name), opset=14 if op == "CumSum" else 26, rest=[np.array(1)])
            exclusive = np.flip(np.roll(f(np.flip(a.astype(object), 1), axis=1), 1, axis=1), 1)
            exclusive[:, -1] = 0 if op == "CumSum" else 1
            case(op, name, [a], wrap(exclusive, name), opset=14 if op == "CumSum" else 26, tag="_reverse", rest=[np.array(1)], exclusive=1, reverse=1)
    if allowed("Range", name):
        start, limit, step = (high - 5, high, 2) if bits(name) < 64 else (2 ** 53 + 1, 2 ** 53 + 8, 2)
        add(f"integers/range_{name}", [helper.make_node("Range", ["a", "b", "c"], ["r"]), helper.make_node("Add", ["r", "x"], ["y"])], {"x": a[:, :1]},
            {"y": wrap(a[:, :1].astype(object) + np.arange(start, limit, step).astype(object), name)}, 11,
            {"a": np.array(start, kind), "b": np.array(limit, kind), "c": np.array(step, kind)})

    # What only moves elements keeps their type: the result, added to itself, wraps.
    def twice(op, x, moved, opset, rest=(), tag="", **attributes):
        names = ["x"] + [f"c{i}" for i in range(len(rest))]
        out = [f"m{i}" for i in range(len(moved) if isinstance(moved, list) else 1)]
        m = moved[-1] if isinstance(moved, list) else moved
        nodes = [helper.make_node(op, names, out, **attributes), helper.make_node("Add", [out[-1]] * 2, ["y"])]
        add(f"integers/{op.lower()}{tag}_{name}", nodes, {"x": x}, {"y": wrap(m.astype(object) * 2, name)}, opset, {f"c{i}": c for i, c in enumerate(rest)})

    index = np.array([2, -1, 0])
    twice("Identity", a, a, 19)
    twice("Reshape", a, a.reshape(6, 6), 19, [np.array([6, 6])])
    twice("Flatten", a, a.reshape(4, 9), 13)
    twice("Squeeze", a[:, :1], a[:, 0], 13, [np.array([1])])
    twice("Unsqueeze", a, a[:, None], 13, [np.array([1])])
    twice("Transpose", a, a.T, 13)
    twice("Expand", a, np.broadcast_to(a, (2, 4, 9)), 13, [np.array([2, 1, 1])])
    twice("Tile", a, np.tile(a, (2, 3)), 13, [np.array([2, 3])])
    twice("Split", a, [a[:, :4], a[:, 4:]], 13, [np.array([4, 5])], axis=1)
    twice("Slice", a, a[:, 7:1:-2], 13, [np.array([7]), np.array([1]), np.array([1]), np.array([-2])])
    twice("Pad", a, np.pad(a, ((1, 0), (0, 2)), constant_values=high), 19, [np.array([1, 0, 0, 2]), np.array(high, kind)])
    twice("CenterCropPad", a, np.pad(a[:, 2:7], ((1, 1), (0, 0))), 18, [np.array([6, 5])])
    twice("Trilu", a, np.triu(a), 14)
    twice("DepthToSpace", a.reshape(1, 4, 3, 3), a.reshape(1, 2, 2, 1, 3, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 6, 6), 13, blocksize=2)
    twice("SpaceToDepth", a.reshape(1, 1, 6, 6), a.reshape(1, 1, 3, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 4, 3, 3), 13, blocksize=2)
    twice("Gather", a, a[:, index], 13, [index], axis=1)
    twice("GatherElements", a, np.take_along_axis(a, index[None].repeat(4, 0) % 9, 1), 13, [index[None].repeat(4, 0)], axis=1)
    twice("GatherND", a, a[[0, 3], [1, 8]], 13, [np.array([[0, 1], [3, 8]])])
    lengths = [1, 2, 3, 4, 4, 3, 2, 1, 2]
    twice("ReverseSequence", a, np.stack([np.concatenate([a[:n, j][::-1], a[n:, j]]) for j, n in enumerate(lengths)], 1), 10, [np.array(lengths)])
    twice("Compress", a, a[:, [0, 2, 8]], 11, [np.array([1, 0, 1, 0, 0, 0, 0, 0, 1], bool)], axis=1)
    joined = [helper.make_node("Concat", ["x", "c"], ["m"], axis=0), helper.make_node("Add", ["m", "m"], ["y"])]
    add(f"integers/concat_{name}", joined, {"x": a}, {"y": wrap(np.concatenate([a, a[::-1]]).astype(object) * 2, name)}, 13, {"c": a[::-1].copy()})
    nodes = [helper.make_node("ConstantOfShape", ["s"], ["m"], value=onnx.numpy_helper.from_array(np.array([high], kind))), helper.make_node("Add", ["m", "x"], ["y"])]
    add(f"integers/constantofshape_{name}", nodes, {"x": a}, {"y": wrap(a.astype(object) + high, name)}, 13, {"s": np.array([4, 9])})
    nodes = [helper.make_node("Constant", [], ["m"], value=onnx.numpy_helper.from_array(b)), helper.make_node("Sub", ["x", "m"], ["y"])]
    add(f"integers/constant_{name}", nodes, {"x": a}, {"y": wrap(a.astype(object) - b.astype(object), name)}, 13)
    if allowed("EyeLike", name, what="T2"):
        nodes = [helper.make_node("EyeLike", ["x"], ["m"], dtype=ONNX[name], k=1), helper.make_node("Sub", ["x", "m"], ["y"])]
        add(f"integers/eyelike_{name}", nodes, {"x": a}, {"y": wrap(a.astype(object) - np.eye(4, 9, 1, dtype=np.int64).astype(object), name)}, 9)
    nodes = [helper.make_node("OneHot", ["x", "d", "v"], ["m"]), helper.make_node("Add", ["m", "m"], ["y"])]
    hot = np.where(np.eye(5, dtype=bool)[[0, 4, 2]], high, low).astype(object) * 2
    add(f"integers/onehot_{name}", nodes, {"x": np.array([0, 4, 2])}, {"y": wrap(hot, name)}, 11, {"d": np.array(5), "v": np.array([low, high], kind)})
    if allowed("OneHot", name, what="T1") and name != "uint64":
        case("OneHot", name, [np.array([0, 4, 2], kind)], np.eye(5, dtype=np.float32)[[0, 4, 2]], opset=11, tag="_index", rest=[np.array(5), np.float32([0, 1])])
    zeros = np.where(rng.integers(0, 2, (4, 9)) > 0, a, np.array(0, kind))
    add(f"integers/nonzero_{name}", [helper.make_node("NonZero", ["c"], ["n"]), helper.make_node("Add", ["n", "x"], ["y"])], {"x": np.array([[0], [1]])},
        {"y": np.array(np.nonzero(zeros)) + np.array([[0], [1]])}, 13, {"c": zeros})
    values, first, inverse, count = np.unique(np.repeat(b, 2), return_index=True, return_inverse=True, return_counts=True)
    add(f"integers/unique_{name}", [helper.make_node("Unique", ["c"], ["u", "i", "v", "n"]), helper.make_node("Add", ["u", "x"], ["y"])], {"x": np.zeros(1, kind)},
        {"y": values, "i": first, "v": inverse, "n": count}, 11, {"c": np.repeat(b, 2)})
    updates = np.roll(a[:, :3], 1, axis=0)
    places = np.array([[0, 1, 1], [2, 2, 2], [3, 4, 3], [8, 7, 6]])
    for reduction, f in (("none", lambda x, y: y), ("add", lambda x, y: x + y), ("mul", lambda x, y: x * y), ("max", max), ("min", min)):
        if reduction == "none":
            at, new = places[:, :3:2], updates[:, :3:2]  # one update a place
            at = np.array([[0, 1], [2, 1], [3, 4], [8, 7]])
        else:
            at, new = places, updates
        want = a.astype(object)
        for i in range(4):
            for j in range(at.shape[1]):
                want[i, at[i, j]] = f(want[i, at[i, j]], int(new[i, j]))
        case("ScatterElements", name, [a], wrap(want, name), opset=18, tag="_" + reduction, rest=[at, new.copy()], axis=1, reduction=reduction)
        want, rows = a.astype(object), np.array([[2], [0]]) if reduction == "none" else np.array([[2], [0], [2]])
        new = np.stack([b, np.roll(b, 1), np.roll(b, 2)])[:len(rows)]
        for k, i in enumerate(rows[:, 0]):
            for j in range(9):
                want[i, j] = f(want[i, j], int(new[k, j]))
        case("ScatterND", name, [a], wrap(want, name), opset=18, tag="_" + reduction, rest=[rows, new], reduction=reduction)
    want = a.reshape(1, 4, 9).copy()
    want[0, 1:3] = b
    case("TensorScatter", name, [a.reshape(1, 4, 9), np.stack([b, b])[None]], want, opset=24, rest=[np.array([1])])
    if allowed("MaxPool", name):
        image = some(name, 1, 2, 5, 5)
        windows = np.lib.stride_tricks.sliding_window_view(image, (2, 2), (2, 3))[:, :, ::2, ::2].max((4, 5))
        case("MaxPool", name, [image], windows, opset=12, kernel_shape=[2, 2], strides=[2, 2])

    # Conditions and loops.
    branch = [helper.make_graph([helper.make_node(op, ["x", "k"], ["z"])], op, [], [helper.make_tensor_value_info("z", ONNX[name], None)]) for op in ("Add", "Sub")]
    for taken in (True, False):
        add(f"integers/if_{taken}_{name}".lower(), [helper.make_node("If", ["c"], ["y"], then_branch=branch[0], else_branch=branch[1])], {"x": a},
            {"y": wrap(a.astype(object) + (1 if taken else -1) * b.astype(object), name)}, 16, {"c": np.array(taken), "k": b})
    value = lambda v, t, shape=None: helper.make_tensor_value_info(v, t, shape)
    body = helper.make_graph([helper.make_node("Mul", ["s", "k"], ["t"]), helper.make_node("Identity", ["t"], ["o"]), helper.make_node("Identity", ["c"], ["d"])], "body",
                             [value("i", TensorProto.INT64, []), value("c", TensorProto.BOOL, []), value("s", ONNX[name])],
                             [value("d", TensorProto.BOOL, []), value("t", ONNX[name]), value("o", ONNX[name])])
    powers = [a.astype(object) * 3 ** i for i in range(1, 4)]
    add(f"integers/loop_{name}", [helper.make_node("Loop", ["m", "", "x"], ["y", "all"], body=body)], {"x": a}, {"y": wrap(powers[-1], name), "all": wrap(np.stack(powers), name)},
        16, {"m": np.array(3), "k": np.array(3, kind)})
    body = helper.make_graph([helper.make_node("Add", ["s", "e"], ["t"]), helper.make_node("Identity", ["t"], ["o"])], "body", [value("s", ONNX[name]), value("e", ONNX[name])],
                             [value("t", ONNX[name]), value("o", ONNX[name])])
    sums = np.cumsum(a.astype(object), axis=0)
    add(f"integers/scan_{name}", [helper.make_node("Scan", ["z", "x"], ["y", "all"], body=body, num_scan_inputs=1)], {"x": a},
        {"y": wrap(sums[-1], name), "all": wrap(sums, name)}, 16, {"z": np.zeros(9, kind)})

# Products: sums beyond 2^24, which float32 has not, and their number of 32 bits.
for x_name in ("uint8", "int8"):
    for w_name in ("uint8", "int8"):
        for depth in (5, 300, 1200):
            x, w = some(x_name, 3, depth), some(w_name, depth, 20)
            if depth > 5:
                x[0], w[:, 0] = np.iinfo(TYPES[x_name]).max, np.iinfo(TYPES[w_name]).max
            zx, zw = np.array(3, TYPES[x_name]), np.array(-3 if w_name == "int8" else 3, TYPES[w_name])
            want = wrap((x.astype(object) - int(zx)) @ (w.astype(object) - int(zw)), "int32")
            for given in (0, 1):
                inputs, rest = ([x, w], [zx, zw]) if given else ([x], [w, zx, zw])
                case("MatMulInteger", f"{x_name}_{w_name}", inputs, want, opset=10, tag=f"_{depth}_{given}", rest=rest)
for x_name, w_name in (("uint8", "uint8"), ("uint8", "int8"), ("int8", "int8"), ("int8", "uint8")):
    for group, channels, size in ((1, 40, 4), (2, 40, 5), (1, 3, 3)):
        x, w = some(x_name, 1, channels, 7, 6), some(w_name, 18, channels // group, size, size)
        x[0, :, :5], w[0] = np.iinfo(TYPES[x_name]).max, np.iinfo(TYPES[w_name]).max
        z = np.array(2, TYPES[x_name])
        patches = np.lib.stride_tricks.sliding_window_view(x.astype(object) - 2, (size, size), (2, 3)).reshape(1, group, channels // group, 8 - size, 7 - size, size, size)
        want = np.concatenate([np.einsum("cyxij,ocij->oyx", patches[0, k], w.astype(object)[k * 18 // group:(k + 1) * 18 // group]) for k in range(group)])[None]
        for given in (0, 1):
            inputs, rest = ([x, w], [z]) if given else ([x], [w, z])
            case("ConvInteger", f"{x_name}_{w_name}", inputs, wrap(want, "int32"), opset=10, tag=f"_{group}_{size}_{given}", rest=rest, group=group)

# Products of integers of one type, which wrap.
for name in TYPES:
    if allowed("MatMul", name):
        for tag, left, right in (("", (2, 3, 70), (70, 9)), ("_vectors", (70,), (70,)), ("_batches", (2, 1, 3, 5), (4, 5, 2))):
            x, w = some(name, *left), some(name, *right)
            case("MatMul", name, [x, w], wrap(x.astype(object) @ w.astype(object), name), opset=13, tag=tag)
    if allowed("Einsum", name):
        x, w = some(name, 2, 3, 70), some(name, 70, 9)
        case("Einsum", name, [x, w], wrap(x.astype(object) @ w.astype(object), name), opset=12, equation="bik,kj->bij")

for d in differ:
    print("ONNX Runtime differs:", *d)
archive.write("integers.tar.gz")
print(compared, "of them have been compared with ONNX Runtime")
