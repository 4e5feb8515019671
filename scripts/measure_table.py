#!/usr/bin/env python3
"""From the answers of scripts/measure_run.sh to data and a page: results.csv, cublas.csv and docs/results-GPU.md.

    scripts/measure_table.py ANSWERS --date 2026-12-01 --data validation/h200-measured/2026-12-01 --page docs/results-h200.md

Everything in the page is computed from results.csv and cublas.csv of the data folder; without ANSWERS the page is written
anew from the data that is there.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = ("cold_ms cold_speedup cold_low cold_high warm_ms warm_speedup warm_low warm_high energy_mj dram_read_bytes "
           "dram_write_bytes l2_requests l2_hits fabric_sectors predicted_ms predicted_dram_read_bytes "
           "predicted_dram_write_bytes predicted_hit_rate").split()
FAST = (1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0)
FIELDS = ("case variant grid order proposer hand rank chosen map rounds cold_ms cold_speedup cold_low cold_high warm_ms warm_speedup "
          "warm_low warm_high energy_mj equal registers occupancy dram_read_bytes dram_write_bytes l2_requests l2_hits "
          "fabric_sectors flags predicted_ms predicted_dram_read_bytes predicted_dram_write_bytes predicted_hit_rate device "
          "driver").split()


def table_of(name):
    with open(ROOT / "validation" / "gpu" / name, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def orders(case, variant):
    """The named orders that were measured for a case, by map."""
    kinds = {(pathlib.Path(row["case"]).stem, row["variant"]): row["kind"] for row in table_of("cases.csv")}
    return {row["map"]: row for row in table_of("orders.csv") if row["kind"] == kinds.get((case, variant))}


def read_answer(program, file):
    """The rows of one answer, one an order."""
    command = [program, "measured", str(file), "--json"]
    counters = file.with_suffix(".csv")
    if counters.exists():
        command += ["--counters", str(counters)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{file.name}: {done.stderr.strip()}", file=sys.stderr)
        return []
    answer = json.loads(done.stdout)
    named, rows, rank = orders(answer["case"], answer["variant"]), [], 0
    for variant in answer["variants"]:
        order, counted = variant["order"], variant["counters"] or {}
        known = named.get(order["map"], {}) if order["proposer"] == "user" else {}
        rank += order["proposer"] not in ("user", "default")
        prediction = order["prediction"]
        row = {
            "case": answer["case"], "variant": answer["variant"], "grid": "x".join(map(str, answer["grid"])),
            "order": known.get("name", variant["name"]), "proposer": order["proposer"],
            "hand": known.get("hand", "0"), "map": order["map"], "rounds": answer["rounds"],
            "rank": rank if order["proposer"] not in ("user", "default") else "",
            "chosen": int(variant["chosen"]), "cold_ms": variant["cold_ms"], "warm_ms": variant["warm_ms"], "energy_mj": variant["energy_mj"],
            "equal": int(variant["equal_outputs"]), "registers": variant["registers"], "occupancy": variant["occupancy"],
            "flags": "; ".join(counted.get("flags", [])), "predicted_ms": prediction.get("time_ms"),
            "predicted_dram_read_bytes": prediction.get("dram_read_bytes"),
            "predicted_dram_write_bytes": prediction.get("dram_write_bytes"),
            "predicted_hit_rate": prediction.get("l2_hit_rate"),
            "device": answer["device"], "driver": answer["driver"],
        }
        for kind in ("cold", "warm"):
            speedup = variant[f"{kind}_speedup"]
            row |= {f"{kind}_speedup": speedup["value"], f"{kind}_low": speedup["low"], f"{kind}_high": speedup["high"]}
        for figure in ("dram_read_bytes", "dram_write_bytes", "l2_requests", "l2_hits", "fabric_sectors"):
            row[figure] = counted.get(figure)
        rows.append({key: "" if value is None else f"{value:.6g}" if isinstance(value, float) else value
                     for key, value in row.items()})
    return rows


def write_data(options):
    options.data.mkdir(parents=True, exist_ok=True)
    rows = []
    for file in sorted(options.answers.glob("*.json")):
        if file.name != "cublas.json":
            rows += read_answer(options.program, file)
    with open(options.data / "results.csv", "w", newline="", encoding="ascii") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    library = options.answers / "cublas.json"
    if library.exists() and library.stat().st_size > 0:
        with open(library, encoding="ascii") as source, open(options.data / "cublas.csv", "w", encoding="ascii") as out:
            answer = json.load(source)
            out.write("case,torch,cold_ms,warm_ms\n")
            for name, times in answer["products"].items():
                out.write(f"{name},{answer['torch']},{statistics.median(times['cold_ms']):.6g},"
                          f"{statistics.median(times['warm_ms']):.6g}\n")


def read_data(folder):
    with open(folder / "results.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row |= {key: float(row[key]) if row[key] else None for key in NUMBERS}
        row["equal"] = row["equal"] == "1"
    cases = {}
    for row in rows:
        cases.setdefault(f"{row['case']}.{row['variant']}", []).append(row)
    library = {}
    if (folder / "cublas.csv").exists():
        with open(folder / "cublas.csv", newline="", encoding="ascii") as file:
            library = {row["case"]: float(row["cold_ms"]) for row in csv.DictReader(file)}
    return cases, library


def ours(rows):
    return [row for row in rows if row["rank"]]


def by_prediction(rows):
    """What `optimize` decides without a device: 2 % of time, or 10 % of DRAM bytes at no loss of time."""
    default = rows[0]
    for row in ours(rows)[:1]:
        if row["predicted_ms"] is None:
            break
        moved = [r["predicted_dram_read_bytes"] + r["predicted_dram_write_bytes"] for r in (default, row)]
        if row["predicted_ms"] < 0.98 * default["predicted_ms"]:
            return row
        if row["predicted_ms"] <= 1.001 * default["predicted_ms"] and moved[1] < 0.9 * moved[0]:
            return row
    return default


def after_measuring(rows):
    """What `optimize --device` decides, among all orders tried."""
    return next((row for row in rows if row["chosen"] == "1"), rows[0])


def fastest(rows):
    return max((row for row in rows if row["equal"] and (row is rows[0] or row["proposer"] != "default")),
               key=lambda row: row["cold_speedup"])


def hand_made(rows):
    return next((row for row in rows if row["hand"] == "1"), None)


def speedup(row):
    if row is None:
        return ""
    if row["proposer"] == "default":
        return "1 (launch order)"
    mark = "" if row["cold_low"] <= 1 <= row["cold_high"] else " +" if row["cold_low"] > 1 else " -"
    return f"{row['cold_speedup']:.3f}{mark} `{row['order']}`"


def size(value):
    if value is None:
        return ""
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.3g} {unit}"
        value /= 1000
    return ""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def time_table(cases, library):
    rows = []
    for name, case in cases.items():
        best, again = fastest(case), case[1]
        off = next((row for row in case if row["order"] == "remap switched off"), None)
        rows.append([name, case[0]["grid"], f"{case[0]['cold_ms']:.4g}", f"{100 * abs(again['cold_speedup'] - 1):.1f} %",
                     f"{off['cold_speedup']:.3f}" if off else "",
                     speedup(hand_made(case)), speedup(by_prediction(case)), speedup(after_measuring(case)), speedup(best),
                     f"{library[name]:.4g}" if name in library else ""])
    return table(["kernel", "grid", "default, ms", "noise", "remap switched off", "hand-made", "ours by prediction", "ours after measuring",
                  "best of all tried", "cuBLAS, ms"], rows)


def traffic_table(cases):
    rows = []
    for name, case in cases.items():
        chosen = ours(case)[0] if ours(case) else case[0]
        hand = hand_made(case)

        def cell(row):
            if row is None or row["dram_read_bytes"] is None:
                return ""
            return f"{size(row['predicted_dram_read_bytes'])} / {size(row['dram_read_bytes'])}"

        def hits(row):
            return "" if row is None or not row["l2_requests"] else f"{100 * row['l2_hits'] / row['l2_requests']:.1f} %"

        def energy(row):
            return "" if row is None or row["energy_mj"] is None else f"{row['energy_mj']:.4g}"

        rows.append([name, cell(case[0]), cell(hand), cell(chosen), f"`{chosen['order']}`", hits(case[0]), hits(chosen),
                     energy(case[0]), energy(hand), energy(chosen)])
    return table(["kernel", "default", "hand-made", "ours", "order", "hits, default", "hits, ours", "mJ, default",
                  "mJ, hand-made", "mJ, ours"], rows)


def fast_curve(cases):
    def share(choose, p):
        chosen = [choose(case) for case in cases.values()]
        chosen = [row for row in chosen if row is not None]
        right = sum(bool(row["equal"]) and row["cold_speedup"] >= p - (0.005 if p == 1 else 0) for row in chosen)
        return f"{100 * right / len(chosen):.0f} %"

    rows = [[f"{p:g}", *(share(choose, p) for choose in (hand_made, by_prediction, after_measuring))] for p in FAST]
    return table(["p", "hand-made (where there is one)", "ours by prediction", "ours after measuring"], rows)


def errors(cases, keep):
    return sorted(abs(row["predicted_dram_read_bytes"] / row["dram_read_bytes"] - 1) for case in cases.values()
                  for row in case if row["dram_read_bytes"] and row["predicted_dram_read_bytes"] and (row is case[0] or row["proposer"] != "default") and keep(row))


def describe_errors(cases):
    rows = []
    for name, keep in (("all orders", lambda row: True), ("launch order", lambda row: row["proposer"] == "default"),
                       ("our best predicted orders", lambda row: row["rank"])):
        found = errors(cases, keep)
        if found:
            rows.append([name, str(len(found)), f"{100 * statistics.median(found):.2f} %",
                         f"{100 * found[int(0.9 * (len(found) - 1))]:.1f} %", f"{100 * found[-1]:.1f} %"])
    return table(["orders", "rows", "median error", "p90", "worst"], rows)


def summary(cases):
    predicted = {name: by_prediction(case) for name, case in cases.items()}
    measured = {name: after_measuring(case) for name, case in cases.items()}
    slower = [name for name, row in predicted.items() if row["cold_high"] < 0.995]
    lines = [f"* {len(cases)} kernels and sizes, {sum(row['proposer'] != 'default' for case in cases.values() for row in case)} orders beside the launch order; "
             f"{sum(not row['equal'] for case in cases.values() for row in case)} had other outputs than the launch order."]
    lines.append(f"* By prediction alone {sum(row['proposer'] != 'default' for row in predicted.values())} orders are applied; "
                 f"{len(slower)} of them run more than 0.5 % slower than the launch order"
                 + (": " + ", ".join(f"{name} ({100 * (1 - predicted[name]['cold_speedup']):.1f} %)" for name in slower) if slower
                    else "") + ".")
    lines.append(f"* After measuring {sum(row['proposer'] != 'default' for row in measured.values())} orders are applied; none is "
                 "slower, because that verdict needs an interval above 1.")
    near, total = 0, 0
    for name, case in cases.items():
        total += 1
        near += predicted[name]["cold_speedup"] >= 0.98 * fastest(case)["cold_speedup"]
    lines.append(f"* The order chosen by prediction is within 2 % of the fastest of all orders tried for {near} of {total}.")
    with_hand = {name: hand_made(case) for name, case in cases.items() if hand_made(case)}
    for label, chosen in (("by prediction", predicted), ("after measuring", measured)):
        good = sum(chosen[name]["cold_speedup"] >= 0.995 * row["cold_speedup"] for name, row in with_hand.items())
        lines.append(f"* Ours {label} is at least as fast (to 0.5 %) as the hand-made order for {good} of {len(with_hand)}.")
    return "\n".join(lines)


def not_predicted(cases):
    names = [name for name, case in cases.items() if case[0]["predicted_ms"] is None]
    if not names:
        return ""
    return ("\n\nNo prediction was made in this run for " + ", ".join(names) + ": their orders were put into the kernels by hand "
            "and measured all the same.")


def page(options):
    cases, library = read_data(options.data)
    first = next(iter(cases.values()))[0]
    folder = options.data.relative_to(ROOT) if options.data.is_absolute() else options.data
    return f"""# Measured on an {first['device']}

