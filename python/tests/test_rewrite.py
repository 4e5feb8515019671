"""Rewriting: whatever the way in which a kernel reads the program id, program w does what tile(w) did, and no other byte
of the file changes."""

import difflib
import subprocess
import sys

import pytest

from conftest import BALANCED
from standin import run
from swizzleperf.errors import CheckFailed, Unsupported, UserError
from swizzleperf.triton.rewrite import rewrite_source

HEAD = "import triton\nimport triton.language as tl\n\n\n"
TRANSPOSED = "pid_x = wg / grid_y; pid_y = wg % grid_y"
REVERSED = "pid = num_wgs - 1 - wg"


def balanced(w, grid):
    n = grid[0] * grid[1] * grid[2]
    return w % 8 * (n // 8) + w // 8


def transposed(w, grid):
    return w // grid[1] + grid[0] * (w % grid[1])


def backwards(w, grid):
    return grid[0] * grid[1] * grid[2] - 1 - w


def rewritten(source, kernel="kernel", map_text=BALANCED, grid=(64, 1, 1), **options):
    return rewrite_source(source.encode(), "k.py", kernel, map_text, [grid], xcds=8, **options)


def expect_follows(
    source, grid=(64, 1, 1), map_text=BALANCED, tile=balanced, arguments=(), kernel="kernel", get=None, lines=0
):
    """Program w of the rewritten kernel records what program tile(w) of the original records; returns the new text."""
    done = rewritten(source, kernel, map_text, grid)
    get = get or (lambda names: names[kernel])
    before = run(source, get, grid, *arguments)
    after = run(done.after.decode(), get, grid, *arguments)
    assert after == [before[tile(w, grid)] for w in range(len(before))]
    assert any(a != b for a, b in zip(before, after))
    removed = [
        line for line in difflib.ndiff(source.splitlines(True), done.after.decode().splitlines(True)) if line[0] == "-"
    ]
    assert len(removed) <= max(lines, done.reads + len(done.copies)), removed
    return done.after.decode()


def test_one_axis():
    expect_follows(HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n")


def test_two_axes_in_either_order():
    expect_follows(
        HEAD
        + "@triton.jit\ndef kernel():\n    y = tl.program_id(1)\n    x = tl.program_id(axis=0)\n    tl.record(x, y)\n",
        (8, 12, 1),
        TRANSPOSED,
        transposed,
    )


def test_three_axes():
    expect_follows(
        HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0), tl.program_id(1), tl.program_id(2))\n",
        (3, 4, 5),
        REVERSED,
        backwards,
    )


def test_only_the_second_axis_is_read():
    text = expect_follows(
        HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(1))\n", (8, 12, 1), TRANSPOSED, transposed
    )
    assert "    sp_pid_y = sp_tile()\n" in text


def test_read_several_times_and_inline():
    expect_follows(
        HEAD
        + "@triton.jit\ndef kernel():\n    if tl.program_id(0) % 2 == 0:\n        tl.record(tl.program_id(0) * 4 + 1)\n"
        "    else:\n        tl.record(7 if tl.program_id(0) > 9 else -tl.program_id(0))\n"
    )


@pytest.mark.parametrize(
    "head, read",
    [
        ("import triton\nimport triton.language as language\n", "language.program_id(0)"),
        ("import triton as t\n\njit = t.jit\n", "t.language.program_id(0)"),
        ("import triton\nfrom triton import language as L\n", "L.program_id(axis=0)"),
        (
            "from triton import jit\nfrom triton.language import program_id\nfrom triton.language import record\n",
            "program_id(0)",
        ),
        ("import triton\nfrom triton.language import program_id as which\n", "which(0)"),
        ("import triton\nfrom triton.language import *\n", "program_id(0)"),
        ("import triton\nfrom triton.language.core import program_id\n", "program_id(0)"),
        ("import triton\nimport triton.language as tl\nget_id = tl.program_id\n", "get_id(0)"),
        (
            "try:\n    import triton\n    import triton.language as tl\nexcept ImportError:\n    triton = None\n",
            "tl.program_id(0)",
        ),
    ],
)
def test_names_of_the_language(head, read):
    jit = next(
        name for name, sign in (("@t.jit", "triton as t"), ("@jit", "import jit"), ("@triton.jit", "")) if sign in head
    )
    source = f"{head}import triton.language as recorder\n\n\n{jit}\ndef kernel():\n    recorder.record({read})\n"
    expect_follows(source)


