"""What the Triton examples share: a kernel with its launch, its sizes and a reference, and the commands on it.

python gemm.py case -o FOLDER      # writes the case; no GPU, no torch
python gemm.py check               # small sizes in Triton's interpreter against numpy; no GPU, no torch
python gemm.py run [--map MAP --gpu GPU]   # on a GPU, with torch: checked against numpy, then timed
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

if sys.argv[1:2] == ["check"]:
    os.environ["TRITON_INTERPRET"] = "1"  # before any kernel is defined
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy

from swizzleperf.triton import Tensor, apply, recording, sizes, write_case


@dataclass
class Array:
    """One argument in memory. `fill`: a function of (sizes, random generator) for contents that matter, e.g. indices."""

    shape: tuple
    dtype: str = "float32"
    fill: object = None


@dataclass
class Example:
    """A kernel with all that is needed to capture, check and run it."""

    name: str
    kernel: object
    main: dict  # sizes of the launch that is optimized
    verify: dict  # small and odd sizes
    arrays: object  # sizes -> {name: Array}
    launch: object  # (kernel, arrays by name, sizes): kernel[grid](...)
    reference: object  # (numpy arrays by name, sizes) -> {output: numpy array}
    tolerance: float = 1e-2
    flops: str = None
    flops_dtype: str = "fp32"
    flops_matrix: bool = False

    def recorded(self, which):
        """The launch at the sizes `main` or `verify`, not run."""
        named = getattr(self, which)
        made = sizes(**named)
        s = SimpleNamespace(**dict(zip(named, made if isinstance(made, tuple) else (made,))))
        tensors = {}
        for name, array in self.arrays(s).items():
            contents = None if array.fill is None else array.fill(SimpleNamespace(**named), numpy.random.default_rng(1))
            tensors[name] = Tensor(array.shape, array.dtype, data=contents)
        with recording() as launches:
            self.launch(self.kernel, tensors, s)
        return launches[-1]

    def contents(self, which):
        """Sizes and numpy arrays for a real run."""
        s, random = SimpleNamespace(**getattr(self, which)), numpy.random.default_rng(1)
        made = {}
        for name, array in self.arrays(s).items():
            if array.fill is not None:
                made[name] = array.fill(s, random)
            elif array.dtype.startswith("float"):
                made[name] = (random.random(array.shape, numpy.float32) * 2 - 1).astype(array.dtype)
            else:
                made[name] = numpy.zeros(array.shape, array.dtype)
        return s, made

    def expect_close(self, found, expected):
        """Raises where an output is not the reference's."""
        for name, right in expected.items():
            error = numpy.max(numpy.abs(found[name].astype(numpy.float64) - right), initial=0)
            scale = max(1.0, float(numpy.max(numpy.abs(right), initial=0)))
            if not error <= self.tolerance * scale:
                raise SystemExit(f"{self.name}: {name} is wrong by {error} (values up to {scale})")


def write(example, folder, compiled=("gfx942", "gfx950", "sm_90")):
    """Writes the example's case, `compiled` for these targets. Contents that decide addresses belong to one variant: there is no
    small one then."""
    launches = {"main": example.recorded("main"), "verify": example.recorded("verify")}
    if launches["main"].flow().indirect:
        del launches["verify"]
    return write_case(
        Path(folder) / f"{example.name}.toml",
        launches,
        name=f"{example.name}_triton",
        compiled=compiled,
        flops=example.flops,
        flops_dtype=example.flops_dtype,
        flops_matrix=example.flops_matrix,
    )


def check(example):
    """Runs the small sizes in the interpreter."""
    from swizzleperf.triton.interpret import HostTensor

    s, arrays = example.contents("verify")
    expected = example.reference({name: array.copy() for name, array in arrays.items()}, s)
    hosts = {
        name: HostTensor(a.reshape(-1).view(numpy.uint8), str(a.dtype), a.shape, [n // a.itemsize for n in a.strides])
        for name, a in arrays.items()
    }
    example.launch(example.kernel, hosts, s)
    example.expect_close(arrays, expected)
    print(f"{example.name}: as the reference")


def run(example, options):
    """On a GPU: small sizes against numpy, then the main sizes timed, as they are and with the map."""
    import torch
    import triton

    kernels = {"launch order": example.kernel}
    if options.map:
        grid = [example.recorded(which).plain_grid() for which in ("main", "verify")][
            : None if options.map_fits_verify else 1
        ]
        kernels["map"] = apply(example.kernel, options.map, grid, {k: v for k, v in example.main.items()}, options.gpu)
    for label, kernel in kernels.items():
        s, arrays = example.contents("verify")
        expected = example.reference({name: array.copy() for name, array in arrays.items()}, s)
        device = {name: torch.from_numpy(array.copy()).cuda() for name, array in arrays.items()}
        example.launch(kernel, device, s)
        torch.cuda.synchronize()
        example.expect_close({name: tensor.cpu().numpy() for name, tensor in device.items()}, expected)
        s, arrays = example.contents("main")
        device = {name: torch.from_numpy(array).cuda() for name, array in arrays.items()}
        ms = triton.testing.do_bench(lambda: example.launch(kernel, device, s), quantiles=[0.5, 0.2, 0.8])
        print(
            f"{example.name}, {label}: {ms[0]:.4f} ms (20 % below {ms[1]:.4f}, 20 % above {ms[2]:.4f}); small sizes as the reference"
        )


def main(*examples):
    """The command line of an example file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["case", "check", "run"])
    parser.add_argument("-o", "--output", default=".", help="folder for the cases")
    parser.add_argument("--only", help="one of the file's examples: " + ", ".join(e.name for e in examples))
    parser.add_argument("--map", help="run: a map, proven on the main grid")
    parser.add_argument(
        "--map-fits-verify", action="store_true", help="the map is a bijection on the small grid, too: use it there"
    )
    parser.add_argument("--gpu", help="run: the GPU that the map's num_xcds is of")
    options = parser.parse_args()
    for example in examples:
        if options.only not in (None, example.name):
            continue
        if options.command == "case":
            print(*write(example, options.output), sep="\n")
        elif options.command == "check":
            check(example)
        else:
            run(example, options)