Written by `scripts/measure_table.py` from [results.csv](../{folder}/results.csv): every order of every kernel, with its map.
{first['device']}, driver {first['driver']}, {options.date}. The command, on a machine with an NVIDIA GPU:

    make measure-table

How times are taken is in [measuring.md](measuring.md). Times are medians, cold (caches flushed before each launch). `noise` is the
launch order against itself. `+` and `-`: the 95 % interval of the speedup lies above or below 1. Orders that were found are compared
with the launch order *of the same run*.

{summary(cases)}

## Time

{time_table(cases, library)}

`ours by prediction` is what `optimize` decides without a device, `ours after measuring` what `optimize --device` does among all orders
tried; `1 (launch order)` is the verdict `no gain`. `remap switched off` is the launch order with a remap's code in the kernel, under a
condition that is never true: what the compiler makes of the kernel then, whatever the order.{not_predicted(cases)}

## Share of kernels that are right and at least p times as fast (fast_p)

{fast_curve(cases)}

## Traffic and energy

DRAM bytes read, predicted / counted; hit rates of the L2, counted; energy of one launch, where it was measured. `ours` is the best predicted order,
also where the verdict is `no gain`.

{traffic_table(cases)}

## Predicted against counted DRAM bytes

{describe_errors(cases)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", nargs="?", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/swizzleperf"))
    options = parser.parse_args()
    options.data = options.data.resolve()
    if options.answers:
        write_data(options)
    options.page.write_text(page(options), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
