"""Capturing launches: what Triton would compile, found without a GPU, written as a case."""

import json
import subprocess
import sys

import pytest

from conftest import has_triton, needs_triton
from swizzleperf.errors import Unsupported, UserError
from swizzleperf.triton.sizes import Size, bare, sizes, text_of
from swizzleperf.triton.tensor import Tensor, as_tensor

pytestmark = needs_triton
if has_triton():
    import numpy
    import triton

    import triton_kernels as kernels
    from swizzleperf.triton import capture, recording, write_case


def toml(path):
    return pytest.importorskip("tomllib").loads(path.read_text())


def added(n=1000, **more):
    return capture(
        kernels.add,
        lambda meta: (triton.cdiv(n, meta["BLOCK"]),),
        Tensor((n,), "float16"),
        Tensor((n,), "float32"),
        1,
        None,
        n,
        0.5,
        True,
        BLOCK=128,
        num_warps=2,
        **more,
    )


def multiplied(config=None, kernel=None, **named):
    M, N, K = sizes(**named)
    if kernel is None:
        try:
            import triton_tuned
        except (ImportError, RuntimeError) as error:
            pytest.skip(f"this Triton defines no autotuned kernel without a GPU: {error}")
        kernel = triton_tuned.matmul
    return capture(
        kernel,
        lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),),
        Tensor((M, K), "float16"),
        Tensor((K, N), "float16"),
        Tensor((M, N), "float32"),
        M,
        N,
        K,
        config=config,
    )


def test_only_what_stays_in_the_ir_is_an_argument(tmp_path):
    launch = added()
    assert launch.grid == (8,) and launch.values["EVEN"] is False and launch.options == {"num_warps": 2}
    write_case(tmp_path / "add.toml", launch)
    case = toml(tmp_path / "add.toml")
    assert [(a["name"], a["dtype"], a.get("value")) for a in case["args"]] == [
        ("x", "fp16", None),
        ("y", "fp32", None),
        ("n", "int32", 1000),
        ("alpha", "fp32", 0.5),
        ("flag", "int8", 1),
    ]
    assert [a.get("output", False) for a in case["args"]] == [False, True, False, False, False]
    assert case["launch"] == {"grid": [8], "warps": 2} and case["kernel"] == "add"
    ir = (tmp_path / "add.ttir").read_text()
    header = ir[ir.index("tt.func public @add(") :].split(" attributes")[0]
    assert header.count("!tt.ptr<") == 2 and header.count(": i32") >= 1


def test_sizes_stay_expressions_in_every_variant(tmp_path):
    files = write_case(
        tmp_path / "matmul.toml",
        {"main": multiplied(M=4096, N=2048, K=1024), "verify": multiplied(M=100, N=90, K=70)},
        flops="2 * M * N * K",
        flops_dtype="fp16",
        flops_matrix=True,
    )
    case = toml(tmp_path / "matmul.toml")
    assert case["launch"]["grid"] == ["((M + 63) / 64) * ((N + 31) / 32)"] and case["launch"]["warps"] == 4
    assert case["variants"] == {"main": {"M": 4096, "N": 2048, "K": 1024}, "verify": {"M": 100, "N": 90, "K": 70}}
    assert case["args"][0]["shape"] == ["M", "K"] and case["args"][3]["value"] == "M"
    assert case["ir"] == {"main": "matmul.ttir", "verify": "matmul_verify.ttir"}
    assert "the first of 2 configurations" in (tmp_path / "matmul.toml").read_text()
    assert all(file.exists() for file in files)


def test_plain_numbers_that_differ_become_sizes(tmp_path):
    write_case(tmp_path / "add.toml", {"main": added(1000), "verify": added(600)})
    case = toml(tmp_path / "add.toml")
    assert case["variants"]["main"] == {"grid_x_of_launch": 8, "x_extent_0": 1000, "y_extent_0": 1000, "n_value": 1000}
    assert case["args"][0]["shape"] == ["x_extent_0"]


