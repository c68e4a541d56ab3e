# SPDX-License-Identifier: BSL-1.0
"""A table of kernels × laws: NumPy as people write it, SciPy, JAX, ONNX Runtime and PyTorch, as far as they are there.

    python table.py [CASES [NAME…]]     cases for each law, 200 if not said; only kernels whose name has one of NAME

Nothing is declared. A cell has the largest part of a bound that was used, or a number in brackets that stands before
the simplest case which broke the law, below the table.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import sqrtdk
from sqrtdk.strategies import attention_cases

SOFTMAX = ("accuracy", "probability", "order", "shift", "permutation", "lipschitz", "temperature")
LAWS = {"softmax": SOFTMAX, "log_softmax": ("accuracy",), "attention": ("output", "convexity", "masked_values"),
        "attention_gradients": ("gradient", "masked_values_gradient")}


@dataclass
class Row:
    """A kernel, what it is tested for, and how it is called."""

    name: str
    kind: str
    kernel: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)


def numpy_rows() -> Iterator[Row]:
    """As people write it."""
    def naive(x: Any) -> Any:
        e = np.exp(x)
        return e / e.sum()

    def shifted(x: Any, temperature: float = 1) -> Any:
        e = np.exp((x - x.max()) / x.dtype.type(temperature))
        return e / e.sum()

    def attention(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
        s = q @ k.T * q.dtype.type(q.shape[1] ** -0.5 if scale is None else scale)
        if is_causal:
            s = np.where(np.tri(len(q), len(k), dtype=bool), s, q.dtype.type(-np.inf))
        if mask is not None:
            s = np.where(mask, s, q.dtype.type(-np.inf)) if mask.dtype == bool else s + mask
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)) @ v

    yield Row("NumPy, exp(x)/sum", "softmax", naive)
    yield Row("NumPy, exp(x − max)/sum", "softmax", shifted)
    yield Row("NumPy, the same, float64", "softmax", shifted, {"dtype": "float64"})
    yield Row("NumPy, the same, float16", "softmax", shifted, {"dtype": "float16"})
    yield Row("NumPy", "attention", attention)


def scipy_rows(_: ModuleType) -> Iterator[Row]:
    """SciPy's functions."""
    special = importlib.import_module("scipy.special")
    yield Row("SciPy, softmax", "softmax", special.softmax)
    yield Row("SciPy, softmax, float16", "softmax", special.softmax, {"dtype": "float16"})
    yield Row("SciPy, log_softmax", "log_softmax", special.log_softmax)


