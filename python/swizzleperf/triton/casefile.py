"""Writes recorded launches as a case: the TOML file, the IR, and contents only where they decide addresses."""

import io
import json
import os
from pathlib import Path

from ..errors import Unsupported, UserError
from ..files import write_atomic
from .sizes import Size, bare, text_of
from .tensor import ELEMENT_TYPES, Descriptor, Tensor

_SCALARS = {
    "i1": "int8",
    "u1": "int8",
    "i8": "int8",
    "u8": "uint8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
    "fp16": "fp16",
    "bf16": "bf16",
    "fp32": "fp32",
    "f32": "fp32",
    "fp64": "fp64",
    "f64": "fp64",
}


def write_case(
    path,
    launches,
    name=None,
    target="sm_90",
    compiled=(),
    outputs=None,
    flops=None,
    flops_dtype=None,
    flops_matrix=None,
    occupancy=None,
    occupancy_source=None,
):
    """Writes a case file and what it needs beside it; returns the files written.

    `launches`: {"main": launch, "verify": launch}, or one launch. `compiled`: targets to compile for, for shared memory and
    registers. `outputs`: names of the arguments that are written; default: what the kernel's source says.
    """
    variants = launches if isinstance(launches, dict) else {"main": launches}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = _Writer(path, variants, target, outputs)
    work = {"flops": flops, "flops_dtype": flops_dtype, "flops_matrix": flops_matrix}
    body = writer.launch_lines(occupancy, occupancy_source) + writer.compiled_lines(compiled)
    arguments = writer.argument_lines()
    lines = writer.head_lines(name or path.stem, work) + body + writer.variant_lines() + arguments
    write_atomic(path, "\n".join(lines) + "\n")
    told = {variant: describe(launch) for variant, launch in variants.items()}
    write_atomic(path.with_suffix(".launch.json"), json.dumps(told, indent=1) + "\n")
    return [path, path.with_suffix(".launch.json"), *writer.files]


