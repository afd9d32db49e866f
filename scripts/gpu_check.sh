#!/bin/bash
# Builds Basin on a machine with an NVIDIA GPU and checks it there: tests labelled gpu, benchmark, memory checks; ends with
# a table. Needs CUDA 12 or 13, CMake, Ninja, gcc; the rest comes from the folder that scripts/gpu_bundle.sh made, if it is
# there. No LLVM. Usage: scripts/gpu_check.sh [OUTPUT_FOLDER] (default: build-gpu-check/output). Takes at most 8 minutes.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
bundle=$PWD/build-gpu
build=$PWD/build-gpu-check
out=$(realpath -m "${1:-$build/output}")
mkdir -p "$out"
start=$SECONDS
total=470 # seconds for everything
if [ -d "$bundle" ]; then
  export PATH="$bundle/bin:$PATH" PKG_CONFIG_PATH="$bundle/lib/pkgconfig" CMAKE_PREFIX_PATH="$bundle"
  export LD_LIBRARY_PATH="$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" C_INCLUDE_PATH="$bundle/include"
fi
# The toolkit's programs and libraries, where the machine's own paths do not name them.
cuda=${CUDA_HOME:-/usr/local/cuda}
for folder in "$cuda/bin" "$cuda/compute-sanitizer"; do
  [ ! -d "$folder" ] || PATH="$PATH:$folder"
done
[ ! -d "$cuda/lib64" ] || LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$cuda/lib64"
export PATH LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}"
export BASIN_CACHE_DIR=$build/cache # cold on a fresh machine, and nobody else's
mkdir -p "$BASIN_CACHE_DIR"

names=() results=() times=() notes=()
failed=0
# step NAME LIMIT COMMAND...: output to $out/NAME.log; a note for the table is the last line that begins with "note: ".
step() {
  local name=$1 limit=$2 left=$((total - (SECONDS - start))) began=$SECONDS status=0 result=passed
  shift 2
  [ "$limit" -le "$left" ] || limit=$left
  if [ "$limit" -le 5 ]; then
    result='no time left'
  else
    echo "==== $name"
    timeout -k 5 "$limit" bash -uo pipefail -c '"$@"' step "$@" > "$out/$name.log" 2>&1 || status=$?
    case $status in
      0) ;;
      77) result=skipped ;;
      124 | 137) result="over $limit s" ;;
      *) result=FAILED ;;
    esac
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || tail -n 25 "$out/$name.log"
  fi
  case $result in passed | skipped) ;; *) failed=1 ;; esac
  names+=("$name") results+=("$result") times+=($((SECONDS - began)))
  notes+=("$(sed -n 's/^note: //p' "$out/$name.log" 2>/dev/null | tail -n 1)")
  [ "$result" = passed ]
}

configure_and_build() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBASIN_TESTS=ON -DBASIN_LLVM=OFF &&
    cmake --build "$build" -j "$(nproc)" && echo "note: $(nproc) cores"
}

device() {
  "$build/bin/basin" info | tee "$out/info.txt" || return 1
  grep -q 'cuda:0' "$out/info.txt" || { echo 'no CUDA device can be opened'; return 1; }
  echo "note: $(grep -m 1 'cuda:0' "$out/info.txt" | sed 's/^ *//')"
}

tests() {
  ctest --test-dir "$build" -L '^gpu$' --output-on-failure --no-tests=error -j 4 --timeout 120 \
    --output-junit "$out/tests.xml" | tee "$out/ctest.txt"
  local status=${PIPESTATUS[0]}
  echo "note: $(grep -E 'tests passed|tests failed' "$out/ctest.txt" | tail -n 1)"
  return "$status"
}

benchmark() {
  "$build/tests/bench_cuda" | tee "$out/linear.jsonl" || return 1
  "$build/tests/bench_cuda_contact" | tee "$out/contact.jsonl" || return 1
  "$build/bin/basin" run tests/bench/elements.lua --quiet --device cuda | tee "$out/elements.jsonl" || return 1
  "$build/bin/basin" run tests/bench/elements.lua --quiet --device cuda --precision float | tee -a "$out/elements.jsonl" || return 1
  # Sums in any order, and batches whose local results stay in the cache.
  "$build/bin/basin" run tests/bench/elements.lua --quiet --device cuda --set deterministic=false |
    tee -a "$out/elements.jsonl" || return 1
  for kib in 16384 32768 65536; do
    BASIN_CUDA_BATCH=$kib "$build/bin/basin" run tests/bench/elements.lua --quiet --device cuda --set only=W1 |
      tee -a "$out/elements.jsonl" || return 1
  done
}

scene() {
  "$build/bin/basin" run examples/dropping_short.lua --device cuda --set steps=20 --out "$out/scene" || return 1
  echo "note: 20 steps of the container scene"
}

# sanitizer TOOL: one run of a small scene with contact under compute-sanitizer, which not every machine allows.
sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo 'note: no compute-sanitizer'; return 77; }
  compute-sanitizer --tool "$1" --error-exitcode 99 "$build/tests/test_device_primitives" || {
    local status=$?
    if grep -qiE 'device not supported|permission|not permitted' "$out/$1.log"; then echo 'note: the device refuses it'; return 77; fi
    return $status
  }
}

export build out
export -f configure_and_build device tests benchmark scene sanitizer
if step build 120 configure_and_build; then
  if step device 30 device; then
    step tests 200 tests
    step benchmark 90 benchmark
    step scene 90 scene
    step memcheck 45 sanitizer memcheck
    step racecheck 45 sanitizer racecheck
  fi
fi

{
  printf '\n%-10s  %-12s  %5s  %s\n' step result s note
  for i in "${!names[@]}"; do
    printf '%-10s  %-12s  %5s  %s\n' "${names[i]}" "${results[i]}" "${times[i]}" "${notes[i]}"
  done
  printf '%-10s  %-12s  %5s\n' total "$([ $failed -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - start))
} | tee "$out/table.txt"
exit $failed
