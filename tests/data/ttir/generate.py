"""Writes the IR of every kernel in kernels.py with the Triton that runs this: python generate.py OUTPUT_FOLDER [KERNEL ...]

No GPU is needed: the pipeline stops at the first stage, for a target that is only named.
"""
import inspect
import pathlib
import sys

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

import kernels


def call_with_known(function, **known):
    """Calls a function of Triton with those arguments that it has in this version."""
    return function(**{name: known[name] for name in inspect.signature(function).parameters})


def ttir(name, target):
    signature, constants, _, _ = kernels.KERNELS[name]
    function = getattr(kernels, name)
    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    if version >= (3, 3):
        source = ASTSource(fn=function, signature={**signature, **{c: "constexpr" for c in constants}},
                           constexprs=constants)
    else:
        source = ASTSource(fn=function, signature=signature, constants=constants)
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    codegen = call_with_known(backend.get_codegen_implementation, options=options)
    modules = backend.get_module_map() if hasattr(backend, "get_module_map") else None
    module = call_with_known(source.make_ir, target=target, options=options, codegen_fns=codegen, module_map=modules,
                             context=context)
    stages = {}
    call_with_known(backend.add_stages, stages=stages, options=options, language=getattr(source, "language", None))
    return str(stages["ttir"](module, {}))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    here = str(pathlib.Path(kernels.__file__).resolve().parent)
    library = str(pathlib.Path(triton.__file__).resolve().parent.parent)
    for name in sys.argv[2:] or kernels.KERNELS:
        first, last = kernels.KERNELS[name][2:]
        if not first <= version <= last:
            continue
        text = ttir(name, GPUTarget("cuda", 90, 32))
        # Paths of the machine that wrote them say nothing.
        text = text.replace(here + "/", "").replace(library + "/", "")
        (folder / f"{name}.ttir").write_text(text)


main()
