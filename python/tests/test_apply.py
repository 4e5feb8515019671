"""Swizzled kernels at run time, and the gate, on real Triton without a GPU."""

import json
import os
import subprocess
import sys

import pytest

from conftest import BALANCED, ROOT, has_triton, needs_triton
from swizzleperf.errors import CheckFailed, UserError
from swizzleperf.triton.tensor import Tensor

pytestmark = needs_triton
if has_triton():
    import triton
    import triton.language as tl

    import triton_kernels as kernels
    from swizzleperf.triton import apply, capture, run_gate, swizzle, write_case
    from swizzleperf.triton.again import launches_of
    from swizzleperf.triton.versions import jit_function

REVERSED = "pid = num_wgs - 1 - wg"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SWIZZLEPERF_CACHE", str(tmp_path / "cache"))


def planes(kernel=None, grid=(4, 3, 2)):
    return capture(kernel or kernels.planes, grid, Tensor((64,), "int32"), 3, 2)


def persistent(grid=(8,), tiles=40):
    return capture(kernels.persistent, grid, Tensor((tiles * 16,), "int32"), tiles, BLOCK=16)


def test_an_applied_kernel_compiles_with_the_tile_in_it():
    swizzled = apply(kernels.persistent, BALANCED, 64, xcds=8)
    ir = capture(swizzled, (64,), Tensor((640,), "int32"), 40, BLOCK=16).ttir()
    assert "arith.remsi" in ir and "arith.remsi" not in persistent().ttir()


def test_the_decorator_keeps_autotune_and_options_around_the_kernel():
    tuned = (
        pytest.importorskip("triton_tuned", exc_type=ImportError)
        if "exc_type" in pytest.importorskip.__code__.co_varnames
        else pytest.importorskip("triton_tuned")
    )
    swizzled = swizzle(BALANCED, [(64,), (128,)], xcds=8)(tuned.matmul)
    assert swizzled is not tuned.matmul and swizzled.configs == tuned.matmul.configs
    assert jit_function(swizzled) is not jit_function(tuned.matmul) and jit_function(tuned.matmul) is kernels.matmul
    assert jit_function(swizzled).arg_names == kernels.matmul.arg_names


def test_closures_and_globals_of_the_kernel_are_kept():
    def make(factor: tl.constexpr):
        @triton.jit
        def kernel(out):
            tl.store(out + tl.program_id(0), kernels.scale_of(tl.program_id(0), factor))

        return kernel

    swizzled = apply(make(tl.constexpr(7)), REVERSED, 16)
    assert "7 : i32" in capture(swizzled, (16,), Tensor((16,), "int32")).ttir()


def test_bad_maps_and_grids_raise_before_anything_is_made():
    with pytest.raises(CheckFailed):
        apply(kernels.planes, "pid = wg / 2", (4, 3, 2))
    for grid in ((), (0,), (1, 2, 3, 4), "8", [], (True,)):
        with pytest.raises(UserError):
            apply(kernels.planes, REVERSED, grid)


def test_the_gate_passes_a_kernel_of_three_axes():
    gate = run_gate({"main": planes(), "verify": planes(grid=(2, 3, 2))}, REVERSED)
    assert [(s.name, s.outcome) for s in gate.steps] == [
        ("bijection", "passed"),
        ("patch", "passed"),
        ("compile sm_90", "passed"),
        ("compile gfx942", "passed"),
        ("addresses", "not done"),
        ("equal results", "passed"),
        ("equal results, map active", "passed"),
    ], gate.text()
    assert gate.verdict() == "proven"


def test_the_gate_passes_a_kernel_with_descriptors():
    tools = pytest.importorskip("triton.tools.tensor_descriptor")
    pair = [tools.TensorDescriptor(Tensor((64, 32), "float16"), [64, 32], [32, 1], [16, 32]) for _ in range(2)]
    launch = capture(kernels.moved, (4,), *pair, BLOCK=16)
    gate = run_gate({"main": launch, "verify": launch}, REVERSED, targets=("sm_90",))
    assert [s.outcome for s in gate.steps] == ["passed"] * 3 + ["not done"] + ["passed"] * 2, gate.text()


