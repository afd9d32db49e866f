#!/usr/bin/python3
"""Time from the shell to the first finished step of a hanging cloth, with an empty and with a full
kernel cache: one JSON line each.

usage: start.py BASIN_COMMAND [REPEATS]

Processor seconds beside wall seconds: the former do not grow when other programs run.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, cache):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([command, "run", "--quiet", os.path.join(HERE, "first_step.lua")], check=True,
                   env=dict(os.environ, BASIN_CACHE_DIR=cache), stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(what, times):
    wall, processor = (sorted(column)[len(times) // 2] for column in zip(*times))
    print(json.dumps({"bench": "start", "what": what, "seconds": round(wall, 4),
                      "best_seconds": round(min(times)[0], 4), "processor_seconds": round(processor, 4)}))


def main():
    command, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run(command, cache))
            warm.append(run(command, cache))
    report("cold", cold)
    report("warm", warm)


if __name__ == "__main__":
    main()
