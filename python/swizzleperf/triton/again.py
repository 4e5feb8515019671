"""Recorded launches again, from the files that `write_case` wrote."""

import importlib.util
import json
import sys
from pathlib import Path

from ..errors import Unsupported, UserError
from ..files import read_bytes
from . import versions
from .launch import Launch
from .tensor import Descriptor, Tensor


def launches_of(case):
    """{"main": launch, ...} of a case file: its source is imported, its NAME.launch.json read."""
    case = Path(case)
    told = _json(case.with_suffix(".launch.json"))
    fields = _toml(case)
    if not isinstance(fields.get("source"), str):
        raise UserError(f"{case}: names no Python source")
    contents = {
        a["name"]: case.parent / a["init"]["npy"]
        for a in fields.get("args", [])
        if isinstance(a.get("init"), dict) and "npy" in a["init"]
    }
    try:
        launches = {variant: _launch(case.parent / fields["source"], one, contents) for variant, one in told.items()}
        main = launches.pop(fields.get("default", "main"), None) or next(iter(launches.values()))
    except (KeyError, TypeError, AttributeError, ValueError, StopIteration) as error:
        file = case.with_suffix(".launch.json")
        raise UserError(f"{file}: not as capture writes it ({type(error).__name__}: {error}): capture again") from error
    return {"main": main, **launches}


def _launch(source, told, contents):
    jit = _kernel(source, told["kernel"])
    values = {name: _value(name, one, contents) for name, one in told["arguments"].items()}
    return Launch(jit, tuple(told["grid"]), values, dict(told["options"]))


def map_sizes(case):
    """The sizes of the case's default variant that are whole numbers: what a map may name."""
    fields = _toml(Path(case))
    named = {**fields.get("sizes", {}), **fields.get("variants", {}).get(fields.get("default", "main"), {})}
    return {name: value for name, value in named.items() if isinstance(value, int)}


def _value(name, told, contents):
    if "tensor" in told:
        data = None
        if name in contents:
            import numpy

            data = numpy.load(contents[name], allow_pickle=False)
        return Tensor(told["shape"], told["tensor"], told["strides"], data)
    if "descriptor" in told:
        from triton.tools.tensor_descriptor import TensorDescriptor

        base = _value(name, told["descriptor"], contents)
        return Descriptor(TensorDescriptor(base, told["shape"], told["strides"], told["block"]))
    if "triton_type" in told:
        import triton.language

        return triton.language.dtype(told["triton_type"])
    if "unknown" in told:
        raise Unsupported(
            f"the argument {name} = {told['unknown']} cannot be made again from the case: call run_gate in Python"
        )
    return told["value"]


def _kernel(file, qualified):
    versions.load()
    name = f"swizzleperf_case_{Path(file).stem}"
    if name not in sys.modules:
        read_bytes(file)
        sys.path.insert(0, str(Path(file).resolve().parent))
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # whatever the user's file raises
            raise UserError(f"{file}: cannot be imported: {type(error).__name__}: {error}") from error
    found = sys.modules[name]
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise Unsupported(f"{file}: {qualified} is made inside of a function: call run_gate in Python")
    return versions.jit_function(found)


def _json(file):
    try:
        return json.loads(read_bytes(file))
    except ValueError as error:
        raise UserError(f"{file}: not JSON: {error}") from None


def _toml(file):
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    try:
        return tomllib.loads(read_bytes(file).decode())
    except ValueError as error:
        raise UserError(f"{file}: not TOML: {error}") from None