def test_without_a_small_launch_equality_is_not_done_and_the_verdict_unverified():
    gate = run_gate({"main": persistent()}, BALANCED, xcds=8, targets=())
    assert gate.verdict() == "unverified"
    assert [s.outcome for s in gate.steps] == ["passed", "passed", "not done", "not done", "not done"]


def test_a_case_is_verified_by_the_command_and_patched(tmp_path):
    (tmp_path / "triton_kernels.py").write_bytes((ROOT / "python/tests/triton_kernels.py").read_bytes())
    write_case(tmp_path / "p.toml", {"main": persistent((64,), 400), "verify": persistent((8,))})
    case = (tmp_path / "p.toml").read_text()
    source = next(line for line in case.splitlines() if line.startswith("source"))
    (tmp_path / "p.toml").write_text(case.replace(source, 'source = "triton_kernels.py"'))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "swizzleperf.triton",
            "verify",
            str(tmp_path / "p.toml"),
            "--map",
            BALANCED,
            "--xcds",
            "8",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "Gate (proven)" in done.stderr, done.stderr
    subprocess.run(["patch", "-p1", "-s"], input=done.stdout, text=True, cwd=tmp_path, check=True)
    assert "sp_pid_x = sp_tile()" in (tmp_path / "triton_kernels.py").read_text()


def test_contents_come_back_from_the_case(tmp_path):
    import numpy

    index = numpy.arange(256, dtype=numpy.int32)[::-1].copy()
    write_case(
        tmp_path / "g.toml",
        capture(kernels.gather, (2,), Tensor((256,), "float32"), index, Tensor((256,), "float32"), 256, BLOCK=128),
    )
    launch = launches_of(tmp_path / "g.toml")["main"]
    assert (
        numpy.array_equal(launch.values["index"].array(), index)
        and launch.options == {}
        and launch.plain_grid() == (2, 1, 1)
    )


def test_a_rewrite_that_loses_work_is_caught_by_the_interpreter():
    from swizzleperf.triton.gate import interpret
    from swizzleperf.triton.rewrite import rewrite_source

    launch = planes(grid=(2, 3, 2))
    data = launch.path.read_bytes()
    done = rewrite_source(data, "k.py", "planes", REVERSED, [(2, 3, 2)])
    assert not any(interpret(launch, done)["differing_bytes"].values())
    broken = done.after.replace(b"sp_pid_z)\n\n", b"sp_pid_z * 0)\n\n")
    assert broken != done.after
    done.after = broken
    assert interpret(launch, done)["differing_bytes"]["out"] > 0


