"""Arrays of other libraries, as far as they are installed."""

import ctypes
import pickle
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from zoo import attention, softmax

import sqrtdk

X = np.random.default_rng(3).normal(size=(4, 40)).astype(np.float32)


class Wrapped:
    def __init__(self, array):
        self._array = array


class OnlyDLPack(Wrapped):
    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyArray(Wrapped):
    def __array__(self, dtype=None, copy=None):  # pylint: disable=unused-argument
        return np.asarray(self._array, dtype)


@pytest.mark.parametrize("wrapped", (OnlyDLPack, OnlyArray))
def test_protocols(wrapped):
    for x in (X, X[:, ::-2], X.astype(np.float64), np.asfortranarray(X)):
        assert sqrtdk.assert_softmax(wrapped(softmax(x)), wrapped(x)).entries == x.size
    with pytest.raises(TypeError, match="an array of int32"):
        sqrtdk.assert_softmax(wrapped(X.astype(np.int32)), X)


def test_lists_and_other_byte_orders():
    assert sqrtdk.assert_softmax([0.5, 0.5], [1.0, 1.0]).format == "float64"
    assert sqrtdk.assert_softmax(softmax(X), X.astype(">f4"))


def test_masked_arrays_are_refused():
    with pytest.raises(TypeError, match="x is a masked array"):
        sqrtdk.assert_softmax(softmax(X), np.ma.masked_array(X, X > 1))
    with pytest.raises(TypeError, match="the mask is a masked array"):
        sqrtdk.assert_attention(X, X, X, X, mask=np.ma.masked_array(np.ones((4, 4), bool), False))


def test_read_only_arrays_and_threads():
    x, y = X.copy(), softmax(X)
    x.flags.writeable = y.flags.writeable = False
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: bool(sqrtdk.assert_softmax(y, x)), range(100)))


def test_what_is_found_can_be_sent_to_another_process():
    report = sqrtdk.assert_softmax(softmax(X), X)
    with pytest.raises(sqrtdk.KernelError) as caught:
        sqrtdk.assert_softmax(X, X)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value) and error.report == caught.value.report
    assert pickle.loads(pickle.dumps(report)) == report
    assert pickle.loads(pickle.dumps(sqrtdk.strict())) == sqrtdk.strict()


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(X)
    assert sqrtdk.assert_softmax(jax.nn.softmax(x), x)
    x = x.astype(jax.numpy.bfloat16)
    y = jax.nn.softmax(x.astype(jax.numpy.float32)).astype(jax.numpy.bfloat16)
    assert sqrtdk.assert_softmax(y, x).format == "bfloat16"


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X).requires_grad_()
    assert sqrtdk.assert_softmax(torch.softmax(x, -1), x)
    half = x.detach().to(torch.bfloat16)
    assert sqrtdk.assert_softmax(torch.softmax(half.float(), -1).to(torch.bfloat16), half).format == "bfloat16"


class OfNothing:
    """The object of a broken library: a tensor of 2 × 3 numbers that points nowhere."""

    class Tensor(ctypes.Structure):
        """DLManagedTensor."""

        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int * 2), ("ndim", ctypes.c_int),
                    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                    ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p),
                    ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

    def __init__(self, shape):
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._tensor = self.Tensor(None, (ctypes.c_int * 2)(1, 0), len(shape), 2, 32, 1, self._shape)

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return 1, 0


def test_a_pointer_to_nothing_and_too_many_axes_are_refused():
    with pytest.raises(ValueError, match="an array has 6 entries and a null pointer, but must point to them"):
        sqrtdk.assert_softmax(OfNothing((2, 3)), X)
    with pytest.raises(ValueError, match="an array has 40 axes, but may have at most 32"):
        sqrtdk.assert_softmax(OfNothing((1,) * 39 + (0,)), X)


class Tensor:
    """As much of a tensor on a GPU as is used, which counts the numbers that are brought over."""

    __module__ = "torch"
    brought = 0

    def __init__(self, x, where="cuda"):
        self.x, self.shape, self.dtype, self.device = x, x.shape, f"torch.{x.dtype}", SimpleNamespace(type=where)

    def detach(self):
        return self

    resolve_conj = resolve_neg = detach

    def expand(self, *shape):
        return Tensor(np.broadcast_to(self.x, shape))

    def repeat_interleave(self, times, dim):
        return Tensor(np.repeat(self.x, times, dim))

    def __getitem__(self, place):
        return Tensor(self.x[place])

    def cpu(self):
        Tensor.brought += self.x.size
        return Tensor(self.x, "cpu")

    def numpy(self):
        return self.x


def test_tensors_on_a_device_come_by_heads():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(heads, 50, 4)).astype(np.float32) for heads in (6, 3, 3))
    out = attention(q, k.repeat(2, 0), v.repeat(2, 0))
    some = sqrtdk.RandomRows(1, seed=2)
    Tensor.brought = 0
    found = sqrtdk.assert_attention(*map(Tensor, (out, q, k, v)), enable_gqa=True, rows=some)
    assert Tensor.brought == 4 * 50 * 4  # of one head each
    assert found == sqrtdk.assert_attention(out, q, k, v, enable_gqa=True, rows=some)
    assert sqrtdk.assert_softmax(Tensor(softmax(q)), Tensor(q))
