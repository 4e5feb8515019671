"""A recorded launch: kernel, grid, arguments and options, as Triton would have got them."""

import inspect
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Unsupported, UserError
from ..files import read_bytes
from . import versions
from .flow import flow_of
from .source import Functions, Source
from .tensor import Descriptor, Tensor, as_tensor


@dataclass
class Launch:
    """One `kernel[grid](...)` that did not run. `values`: what each parameter of the Python function got, by name."""

    jit: object
    grid: tuple  # ints, perhaps Sizes
    values: dict
    options: dict  # num_warps, num_stages, ...
    notes: list = field(default_factory=list)
    _specialised: dict = field(default_factory=dict)

    @property
    def kernel(self):
        return self.jit.fn.__name__

    @property
    def path(self):
        """The Python file of the kernel."""
        file = inspect.getsourcefile(self.jit.fn)
        if file is None:
            raise Unsupported(f"the source of {self.kernel} is in no file")
        return Path(file)

    @property
    def qualified(self):
        return self.jit.fn.__qualname__.replace("<locals>.", "")

    def flow(self):
        """What the kernel writes, and whose contents decide addresses."""
        functions = Functions(Source(read_bytes(self.path), str(self.path)))
        pointers = [name for name, value in self.values.items() if isinstance(value, (Tensor, Descriptor))]
        return flow_of(functions, functions.find(self.qualified), pointers)

    def specialised(self, target, jit=None):
        """As Triton compiles it for that target; `jit`: another function in the place of the kernel."""
        key = (target, jit)
        if key not in self._specialised:
            plain = {name: _plain(value) for name, value in self.values.items()}
            self._specialised[key] = versions.specialise(jit or self.jit, (), {**plain, **self.options}, target)
        return self._specialised[key]

    def ttir(self, target="sm_90", jit=None):
        """The IR; its locations name the kernel's file and Triton's own without their folders."""
        made = self.jit if jit is None else jit
        file = made.fn.__code__.co_filename
        text = versions.ttir(self.specialised(target, jit)).replace(f'loc("{file}"', f'loc("{Path(file).name}"')
        return text.replace(f'loc("{Path(versions.load().__file__).parents[1]}/', 'loc("')

    def compiled(self, target, jit=None):
        """Shared memory, registers and warps of the machine code for that target."""
        return versions.compile_whole(self.specialised(target, jit))

    def plain_grid(self):
        return tuple(int(extent) for extent in self.grid) + (1,) * (3 - len(self.grid))


def _plain(value):
    """Sizes become ints: Triton looks at exact types."""
    if isinstance(value, Descriptor):
        return value.plain()
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def record(jit, args, kwargs, grid):
    """A Launch from what `kernel[grid](*args, **kwargs)` hands over."""
    signature = inspect.signature(jit.fn)
    names = set(signature.parameters)
    options = {name: value for name, value in kwargs.items() if name not in names and name != "warmup"}
    try:
        bound = signature.bind(*args, **{name: value for name, value in kwargs.items() if name in names})
    except TypeError as error:
        raise UserError(f"this launch does not fit {jit.fn.__name__}: {error}") from None
    bound.apply_defaults()
    values = {name: _recorded(value) for name, value in bound.arguments.items()}
    extents = grid(dict(values)) if callable(grid) else grid
    extents = (extents,) if isinstance(extents, int) else tuple(extents)
    if not 1 <= len(extents) <= 3 or any(not isinstance(e, int) or e < 1 for e in extents):
        raise UserError(
            f"{jit.fn.__name__} is launched on the grid {extents}: 1 to 3 positive whole numbers are needed"
        )
    return Launch(jit, extents, values, options)


def _recorded(value):
    if type(value).__name__ == "TensorDescriptor":
        return Descriptor(value)
    if isinstance(value, (tuple, list)):
        raise Unsupported("tuples as arguments are not captured")
    tensor = as_tensor(value)
    return value if tensor is None else tensor
