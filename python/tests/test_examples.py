"""The Triton examples: captured as their case files say, and right in Triton's interpreter."""

import subprocess
import sys

import pytest

from conftest import ROOT, needs_triton

pytestmark = needs_triton
FOLDER = ROOT / "examples" / "triton"
FILES = ("gemm", "pointwise", "rows", "waves", "attention", "grouped")


def test_the_case_files_are_what_capture_writes(tmp_path):
    """The case but for the compiler's figures, which change with Triton's version; the IR may, too."""
    tomllib = pytest.importorskip("tomllib")
    code = (
        f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\nimport common\nfor name in {FILES!r}:\n"
        f"    for example in __import__(name).EXAMPLES:\n        common.write(example, {str(tmp_path)!r}, compiled=())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    written = sorted(tmp_path.glob("*.toml"))
    assert [f.name for f in written] == sorted(f.name for f in FOLDER.glob("*.toml"))
    for file in written:
        case, kept = (tomllib.loads(f.read_text()) for f in (file, FOLDER / file.name))
        kept.pop("compiled")
        assert {**case, "source": None} == {**kept, "source": None}, file.name


def test_examples_are_right_in_the_interpreter():
    done = subprocess.run([sys.executable, str(FOLDER / "rows.py"), "check"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("as the reference") == 3, done.stdout + done.stderr
