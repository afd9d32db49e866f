"""Files exchanged with meshio and NumPy in both directions: exchange.py CONVERT MESHES OUT.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys

try:
    import meshio
    import numpy
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

convert, meshes, out = sys.argv[1:4]
failures = 0


def run(source, target):
    """Reads and writes with Basin; the lines about groups, or None after an error."""
    done = subprocess.run([convert, source, target], capture_output=True, text=True, check=False)
    if done.returncode:
        print("FAILED", source, "->", target, done.stderr.strip())
        return None
    return done.stdout.splitlines()


def check(condition, *words):
    global failures
    if not condition:
        failures += 1
        print("FAILED", *words)


def cells_of(mesh, kinds):
    """kind -> one array of corners; one-corner cells and empty blocks left out."""
    found = {}
    for block in mesh.cells:
        if block.type in kinds and len(block.data):
            found.setdefault(block.type, []).append(numpy.asarray(block.data, dtype=numpy.int64))
    return {kind: numpy.concatenate(parts) for kind, parts in found.items()}


def compare(name, mesh, path, kinds, tolerance=0.0):
    """The file at `path`, as meshio reads it, holds the points and the cells of the mesh."""
    back = meshio.read(path)
    points = numpy.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    check(back.points.shape == points.shape, name, "points", back.points.shape, points.shape)
    if back.points.shape == points.shape:
        check(numpy.abs(back.points - points).max() <= tolerance, name, "coordinates")
    wanted, got = cells_of(mesh, kinds), cells_of(back, kinds)
    check(set(wanted) == set(got), name, "kinds", sorted(wanted), sorted(got))
    for kind in set(wanted) & set(got):
        check(numpy.array_equal(wanted[kind], got[kind]), name, kind)
    return back


# The real meshes, to each format that Basin writes.
for file in sorted(os.listdir(meshes)):
    source = os.path.join(meshes, file)
    mesh = meshio.read(source)
    target = os.path.join(out, file + ".vtu")
    if run(source, target) is None:
        failures += 1
        continue
    back = compare(file + " vtu", mesh, target, {"triangle", "tetra"})
    check(numpy.array_equal(back.point_data["position"], back.points), file, "point data")
    surface = None
    for extension in ("ply", "obj"):
        target = os.path.join(out, file + "." + extension)
        if run(source, target) is None:
            failures += 1
            continue
        back = meshio.read(target)
        check(numpy.abs(back.points[:, :3] - mesh.points).max() == 0.0, file, extension, "points")
        triangles = cells_of(back, {"triangle"})["triangle"]
        if surface is None:
            surface = triangles
        check(numpy.array_equal(triangles, surface), file, extension, "triangles")

# A mesh with everything, from each format that meshio writes.
random = numpy.random.default_rng(7)
points = random.random((40, 3))
blocks = {
    "line": random.permutation(40)[:6].reshape(3, 2),
    "triangle": random.permutation(40)[:15].reshape(5, 3),
    "quad": random.permutation(40)[:16].reshape(4, 4),
    "tetra": random.permutation(40)[:28].reshape(7, 4),
}


def mixed(*kinds):
    return meshio.Mesh(points, [(kind, blocks[kind]) for kind in kinds])


solid = mixed("line", "triangle", "quad", "tetra")
shell = mixed("triangle", "quad")
plain = mixed("triangle")
tagged = mixed("triangle", "tetra")
tagged.cell_data = {
    "gmsh:physical": [numpy.array([3, 3, 4, 4, 4]), numpy.full(7, 9)],
    "gmsh:geometrical": [numpy.array([1, 1, 2, 2, 2]), numpy.full(7, 1)],
}
tagged.field_data = {"skin part": numpy.array([3, 2]), "inside": numpy.array([9, 3])}
cases = [
    ("v22a.msh", solid, dict(file_format="gmsh22", binary=False), 0.0),
    ("v22b.msh", solid, dict(file_format="gmsh22", binary=True), 0.0),
    ("v41a.msh", mixed("tetra"), dict(file_format="gmsh", binary=False), 0.0),
    ("v41b.msh", mixed("tetra"), dict(file_format="gmsh", binary=True), 0.0),
    ("ascii.vtu", solid, dict(binary=False), 1e-11),
    ("plain.vtu", solid, dict(compression=None), 0.0),
    ("zlib.vtu", solid, dict(compression="zlib"), 0.0),
    ("appended.vtu", solid, None, 0.0),
    ("v42a.vtk", solid, dict(file_format="vtk42", binary=False), 0.0),
    ("v42b.vtk", solid, dict(file_format="vtk42", binary=True), 0.0),
    ("v51a.vtk", solid, dict(file_format="vtk51", binary=False), 0.0),
    ("v51b.vtk", solid, dict(file_format="vtk51", binary=True), 0.0),
    ("a.mesh", solid, dict(), 1e-15),
    ("ascii.ply", shell, dict(binary=False), 1e-15),
    ("binary.ply", shell, dict(binary=True), 0.0),
    ("a.obj", shell, dict(), 1e-12),
    ("tagged22.msh", tagged, dict(file_format="gmsh22", binary=False), 0.0),
]
for name, mesh, options, tolerance in cases:
    source = os.path.join(out, name)
    target = os.path.join(out, name + ".out.vtu")
    if options is not None:
        meshio.write(source, mesh, **options)
    elif run(os.path.join(out, "plain.vtu"), source) is None:
        failures += 1
        continue
    groups = run(source, target)
    if groups is None:
        failures += 1
        continue
    compare(name, mesh, target, set(blocks), tolerance)
    if name.startswith("tagged"):
        check(sorted(groups) == ["tets 7 inside", "triangles 2 skin part", "triangles 3 physical_4"], name, groups)

# STL has no indices: triangles by their corners.
for binary in (False, True):
    source = os.path.join(out, "a%d.stl" % binary)
    meshio.write(source, plain, binary=binary)
    if run(source, source + ".vtu") is None:
        failures += 1
        continue
    back = meshio.read(source + ".vtu")
    corners = back.points[cells_of(back, {"triangle"})["triangle"]]
    check(numpy.abs(corners - points[blocks["triangle"]]).max() < 1e-6, "stl", binary)
    check(len(back.points) == len(numpy.unique(blocks["triangle"])), "stl welding", binary)

# Checkpoints: written by NumPy, read and written by Basin, read by NumPy.
arrays = {
    "position": random.random((4, 3)),
    "scalar": numpy.float64(0.1),
    "single": numpy.array([0.1, -2, numpy.inf], dtype=numpy.float32),
    "step": numpy.array(-5, dtype=numpy.int64),
    "small": numpy.array([[-7], [8]], dtype=numpy.int16),
    "index": numpy.arange(5, dtype=numpy.uint32),
    "bytes": numpy.arange(256, dtype=numpy.uint8),
    "mask": numpy.array([True, False]),
    "none": numpy.zeros((0, 3)),
    "body.1/velocity": random.random((2, 2, 2, 2)),
}
numpy.savez(os.path.join(out, "numpy.npz"), **arrays)
if run(os.path.join(out, "numpy.npz"), os.path.join(out, "basin.npz")) is None:
    failures += 1
else:
    with numpy.load(os.path.join(out, "basin.npz")) as back:
        check(set(back.files) == set(arrays), "npz names", back.files)
        for name, array in arrays.items():
            check(back[name].shape == numpy.shape(array), "npz shape", name)
            check(numpy.array_equal(back[name], array), "npz", name)
        check(back["single"].dtype == numpy.float64 and back["index"].dtype == numpy.int64, "npz widening")
numpy.savez_compressed(os.path.join(out, "packed.npz"), **arrays)
refused = subprocess.run([convert, os.path.join(out, "packed.npz"), os.path.join(out, "x.npz")], capture_output=True, text=True, check=False)
check(refused.returncode == 1 and "savez_compressed" in refused.stderr, "compressed npz", refused.stderr)

print("%d failures" % failures)
sys.exit(1 if failures else 0)
