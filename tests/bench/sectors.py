#!/usr/bin/env python3
"""What the accesses of assembly and of a product ask of a device's caches, an element, in the software CUDA: one
JSON line a kernel of each workload (workloads.lua). Fails where an element kernel writes parts of sectors, or a gather
asks for more than twice what it reads.
Usage: sectors.py BASIN SOFTCUDA_FOLDER [SIZE [WORKLOAD ...]]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import subprocess
import sys
import tempfile

SECTOR = 32


def run(basin, folder, workload, size):
    """Elements, and what the software CUDA has counted."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sectors.lua")
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "sectors")
        environment = dict(os.environ, SOFTCUDA_SECTORS=path, BASIN_LIB_CUDA=os.path.join(folder, "libcuda.so.1"),
                           BASIN_LIB_NVRTC=os.path.join(folder, "libnvrtc.so.13"))
        text = subprocess.run([basin, "run", "--quiet", "--device", "cuda", script, "--set", "only=" + workload, "--set",
                               "size=" + size], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(path, encoding="ascii") as file:
            return int(text.split()[-1]), [json.loads(line) for line in file]


def report(workload, elements, kernel):
    """Bytes an element and launch, by how near they must come from: asked for by lanes, by requests of warps, by
    thread blocks that keep what they have read, by a launch that does."""
    per = 1 / (elements * kernel["launches"])
    line = {"bench": "sectors", "workload": workload, "kernel": kernel["kernel"], "number": kernel["number"]}
    for place, name in enumerate(("read", "write")):
        line[name] = {"requests": round(kernel[name]["requests"] * per, 3),
                      "lanes": round(kernel[name]["bytes"] * per, 1),
                      "warps": round(SECTOR * kernel[name]["sectors"] * per, 1),
                      "blocks": round(SECTOR * kernel["of_block"][place] * per, 1),
                      "launch": round(SECTOR * kernel["of_launch"][place] * per, 1)}
    line["shared"] = {"requests": round(kernel["shared"]["requests"] * per, 3),
                      "wavefronts": round(kernel["shared"]["wavefronts"] * per, 3)}
    line["atomic_sectors"] = round(kernel["atomic"]["sectors"] * per, 2)
    print(json.dumps(line))
    return line


def check(line, hessian):
    """The element kernel, which is known by its writes, and the gathers."""
    write, read = line["write"], line["read"]
    if line["kernel"] == "basin_kernel" and write["lanes"] >= hessian:
        assert write["warps"] <= 1.05 * write["lanes"], "an element kernel writes parts of sectors"
        assert line["shared"]["wavefronts"] <= 2.5 * line["shared"]["requests"], "lanes meet each other's banks"
        return 1
    if line["kernel"] == "gather_hessian":
        assert read["warps"] <= 2 * read["lanes"], "a gather asks for sectors of which it takes a number each"
        return 1
    return 0


def main():
    basin, folder = sys.argv[1], sys.argv[2]
    size = sys.argv[3] if len(sys.argv) > 3 else "0.1"
    for workload in sys.argv[4:] or ("W1", "W2", "W3", "W4"):
        elements, kernels = run(basin, folder, workload, size)
        hessian = 8 * (6 * 7 // 2 if workload == "W2" else 12 * 13 // 2)
        checked = sum(check(report(workload, elements, kernel), hessian) for kernel in kernels)
        assert checked == 2, "an element kernel and a gather were expected"


main()