def test_a_chosen_configuration():
    launch = multiplied(config=1, M=64, N=64, K=64)
    assert launch.values["BM"] == 32 and launch.options["num_warps"] == 2 and launch.plain_grid() == (4, 1, 1)
    assert multiplied(config=lambda tuner: tuner.configs[-1], M=64, N=64, K=64).values["BM"] == 32
    with pytest.raises(UserError, match="2 configurations"):
        multiplied(config=7, M=64, N=64, K=64)


def test_contents_are_kept_where_they_decide_addresses(tmp_path):
    index = numpy.arange(256, dtype=numpy.int32)[::-1].copy()
    launch = capture(kernels.gather, (2,), Tensor((256,), "float32"), index, Tensor((256,), "float32"), 256, BLOCK=128)
    assert launch.flow().indirect == {"index"} and launch.flow().written == {"out"}
    write_case(tmp_path / "gather.toml", launch)
    named = [a.get("init") for a in toml(tmp_path / "gather.toml")["args"]]
    assert named[0] is None and numpy.array_equal(numpy.load(tmp_path / named[1]["npy"]), index)
    blind = capture(
        kernels.gather,
        (2,),
        Tensor((256,), "float32"),
        Tensor((256,), "int32"),
        Tensor((256,), "float32"),
        256,
        BLOCK=128,
    )
    with pytest.raises(UserError, match="contents of index decide"):
        write_case(tmp_path / "blind.toml", blind)


def test_loaded_values_that_are_only_computed_with_are_not_kept():
    assert multiplied(M=64, N=64, K=64).flow().indirect == set()
    assert multiplied(M=64, N=64, K=64).flow().written == {"c_ptr"}


def test_recording_takes_every_launch_of_a_function():
    def user_code(x):
        kernels.planes[(4, 2, 3)](x, 2, 3)
        kernels.persistent[lambda meta: (8,)](x, 100, BLOCK=16)

    with recording() as launches:
        user_code(Tensor((4096,), "int32"))
    assert [(launch.kernel, launch.plain_grid()) for launch in launches] == [
        ("planes", (4, 2, 3)),
        ("persistent", (8, 1, 1)),
    ]
    assert "tt.get_program_id z" in launches[0].ttir("gfx942")


def test_code_for_both_vendors_without_a_gpu(tmp_path):
    write_case(tmp_path / "m.toml", multiplied(M=4096, N=2048, K=1024), compiled=["sm_90", "gfx942"])
    compiled = toml(tmp_path / "m.toml")["compiled"]
    assert set(compiled) == {"sm_90", "gfx942"}
    for found in compiled.values():
        assert found["shared"] > 0 and found["registers"] > 16 and found["warps"] == 4


def test_the_launch_can_be_described_again(tmp_path):
    write_case(tmp_path / "add.toml", added())
    told = json.loads((tmp_path / "add.launch.json").read_text())["main"]
    assert told["arguments"]["x"] == {"tensor": "float16", "shape": [1000], "strides": [1]}
    assert told["arguments"]["BLOCK"] == {"value": 128} and told["options"] == {"num_warps": 2}


def test_strided_and_torch_like_tensors():
    class Meta:
        shape, dtype, device = (4, 6), "torch.bfloat16", "meta"

        def stride(self):
            return (1, 4)

        def data_ptr(self):
            return 0

        def storage_offset(self):
            return 8

    tensor = as_tensor(Meta())
    assert tensor.dtype == "bfloat16" and not tensor.is_contiguous() and tensor.span() == 24 and tensor.data_ptr() == 16
    sliced = as_tensor(numpy.zeros((8, 8), numpy.float32)[::2, :4])
    assert sliced.strides == (16, 1) and sliced.span() == 52


@pytest.mark.parametrize(
    "launch, says",
    [
        (lambda: capture(kernels.gather, (2,), Tensor((8,), "float32")), "does not fit gather"),
        (
            lambda: capture(
                kernels.add, (0,), Tensor((8,), "float16"), Tensor((8,), "float16"), 1, None, 8, 0.5, True, BLOCK=8
            ),
            "grid",
        ),
        (lambda: added(typo=3).ttir(), "typo"),
        (lambda: capture(len, (1,)), "no @triton.jit function"),
        (lambda: Tensor((8,), "complex64"), "is no element type"),
        (lambda: Tensor((8, 8), "float16", strides=(1,)), "cannot have the strides"),
        (lambda: sizes(M=0), "positive whole number"),
        (lambda: added().ttir("sm_1"), "is no target"),
    ],
)
def test_bad_launches_get_one_message(launch, says):
    with pytest.raises(UserError, match=says):
        launch()


