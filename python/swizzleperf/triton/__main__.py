"""python -m swizzleperf.triton: the commands for Triton kernels. Exit codes as in docs/cli.md."""

import argparse
import json
import sys
from pathlib import Path

from ..errors import SwizzleperfError
from ..files import read_bytes, replace_with_backup, write_atomic
from .rewrite import rewrite_source


def main(arguments=None):
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except SwizzleperfError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _parser():
    parser = argparse.ArgumentParser(prog="python -m swizzleperf.triton", description="Swizzles for Triton kernels.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _add_rewrite(verbs)
    return parser


def add_map_options(verb):
    """What says which map, and on which grids."""
    verb.add_argument("--map", required=True, help="the map (docs/map-language.md)")
    verb.add_argument("--grid", required=True, action="append", type=_grid, metavar="X[,Y[,Z]]",
                      help="launch grid; may be given several times: the map is used on each")
    verb.add_argument("--size", action="append", default=[], type=_size, metavar="NAME=VALUE", help="a size that the map names")
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
    done = rewrite_source(before, str(options.source), options.kernel, options.map, options.grid, dict(options.size),
                          options.gpu, options.xcds, options.source)
    patch = done.patch(options.source.name)
    if options.json:
        print(json.dumps(_report(done, patch), indent=2))
        return 0
    print(f"{done.reads} read(s) of the program id replaced, {len(done.copies)} helper(s) copied; {done.operations} integer "
          f"operations of {done.bits} bits added per program, at most", file=sys.stderr)
    for line in done.unseen:
        print(f"not seen: {line} (its source was not found; it must not read the program id)", file=sys.stderr)
    if options.in_place:
        backup = replace_with_backup(options.source, before, done.after)
        print(f"rewrote {options.source} (backup: {backup})", file=sys.stderr)
    elif options.patch:
        write_atomic(options.patch, patch)
        print(f"wrote {options.patch}", file=sys.stderr)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(patch)
    return 0


def _report(done, patch):
    return {"kernel": done.kernel, "reads": done.reads, "copied_helpers": done.copies, "unseen_calls": done.unseen,
            "operations": done.operations, "bits": done.bits, "patch": patch.decode("utf-8", "surrogateescape"),
            "source": done.after.decode("utf-8", "surrogateescape")}


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
