"""The gate for Triton kernels: which checks a rewritten kernel passed, failed, or could not be given."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import CheckFailed, SwizzleperfError, UserError
from ..files import read_bytes, write_atomic
from ..program import run_program
from .apply import swizzled_jit
from .casefile import describe
from .rewrite import rewrite_source
from .tensor import Tensor

TARGETS = ("sm_90", "gfx942")
INTERPRETER_LIMIT_S = 120
_REVERSED = "pid = num_wgs - 1 - wg"


@dataclass
class Step:
    """`outcome`: passed, failed or not done; `detail` says on what, or why not."""

    name: str
    outcome: str
    detail: str


@dataclass
class Gate:
    """All steps, and the rewritten file."""

    steps: list = field(default_factory=list)
    rewritten: object = None

    def verdict(self):
        """`failed`, `unverified` (a step that shows equality was not done), or `proven`."""
        outcomes = {step.name: step.outcome for step in self.steps}
        if "failed" in outcomes.values():
            return "failed"
        shown = "passed" in (outcomes.get("addresses"), outcomes.get("equal results, map active"))
        return "proven" if outcomes.get("bijection") == "passed" and shown else "unverified"

    def text(self):
        return "".join(f"  {step.outcome:<8}  {step.name}: {step.detail}\n" for step in self.steps)


def run_gate(launches, map_text, sizes=None, gpu=None, xcds=None, case=None, targets=TARGETS):
    """Rewrites the kernel of recorded launches ({"main": launch, "verify": small launch}) and checks it.

    `case`: the case file of these launches, for the comparison of addresses. A map that is no bijection raises CheckFailed.
    """
    main = launches["main"]
    options = {"sizes": sizes, "gpu": gpu, "xcds": xcds}
    rewritten = _rewrite(main, map_text, [main.plain_grid()], **options)
    gate = Gate(rewritten=rewritten)
    grid = "x".join(map(str, main.plain_grid()))
    gate.steps.append(Step("bijection", "passed", f"all launches of grid {grid} evaluated by the program"))
    gate.steps.append(
        Step(
            "patch",
            "passed",
            f"{rewritten.reads} read(s) of the program id replaced, {len(rewritten.copies)} helper(s) "
            "copied; nothing else of the syntax tree changed",
        )
    )
    if rewritten.unseen:
        gate.steps.append(Step("calls", "not done", "not seen: " + ", ".join(rewritten.unseen)))
    swizzled = swizzled_jit(main.jit, rewritten)
    gate.steps += [_compile_step(main, swizzled, target) for target in targets]
    gate.steps.append(_address_step(main, swizzled, case, map_text, options))
    gate.steps += _interpreter_steps(launches, rewritten, map_text, options)
    return gate


def _rewrite(launch, map_text, grids, **options):
    return rewrite_source(
        read_bytes(launch.path), str(launch.path), launch.qualified, map_text, grids, path=launch.path, **options
    )


def _compile_step(launch, swizzled, target):
    name = f"compile {target}"
    try:
        before = launch.compiled(target)
    except (UserError, OSError) as error:
        return Step(name, "not done", f"the original does not compile for it: {_first_line(error)}")
    try:
        after = launch.compiled(target, swizzled)
    except UserError as error:
        return Step(name, "failed", _first_line(error))
    return Step(
        name,
        "passed",
        f"registers {before['registers']} before, {after['registers']} after; shared memory {before['shared']} B "
        f"before, {after['shared']} B after",
    )


def _address_step(launch, swizzled, case, map_text, options):
    """The program evaluates both IRs: what the rewritten one touches at w, the original touches at tile(w)."""
    if case is None:
        return Step("addresses", "not done", "no case file was given")
    with tempfile.TemporaryDirectory(prefix="swizzleperf-") as folder:
        file = Path(folder) / "rewritten.ttir"
        write_atomic(file, launch.ttir(jit=swizzled))
        command = ["check", "--json", "--case", case, "--ttir-rewritten", file, "--map", map_text]
        command += ["--gpu", options["gpu"]] if options["gpu"] else []
        command += ["--xcds", options["xcds"]] if options["xcds"] else []
        try:
            _, out = run_program(command)
        except CheckFailed as error:
            return Step("addresses", "failed", _first_line(error))
        except SwizzleperfError as error:
            return Step("addresses", "not done", _first_line(error))
    told = json.loads(out)
    told = told[0] if isinstance(told, list) else told
    return Step(
        "addresses",
        "passed",
        f"{told.get('programs_compared', 'all')} of {told.get('programs', 'all')} programs touch what "
        "the original's tile touches",
    )


def _interpreter_steps(launches, rewritten, map_text, options):
    """Original against rewritten, whole, in Triton's interpreter: where the guard is closed, and where it is open."""
    small = launches.get("verify")
    names = ("equal results", "equal results, map active")
    if small is None:
        return [Step(name, "not done", "no launch named verify was given") for name in names]
    try:
        active, which = _rewrite(small, map_text, [small.plain_grid()], **options), "the map"
    except CheckFailed:
        active, which = (
            _rewrite(small, _REVERSED, [small.plain_grid()]),
            "reversed order, since the map is no bijection here",
        )
    grid = "x".join(map(str, small.plain_grid()))
    return [
        _interpreter_step(names[0], small, rewritten, f"grid {grid}"),
        _interpreter_step(names[1], small, active, f"grid {grid}, {which}"),
    ]