def test_a_function_of_the_same_name_is_not_tritons():
    source = HEAD + (
        "@triton.jit\ndef program_id(a):\n    return a + 1\n\n\n@triton.jit\ndef kernel():\n"
        "    tl.record(program_id(0), tl.program_id(0))\n"
    )
    assert rewritten(source).reads == 1
    expect_follows(source)


def test_an_axis_that_is_a_constexpr():
    expect_follows(
        HEAD
        + "@triton.jit\ndef kernel(AXIS: tl.constexpr):\n    tl.record(tl.program_id(AXIS), tl.program_id(1 - AXIS))\n",
        (8, 12, 1),
        TRANSPOSED,
        transposed,
        (1,),
    )


HELPERS = (
    HEAD
    + """@triton.jit
def pair(n):
    '''Both ids.'''
    pid = tl.program_id(0)  # stays
    return pid // n, pid % n


@triton.jit
def deeper(n):
    return pair(n)


@triton.jit
def harmless(n):
    return n + 1


@triton.jit
def kernel(n):
    a, b = deeper(n)
    tl.record(a, b, harmless(n), tl.program_id(0))


@triton.jit
def neighbour(n):
    tl.record(pair(n), tl.program_id(0))
"""
)


def test_helpers_are_copied_so_that_other_kernels_keep_their_order():
    text = expect_follows(HELPERS, arguments=(5,))
    assert rewritten(HELPERS).copies == ["deeper", "pair"]
    assert "def sp_pair(n):\n    '''Both ids.'''\n    sp_pid_x = sp_tile()\n    pid = sp_pid_x  # stays\n" in text
    before = run(HELPERS, lambda names: names["neighbour"], (64, 1, 1), 5)
    assert run(text, lambda names: names["neighbour"], (64, 1, 1), 5) == before


def test_a_persistent_kernel_keeps_its_stride():
    text = expect_follows(
        HEAD + "@triton.jit\ndef kernel(tiles):\n    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):\n"
        "        tl.record(tile)\n",
        arguments=(300,),
    )
    assert "range(sp_pid_x, tiles, tl.num_programs(0))" in text


def test_stream_k_walks_the_share_of_its_tile():
    expect_follows(
        HEAD
        + "@triton.jit\ndef kernel(iters):\n    pid = tl.program_id(0)\n    share = tl.cdiv(iters, tl.num_programs(0))\n"
        "    it = pid * share\n    end = (pid + 1) * share\n    while it < end:\n        tl.record(it)\n        it += 1\n",
        arguments=(1000,),
    )


def test_a_kernel_made_in_a_function():
    expect_follows(
        HEAD
        + "def make(scale):\n    @triton.jit\n    def kernel(n):\n        tl.record(tl.program_id(0) * scale + n)\n\n"
        "    return kernel\n",
        arguments=(2,),
        kernel="make.kernel",
        get=lambda names: names["make"](3),
    )


def test_a_method_and_a_wrapped_function():
    expect_follows(
        HEAD
        + "class Ops:\n    @staticmethod\n    @triton.jit\n    def kernel():\n        tl.record(tl.program_id(0))\n",
        get=lambda names: names["Ops"].kernel,
    )
    expect_follows(
        HEAD + "def plain():\n    tl.record(tl.program_id(0))\n\n\nkernel = triton.jit(plain)\n", kernel="plain"
    )


def test_under_a_condition_with_decorators():
    expect_follows(
        "import triton, triton.language as tl\nif True:\n    @triton.autotune(configs=[], key=['n'])\n"
        "    @triton.jit(debug=False)\n    def kernel(n):\n        tl.record(tl.program_id(0))\n",
        arguments=(1,),
    )


