"""Everything that differs between versions of Triton (3.0 and newer), and all that touches its inside."""

import contextlib
import copy
import inspect
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SwizzleperfError, ToolMissing, Unsupported, UserError

TARGETS = {
    "sm_80": ("cuda", 80, 32),
    "sm_89": ("cuda", 89, 32),
    "sm_90": ("cuda", 90, 32),
    "sm_100": ("cuda", 100, 32),
    "gfx942": ("hip", "gfx942", 64),
    "gfx950": ("hip", "gfx950", 64),
    "gfx90a": ("hip", "gfx90a", 64),
}


def load():
    """The triton module, or ToolMissing."""
    try:
        import triton
    except ImportError as error:
        raise ToolMissing(f"Triton is not installed ({error}): pip install triton") from None
    if int(triton.__version__.split(".")[0]) < 3:
        raise Unsupported(f"Triton {triton.__version__} is too old: 3.0 or newer is needed")
    return triton


def gpu_target(name):
    """Triton's target for sm_90, gfx942 and so on."""
    load()
    from triton.backends.compiler import GPUTarget

    if name not in TARGETS:
        raise UserError(f"'{name}' is no target; there are: {', '.join(TARGETS)}")
    return GPUTarget(*TARGETS[name])


def jit_function(kernel):
    """The JITFunction (or the interpreter's function) under autotune, heuristics and other wrappers."""
    load()
    seen = kernel
    while not hasattr(seen, "arg_names") or hasattr(seen, "configs") or hasattr(seen, "values"):
        if not hasattr(seen, "fn"):
            raise UserError(f"{kernel!r} is no @triton.jit function")
        seen = seen.fn
    return seen


def is_interpreted(jit):
    """Made while TRITON_INTERPRET=1 was set."""
    return type(jit).__name__ == "InterpretedFunction"


def jit_options(jit):
    """The options that a function was decorated with, as `triton.jit` takes them."""
    options = dict(getattr(jit, "kwargs", {}))
    for name in (
        "version",
        "do_not_specialize",
        "do_not_specialize_on_alignment",
        "debug",
        "noinline",
        "launch_metadata",
    ):
        if hasattr(jit, name):
            options[name] = getattr(jit, name)
    own_repr = getattr(jit, "_repr", None)
    if own_repr is not None:
        options["repr"] = own_repr
    return {name: value for name, value in options.items() if value}


def make_jit(function, options):
    """A new JITFunction of a plain function."""
    from triton.runtime.jit import JITFunction

    known = inspect.signature(JITFunction.__init__).parameters
    return JITFunction(function, **{name: value for name, value in options.items() if name in known})


def with_function(kernel, jit):
    """The kernel with its innermost function replaced; autotune and heuristics around it are copied."""
    if kernel is jit_function(kernel):
        return jit
    outer = copy.copy(kernel)
    outer.fn = with_function(kernel.fn, jit)
    for name in ("cache", "configs_timings"):
        if isinstance(getattr(outer, name, None), dict):
            setattr(outer, name, {})
    if hasattr(outer, "base_fn"):
        outer.base_fn = jit.fn
    return outer


@contextlib.contextmanager
def launches_go_to(record, choose):
    """Inside, `kernel[grid](...)` calls record(jit, args, kwargs, grid); `choose(autotuner)` gives its configuration."""
    load()
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    def run(self, *args, grid, warmup=False, **kwargs):
        return None if warmup else record(self, args, kwargs, grid)

    def tune(self, *args, **kwargs):
        config = choose(self)
        chosen = config.all_kwargs() if hasattr(config, "all_kwargs") else dict(config.kwargs)
        return self.fn.run(*args, **{**kwargs, **{k: v for k, v in chosen.items() if v is not None}})

    saved = JITFunction.run, Autotuner.run
    JITFunction.run, Autotuner.run = run, tune
    try:
        yield
    finally:
        JITFunction.run, Autotuner.run = saved


@dataclass
class Specialised:
    """A kernel as Triton specialises it for one launch: what its compiler takes."""

    source: object  # Triton's ASTSource
    options: dict
    target: object
    parameters: list = field(default_factory=list)  # (name, Triton's type) of each parameter of the IR, in order


class _Driver:
    """Stands where Triton expects a GPU: enough to specialise and compile."""

    def __init__(self, target):
        self._target = target

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_device_interface(self):
        raise Unsupported("a kernel that asks for the GPU while it is launched")


@contextlib.contextmanager
def _environment(target):
    """No GPU, and a cache of its own that is gone afterwards."""
    from triton.runtime.driver import driver

    saved_driver, saved_cache = (
        driver._active if hasattr(driver, "_active") else driver.active,
        os.environ.get("TRITON_CACHE_DIR"),
    )
    folder = tempfile.mkdtemp(prefix="swizzleperf-triton-")
    os.environ["TRITON_CACHE_DIR"] = folder
    driver.set_active(_Driver(target))
    try:
        yield
    finally:
        driver.set_active(saved_driver)
        if saved_cache is None:
            del os.environ["TRITON_CACHE_DIR"]
        else:
            os.environ["TRITON_CACHE_DIR"] = saved_cache
        shutil.rmtree(folder, ignore_errors=True)


