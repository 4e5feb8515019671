"""Records launches without a GPU and without running them, and writes them as case files."""

import contextlib

from ..errors import UserError
from . import versions
from .casefile import write_case
from .launch import record


@contextlib.contextmanager
def recording(config=None):
    """Inside, launches of Triton kernels are recorded in the list that this gives, and not run.

        with recording() as launches:
            matmul(a, b)            # whatever calls kernel[grid](...)

    `config`: for autotuned kernels, an index into their configurations or a function of the autotuner; default: the first.
    """
    launches = []

    def chosen(tuner):
        if callable(config):
            return config(tuner)
        index = 0 if config is None else config
        if not -len(tuner.configs) <= index < len(tuner.configs):
            raise UserError(f"the kernel has {len(tuner.configs)} configurations, not {index + 1}")
        if config is None and len(tuner.configs) > 1:
            notes.append(f"autotuned: the first of {len(tuner.configs)} configurations was taken")
        return tuner.configs[index]

    def add(jit, args, kwargs, grid):
        launch = record(jit, args, kwargs, grid)
        launch.notes, notes[:] = list(notes), []
        launches.append(launch)

    notes = []
    with versions.launches_go_to(add, chosen):
        yield launches


def capture(kernel, grid, *args, config=None, **kwargs):
    """The launch `kernel[grid](*args, **kwargs)`, recorded. Tensors: torch's (meta too), numpy's, or `Tensor`."""
    if versions.is_interpreted(versions.jit_function(kernel)):
        raise UserError("the kernel was made with TRITON_INTERPRET=1: unset that and start again")
    with recording(config) as launches:
        kernel[grid](*args, **kwargs)
    return launches[0]


__all__ = ["capture", "recording", "write_case"]
