#!/usr/bin/env python3
"""Runs `swizzleperf optimize` for every example on some GPUs and writes docs/kernels.md.

HIP cases run for AMD GPUs, their CUDA twins for NVIDIA ones. A case that has a variant named after the GPU (persistent kernels: the
grid is the number of compute units) runs that one, every other case its default.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
GPUS = {"mi300x": "AMD Instinct MI300X", "mi355x": "AMD Instinct MI355X", "mi300a": "AMD Instinct MI300A", "h200": "NVIDIA H200"}
LEFT_OUT = {"fdtd_ex", "fdtd_ey"}  # fdtd_hz stands for the three fields
VENDOR_FOLDER = ROOT / "gpus"

INTRODUCTION = """# What is predicted for the examples

`make kernels-table` writes this page: it runs `swizzleperf optimize` for every kernel of `examples/`. Everything here is
**predicted** by the cache model ([model.md](model.md)), nothing was measured; what the examples compute is compared with a reference on the CPU by
`tests/examples`. HIP sources are used for AMD, their CUDA twins for NVIDIA.

* **hits**: L2 hit rate in the launch order the kernel has, and in the best order found. The *ceiling* counts compulsory misses only;
  orders also change how many requests the L1 absorbs, so compare bytes, too.
* **leaves the L2s**: bytes that the L2 caches miss or write back, before and after. **DRAM**: what of it reaches memory, behind the
  last-level cache where there is one.
* **workgroups a CU**: how many are resident at once, from the compiled kernel; with a star, it did not compile for this GPU with
  SwizzlePerf's own device headers and the figure is the limit of threads alone.
* **verdict**: `apply` with what it is good for (`time` or `traffic`: fewer bytes at the same time), or `no gain`; then the best order does not
  matter and is left out. Many kernels share nothing between workgroups, or run at their ceiling: `no gain` is the right answer for them.
* **gate**: whether the patched kernel passed every check (`proven`), and if not, why.
* **seconds**: processor time of the whole `optimize`: tracing, search and gate, on {cpu}.
"""


def description(case):
    """The comment that the case file begins with."""
    words = []
    for line in (ROOT / "examples" / (case + ".toml")).read_text().splitlines():
        if not line.startswith("#"):
            break
        words.append(line.lstrip("# "))
    return " ".join(words)


def kernels(names):
    lines = ["## The kernels", ""]
    for name in names:
        folder, case = name.split("/")
        lines.append(f"* [{case}](../examples/{folder}): {description(name)}")
    return "\n".join(lines) + "\n"


def vendor(gpu):
    with open(VENDOR_FOLDER / f"{gpu}.toml", "rb") as file:
        return tomllib.load(file)["vendor"]


def cases(only):
    """Names of all examples that exist for both vendors, as paths below examples/ without .toml."""
    found = []
    for path in sorted((ROOT / "examples").glob("*/*.toml")):
        name = str(path.relative_to(ROOT / "examples").with_suffix(""))
        twin = path.with_name(path.stem + "_cuda.toml")
        wanted = path.stem in only if only else path.stem not in LEFT_OUT
        if not name.endswith("_cuda") and twin.exists() and wanted:
            found.append(name)
    return found


def processor_seconds():
    """Of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def optimize(program, case, gpu, results, keep):
    """The JSON answer of one run, and the variant; a failed run ends the program."""
    file = ROOT / "examples" / (case + ("_cuda" if vendor(gpu) == "nvidia" else "") + ".toml")
    kept = results / f"{file.stem}.{gpu}.json"
    if keep and kept.exists():
        return json.loads(kept.read_text())
    with open(file, "rb") as text:
        variants = tomllib.load(text)["variants"]
    command = [str(program), "optimize", str(file), "--gpu", gpu, "--json"]
    if gpu in variants:
        command += ["--variant", gpu]
    before = processor_seconds()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}{run.stdout}")
    results.mkdir(parents=True, exist_ok=True)
    answer = json.loads(run.stdout) | {"processor_seconds": processor_seconds() - before}
    kept.write_text(json.dumps(answer))
    return answer


def size(count):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.3g} {unit}" if count < 100 else f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.3g} PB"


def change(before, after):
    return before if before == after else f"{before} → {after}"


def dram(prediction):
    return prediction["dram_read_bytes"] + prediction["dram_write_bytes"]


def gate_words(answer):
    gate = answer.get("gate")
    if not gate:
        return ""
    return gate["verdict"].split(":")[0] if isinstance(gate, dict) and "verdict" in gate else ""


def name_of(answer):
    return answer["case"].removesuffix("_cuda")


def row(answer):
    before = answer["baseline"]
    applied = answer["verdict"] == "apply"
    best = answer["candidates"][0] if answer["candidates"] else None
    after = best["prediction"] if best else before
    occupancy = answer["occupancy"]
    verdict = answer["verdict"] + (f": {answer['benefit']}" if applied else "")
    cells = [
        name_of(answer),
        answer["variant"],
        "x".join(str(n) for n in answer["grid"] if n > 1) or "1",
        str(occupancy["workgroups_per_cu"]) + ("*" if occupancy["source"].startswith("assumed") else ""),
        change(f"{100 * before['l2_hit_rate']:.1f}", f"{100 * after['l2_hit_rate']:.1f}") + " %",
        f"{100 * answer['ceiling']:.1f} %",
        change(size(before["l2_miss_bytes"]), size(after["l2_miss_bytes"])),
        change(size(dram(before)), size(dram(after))),
        verdict,
        gate_words(answer),
        f"`{best['name']}`" if applied and best else "",
        f"{answer['processor_seconds']:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def section(gpu, answers):
    lines = [
        f"## {GPUS.get(gpu, gpu)}",
        "",
        "| kernel | variant | grid | workgroups a CU | hits | ceiling | leaves the L2s | DRAM | verdict | gate | order | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [row(answer) for answer in answers]
    applied = [answer for answer in answers if answer["verdict"] == "apply"]
    if applied:
        lines += ["", "The orders as maps:", ""]
        lines += [f"* {name_of(answer)}: `{answer['candidates'][0]['map']}`" for answer in applied]
    return "\n".join(lines) + "\n"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unnamed processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/swizzleperf")
    parser.add_argument("--gpus", default=",".join(GPUS), help="comma-separated")
    parser.add_argument("--only", default="", help="comma-separated names of case files; the page is printed, not written")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/kernels", help="where each run's JSON is kept")
    parser.add_argument("--keep", action="store_true", help="use kept results instead of running again")
    options = parser.parse_args()
    if not options.program.exists():
        sys.exit(f"{options.program} is missing: build it first (make build)")
    only = [name for name in options.only.split(",") if name]
    sections = [kernels(cases(only))]
    for gpu in options.gpus.split(","):
        answers = []
        for case in cases(only):
            print(f"{gpu} {case}", file=sys.stderr, flush=True)
            answers.append(optimize(options.program, case, gpu, options.results, options.keep))
        sections.append(section(gpu, answers))
    page = INTRODUCTION.format(cpu=processor()) + "\n" + "\n".join(sections)
    if only:
        print(page)
    else:
        (ROOT / "docs/kernels.md").write_text(page)


if __name__ == "__main__":
    main()
