#!/usr/bin/env bash
# Runs every job of a folder on this machine's GPU: times, outputs and energy, then the counters where ncu is there and
# may read them. Needs nothing but the runner. A job whose answer is there already is left alone.
#
#   scripts/measure_run.sh JOBS ANSWERS [RUNNER]
#
# Afterwards ANSWERS holds NAME.json (the runner's answer) and NAME.csv (ncu's table) for each NAME.job.
set -uo pipefail
jobs=$1 answers=$2 runner=${3:-build/release/bin/swizzleperf-runner}
limit=120  # seconds for one job
mkdir -p "$answers"
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex.sum
metrics+=,lts__t_sectors_srcunit_tex_lookup_hit.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sector_hit_rate.pct
failed=0
for job in "$jobs"/*.job; do
  name=$(basename "$job" .job)
  [ -e "$answers/$name.json" ] && continue
  start=$SECONDS
  if timeout -s KILL $limit "$runner" <"$job" >"$answers/$name.part"; then
    mv "$answers/$name.part" "$answers/$name.json"
  else
    echo "$name: failed: $(head -c 300 "$answers/$name.part")"
    mv "$answers/$name.part" "$answers/$name.failed"
    failed=1
    continue
  fi
  measured=$SECONDS
  if command -v ncu >/dev/null; then
    # One launch a variant, from cold caches, at the clocks as they are.
    LC_ALL=C sed '0,/^task measure$/s//task profile/' "$job" |
      timeout -s KILL $limit ncu --csv --page raw --print-units base --clock-control none --cache-control all \
        --log-file "$answers/$name.csv" --metrics "$metrics" "$runner" >/dev/null || rm -f "$answers/$name.csv"
  fi
  echo "$name: $((measured - start)) s measured, $((SECONDS - measured)) s counted"
done
exit $failed