def test_comments_inside_of_a_read_survive():
    text = expect_follows(
        HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(  # rows\n        axis=0,  # x\n    ), 1)\n",
        lines=3,
    )
    assert "sp_pid_x  # rows\n# x\n" in text


def test_docstring_and_first_comment_stay_first():
    text = expect_follows(
        HEAD
        + "@triton.jit\ndef kernel(\n    n,  # count: of all\n):\n    '''What it does.\n\n    More.'''\n    # why\n"
        "    tl.record(tl.program_id(0))\n",
        arguments=(1,),
    )
    assert "More.'''\n    # why\n    sp_pid_x = sp_tile()\n" in text


def test_line_ends_tabs_byte_order_mark_and_unicode_are_kept():
    source = "\ufeff# é\r\nimport triton\r\nimport triton.language as tl\r\n\r\n@triton.jit\r\ndef kernel():\r\n\ts = 'ü'; tl.record(tl.program_id(0), s)"
    done = rewritten(source)
    assert done.after.startswith(b"\xef\xbb\xbf# \xc3\xa9\r\n") and done.after.count(b"\n") == done.after.count(b"\r\n")
    assert done.after.endswith("\tsp_pid_x = sp_tile()\r\n\ts = 'ü'; tl.record(sp_pid_x, s)".encode())


def test_names_of_the_file_never_collide():
    text = expect_follows(
        HEAD + "sp_scale = 3\n\n\n@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0) * sp_scale)\n"
    )
    assert "sp2_pid_x = sp2_tile()" in text


def test_other_grids_keep_the_launch_order():
    source = HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n"
    text = rewritten(source).after.decode()
    for grid in ((63, 1, 1), (128, 1, 1), (64, 2, 1)):
        assert run(text, lambda n: n["kernel"], grid) == run(source, lambda n: n["kernel"], grid)


def test_several_grids_share_one_map():
    source = HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n"
    text = rewrite_source(source.encode(), "k.py", "kernel", BALANCED, [(64, 1, 1), (128, 1, 1)], xcds=8).after.decode()
    for n in (64, 128):
        assert run(text, lambda names: names["kernel"], (n, 1, 1)) == [[(balanced(w, (n, 1, 1)),)] for w in range(n)]


def test_curves_and_negative_operands_run():
    for map_text in (
        "pid_x = hilbert_x(wg, grid_y, grid_x); pid_y = hilbert_y(wg, grid_y, grid_x)",
        "pid_x = morton_x(wg, grid_y, grid_x); pid_y = morton_y(wg, grid_y, grid_x)",
    ):
        source = HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0), tl.program_id(1))\n"
        rows = run(
            rewritten(source, map_text=map_text, grid=(7, 5, 1)).after.decode(), lambda n: n["kernel"], (7, 5, 1)
        )
        assert sorted(rows) == sorted([[(x, y)] for y in range(5) for x in range(7)])
        assert rows != sorted(rows)