def jax_rows(jax: ModuleType) -> Iterator[Row]:
    """On the CPU; arguments are JAX's arrays."""
    array = jax.numpy.asarray

    def attention(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
        added = {} if mask is None else {"mask" if mask.dtype == bool else "bias": array(mask)[None]}
        return jax.nn.dot_product_attention(q[:, None], k[:, None], v[:, None], is_causal=is_causal, scale=scale,
                                            **added)[:, 0]

    def gradients(q: Any, k: Any, v: Any, g: Any, mask: Any = None, is_causal: bool = False,
                  scale: float | None = None) -> Any:
        return jax.vjp(lambda q, k, v: attention(q, k, v, mask, is_causal, scale), q, k, v)[1](g)

    cases = attention_cases(same_widths=True, causal=(False, "top_left"), scales=(None, 1.0, 0.5, 3.0),
                            queries=4, keys=65, features=8)  # few shapes: it compiles anew for each
    for dtype in ("float32", "bfloat16", "float16"):
        yield Row(f"JAX, softmax, {dtype}", "softmax", jax.nn.softmax, {"dtype": dtype, "array": array})
        yield Row(f"JAX, log_softmax, {dtype}", "log_softmax", jax.nn.log_softmax, {"dtype": dtype, "array": array})
    yield Row("JAX, dot_product_attention", "attention", attention, {"array": array, "inputs": cases})
    yield Row("JAX, its gradient", "attention_gradients", gradients, {"array": array, "inputs": cases})


def onnx_rows(ort: ModuleType) -> Iterator[Row]:
    """One operator a model, on the CPU."""
    onnx = importlib.import_module("onnx")
    helper, types = onnx.helper, onnx.TensorProto

    def session(operator: str, inputs: list[tuple[str, int, list[Any]]], shape: list[Any], **attributes: Any) -> Any:
        graph = helper.make_graph(
            [helper.make_node(operator, [name for name, _, _ in inputs], ["y"], **attributes)], "one",
            [helper.make_tensor_value_info(*one) for one in inputs],
            [helper.make_tensor_value_info("y", types.FLOAT, shape)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    for operator, kind in (("Softmax", "softmax"), ("LogSoftmax", "log_softmax")):
        one = session(operator, [("x", types.FLOAT, ["n"])], ["n"], axis=-1)
        yield Row(f"ONNX Runtime, {operator}", kind, lambda x, one=one: one.run(None, {"x": x})[0])

    @functools.cache
    def attention_session(mask: str, is_causal: bool, scale: float | None) -> Any:
        inputs = [(name, types.FLOAT, [1, 1, None, None]) for name in "qkv"]
        if mask:
            inputs.append(("mask", types.BOOL if mask == "bool" else types.FLOAT, [None, None]))
        return session("Attention", inputs, [1, 1, None, None], is_causal=int(is_causal), scale=scale)

    def attention(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
        one = attention_session("" if mask is None else mask.dtype.name, is_causal, scale)
        return one.run(None, {"q": q, "k": k, "v": v} | ({} if mask is None else {"mask": mask}))[0]

    yield Row("ONNX Runtime, Attention", "attention", attention, {"batch": 2})


def torch_rows(torch: ModuleType) -> Iterator[Row]:
    """On the CPU; arguments are tensors."""
    def array(x: Any) -> Any:
        if x.dtype.name != "bfloat16":
            return torch.from_numpy(x)
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)

    def row(function: Any) -> Callable[..., Any]:
        return lambda x: function(x, dim=-1)

    functional = torch.nn.functional
    public = hasattr(functional, "scaled_dot_product_attention")

    def attention(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False) -> Any:
        if mask is not None and is_causal:
            raise NotImplementedError
        if public:
            return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
        return torch._C._nn._scaled_dot_product_attention(  # pylint: disable=protected-access
            q, k, v, mask, 0.0, False, is_causal)[0]

    def gradients(q: Any, k: Any, v: Any, g: Any, mask: Any = None) -> Any:
        of = [x.detach().requires_grad_() for x in (q, k, v)]
        return torch.autograd.grad(attention(of[0], of[1], of[2], mask), of, g)

    for dtype in ("float32", "bfloat16"):
        yield Row(f"PyTorch, softmax, {dtype}", "softmax", row(torch.softmax), {"dtype": dtype, "array": array})
        yield Row(f"PyTorch, log_softmax, {dtype}", "log_softmax", row(torch.log_softmax),
                  {"dtype": dtype, "array": array})
    yield Row("PyTorch, scaled_dot_product_attention", "attention", attention, {"array": array, "batch": 1})
    yield Row("PyTorch, its gradient", "attention_gradients", gradients, {"array": array, "batch": 1})


LIBRARIES = {"scipy": scipy_rows, "jax": jax_rows, "onnxruntime": onnx_rows, "torch": torch_rows}


def main() -> None:
    """Print the table, and what is behind its brackets."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    warnings.simplefilter("ignore")
    versions, rows = [f"NumPy {np.__version__}"], list(numpy_rows())
    failures: list[str] = []
    for name, of in LIBRARIES.items():
        with contextlib.suppress(ImportError):
            library = importlib.import_module(name)
            rows += of(library)
            versions.append(f"{name} {library.__version__}")
    rows = [row for row in rows if len(sys.argv) < 3 or any(part in row.name for part in sys.argv[2:])]
    print(", ".join(versions), flush=True)
    for kind, laws in LAWS.items():
        print(f"\n| {kind} |", *(f"{law} |" for law in laws))
        print("|:--|" + "--:|" * len(laws))
        for row in rows:
            if row.kind != kind:
                continue
            print(f"| {row.name} |", end="", flush=True)
            for law in laws:
                try:
                    report = sqrtdk.check(row.kernel, [f"{kind}.{law}"], cases=cases, **row.options)
                    ratio = report.worst.get(law, (0.0, ""))[0]
                    silent = f", {report.silent[law]} silent" if law in report.silent else ""
                    cell = f"{ratio:.2g}{silent}" if report.cases else "–"
                except sqrtdk.KernelError as error:
                    failures.append(f"[{len(failures) + 1}] {row.name}, {error}")
                    cell = f"[{len(failures)}]"
                print(f" {cell} |", end="", flush=True)
            print()
    print()
    print("\n\n".join(failures))


if __name__ == "__main__":
    main()
