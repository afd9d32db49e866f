#!/usr/bin/env python3
"""Broad phase of two frames of a cloth: the IPC Toolkit's methods and Basin, one thread and two. Needs the Python packages ipctk and numpy;
Basin is bench_contact. Prints JSON lines: wall and processor seconds, the best of several runs, from vertices to all candidates.
Usage: broad_phase.py BENCH_CONTACT FRAME92.ply FRAME93.ply. SPDX-License-Identifier: Apache-2.0"""
import json
import subprocess
import sys
import time

import ipctk
import numpy

METHODS = ["BruteForce", "BVH", "HashGrid", "LBVH", "SpatialHash", "SweepAndPrune", "SweepAndTiniestQueue"]
ROUNDS = 4


def read(path):
    data = open(path, "rb").read()
    start = data.index(b"end_header\n") + 11
    header = data[:start].decode()
    points = int(header.split("element vertex ")[1].split()[0])
    faces = int(header.split("element face ")[1].split()[0])
    x = numpy.frombuffer(data, ">f4", 3 * points, start).reshape(-1, 3).astype(float)
    rows = numpy.frombuffer(data, numpy.dtype([("count", "u1"), ("v", ">i4", 3)]), faces, start + 12 * points)
    return x, rows["v"].astype(numpy.int32)


def measure(mesh, x, y, method, threads):
    ipctk.set_num_threads(threads)
    wall, processor = [], []
    for _ in range(ROUNDS):
        candidates, broad_phase = ipctk.Candidates(), getattr(ipctk, method)()
        start, used = time.perf_counter(), time.process_time()
        candidates.build(mesh, x, y, 0.0, broad_phase)
        wall.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
    print(json.dumps({"bench": "broad_phase", "what": "ipctk " + ipctk.__version__ + " " + method, "threads": threads,
                      "seconds": round(min(wall), 4), "cpu": round(min(processor), 4), "candidates": len(candidates)}), flush=True)


def main():
    output = subprocess.run(sys.argv[1:4], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        if '"sweep' in line:
            print(line, flush=True)
    (x, faces), (y, _) = read(sys.argv[2]), read(sys.argv[3])
    mesh = ipctk.CollisionMesh(x, ipctk.edges(faces), faces)
    for threads in (1, 2):
        for method in METHODS:
            if hasattr(ipctk, method) and method != "BruteForce":
                measure(mesh, x, y, method, threads)


if __name__ == "__main__":
    main()
