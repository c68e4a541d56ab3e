"""Softmax and attention in right variants and with bugs that projects have shipped: a line for each."""
import functools
import math
import struct

INF = math.inf


def nearest(code):
    """Rounds to a format of the module struct."""
    def rounded(x):
        try:
            return struct.unpack(code, struct.pack(code, x))[0]
        except OverflowError:
            return math.copysign(INF, x)
    return rounded


single, half = nearest("f"), nearest("e")


def bfloat16(x):
    """The nearest bfloat16 of a float32."""
    bits = struct.unpack("I", struct.pack("f", single(x)))[0]
    return struct.unpack("f", struct.pack("I", bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000))[0]


FORMATS = {"float64": float, "float32": single, "float16": half, "bfloat16": bfloat16}


class Float64(float):
    """Numbers whose every operation is rounded; a division by 0 is as IEEE 754 has it."""
    rounded = float
    least = 2.0 ** -1022  # the least normal number

    def __new__(cls, x):
        return super().__new__(cls, cls.rounded(x))


class Float32(Float64):
    """Rounded twice, which is as good as once: 53 bits are enough for that."""
    rounded = single
    least = 2.0 ** -126


def _operation(name):
    def operation(a, *b):
        try:
            return type(a)(getattr(float, name)(a, *b))
        except ZeroDivisionError:
            above, below = (b[0], a) if name == "__rtruediv__" else (a, b[0])
            return type(a)(math.nan if above == 0 else above * math.copysign(INF, below))
    return operation


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "abs"):
    setattr(Float64, f"__{_name}__", _operation(f"__{_name}__"))


def exp(x, base=math.e):
    """A power of e, or of another base."""
    try:
        return type(x)(math.exp(x) if base == math.e else base ** x)
    except OverflowError:
        return type(x)(INF)


def root(x):
    """The square root, rounded."""
    return type(x)(math.sqrt(x))


def flushed(x, least=None):
    """0 in the place of a subnormal number."""
    return type(x)(0 if abs(x) < (least or x.least) else x)


