"""python -m swizzleperf.triton: the commands for Triton kernels. Exit codes as in docs/cli.md."""

import argparse
import json
import runpy
import sys
from pathlib import Path

from ..errors import CheckFailed, SwizzleperfError, UserError
from ..files import read_bytes, replace_with_backup, write_atomic
from .again import launches_of, map_sizes
from .capture import recording
from .casefile import write_case
from .gate import run_gate
from .rewrite import rewrite_source


def main(arguments=None):
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except SwizzleperfError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m swizzleperf.triton", description="Swizzles for Triton kernels.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _add_rewrite(verbs)
    _add_capture(verbs)
    _add_verify(verbs)
    return parser


def add_map_options(verb):
    """What says which map, and on which grids."""
    verb.add_argument("--map", required=True, help="the map (docs/map-language.md)")
    verb.add_argument(
        "--grid",
        required=True,
        action="append",
        type=_grid,
        metavar="X[,Y[,Z]]",
        help="launch grid; may be given several times: the map is used on each",
    )
    verb.add_argument(
        "--size", action="append", default=[], type=_size, metavar="NAME=VALUE", help="a size that the map names"
    )
    verb.add_argument("--gpu", help="GPU name or TOML file, for num_xcds and cus_per_xcd")
    verb.add_argument("--xcds", type=int, help="number of XCDs, instead of --gpu")


def _add_rewrite(verbs):
    verb = verbs.add_parser("rewrite", help="put a map into a kernel's source; prints the patch")
    verb.add_argument("source", type=Path, help="Python file with the kernel")
    verb.add_argument("--kernel", required=True, help="name of the @triton.jit function")
    add_map_options(verb)
    output = verb.add_mutually_exclusive_group()
    output.add_argument("--patch", type=Path, help="write the patch to this file instead")
    output.add_argument("--in-place", action="store_true", help="rewrite the file; the original is kept as NAME.orig")
    output.add_argument("--json", action="store_true", help="print what was done, with patch and source, as JSON")
    verb.set_defaults(run=_rewrite)


def _rewrite(options):
    before = read_bytes(options.source)
    done = rewrite_source(
        before,
        str(options.source),
        options.kernel,
        options.map,
        options.grid,
        dict(options.size),
        options.gpu,
        options.xcds,
        options.source,
    )
    patch = done.patch(options.source.name)
    if options.json:
        print(json.dumps(_report(done, patch), indent=2))
        return 0
    print(
        f"{done.reads} read(s) of the program id replaced, {len(done.copies)} helper(s) copied; {done.operations} integer "
        f"operations of {done.bits} bits added per program, at most",
        file=sys.stderr,
    )
    for line in done.unseen:
        print(f"not seen: {line} (its source was not found; it must not read the program id)", file=sys.stderr)
    return _deliver(options, options.source, done, patch)


def _deliver(options, source, done, patch):
    if options.in_place:
        backup = replace_with_backup(source, done.before, done.after)
        print(f"rewrote {source} (backup: {backup})", file=sys.stderr)
    elif options.patch:
        write_atomic(options.patch, patch)
        print(f"wrote {options.patch}", file=sys.stderr)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(patch)
    return 0


def _add_capture(verbs):
    verb = verbs.add_parser(
        "capture", help="run a script with its Triton launches recorded, not run; write a case for each"
    )
    verb.add_argument("script", type=Path)
    verb.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    verb.add_argument("-o", "--output", type=Path, default=Path("."), help="folder for the cases; default: here")
    verb.add_argument("--kernel", help="only launches of this kernel")
    verb.add_argument("--config", type=int, help="index of the configuration of autotuned kernels; default: the first")
    verb.add_argument("--target", default="sm_90", help="what the IR is made for: sm_90, gfx942, ...; default: sm_90")
    verb.add_argument(
        "--compile",
        action="append",
        default=[],
        metavar="TARGET",
        help="also compile for this target, for shared memory and registers; may be given several times",
    )
    verb.set_defaults(run=_capture)


def _capture(options):
    read_bytes(options.script)
    sys.argv = [str(options.script), *options.arguments]
    sys.path.insert(0, str(options.script.resolve().parent))
    with recording(options.config) as launches:
        _run_script(options.script)
    wanted = [launch for launch in launches if options.kernel in (None, launch.kernel, launch.qualified)]
    if not wanted:
        raise UserError(
            f"{options.script}: {len(launches)} launch(es) recorded, none of them of "
            f"{options.kernel or 'a Triton kernel'}"
        )
    taken = set()
    for launch in wanted:
        number = next(n for n in range(1, len(wanted) + 1) if (launch.kernel, n) not in taken)
        taken.add((launch.kernel, number))
        stem = launch.kernel if number == 1 else f"{launch.kernel}_{number}"
        write_case(options.output / f"{stem}.toml", launch, target=options.target, compiled=options.compile)
        print(options.output / f"{stem}.toml")
    return 0


def _run_script(script):
    """Whatever a script raises is its user's; an exit is its end."""
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SwizzleperfError:
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            raise UserError(f"{script}: ended with {end.code!r}") from None
    except Exception as error:
        raise UserError(f"{script}: {type(error).__name__}: {error}") from error


def _add_verify(verbs):
    verb = verbs.add_parser(
        "verify", help="put a map into the kernel of a captured case, through the gate; prints the patch"
    )
    verb.add_argument("case", type=Path, help="case file that `capture` or write_case wrote")
    verb.add_argument("--map", required=True, help="the map (docs/map-language.md)")
    verb.add_argument("--gpu", help="GPU name or TOML file, for num_xcds and cus_per_xcd")
    verb.add_argument("--xcds", type=int, help="number of XCDs, instead of --gpu")
    output = verb.add_mutually_exclusive_group()
    output.add_argument("--patch", type=Path, help="write the patch to this file instead")
    output.add_argument("--in-place", action="store_true", help="rewrite the file; the original is kept as NAME.orig")
    output.add_argument("--json", action="store_true", help="print the gate's steps and the patch as JSON")
    verb.set_defaults(run=_verify)


def _verify(options):
    gate = run_gate(
        launches_of(options.case), options.map, map_sizes(options.case), options.gpu, options.xcds, options.case
    )
    done, source = gate.rewritten, Path(gate.rewritten.name)
    patch = done.patch(source.name)
    verdict = gate.verdict()
    if options.json:
        steps = [{"name": s.name, "outcome": s.outcome, "detail": s.detail} for s in gate.steps]
        released = _report(done, patch) if verdict != "failed" else {}
        print(json.dumps({"verdict": verdict, "gate": steps, **released}, indent=2))
    else:
        print(f"Gate ({verdict})\n{gate.text()}", end="", file=sys.stderr)
    if verdict == "failed":
        raise CheckFailed("the gate did not pass: nothing was written")
    return 0 if options.json else _deliver(options, source, done, patch)


def _report(done, patch):
    return {
        "kernel": done.kernel,
        "reads": done.reads,
        "copied_helpers": done.copies,
        "unseen_calls": done.unseen,
        "operations": done.operations,
        "bits": done.bits,
        "patch": patch.decode("utf-8", "surrogateescape"),
        "source": done.after.decode("utf-8", "surrogateescape"),
    }


def _grid(text):
    try:
        extents = tuple(int(part) for part in text.split(","))
    except ValueError:
        extents = ()
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no grid: X[,Y[,Z]], positive whole numbers")
    return extents + (1,) * (3 - len(extents))


def _size(text):
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not value.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is no size: NAME=VALUE")
    return name, int(value)


if __name__ == "__main__":
    sys.exit(main())
