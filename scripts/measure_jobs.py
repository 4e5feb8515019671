#!/usr/bin/env python3
"""Writes a job for every row of validation/gpu/cases.csv: what a machine with a GPU runs (scripts/measure_run.sh).

    scripts/measure_jobs.py [--gpu h200] [--out build/jobs] [--program build/release/bin/swizzleperf] [NAME...]

Needs no GPU. Each job holds the kernel in its launch order, in the orders of validation/gpu/orders.csv that fit it, and
in the best predicted ones. A job that is there already is left alone. NAMEs (case.variant) restrict what is written.
"""
import argparse
import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rows(name):
    with open(ROOT / "validation" / "gpu" / name, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--best", default="3", help="best predicted orders to measure")
    parser.add_argument("--energy", default="250", help="milliseconds of launches for the energy of an order")
    parser.add_argument("--budget", default="250", help="milliseconds of launches for the time of an order")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "jobs")
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/swizzleperf"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    orders = rows("orders.csv")
    failed = 0
    for row in rows("cases.csv"):
        name = f"{pathlib.Path(row['case']).stem}.{row['variant']}"
        job = options.out / f"{name}.job"
        if job.exists() or (options.names and name not in options.names):
            continue
        command = [options.program, "measure", str(ROOT / row["case"]), "--variant", row["variant"], "--gpu", options.gpu]
        command += ["--best", options.best, "--energy", options.energy, "--budget", options.budget, "--job", str(job)]
        for order in orders:
            if order["kind"] == row["kind"]:
                command += ["--map", order["map"]]
        done = subprocess.run(command, check=False)
        print(f"{name}: {'written' if done.returncode == 0 else 'failed'}", flush=True)
        failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
