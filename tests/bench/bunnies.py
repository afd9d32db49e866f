#!/usr/bin/env python3
"""Time of a Newton iteration by phase for 1, 4 and 16 bunnies in a container, one thread and two; and the exponents.
Usage: bunnies.py BASIN [COUNTS [STEPS]], as bunnies.py build/bin/basin 1,4,16 40. Phases that take less than a hundredth of the whole have no
exponent. SPDX-License-Identifier: Apache-2.0"""
import json
import math
import os
import subprocess
import sys

PHASES = ["seconds", "broad", "narrow", "ccd", "fill", "pair_assembly", "pair_energy", "assembly", "solve", "line_search"]


def run(basin, count, threads, steps):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bunnies.lua")
    command = [basin, "run", "--quiet", "--device", "cpu", "--threads", str(threads), script, "--set", f"count={count}",
               "--set", f"steps={steps}", "--set", f"first={steps // 2}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = output.strip().splitlines()[-1]
    result = json.loads(line)
    result["threads"] = threads
    print(json.dumps(result), flush=True)
    return result


def main():
    basin = sys.argv[1]
    counts = [int(word) for word in sys.argv[2].split(",")] if len(sys.argv) > 2 else [1, 4, 16]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    for threads in (1, 2):
        results = [run(basin, count, threads, steps) for count in counts]
        small, large = results[0], results[-1]
        if small is large:
            continue
        ratio = math.log(large["triangles"] / small["triangles"])
        exponents = {phase: round(math.log(large[phase] / small[phase]) / ratio, 3) for phase in PHASES
                     if small[phase] > 0.01 * small["seconds"] and large[phase] > 0}
        print(json.dumps({"bench": "bunnies", "what": "exponents", "threads": threads, "counts": counts, **exponents}), flush=True)


if __name__ == "__main__":
    main()
