# SPDX-License-Identifier: BSL-1.0
"""Arrays of any library as numbers in one of the formats that bounds are known for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core

FORMATS = ("float16", "bfloat16", "float32", "float64")
DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


@dataclass(frozen=True)
class Numbers:
    """An array and its format. NumPy has no bfloat16 of its own: then `raw` has the bits."""

    raw: NDArray[Any]
    format: str

    @property
    def shape(self) -> tuple[int, ...]:
        """As of the array that it was made of."""
        return self.raw.shape

    def widened(self, to: str = "float32") -> NDArray[Any]:
        """The same numbers, exactly, in a format that has them all: float32 or float64."""
        if self.format == "bfloat16":
            return (self.raw.astype(np.uint32) << 16).view(np.float32).astype(to, copy=False)
        with np.errstate(invalid="ignore"):  # of a signalling NaN
            return self.raw.astype(to, copy=False)


class OnDevice(Numbers):
    """A tensor of PyTorch that is not on the CPU, to which it is brought head by head."""

    def __init__(self, tensor: Any, format_: str) -> None:  # pylint: disable=super-init-not-called
        object.__setattr__(self, "tensor", tensor)
        object.__setattr__(self, "format", format_)

    tensor: Any

    @functools.cached_property
    def raw(self) -> NDArray[Any]:  # pylint: disable=method-hidden
        """All of it."""
        return _of_tensor(self.tensor.cpu(), self.format).raw

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    def repeated(self, times: int) -> OnDevice:
        """With each entry of axis -3 so many times."""
        return OnDevice(self.tensor.repeat_interleave(times, dim=-3), self.format)

    def in_heads(self, wide: str, batch: tuple[int, ...], rows: int, columns: int) -> Callable[[int], NDArray[Any]]:
        """A function of the number of a head that gives its rows."""
        whole = self.tensor.expand(*batch, rows, columns)

        @functools.lru_cache(maxsize=2)
        def rows_of(head: int) -> NDArray[Any]:
            place = tuple(int(i) for i in np.unravel_index(head, batch)) if batch else ()
            return _of_tensor(whole[place].cpu(), self.format).widened(wide)

        return rows_of


def numbers(x: Any, name: str) -> Numbers:
    """The numbers that were passed, on the CPU, without a copy if they are there already.

    Takes arrays of NumPy (with ml_dtypes' bfloat16), tensors of PyTorch on any device, with or without
    requires_grad, arrays of JAX, and all that has `__dlpack__` or `__array__`; lists are float64.

    Raises TypeError for numbers of another format, by its name.
    """
    if type(x).__module__.partition(".")[0] == "torch":
        return _of_torch(x, name)
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or hasattr(x, "__array__"):
        return _of_numpy(np.asanyarray(x), name)
    raw, format_ = _core.from_dlpack(x.__dlpack__())
    return Numbers(raw, _known(format_, name))


def _of_torch(x: Any, name: str) -> Numbers:
    tensor = x.detach().resolve_conj().resolve_neg()
    format_ = _known(str(tensor.dtype).removeprefix("torch."), name)
    return _of_tensor(tensor, format_) if tensor.device.type == "cpu" else OnDevice(tensor, format_)


def _of_tensor(tensor: Any, format_: str) -> Numbers:
    if format_ != "bfloat16":
        return Numbers(tensor.numpy(), format_)
    import torch  # pylint: disable=import-outside-toplevel,import-error

    return Numbers(tensor.view(torch.int16).numpy().view(np.uint16), format_)


def _of_numpy(x: NDArray[Any], name: str) -> Numbers:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask means nothing here: masked scores are -inf")
    format_ = _known(x.dtype.name, name)
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return Numbers(x.view(np.uint16) if format_ == "bfloat16" else x, format_)


def _known(format_: str, name: str) -> str:
    if format_ not in FORMATS:
        raise TypeError(f"{name} is an array of {format_}, but must be of {', '.join(FORMATS[:-1])} or {FORMATS[-1]}: "
                        "bounds are known for these. Pass what the kernel was given and what it returned, unconverted")
    return format_


def rounded(x: NDArray[Any], format_: str) -> NDArray[Any]:
    """Numbers rounded to a narrower format, in their own type; to bfloat16 by way of float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        if format_ != "bfloat16":
            return x.astype(format_).astype(x.dtype)
        bits = np.array(x, np.float32, order="C").view(np.uint32)
        even = bits + 0x7fff + ((bits >> 16) & 1)  # half a unit, less if that would make a tie odd
        return np.where(np.isfinite(x), (even & 0xffff0000).astype(np.uint32).view(np.float32), x).astype(x.dtype)


def are_held(array: Numbers, format_: str) -> bool:
    """True if a format has all numbers of an array."""
    if format_ == array.format:
        return True
    x = array.widened(together(array.format))
    return bool(((rounded(x, format_) == x) | np.isnan(x)).all())


def require_held(array: Numbers, format_: str | None, name: str) -> None:
    """Refuse numbers that a format does not hold: how a kernel rounds its arguments is in no bound."""
    if format_ is not None and not are_held(array, format_):
        raise ValueError(f"{name} has numbers that {format_} does not hold, but the kernel computes in it: pass {name} "
                         "rounded as the kernel rounds it")


def together(*formats: str) -> str:
    """The narrowest of float32 and float64 that has all numbers of some formats."""
    return "float64" if "float64" in formats else "float32"


def narrowest(*formats: str) -> str:
    """The format with the fewest digits."""
    return min(formats, key=DIGITS.__getitem__)


def as_bytes(x: NDArray[Any]) -> NDArray[np.uint8]:
    """The numbers of an array one after the other, as the compiled laws take them."""
    raw: NDArray[np.uint8] = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    return raw


def of_bytes(raw: NDArray[np.uint8], format_: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of NumPy of some bytes; bfloat16 needs ml_dtypes."""
    array: NDArray[Any] = raw.view(dtype_of(format_)).reshape(shape)
    return array


def dtype_of(format_: str) -> Any:
    """NumPy's type of a format.

    Raises ImportError if it is bfloat16 and ml_dtypes is not installed.
    """
    if format_ == "bfloat16":
        import ml_dtypes  # pylint: disable=import-outside-toplevel,import-error

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(format_)
