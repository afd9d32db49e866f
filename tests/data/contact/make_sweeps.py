#!/usr/bin/env python3
"""Makes sweeps.txt: random and degenerate motions with their exact first contact.
SPDX-License-Identifier: Apache-2.0

    make_sweeps.py > sweeps.txt

Columns as in queries.txt: kind, family, hit, first time (a lower bound within 1e-15) or 0, 12 start
and 12 end coordinates, all multiples of a power of two.
Random ones: the roots of the coplanarity cubic are isolated in rationals (Sturm chain, bisection to
2^-90), and at each root intervals decide whether the closest points are inside; queries that they
leave open are thrown away. The degenerate families have their time by construction.
"""
import random
from fractions import Fraction as F

rng = random.Random(20240711)


def add(p, q):
    n = max(len(p), len(q))
    return [(p[i] if i < len(p) else 0) + (q[i] if i < len(q) else 0) for i in range(n)]


def mul(p, q):
    r = [F(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for k, b in enumerate(q):
            r[i + k] += a * b
    return r


def neg(p):
    return [-a for a in p]


def trim(p):
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def value(p, t):
    r = F(0)
    for a in reversed(p):
        r = r * t + a
    return r


def remainder(a, b):
    a = list(a)
    while len(a) >= len(b):
        q, shift = a[-1] / b[-1], len(a) - len(b)
        a = [c - (q * b[i - shift] if i >= shift else 0) for i, c in enumerate(a)][:-1]
    return trim(a)


def sturm(p):
    chain = [p, trim([i * c for i, c in enumerate(p)][1:])]
    while chain[-1]:
        chain.append(trim(neg(remainder(chain[-2], chain[-1]))))
    return chain[:-1]


def changes(chain, t):
    signs = [s for s in (value(p, t) for p in chain) if s != 0]
    return sum(1 for a, b in zip(signs, signs[1:]) if (a > 0) != (b > 0))


def roots(p):
    """Disjoint intervals (low, high] of width 2^-90 that hold the roots in [0, 1]."""
    p = trim(p)
    if not p:
        return None
    if len(p) == 1:
        return []
    chain, found = sturm(p), []
    work = [(F(-1, 2**20), F(1))]
    while work:
        low, high = work.pop()
        if changes(chain, low) == changes(chain, high):
            continue
        if high - low < F(1, 2**90):
            found.append((low, high))
            continue
        middle = (low + high) / 2
        work += [(middle, high), (low, middle)]
    return sorted(r for r in found if r[1] >= 0)


def dot(u, v):
    r = [F(0)]
    for a, b in zip(u, v):
        r = add(r, mul(a, b))
    return r


def cross(u, v):
    return [add(mul(u[(k + 1) % 3], v[(k + 2) % 3]), neg(mul(u[(k + 2) % 3], v[(k + 1) % 3])))
            for k in range(3)]


def minus(u, v):
    return [add(a, neg(b)) for a, b in zip(u, v)]


def sign_on(p, low, high):
    """Sign of p on [low, high]; 0 if not certain."""
    middle, half = (low + high) / 2, (high - low) / 2
    bound = sum(abs(c) * i for i, c in enumerate(p)) * 4 * half
    v = value(p, middle)
    return 0 if abs(v) <= bound else (1 if v > 0 else -1)


def first_contact(kind, x0, x1):
    """("hit", time) or ("miss",), or None if not decided."""
    x = [[[F(a), F(b) - F(a)] for a, b in zip(p, q)] for p, q in zip(x0, x1)]
    if kind == "pt":
        p, a, b, c = x
        u, v, w = minus(b, a), minus(c, a), minus(p, a)
        n = cross(u, v)
        # barycentric numerators over n.n
        beta, gamma = dot(cross(w, v), n), dot(cross(u, w), n)
        alpha = add(dot(n, n), neg(add(beta, gamma)))
        inside = [alpha, beta, gamma]
    else:
        a0, a1, b0, b1 = x
        u, v, w = minus(a1, a0), minus(b1, b0), minus(b0, a0)
        n = cross(u, v)
        s, t = dot(cross(w, v), n), dot(cross(w, u), n)
        inside = [s, add(dot(n, n), neg(s)), t, add(dot(n, n), neg(t))]
    found = roots(dot(n, w))
    if found is None:
        return None
    for low, high in found:
        if sign_on(dot(n, n), low, high) <= 0:
            return None
        signs = [sign_on(g, low, high) for g in inside]
        if any(s < 0 for s in signs):
            continue
        if any(s == 0 for s in signs):
            return None
        if low < 0 and high < F(1, 2**60):
            return None
        return ("hit", max(low, F(0)))
    return ("miss",)


def dyadic(bits, spread=1):
    return rng.randrange(-spread * 2**bits, spread * 2**bits + 1) / 2**bits


def point(bits=10, spread=1):
    return [dyadic(bits, spread) for _ in range(3)]


def emit(kind, family, truth, x0, x1):
    hit = truth[0] == "hit"
    time = float(truth[1]) * (1 - 2**-52) if hit else 0.0
    numbers = [c for p in list(x0) + list(x1) for c in p]
    print(kind, family, int(hit), repr(time), " ".join(repr(float(c)) for c in numbers))


def scaled(x, factor, shift):
    return [[c * factor + s for c, s in zip(p, shift)] for p in x]


def random_ones(count, family, factor=1.0, shift=(0, 0, 0), bits=10):
    made = 0
    while made < count:
        kind = rng.choice(["pt", "ee"])
        x0 = [point(bits) for _ in range(4)]
        x1 = [[c + d for c, d in zip(p, point(bits))] for p in x0]
        truth = first_contact(kind, x0, x1)
        if truth is None or (truth[0] == "miss" and rng.random() < 0.8):
            continue
        made += 1
        emit(kind, family, truth, scaled(x0, factor, shift), scaled(x1, factor, shift))


def flip(x, axes):
    return [[p[a] for a in axes] for p in x]


def degenerate(count):
    """Everything lies in planes y = constant that move along y, so that the first time is that of the
    heights; in the planes, points slide as they like while they stay where they overlap."""
    for i in range(count):
        k = rng.randrange(1, 64)
        height, speed = k / 64, 1.0
        slide = [dyadic(4, 2), 0.0, dyadic(4, 2)]
        axes = rng.choice([(0, 1, 2), (1, 2, 0), (2, 0, 1)])
        lengths = 2.0 ** rng.randrange(-8, 9)
        family = ("parallel", "corner", "sliver", "no-area", "no-length", "inplane", "vertex")[i % 7]
        kind = "ee" if family in ("parallel", "no-length", "inplane") else "pt"
        if family == "parallel":
            x = [[-lengths, height, 0], [lengths, height, 0], [-lengths, 0, 0], [lengths, 0, 0]]
            slide[2] = 0.0
            slide[0] = slide[0] * lengths / 4
        elif family == "corner":
            x = [[0, height, 0], [0, 0, 0], [lengths, 0, 0], [0, 0, lengths]]
            slide = [0.0, 0.0, 0.0]
        elif family == "vertex":
            x = [[0.5 * lengths, height, 0], [0, 0, 0], [lengths, 0, 0], [0, 0, lengths]]
            slide = [0.0, 0.0, 0.0]
        elif family == "sliver":
            x = [[0, height, 0], [-lengths, 0, 0], [lengths, 0, 0], [0, 0, 2.0 ** -40]]
            slide = [0.0, 0.0, 0.0]
        elif family == "no-area":
            x = [[0, height, 0], [-lengths, 0, 0], [lengths, 0, 0], [0.5 * lengths, 0, 0]]
            slide = [0.0, 0.0, 0.0]
        elif family == "no-length":
            x = [[0, height, 0], [0, height, 0], [-lengths, 0, 0], [lengths, 0, 0]]
            slide = [0.0, 0.0, 0.0]
        else:  # in one plane: an end of the first edge comes from the side
            x = [[0, height, 0], [0, height + 1, 0], [-lengths, 0, 0], [lengths, 0, 0]]
            slide = [0.0, 0.0, 0.0]
        moving = {"pt": 1, "ee": 2}[kind]
        y = [[c + (s if n < moving else 0) for c, s in zip(p, slide)] for n, p in enumerate(x)]
        for n in range(moving):
            y[n][1] = x[n][1] - speed
        emit(kind, family, ("hit", F(height) / F(speed)), flip(x, axes), flip(y, axes))


print("# Made by make_sweeps.py. Columns: kind (pt: point, t0, t1, t2; ee: a0, a1, b0, b1), family, hit,")
print("# first contact time on [0, 1] or 0, 12 start and 12 end coordinates.")
random_ones(160, "random")
random_ones(40, "tiny", 2.0 ** -20)
random_ones(40, "large", 2.0 ** 10)
random_ones(60, "far", 1.0, (2.0 ** 27, -(2.0 ** 27), 2.0 ** 26))
random_ones(40, "coarse", 1.0, (0, 0, 0), 2)
degenerate(140)
