"""Runs a launch of two versions of a kernel in Triton's interpreter and compares what they wrote.

A program of its own, since Triton decides when a kernel is defined whether it is interpreted:
`TRITON_INTERPRET=1 python -m swizzleperf.triton.interpret REQUEST.json`, which prints a JSON object. Needs no torch: the
interpreter takes anything with an address.
"""

import importlib.util
import json
import sys
import traceback
from pathlib import Path

from .tensor import ELEMENT_TYPES

# Contents are kept small, so that sums of many products stay finite in 16 bits.
_RANGE = 2


class HostType:
    """An element type that is no string: versions of Triton before 3.3 take a string for their own name of a type."""

    def __init__(self, name):
        self.name, self.itemsize = str(name), ELEMENT_TYPES[str(name)][2]

    def __str__(self):
        return self.name


class HostTensor:
    """Host memory with what the interpreter asks of a torch tensor."""

    device = "cpu"

    def __init__(self, memory, dtype, shape, strides):
        self._memory, self.dtype, self.shape, self._strides = memory, HostType(dtype), tuple(shape), tuple(strides)

    def data_ptr(self):
        return self._memory.ctypes.data

    def element_size(self):
        return self.dtype.itemsize

    def size(self):
        return self.shape

    def stride(self, axis=None):
        return self._strides if axis is None else self._strides[axis]

    def storage_offset(self):
        return 0

    def untyped_storage(self):
        return self

    def contiguous(self):
        return self

    @property
    def data(self):
        return self

    def cpu(self):
        return self

    def to(self, *_):
        return self

    def copy_(self, other):
        if other.data_ptr() != self.data_ptr():
            self._memory[:] = other.bytes()
        return self

    def new_empty(self, size, device=None):
        return HostTensor(self._memory, self.dtype, (size,) if isinstance(size, int) else size, (1,))

    def set_(self, storage, offset, size, stride):
        self._memory, self.shape, self._strides = storage.bytes(), tuple(size), tuple(stride)
        return self

    def bytes(self):
        return self._memory


def make_memory(name, told, contents):
    """A tensor's memory: what was captured, else small numbers that depend on the argument's name and the place only."""
    import numpy

    if name in contents:
        return numpy.ascontiguousarray(contents[name]).reshape(-1).view(numpy.uint8).copy()
    dtype, bytes_each = told["tensor"], ELEMENT_TYPES[told["tensor"]][2]
    count = 1 + sum((extent - 1) * abs(stride) for extent, stride in zip(told["shape"], told["strides"]))
    seed = numpy.random.default_rng(list(name.encode()))
    if dtype == "bfloat16":
        return (
            (seed.random(count, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16).view(numpy.uint8).copy()
        )
    if dtype.startswith("float") and "8" not in dtype:
        return ((seed.random(count) - 0.5) * _RANGE).astype(dtype).view(numpy.uint8).copy()
    return numpy.zeros(count * bytes_each, numpy.uint8)


def run(kernel, launch, contents):
    """Launches and gives {argument: bytes} of all tensors afterwards."""
    arguments, memory = {}, {}
    for name, told in launch["arguments"].items():
        if "tensor" in told:
            memory[name] = make_memory(name, told, contents)
            arguments[name] = HostTensor(memory[name], told["tensor"], told["shape"], told["strides"])
        elif "descriptor" in told:
            base = told["descriptor"]
            memory[name] = make_memory(name, base, contents)
            host = HostTensor(memory[name], base["tensor"], base["shape"], base["strides"])
            arguments[name] = _descriptor(host, told)
        elif "triton_type" in told:
            arguments[name] = _language_type(told["triton_type"])
        elif "unknown" in told:
            raise TypeError(f"the argument {name} = {told['unknown']} cannot be made again")
        else:
            arguments[name] = told["value"]
    kernel[tuple(launch["grid"])](**arguments)
    return memory


def _descriptor(base, told):
    from triton.tools.tensor_descriptor import TensorDescriptor

    return TensorDescriptor(base, told["shape"], told["strides"], told["block"])


def _language_type(name):
    import triton.language

    return triton.language.dtype(name)


def load(file, qualified, name):
    """A Triton function of a file, by its qualified name; of an autotuned one the function itself."""
    from .versions import jit_function

    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(Path(file).resolve().parent))
    spec.loader.exec_module(module)
    found = module
    for part in qualified.split("."):
        found = getattr(found, part)
    return jit_function(found)


def compare(before, after):
    """{argument: None where equal bit by bit, else the number of bytes that differ}."""
    return {name: int((before[name] != after[name]).sum()) or None for name in before}


def main(request_file):
    import numpy

    request = json.loads(Path(request_file).read_text())
    contents = dict(numpy.load(request["contents"])) if request.get("contents") else {}
    try:
        before = run(load(request["original"], request["kernel"], "swizzleperf_original"), request["launch"], contents)
        after = run(load(request["rewritten"], request["kernel"], "swizzleperf_rewritten"), request["launch"], contents)
        arrays = {n: told.get("descriptor", told) for n, told in request["launch"]["arguments"].items()}
        untouched = {n: make_memory(n, told, contents) for n, told in arrays.items() if "tensor" in told}
        result = {
            "differing_bytes": compare(before, after),
            "written": [name for name, count in compare(untouched, before).items() if count],
        }
    except Exception as error:  # whatever a user's file or kernel raises is the answer
        result = {"failed": f"{type(error).__name__}: {error}", "where": traceback.format_exc(limit=-3)}
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