def halves(e):
    """The sum by halves."""
    return e[0] if len(e) == 1 else halves(e[:len(e) // 2]) + halves(e[len(e) // 2:])


def one_pass(x, t, v, name):
    """In one pass over blocks: the sum, and what the values v add up to; both are rescaled when the maximum grows."""
    size = {"one pass in blocks of four": 4, "masked-block-is-nan": 2, "not-rescaled-in-blocks-of-32": 32}.get(name, 1)
    m, total, out = -INF, 0.0, 0.0
    for start in range(0, len(x), size):
        block = range(start, min(start + size, len(x)))
        after = max([m] + [x[j] for j in block])
        factor = exp((m - after) / t) if m > -INF or name == "masked-block-is-nan" else 0.0
        if name == "sum-rescaled-inversely" and m > -INF:
            factor = exp((after - m) / t)
        total = total * (1.0 if name == "sum-not-rescaled" else factor)
        out = out * (1.0 if name in ("output-not-rescaled", "not-rescaled-in-blocks-of-32") else factor)
        for j in (j for j in block if x[j] > -INF):
            total, out = total + exp((x[j] - after) / t), out + exp((x[j] - after) / t) * v[j]
        m = after
    return total, out


MAXIMA = {  # of the scores
    "no-maximum": lambda x: 0.0, "nan-made-plausible": lambda x: 0.0, "maximum-from-zero": lambda x: max(0.0, *x),
    "maximum-from-least-normal": lambda x: max(x[0].least, *x), "maximum-skips-first": lambda x: max(x[1:] or x),
    "maximum-of-first-block": lambda x: max(x[:8]), "maximum-of-first-32": lambda x: max(x[:32]),
    "maximum-without-tail": lambda x: max(x[:len(x) // 8 * 8] or x[:1]), "finite-sentinel": lambda x: max(-1e4, *x),
    "padding-counted": lambda x: max(0.0, *x) if len(x) % 8 else max(x)}
TERMS = {  # of a score, the maximum and the temperature
    "powers of two": lambda x, m, t: exp((x - m) / t * type(x)(math.log2(math.e)), 2),
    "by reciprocals": lambda x, m, t: exp((x - m) * (1 / t)),
    "subnormal numbers are 0": lambda x, m, t: flushed(exp(flushed(flushed(flushed(x) - flushed(m)) / t))),
    "maximum-not-divided": lambda x, m, t: exp(x / t - m),
    "maximum-as-factor": lambda x, m, t: exp(x / t) * exp(-m / t),
    "exponent-clamped": lambda x, m, t: exp(max((x - m) / t, type(x)(-20))),
    "exponent-clamped-at-range": lambda x, m, t: exp(max((x - m) / t, type(x)(-87))),
    "crude-exponential": lambda x, m, t: type(x)(max(1 + (x - m) / t / 1024, 0.0) ** 1024),
    "short-constant": lambda x, m, t: exp((x - m) / t * 1.4427, 2),
    "base-two": lambda x, m, t: exp((x - m) / t, 2),
    "half-scores": lambda x, m, t: exp(type(x)(half(x) - half(m)) / t),
    "temperature-ignored": lambda x, m, t: exp(x - m), "temperature-twice": lambda x, m, t: exp((x - m) / t / t),
    "temperature-multiplied": lambda x, m, t: exp((x - m) * t),
    "temperature-clamped": lambda x, m, t: exp((x - m) / max(t, type(x)(0.01))),
    "finite-sentinel": lambda x, m, t: exp((max(x, type(x)(-1e4)) - m) / t)}
SUMS = {  # of the terms, the scores, the maximum and the temperature
    "sums from the end": lambda e, x, m, t: sum(e[::-1]), "by reciprocals": lambda e, x, m, t: sum(e),
    "four lanes": lambda e, x, m, t: (sum(e[::4]) + sum(e[2::4])) + (sum(e[1::4]) + sum(e[3::4])),
    "low-precision-sum": lambda e, x, m, t: functools.reduce(lambda total, term: bfloat16(total + term), e, 0.0),
    "sum-without-tail": lambda e, x, m, t: sum(e[:len(e) // 8 * 8]),
    "sum-without-tail-of-32": lambda e, x, m, t: sum(e[:len(e) // 32 * 32] if len(e) > 32 else e),
    "last-lost-beyond-64": lambda e, x, m, t: sum(e[:-1] if len(e) > 64 else e),
    "sum-without-last": lambda e, x, m, t: sum(e[:-1]),
    "padding-counted": lambda e, x, m, t: sum(e) + -len(e) % 8 * exp(-m / t),
    "sink-undeclared": lambda e, x, m, t: sum(e) + exp(-m / t),
    "epsilon-in-denominator": lambda e, x, m, t: sum(e) + 1e-6} | {
        name: lambda e, x, m, t, name=name: one_pass(x, t, x, name)[0]
        for name in ("one pass, one score at a time", "one pass in blocks of four", "sum-not-rescaled",
                     "sum-rescaled-inversely", "masked-block-is-nan")}
WEIGHTS = {  # of a term and the sum
    "subnormal numbers are 0": lambda e, total: flushed(e / total), "not-divided-by-sum": lambda e, total: e,
    "nan-made-plausible": lambda e, total: e / total if math.isfinite(e / total) else e * 0.0,
    "half-weights": lambda e, total: type(e)(half(e / total)),
    "subnormals-flushed": lambda e, total: flushed(e / total),
    "weights-flushed": lambda e, total: flushed(e / total, 2.0 ** -126)} | dict.fromkeys(
        ("powers of two", "by reciprocals"), lambda e, total: e * (1 / total))


def softmax(x, temperature, name="", rows=None):
    """The weights of a list of scores: maximum, terms, sum, quotients."""
    m = type(x[0])(MAXIMA.get(name, max)(x))
    term = TERMS.get(name, lambda x, m, t: exp((x - m) / t))
    weight = WEIGHTS.get(name, lambda e, total: e / total)
    e = [term(score, m, temperature) for score in x]
    total = SUMS.get(name, lambda e, *_: halves(e))(e, x, m, temperature) + type(m)(0)
    if name == "sum-of-another-row" and rows:
        total = sum(exp(score - max(rows[0])) for score in rows[0])
    if name == "wrong-axis":
        return [a / sum(exp((row[j] - m) / temperature) for row in rows or [x]) for j, a in enumerate(e)]
    return [weight(a, total) for a in e]


def _unless_given(scale):  # of the width and the arguments
    return lambda a: {"scale": scale(len(a["queries"][0]), a) if a["scale"] is None else a["scale"]}


def _transposed(rows):  # the same numbers, read by columns as if they stood by rows
    flat = [x for column in zip(*rows) for x in column]
    return [flat[i:i + len(rows[0])] for i in range(0, len(flat), len(rows[0]))]


MISREAD = {  # what becomes of the arguments of attention
    "scale-missing": _unless_given(lambda d, a: 1.0), "scale-by-width": _unless_given(lambda d, a: (4 * d) ** -0.5),
    "scale-by-values": _unless_given(lambda d, a: len(a["values"][0]) ** -0.5),
    "scale-without-root": _unless_given(lambda d, a: 1 / d), "scale-inverted": _unless_given(lambda d, a: d ** 0.5),
    "scale-ignored": lambda a: {"scale": None}, "scale-zero-is-default": lambda a: {"scale": a["scale"] or None},
    "scale-twice": lambda a: {"scale": 1 / len(a["queries"][0]) if a["scale"] is None else a["scale"] ** 2},
    "bias-ignored": lambda a: {"bias": None}, "causal-ignored": lambda a: {"causal": None},
    "causal-off-by-one": lambda a: {"causal": None if a["causal"] is None else a["causal"] + 1},
    "causal-top-left": lambda a: {"causal": None if a["causal"] is None else 0},
    "causal-bottom-right": lambda a: {"causal": None if a["causal"] is None else len(a["keys"]) - len(a["queries"])},
    "mask-ignored": lambda a: {"allowed": None},
    "mask-inverted": lambda a: {"allowed": a["allowed"] and [[not seen for seen in row] for row in a["allowed"]]},
    "keys-transposed": lambda a: {"keys": _transposed(a["keys"])},
    "values-transposed": lambda a: {"values": _transposed(a["values"])},
    "last-key-lost": lambda a: {"keys": a["keys"][:-1] or a["keys"]}}
DOTS = {  # of a query, a key and the scale
    "sums from the end": lambda q, k, scale: sum(a * b for a, b in zip(q[::-1], k[::-1])),
    "scores-overflow-half": lambda q, k, scale: type(q[0])(half(sum(a * b for a, b in zip(q, k)))),
    "the root of the scale in queries and keys": lambda q, k, scale: sum(
        a * math.copysign(root(abs(scale)), scale) * (b * root(abs(scale))) for a, b in zip(q, k))}
BLOCKS = ("one pass, one score at a time", "one pass in blocks of four", "output-not-rescaled",
          "not-rescaled-in-blocks-of-32")
OTHERS = ("bias-scaled", "mask-after-softmax", "masked-value-contaminates", "empty-row-is-nan", "empty-row-is-mean",
          "sum-of-another-row", "wrong-axis", "low-precision-output")
RIGHT = {  # what must be free where a kernel is right
    "as the formula is written": "strict", "sums from the end": "strict", "by reciprocals": "any", "four lanes": "any",
    "powers of two": "any", "one pass, one score at a time": "any", "one pass in blocks of four": "any",
    "subnormal numbers are 0": "flushing", "the root of the scale in queries and keys": "flushing",
    "weights are stored": "stored"}
OF_SCORES = {*MAXIMA, *TERMS, *SUMS, *WEIGHTS, "wrong-axis"} - {*RIGHT}
BUGS = {
    "softmax": sorted(OF_SCORES - {"sink-undeclared", "weights-flushed"}),
    "attention": sorted(({*MISREAD, *DOTS, *BLOCKS, *OTHERS} - {*RIGHT}) | {
        "no-maximum", "padding-counted", "half-weights", "weights-flushed", "finite-sentinel", "sink-undeclared",
        "last-lost-beyond-64", "masked-block-is-nan"})}


def _sees(a, i, j):
    return ((a["causal"] is None or j <= i + a["causal"]) and (a["allowed"] is None or a["allowed"][i][j])
            and (a["bias"] is None or a["bias"][i][j] > -INF))


def _score(a, i, j, name):
    q, scale = a["queries"][i], a["scale"]
    dot = DOTS.get(name, lambda q, k, scale: sum(a * b for a, b in zip(q, k)))
    bias = a["bias"][i][j] if a["bias"] else 0.0
    width = root(type(q[0])(len(q)))
    s = dot(q, a["keys"][j], 1 / width if scale is None else scale) + (bias if name == "bias-scaled" else 0.0)
    if "root of the scale" not in name:
        s = s / width if scale is None else s * scale
    return s + (0.0 if name == "bias-scaled" else bias)


def attention(name="", stored=float, **a):
    """The outputs, row by row in one list. Weights may be stored in a format."""
    a = dict.fromkeys(("scale", "causal", "allowed", "bias")) | a
    a |= MISREAD.get(name, lambda a: {})(a)
    keys, seeing = range(len(a["keys"])), a | {"causal": None, "allowed": None} if name == "mask-after-softmax" else a
    real = type(a["queries"][0][0])
    rows = [[_score(a, i, j, name) if _sees(seeing, i, j) else real(-INF) for j in keys]
            for i in range(len(a["queries"]))]
    outputs = []
    for i, row in enumerate(rows):
        seen = [j for j in keys if _sees(a, i, j)]
        weights = softmax(row, real(1), name, rows) if seen or name == "empty-row-is-nan" else []
        weights = [real(stored(w)) for w in weights] if name == "weights are stored" else weights
        if name in ("masked-value-contaminates", "finite-sentinel", "empty-row-is-nan"):
            seen = keys
        for v in zip(*a["values"]):
            terms = [weights[j] * v[j] for j in seen] if weights else []
            out = sum(terms) + real(0)
            if name in BLOCKS and seen:
                total, out = one_pass(row, real(1), v, name)
                out = out / total
            if name == "low-precision-output":
                out = half(sum(half(term) for term in terms))
            if name == "empty-row-is-mean" and not seen:
                out = sum(v) / len(v)
            outputs.append(out)
    return outputs


def mapped(function, x):
    """The value of a function at each floating-point number of some inputs."""
    if isinstance(x, dict):
        return {name: mapped(function, value) for name, value in x.items()}
    return [mapped(function, one) for one in x] if isinstance(x, list) else function(x) if isinstance(x, float) else x


def results_of(name, inputs, computed, stored):
    """The numbers that a kernel stores that computes in a type, for the inputs of a case."""
    a = mapped(computed, inputs)
    results = softmax(name=name, **a) if "x" in a else attention(name, stored, **a)
    return [stored(float(result)) for result in results]