def test_a_kernel_under_the_interpreter_is_swizzled_too(tmp_path):
    code = (
        "import sys, json\nsys.path.insert(0, %r)\nimport triton_kernels as k\nfrom swizzleperf.triton import apply\n"
        "from swizzleperf.triton.interpret import HostTensor\nimport numpy\n"
        "memory = numpy.zeros(64, numpy.int32)\nout = HostTensor(memory.view(numpy.uint8), 'int32', (64,), (1,))\n"
        "apply(k.persistent, %r, 8)[(8,)](out, 4, BLOCK=16)\nprint(json.dumps(memory.tolist()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code % (str(ROOT / "python/tests"), REVERSED)],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT / "python")},
    )
    assert done.stdout.strip() == str([i // 16 for i in range(64)]), done.stderr


def reads_triton_ir():
    from swizzleperf.program import run_program

    return "--ttir-rewritten" in run_program(["check", "--help"])[1]


def test_the_program_compares_the_addresses_of_both_irs(tmp_path):
    from swizzleperf.triton import gate

    if not reads_triton_ir():
        pytest.skip("this swizzleperf does not read Triton IR")
    launches = {"main": planes()}
    write_case(tmp_path / "p.toml", launches)
    done = run_gate(launches, REVERSED, case=tmp_path / "p.toml", targets=())
    step = next(s for s in done.steps if s.name == "addresses")
    assert step.outcome == "passed" and step.detail.startswith("24 of 24"), done.text()
    assert done.verdict() == "proven"
    other = gate.swizzled_jit(launches["main"].jit, gate._rewrite(launches["main"], "pid = wg ^ 1", [(4, 3, 2)]))
    nothing = {"sizes": None, "gpu": None, "xcds": None}
    wrong = gate._address_step(launches["main"], other, tmp_path / "p.toml", REVERSED, nothing)
    assert wrong.outcome == "failed", wrong


@pytest.mark.parametrize(
    "told",
    ["{}", "[]", "{", '{"main": {}}', '{"main": {"kernel": "who", "grid": 3, "options": {}, "arguments": {}}}', "3"],
)
def test_a_damaged_launch_file_gets_one_message(told, tmp_path):
    (tmp_path / "k.py").write_bytes((ROOT / "python/tests/triton_kernels.py").read_bytes())
    (tmp_path / "p.toml").write_text('source = "k.py"\n')
    (tmp_path / "p.launch.json").write_text(told)
    with pytest.raises(UserError, match="p.launch.json"):
        launches_of(tmp_path / "p.toml")


MAPS = (
    "pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)",
    "pid_x = morton_x(wg, grid_y, grid_x); pid_y = morton_y(wg, grid_y, grid_x)",
    "pid = (wg - 12) / 5 * 5 + (wg - 12) % 5 + 12",
    "pid = ceil_div(wg - 12, 5) * 5 + ((wg - 12) - ceil_div(wg - 12, 5) * 5) + 12",
    "pid = wg * 4294967296 / 4294967296",
    "pid = wg ^ (wg < 16 && wg > 3 || wg / 2 == 9)",
    "d = wg - 3; pid = d == 0 ? wg : wg + 0 * (7 / d)",
    "pid = ~(wg - 35)",
    "pid_x = 6 - wg_x; pid_y = wg_y",
    "pid = max(0, min(abs(wg - 34), 100))",
    "x = wg % 5; y = wg / 5; pid = x * 7 + y",
)


def test_printed_maps_compile_in_real_triton():
    from swizzleperf.triton.apply import rewrite_function, swizzled_jit

    launch = capture(kernels.who, (7, 5), Tensor((1,), "int32"), Tensor((35,), "int32"))
    for map_text in MAPS:
        done = rewrite_function(kernels.who, map_text, [(7, 5, 1)])
        assert "tt.atomic_rmw" in launch.ttir(jit=swizzled_jit(kernels.who, done)), map_text


def test_printed_maps_take_the_tiles_of_the_map_in_real_triton():
    code = (
        "import sys, json\nsys.path.insert(0, %r)\nimport triton_kernels as k\nfrom swizzleperf.triton import apply\n"
        "from swizzleperf.triton.interpret import HostTensor\nimport numpy\n"
        "for text in json.loads(sys.argv[1]):\n    memory = numpy.zeros(36, numpy.int32)\n"
        "    out = HostTensor(memory[1:].view(numpy.uint8), 'int32', (35,), (1,))\n"
        "    count = HostTensor(memory[:1].view(numpy.uint8), 'int32', (1,), (1,))\n"
        "    apply(k.who, text, (7, 5))[(7, 5)](count, out)\n    print(json.dumps(memory[1:].tolist()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code % str(ROOT / "python/tests"), json.dumps(MAPS)],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT / "python")},
    )
    assert done.returncode == 0, done.stderr
    # The interpreter counts y fastest: the launch id w = x + 7 y is its turn 5 x + y.
    turns = [5 * (w % 7) + w // 7 for w in range(35)]
    tiles = [[rows.index(turn) for turn in turns] for rows in map(json.loads, done.stdout.splitlines())]
    assert all(sorted(each) == list(range(35)) for each in tiles) and len(tiles) == len(MAPS)
    steps = [abs(a % 7 - b % 7) + abs(a // 7 - b // 7) for a, b in zip(tiles[0], tiles[0][1:])]
    assert max(steps) <= 2 and steps.count(1) >= 33, "hilbert steps to neighbours"
    assert tiles[2] == tiles[3] == tiles[4] == list(range(35))
    assert tiles[7] == [34 - w for w in range(35)]
    assert tiles[8] == [6 - w % 7 + 7 * (w // 7) for w in range(35)]
    assert tiles[10] == [w % 5 * 7 + w // 5 for w in range(35)]