def specialise(jit, args, kwargs, target_name):
    """What Triton would compile for this launch on that target."""
    target = gpu_target(target_name)
    if is_interpreted(jit):
        raise UserError(
            "the kernel was made with TRITON_INTERPRET=1: it cannot be compiled; unset that and start again"
        )
    fresh = make_jit(jit.fn, jit_options(jit))
    import triton.compiler as compiler

    caught = []

    def catch(source, target=None, options=None, **_):
        caught.append(Specialised(source, options, target))
        return object()

    saved, compiler.compile = compiler.compile, catch
    try:
        with _environment(target):
            fresh.run(*args, grid=(1, 1, 1), warmup=True, **kwargs)
    except (KeyError, TypeError, ValueError, RuntimeError, AssertionError) as error:
        raise UserError(f"Triton does not take this launch of {jit.fn.__name__}: {error}") from error
    finally:
        compiler.compile = saved
    if not caught:
        raise SwizzleperfError(
            f"Triton {load().__version__} did not compile {jit.fn.__name__}: this version is not known"
        )
    caught[0].parameters = _parameters(fresh, caught[0].source)
    return caught[0]


def _parameters(jit, source):
    """Parameters that stay in the IR: neither constexpr nor specialised away (1, None)."""
    constants = getattr(source, "constants", None) or {}
    gone = set()
    for key in constants:
        if isinstance(key, tuple):
            if len(key) > 1:
                raise Unsupported(f"{jit.fn.__name__} takes a tuple with constants")
            key = key[0]
        gone.add(jit.arg_names[key] if isinstance(key, int) else key)
    stay = []
    for index, name in enumerate(jit.arg_names):
        kind = source.signature.get(name, source.signature.get(index))
        if isinstance(kind, (tuple, list)):
            raise Unsupported(f"{jit.fn.__name__} takes a tuple as {name}")
        if name not in gone and kind not in (None, "constexpr"):
            stay.append((name, kind))
    return stay


def _call_with_known(function, **values):
    names = inspect.signature(function).parameters
    return function(**{name: value for name, value in values.items() if name in names})


def ttir(specialised):
    """The kernel's Triton IR after Triton's own first stage, as it would lie in the cache."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend

    with _environment(specialised.target):
        backend = make_backend(specialised.target)
        options = backend.parse_options(dict(specialised.options))
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        stages = {}
        _call_with_known(
            backend.add_stages, stages=stages, options=options, language=getattr(specialised.source, "language", None)
        )
        functions = _call_with_known(backend.get_codegen_implementation, options=options)
        modules = backend.get_module_map() if hasattr(backend, "get_module_map") else None
        module = _compiled(
            lambda: _call_with_known(
                specialised.source.make_ir,
                target=specialised.target,
                options=options,
                codegen_fns=functions,
                module_map=modules,
                context=context,
            )
        )
        return str(_compiled(lambda: stages["ttir"](module, {"target": specialised.target})))


def _compiled(make):
    """Triton's compile errors are the user's: one message instead of its traceback."""
    try:
        return make()
    except Exception as error:  # Triton raises many types, among them bare RuntimeError
        raise UserError(f"Triton cannot compile the kernel: {type(error).__name__}: {error}") from error


def compile_whole(specialised):
    """Compiles down to machine code; {"shared": bytes, "registers": per lane or None, "warps": n}. No GPU is needed."""
    import triton.compiler as compiler

    with _environment(specialised.target):
        done = _compiled(
            lambda: compiler.compile(specialised.source, target=specialised.target, options=dict(specialised.options))
        )
        registers = _registers(done.asm)
        return {"shared": int(done.metadata.shared), "registers": registers, "warps": int(done.metadata.num_warps)}


def _registers(asm):
    if "amdgcn" in asm:
        for line in asm["amdgcn"].splitlines():
            name, _, value = line.strip().partition(":")
            if name == ".vgpr_count":  # on gfx90a and later the unified file: accumulation registers included
                return int(value)
    if "cubin" in asm:
        return _cubin_registers(asm["cubin"])
    return None


def _cubin_registers(cubin):
    """From Triton's own cuobjdump, where it has one."""
    import triton

    tools = [Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump", shutil.which("cuobjdump")]
    tool = next((str(t) for t in tools if t and Path(t).exists()), None)
    if tool is None:
        return None
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run(
            [tool, "--dump-resource-usage", file.name], capture_output=True, text=True, timeout=60, check=False
        )
    for word in done.stdout.split():
        if word.startswith("REG:"):
            return int(word[4:])
    return None
