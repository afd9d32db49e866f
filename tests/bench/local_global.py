#!/usr/bin/python3
"""Local/global steps of examples/fast_mass_springs.lua against the same algorithm in SciPy, one JSON line.

usage: local_global.py BASIN_COMMAND [SIDE [STEPS]]

SciPy factorizes the global matrix once (splu) and takes the local step by vectorized NumPy; both
kinds of right-hand sides are timed: all unknowns at once, which is what Basin is given, and one column
a coordinate, where the script knows that the coordinates do not couple. Processor seconds on one
thread, medians of alternating runs. Both programs must end with the same strain.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import time

import numpy as np
import scipy
from scipy.sparse import coo_matrix, diags, kron, identity
from scipy.sparse.linalg import splu

STEP, STIFFNESS, PIN, INNER, GRAVITY = 1 / 30, 80.0, 1e7, 8, 9.8
HERE = os.path.dirname(os.path.abspath(__file__))


def grid(side):
    """Vertices and edges of a square of side 2: sides and one diagonal of each of its (side - 1)^2 cells."""
    number = np.arange(side * side).reshape(side, side)
    points = np.stack(np.meshgrid(np.linspace(0, 2, side), np.linspace(0, 2, side)), -1).reshape(-1, 2)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:]), (number[:-1, 1:], number[1:, :-1])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], -1) for a, b in pairs])
    return points, edges, [number[-1, 0], number[-1, -1]]


def scipy_seconds(side, steps, columns):
    """Seconds of one step, and the strain at the end."""
    rest, edges, pinned = grid(side)
    n, m = len(rest), len(edges)
    a, b = edges.T
    length = np.linalg.norm(rest[a] - rest[b], axis=1)
    weight = STIFFNESS / length**2
    difference = coo_matrix((np.r_[np.ones(m), -np.ones(m)], (np.r_[0:m, 0:m], np.r_[a, b])), (m, n)).tocsr()
    hold = np.zeros(n)
    hold[pinned] = PIN
    matrix = difference.T @ diags(weight) @ difference + diags(hold + 1 / STEP**2)
    spread = (difference.T @ diags(weight)).tocsr()
    factor = splu((matrix if columns else kron(matrix, identity(2))).tocsc())
    fixed = hold[:, None] * rest - np.array([0, GRAVITY])
    x = previous = rest
    start = time.process_time()
    for _ in range(steps):
        inertia = fixed + (2 * x - previous) / STEP**2
        previous = x
        for _ in range(INNER):
            s = difference @ x
            d = s * (length / np.sqrt(np.einsum("ij,ij->i", s, s)))[:, None]
            right = inertia + spread @ d
            x = factor.solve(right) if columns else factor.solve(right.ravel()).reshape(-1, 2)
    seconds = (time.process_time() - start) / steps
    strain = np.linalg.norm(difference @ x, axis=1) / length - 1
    return seconds, float(strain.min()), float(strain.max())


def basin_seconds(command, side, steps):
    """The same of Basin: three more numbers than the script prints."""
    run = subprocess.run(
        [command, "run", "--threads", "1", os.path.join(HERE, "local_global.lua"), "--set", f"side={side}", "--set", f"steps={steps}"],
        capture_output=True, text=True, check=True)
    result = json.loads(run.stdout.splitlines()[-1])
    return result["seconds"], result["strain_min"], result["strain_max"]


def main():
    command = sys.argv[1]
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 240
    whole, columns, ours = [], [], []
    for _ in range(5 if steps >= 100 else 1):  # alternately, so that both see the same machine
        whole.append(scipy_seconds(side, steps, False))
        columns.append(scipy_seconds(side, steps, True))
        ours.append(basin_seconds(command, side, steps))
    middle = [sorted(times)[len(times) // 2] for times in (whole, columns, ours)]
    own = middle[2]
    if any(abs(peer[k] - own[k]) > 1e-6 * abs(peer[k]) for peer in middle for k in (1, 2)):
        sys.exit(f"local_global.py: strains differ: {middle}")
    print(json.dumps({
        "bench": "local_global", "side": side, "steps": steps, "inner": INNER, "scipy": scipy.__version__,
        "scipy_step_us": round(middle[0][0] * 1e6, 1), "scipy_columns_step_us": round(middle[1][0] * 1e6, 1),
        "basin_step_us": round(own[0] * 1e6, 1), "ratio": round(middle[0][0] / own[0], 2),
        "ratio_columns": round(middle[1][0] / own[0], 2), "strain_max": own[2]}))


if __name__ == "__main__":
    main()