def _interpreter_step(name, launch, rewritten, where):
    try:
        result = interpret(launch, rewritten)
    except UserError as error:
        return Step(name, "not done", _first_line(error))
    if "failed" in result:
        return Step(name, "not done", f"Triton's interpreter: {result['failed'].splitlines()[0]}")
    differ = {argument: count for argument, count in result["differing_bytes"].items() if count}
    if differ:
        atomics = launch.flow().atomics & set(differ)
        if atomics == set(differ):
            return Step(name, "not done", f"{', '.join(atomics)}: sums by atomics depend on the order of programs")
        return Step(
            name,
            "failed",
            f"{where}: " + ", ".join(f"{count} byte(s) of {argument} differ" for argument, count in differ.items()),
        )
    if not result["written"]:
        return Step(name, "not done", f"{where}: the kernel changed nothing")
    return Step(
        name, "passed", f"{where}: {len(result['written'])} array(s) written, equal bit by bit, in Triton's interpreter"
    )


def interpret(launch, rewritten):
    """What `swizzleperf.triton.interpret` says of a launch of the original and the rewritten file."""
    import numpy

    with tempfile.TemporaryDirectory(prefix="swizzleperf-") as folder:
        base = Path(folder)
        tensors = {name: value.array() for name, value in launch.values.items() if isinstance(value, Tensor)}
        numpy.savez(base / "contents.npz", **{name: held for name, held in tensors.items() if held is not None})
        (base / launch.path.name).write_bytes(rewritten.after)
        request = {
            "original": str(launch.path),
            "rewritten": str(base / launch.path.name),
            "kernel": launch.qualified,
            "launch": describe(launch),
            "contents": str(base / "contents.npz"),
        }
        (base / "request.json").write_text(json.dumps(request))
        done = _run_interpreter(base / "request.json", launch.path.resolve().parent)
    last = done.stdout.strip().splitlines()[-1:] or [""]
    try:
        return json.loads(last[0])
    except ValueError:
        raise UserError(
            f"Triton's interpreter ended with code {done.returncode}: {_first_line(done.stderr[-300:])}"
        ) from None


def _run_interpreter(request, beside):
    """The process that interprets; the kernel's own folder is on its path, for the modules that its file imports."""
    paths = [str(beside), str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "swizzleperf.triton.interpret", str(request)]
    try:
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=INTERPRETER_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            f"Triton's interpreter took longer than {INTERPRETER_LIMIT_S} s: give a smaller verify launch"
        ) from None


def _first_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else "no reason given"