class _Writer:
    def __init__(self, path, variants, target, outputs):
        self.path, self.variants, self.target = path, variants, target
        self.main = next(iter(variants.values()))
        self.flow = self.main.flow()
        self.outputs = self.flow.written if outputs is None else set(outputs)
        self.sizes = {name: {} for name in variants}
        self.files = []
        self.parameters = [p for p, _ in self.main.specialised(target).parameters]
        for name, launch in variants.items():
            if [p for p, _ in launch.specialised(target).parameters] != self.parameters:
                raise UserError(
                    f"the variant {name} is specialised otherwise than the first (an argument that is 1 or None in one "
                    "of them only): choose other sizes"
                )

    def head_lines(self, name, work):
        notes = [f"# {note}" for note in dict.fromkeys(n for launch in self._all() for n in launch.notes)]
        lines = ["# Captured by swizzleperf.triton.", *notes, f"name = {_quoted(name)}"]
        lines += [f"source = {_quoted(_relative(self.main.path, self.path))}", f"kernel = {_quoted(self.main.kernel)}"]
        lines += ['dialect = "triton"', *self.ir_lines(), f"default = {_quoted(next(iter(self.variants)))}"]
        return [*lines, *(f"{key} = {_toml(value)}" for key, value in work.items() if value is not None), ""]

    def ir_lines(self):
        texts = {name: launch.ttir(self.target) for name, launch in self.variants.items()}
        if len(set(texts.values())) == 1:
            return [f"ir = {_quoted(self._write('.ttir', next(iter(texts.values()))))}"]
        named = {
            name: self._write(".ttir" if name == next(iter(self.variants)) else f"_{name}.ttir", text)
            for name, text in texts.items()
        }
        return ["ir = { " + ", ".join(f"{name} = {_quoted(file)}" for name, file in named.items()) + " }"]

    def launch_lines(self, occupancy, source):
        extents = [
            self._number(f"grid_{'xyz'[axis]}_of_launch", [launch.grid[axis] for launch in self._all()])
            for axis in range(len(self.main.grid))
        ]
        warps = {launch.specialised(self.target).options.get("num_warps", 4) for launch in self._all()}
        if len(warps) > 1:
            raise UserError("the variants have different numbers of warps: that cannot be one case")
        lines = ["[launch]", f"grid = [{', '.join(extents)}]", f"warps = {warps.pop()}"]
        lines += [f"occupancy = {occupancy}"] if occupancy else []
        return lines + ([f"occupancy_source = {_quoted(source)}"] if source else [])

    def compiled_lines(self, targets):
        lines = []
        for target in targets:
            found = self.main.compiled(target)
            lines += ["", f"[compiled.{target}]", f"shared = {found['shared']}"]
            lines += [f"registers = {found['registers']}"] if found["registers"] else []
            lines += [f"warps = {found['warps']}"]
        return lines

    def argument_lines(self):
        lines = []
        for name in self.parameters:
            value = self.main.values[name]
            if isinstance(value, Descriptor):
                lines += self._descriptor(name)
            else:
                lines += ["[[args]]", f"name = {_quoted(name)}"]
                lines += [*(self._buffer(name) if isinstance(value, Tensor) else self._scalar(name)), ""]
        if not self.parameters:
            raise UserError("the kernel has no arguments left: there is nothing to analyse")
        return lines[:-1]

    def _descriptor(self, name):
        """The descriptor's buffer, then the extents and strides that Triton passes behind it."""
        if not self.target.startswith("sm_"):
            raise Unsupported(
                f"{name} is a descriptor that the host made: capture it for sm_90, other targets pass it otherwise"
            )
        made = [launch.values[name] for launch in self._all()]
        numbers = {
            kind: [
                self._number(f"{name}_{kind}_{axis}", [getattr(d, kind)[axis] for d in made])
                for axis in range(len(made[0].shape))
            ]
            for kind in ("shape", "strides")
        }
        lines = ["[[args]]", f"name = {_quoted(name)}", f"dtype = {_quoted(ELEMENT_TYPES[made[0].dtype][1])}"]
        lines += [f"{kind} = [{', '.join(values)}]" for kind, values in numbers.items()]
        lines += ["output = true", ""] if name in self.outputs else [""]
        for kind, dtype, values in (("shape", "int32", numbers["shape"]), ("stride", "int64", numbers["strides"])):
            for axis, value in enumerate(values):
                lines += ["[[args]]", f'name = "{name}.{kind}.{axis}"', f'dtype = "{dtype}"', f"value = {value}", ""]
        return lines

    def variant_lines(self):
        lines = ["", "[variants]"]
        for name, launch in self.variants.items():
            named = {**_names_of(launch), **self.sizes[name]}
            lines.append(f"{name} = {{ " + ", ".join(f"{key} = {value}" for key, value in sorted(named.items())) + " }")
        return [*lines, ""]

    def _buffer(self, name):
        tensors = [launch.values[name] for launch in self._all()]
        contiguous = all(t.is_contiguous() and t.numel() > 0 for t in tensors)
        shapes = [t.shape if contiguous and t.shape else (t.span(),) for t in tensors]
        extents = [
            self._number(f"{name}_extent_{axis}", [shape[axis] for shape in shapes]) for axis in range(len(shapes[0]))
        ]
        lines = [f"dtype = {_quoted(ELEMENT_TYPES[tensors[0].dtype][1])}", f"shape = [{', '.join(extents)}]"]
        if name in self.flow.indirect:
            lines.append(f"init = {{ npy = {_quoted(self._contents(name, tensors))} }}")
        return lines + (["output = true"] if name in self.outputs else [])

    def _scalar(self, name):
        values = [launch.values[name] for launch in self._all()]
        kind = dict(self.main.specialised(self.target).parameters)[name]
        if kind not in _SCALARS:
            raise UserError(f"the argument {name} has the type {kind}, which a case cannot hold")
        if isinstance(values[0], bool) or not isinstance(values[0], int):
            if len(set(values)) > 1:
                raise UserError(f"the argument {name} differs between variants and is no whole number")
            return [
                f"dtype = {_quoted(_SCALARS[kind])}",
                f"value = {_toml(int(values[0]) if isinstance(values[0], bool) else values[0])}",
            ]
        return [f"dtype = {_quoted(_SCALARS[kind])}", f"value = {self._number(f'{name}_value', values)}"]

    def _contents(self, name, tensors):
        """One .npy for all variants, since a case names one."""
        import numpy

        arrays = [tensor.array() for tensor in tensors]
        if any(array is None for array in arrays):
            raise UserError(f"the contents of {name} decide what the kernel touches: capture it with data")
        if any(not numpy.array_equal(arrays[0], other) for other in arrays[1:]):
            raise UserError(f"the contents of {name} differ between variants: write a case for each")
        held = numpy.ascontiguousarray(arrays[0])
        held = held.astype(numpy.int8) if held.dtype == bool else held
        buffer = io.BytesIO()
        numpy.save(buffer, held, allow_pickle=False)
        return self._write(f"_{name}.npy", buffer.getvalue())

    def _number(self, name, values):
        """An expression that is right for every variant: the common text, or a size of that name."""
        texts = {text_of(value) for value in values}
        if len(texts) == 1:
            return _quoted(bare(texts.pop())) if isinstance(values[0], Size) else str(int(values[0]))
        for variant, value in zip(self.variants, values):
            self.sizes[variant][name] = int(value)
        return _quoted(name)

    def _write(self, suffix, content):
        file = self.path.with_name(self.path.stem + suffix)
        write_atomic(file, content)
        self.files.append(file)
        return file.name

    def _all(self):
        return list(self.variants.values())


def _names_of(launch):
    """Sizes that the launch's numbers were computed from."""
    found = {}
    for value in [*launch.grid, *launch.values.values()]:
        parts = [*value.shape, *value.strides] if isinstance(value, (Tensor, Descriptor)) else [value]
        for part in parts:
            found.update(getattr(part, "names", {}))
    return found


def describe(launch):
    """All of a launch that the case does not hold, for running it again: see `swizzleperf.triton.again`."""
    return {
        "kernel": launch.qualified,
        "grid": [int(e) for e in launch.grid],
        "options": _jsonable(launch.options),
        "arguments": {name: _describe(value) for name, value in launch.values.items()},
    }


def _describe(value):
    if isinstance(value, Tensor):
        return {
            "tensor": value.dtype,
            "shape": [int(e) for e in value.shape],
            "strides": [int(s) for s in value.strides],
        }
    if isinstance(value, Descriptor):
        numbers = {"shape": value.shape, "strides": value.strides, "block": value.block_shape}
        return {"descriptor": _describe(value.base), **{k: [int(n) for n in v] for k, v in numbers.items()}}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": int(value) if isinstance(value, Size) else value}
    if type(value).__name__ == "dtype":
        return {"triton_type": str(value)}
    return {"unknown": repr(value)}


def _jsonable(options):
    return {name: value for name, value in options.items() if isinstance(value, (bool, int, float, str, type(None)))}


def _relative(file, case):
    return os.path.relpath(file.resolve(), case.resolve().parent)


def _quoted(text):
    return json.dumps(text)


def _toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return (
        _quoted(bare(text_of(value)))
        if isinstance(value, Size)
        else _quoted(value)
        if isinstance(value, str)
        else repr(value)
    )