def test_a_map_that_is_no_bijection_rewrites_nothing():
    with pytest.raises(CheckFailed, match="not a bijection on the grid 63"):
        rewritten(HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n", grid=(63, 1, 1))


def test_rewriting_twice_is_refused():
    once = rewritten(HEAD + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n").after.decode()
    with pytest.raises(UserError, match="a swizzle of this program already"):
        rewritten(once)


@pytest.mark.parametrize(
    "body, says",
    [
        ("    f = tl.program_id\n    tl.record(f(0))\n", "k.py:7: program_id is used as a value"),
        ("    tl.record(tl.program_id(3))\n", "k.py:7: program_id has the axes 0, 1 and 2, not 3"),
        (
            "    tl.record(tl.program_id(0) + tl.inline_asm_elementwise('mov.u32 $0, %ctaid.x;', '=r', [], tl.int32, True, 1))\n",
            "ctaid",
        ),
        ("    tl.record(1)\n", "does not read the program id"),
    ],
)
def test_what_no_remap_can_follow_is_refused_with_its_line(body, says):
    with pytest.raises(UserError, match=says):
        rewritten(HEAD.rstrip("\n") + "\n\n\n@triton.jit\ndef kernel():\n" + body)


def test_a_body_on_the_line_of_the_def_is_refused():
    with pytest.raises(Unsupported, match="line of its own"):
        rewritten(HEAD + "@triton.jit\ndef kernel(): tl.record(tl.program_id(0))\n")


def test_a_kernel_that_another_kernel_calls_is_refused():
    with pytest.raises(Unsupported, match="is called by outer"):
        rewritten(
            HEAD
            + "@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0))\n\n\n@triton.jit\ndef outer():\n    kernel()\n"
        )


def test_a_helper_of_another_file_that_reads_the_id_is_refused(tmp_path):
    (tmp_path / "helpers.py").write_text(
        HEAD + "@triton.jit\ndef reads():\n    return tl.program_id(0)\n\n\n@triton.jit\ndef calm(n):\n    return n\n"
    )
    for name, outcome in (("reads", None), ("calm", [])):
        text = f"{HEAD}from helpers import {name}\n\n\n@triton.jit\ndef kernel():\n    tl.record(tl.program_id(0) + {name}())\n"
        (tmp_path / "k.py").write_text(text)
        if outcome is None:
            with pytest.raises(Unsupported, match="helpers.reads reads the program id in another file"):
                rewritten(text, path=tmp_path / "k.py")
        else:
            assert rewritten(text, path=tmp_path / "k.py").unseen == outcome
    assert rewritten(text, path=None).unseen == ["line 10: helpers.calm"]


@pytest.mark.parametrize(
    "data, says",
    [
        (b"def f(:\n", "k.py:1: not Python"),
        (b"# coding: latin-1\nx = '\xe9'\n", "encoded as iso-8859-1"),
        (b"x = 1\n", "no @triton.jit function is named kernel; there are: none"),
        (b"\0", "not Python"),
        (b"\xff", "not Python"),
        (b"(" * 5000, "not Python"),
        (
            b"import triton\n@triton.jit\ndef kernel(): pass\n@triton.jit\ndef kernel(): pass\n",
            "several kernels are named kernel",
        ),
    ],
)
def test_bad_files_get_one_message(data, says):
    with pytest.raises(UserError, match=says):
        rewrite_source(data, "k.py", "kernel", BALANCED, [(64, 1, 1)], xcds=8)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "swizzleperf.triton", *map(str, arguments)], capture_output=True, text=True
    )


def test_the_command_prints_a_patch_and_changes_nothing(tmp_path):
    file = tmp_path / "k.py"
    file.write_text(HELPERS)
    common = ("rewrite", file, "--kernel", "kernel", "--map", BALANCED, "--grid", "64", "--xcds", "8")
    done = command(*common)
    assert done.returncode == 0, done.stderr
    assert file.read_text() == HELPERS
    subprocess.run(["patch", "-p1", "-s"], input=done.stdout, text=True, cwd=tmp_path, check=True)
    assert file.read_bytes() == rewritten(HELPERS).after
    file.write_text(HELPERS)
    assert command(*common, "--in-place").returncode == 0
    assert file.read_bytes() == rewritten(HELPERS).after and (tmp_path / "k.py.orig").read_text() == HELPERS
    again = command(*common, "--in-place")
    assert again.returncode == 2 and "already" in again.stderr


def test_the_command_fails_with_the_documented_codes(tmp_path):
    file = tmp_path / "k.py"
    file.write_text(HELPERS)
    common = ("rewrite", "--kernel", "kernel", "--map", BALANCED, "--xcds", "8")
    assert command(*common, file, "--grid", "63").returncode == 1
    assert command(*common, file, "--grid", "0").returncode == 2
    assert command(*common, tmp_path / "none.py", "--grid", "64").returncode == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.py"]