def test_what_is_not_captured_yet_says_so():
    with pytest.raises(Unsupported, match="tuples"):
        capture(kernels.planes, (1,), Tensor((8,), "int32"), (1, 2), 3)


def test_texts_of_sizes():
    M, N = sizes(M=10, N=3)
    assert text_of((M + N - 1) // N) == "(((M + N) - 1) / N)" and (M + N - 1) // N == 4
    assert bare(text_of(2 * M % N)) == "(2 * M) % N" and bare("(a) + (b)") == "(a) + (b)"
    assert isinstance(1 - M, Size) and text_of(1 - M) == "(1 - M)" and int(1 - M) == -9


def test_interpreted_kernels_are_refused_with_the_reason(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import triton_kernels as k; from swizzleperf.triton import *\n"
            "capture(k.planes, (1,), Tensor((8,), 'int32'), 1, 1)",
        ],
        capture_output=True,
        text=True,
        cwd=__file__.rsplit("/", 1)[0],
        env={
            **__import__("os").environ,
            "TRITON_INTERPRET": "1",
            "PYTHONPATH": str(__import__("conftest").ROOT / "python"),
        },
    )
    assert "TRITON_INTERPRET=1: unset that" in done.stderr


def test_the_command_captures_what_a_script_launches(tmp_path):
    tests = __file__.rsplit("/", 1)[0]
    (tmp_path / "script.py").write_text(
        f"import sys\nsys.path.insert(0, {tests!r})\nimport triton_kernels as k\nfrom swizzleperf.triton import Tensor\n"
        "for n in map(int, sys.argv[1:]):\n    k.persistent[(n,)](Tensor((4096,), 'int32'), 100, BLOCK=16)\n"
    )
    command = [
        sys.executable,
        "-m",
        "swizzleperf.triton",
        "capture",
        "-o",
        str(tmp_path / "cases"),
        str(tmp_path / "script.py"),
    ]
    done = subprocess.run([*command, "8", "16"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [toml(tmp_path / "cases" / name)["launch"]["grid"] for name in ("persistent.toml", "persistent_2.toml")] == [
        [8],
        [16],
    ]
    none = subprocess.run(command, capture_output=True, text=True)
    assert none.returncode == 2 and "0 launch(es) recorded" in none.stderr
    broken = subprocess.run([*command, "zero"], capture_output=True, text=True)
    assert broken.returncode == 2 and broken.stderr.splitlines()[-1].endswith(
        "invalid literal for int() with base 10: 'zero'"
    )


def test_descriptors_that_the_host_made(tmp_path):
    tools = pytest.importorskip("triton.tools.tensor_descriptor")
    (rows,) = (sizes(rows=256),)

    def descriptor(kind="float16"):
        return tools.TensorDescriptor(Tensor((rows, 32), kind), [rows, 32], [32, 1], [16, 32])

    launch = capture(kernels.moved, (rows // 16,), descriptor(), descriptor(), BLOCK=16)
    assert launch.flow().written == {"target"}
    write_case(tmp_path / "m.toml", launch)
    args = toml(tmp_path / "m.toml")["args"]
    assert [a["name"] for a in args][:5] == [
        "source",
        "source.shape.0",
        "source.shape.1",
        "source.stride.0",
        "source.stride.1",
    ]
    assert args[0]["shape"] == ["rows", 32] and args[0]["strides"] == [32, 1] and args[5]["output"] is True
    assert args[1]["value"] == "rows" and args[3] == {"name": "source.stride.0", "dtype": "int64", "value": 32}
    ir = (tmp_path / "m.ttir").read_text()
    assert ir[ir.index("tt.func public") :].split(") attributes")[0].count("%source") == 5
    with pytest.raises(Unsupported, match="sm_90"):
        write_case(tmp_path / "a.toml", launch, target="gfx942")
