"""What a launch hands a kernel for a pointer: a shape, strides, a type, and data only where it is there."""

from ..errors import Unsupported, UserError

# Name of the element type in torch and numpy: (in Triton, in case files, bytes).
ELEMENT_TYPES = {
    "float16": ("fp16", "fp16", 2),
    "bfloat16": ("bf16", "bf16", 2),
    "float32": ("fp32", "fp32", 4),
    "float64": ("fp64", "fp64", 8),
    "int8": ("i8", "int8", 1),
    "uint8": ("u8", "uint8", 1),
    "int16": ("i16", "int16", 2),
    "uint16": ("u16", "uint16", 2),
    "int32": ("i32", "int32", 4),
    "uint32": ("u32", "uint32", 4),
    "int64": ("i64", "int64", 8),
    "uint64": ("u64", "uint64", 8),
    "bool": ("i1", "int8", 1),
    "float8_e4m3fn": ("fp8e4nv", "int8", 1),
    "float8_e5m2": ("fp8e5", "int8", 1),
    "float8_e4m3fnuz": ("fp8e4b8", "int8", 1),
    "float8_e5m2fnuz": ("fp8e5b16", "int8", 1),
}
_BY_TRITON_NAME = {triton: name for name, (triton, _, _) in ELEMENT_TYPES.items()}


class ElementType(str):
    """A name in ELEMENT_TYPES that knows its size, as the types of torch and numpy do."""

    @property
    def itemsize(self):
        return ELEMENT_TYPES[self][2]


def element_type(dtype):
    """The ElementType of a torch, numpy or Triton type, or of a name."""
    text = getattr(dtype, "__name__", None) or str(dtype)
    name = text.split(".")[-1]
    name = _BY_TRITON_NAME.get(name, name)
    if name not in ELEMENT_TYPES:
        raise UserError(f"'{text}' is no element type; there are: {', '.join(ELEMENT_TYPES)}")
    return ElementType(name)


class Tensor:
    """A tensor of a launch, without memory: `Tensor((M, K), "float16")`, row-major unless `strides` (in elements) says else."""

    def __init__(self, shape, dtype, strides=None, data=None, offset=0):
        self.shape = tuple(shape)
        self.dtype = element_type(dtype)
        self.strides = tuple(strides) if strides is not None else _row_major(self.shape)
        self.offset = offset  # in elements, from the start of the allocation
        self._data = data  # a numpy array of the elements in their order, or a function that gives it
        if len(self.strides) != len(self.shape) or any(int(extent) < 0 for extent in self.shape):
            raise UserError(f"a tensor of shape {self.shape} cannot have the strides {self.strides}")

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def numel(self):
        count = 1
        for extent in self.shape:
            count = count * extent
        return count

    def dim(self):
        return len(self.shape)

    def element_size(self):
        return ELEMENT_TYPES[self.dtype][2]

    def is_contiguous(self):
        return all(s == r or e == 1 for s, r, e in zip(self.strides, _row_major(self.shape), self.shape))

    def data_ptr(self):
        """An allocation begins at a multiple of 256; Triton asks for alignment only."""
        return int(self.offset) * self.element_size()

    def ptr_range(self):
        return int(self.span()) * self.element_size()

    def span(self):
        """Elements from the first to the last one, plus one."""
        if self.is_contiguous():
            return self.numel()
        return 1 + sum((int(e) - 1) * abs(int(s)) for e, s in zip(self.shape, self.strides))

    def array(self):
        """The contents as a numpy array of the tensor's shape, or None."""
        return self._data() if callable(self._data) else self._data


class Descriptor:
    """A tensor descriptor that the host made: a tensor, the window that it describes, and the block that it moves."""

    def __init__(self, made):
        self.base, self.block_shape = as_tensor(made.base), list(made.block_shape)
        self.shape, self.strides = tuple(made.shape), tuple(made.strides)
        self.dtype = self.base.dtype

    def plain(self):
        """What Triton takes."""
        from triton.tools.tensor_descriptor import TensorDescriptor

        numbers = [[int(n) for n in each] for each in (self.shape, self.strides, self.block_shape)]
        return TensorDescriptor(self.base, *numbers)


def _row_major(shape):
    strides = []
    for extent in reversed((*shape[1:], 1)):
        strides.append(extent if not strides or _is_one(strides[-1]) else strides[-1] * extent)
    return tuple(reversed(strides))[: len(shape)]


def _is_one(stride):
    return type(stride) is int and stride == 1


def as_tensor(value):
    """The Tensor of a torch tensor, a numpy array or one of ours; None for anything else."""
    if isinstance(value, Tensor):
        return value
    if (
        type(value).__module__.split(".")[0] == "numpy"
        and hasattr(value, "strides")
        and hasattr(value, "itemsize")
        and value.ndim
    ):
        return Tensor(value.shape, value.dtype, [s // value.itemsize for s in value.strides], data=value)
    if hasattr(value, "data_ptr") and hasattr(value, "stride") and hasattr(value, "storage_offset"):
        meta = str(getattr(value, "device", "")) == "meta"
        return Tensor(
            value.shape,
            value.dtype,
            value.stride(),
            None if meta else (lambda: _torch_array(value)),
            value.storage_offset(),
        )
    if hasattr(value, "data_ptr"):
        raise Unsupported(f"an argument of type {type(value).__name__} is no tensor that this package knows")
    return None


def _torch_array(value):
    host = value.detach().cpu()
    return (host.view(host.dtype) if "bfloat16" not in str(host.dtype) else host.view(_torch_int16())).numpy()


def _torch_int16():
    import torch

    return torch.int16
