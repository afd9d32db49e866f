-- The object model: names, joins, reductions, unions, shared attributes, dynamic primitives, dirty
-- tracking.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local function square_scene()
  local scene = basin.scene("square")
  local mesh = scene:add_mesh("mesh")
  local verts = mesh:add_primitive("vertices", 4)
  local x = verts:add_attribute("position",
    { rows = 2, value = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } })
  local edges = mesh:add_primitive("edges", 4)
  local ends = edges:add_connectivity("ends", verts, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }, 2)
  return scene, verts, x, edges, ends
end

h.test("children by name", function()
  local scene, verts, x, edges, ends = square_scene()
  h.equal(scene.mesh.vertices, verts)
  h.equal(scene["mesh"].vertices.position, x)
  h.equal(scene.mesh.edges.ends, ends)
  h.equal(edges.count, 4)
  h.equal(x:full_name(), "mesh.vertices.position")
  h.equal(verts:full_name(), "mesh.vertices")
  h.equal(verts:find("nothing"), nil)
  h.equal(table.concat(scene.mesh:names(), " "), "vertices edges")
end)

h.test("two scenes may share a name", function()
  local a, b = basin.scene("same"), basin.scene("same")
  a:add_mesh("m")
  b:add_mesh("m")
  h.equal(a.m ~= b.m, true)
end)

h.test("join: k rows of the source; arity 1 keeps the shape", function()
  local _, _, x, edges, ends = square_scene()
  local joined = edges:add_attribute("ends_position", { through = ends, source = x })
  h.equal(joined.rows, 2)
  h.equal(joined.cols, 2)
  h.close_arrays(joined:value(), { { 0, 0, 1, 0 }, { 1, 0, 1, 1 }, { 1, 1, 0, 1 }, { 0, 1, 0, 0 } })
  local first = edges:add_connectivity("first", ends:to(), { 0, 1, 2, 3 }, 1)
  h.equal(first:gather(x).rows, 2)
  h.equal(first:gather(x).cols, 1)
end)

h.test("joins of joins", function()
  local _, _, x, edges, ends = square_scene()
  local faces = edges._parent:add_primitive("faces", 1)
  local sides = faces:add_connectivity("sides", edges, { { 0, 1, 2, 3 } }, 4)
  local length = (ends:gather(x):row(1) - ends:gather(x):row(2)):norm()
  h.close_arrays(faces:evaluate(sides:gather(length):sum()), { 4 })
end)

h.test("sums and means over fixed and variable arity", function()
  local scene, verts, x, edges, ends = square_scene()
  h.close_arrays(edges:evaluate(ends:mean(x)), { { 0.5, 0 }, { 1, 0.5 }, { 0.5, 1 }, { 0, 0.5 } })
  local ring = verts:add_connectivity("ring", verts, { { 1, 3 }, { 0, 2 }, { 1 }, {} }, 0)
  h.close_arrays(verts:evaluate(ring:sum(x)), { { 1, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } })
  h.close_arrays(verts:evaluate(ring:mean(x)), { { 0.5, 0.5 }, { 0.5, 0.5 }, { 1, 0 }, { 0, 0 } },
    0, "an empty mean is zero")
  local named = verts:add_attribute("ring_sum", { through = ring, source = 2 * x, reduce = "sum" })
  h.close_arrays(named:value(), { { 2, 2 }, { 2, 2 }, { 2, 0 }, { 0, 0 } })
  h.equal(named:kind(), "reduction")
  local table_ = basin.adjacency { edges = scene.mesh.edges.ends:value(), count = 4 }
  h.close_arrays(table_.indices, { 1, 3, 0, 2, 1, 3, 0, 2 })
  h.close_arrays(table_.offsets, { 0, 2, 4, 6, 8 })
  verts:add_connectivity("neighbours", verts, table_, 0)
end)

h.test("sums carry derivatives", function()
  local scene, verts, x = square_scene()
  local ring = verts:add_connectivity("ring", verts, { { 1, 3 }, { 0, 2 }, { 1, 3 }, { 0, 2 } }, 0)
  local umbrella = ring:mean(x) - x
  scene:add_energy(umbrella:dot(umbrella), { name = "smooth" })
  scene:add_minimize_target { x }
  x:update { { 0, 0 }, { 1, 0.2 }, { 1.5, 1 }, { 0, 1 } }
  local report = basin.check(scene)
  h.equal(report.passed, true, tostring(report))
end)

h.test("shared attributes of scene and mesh", function()
  local scene, verts, x = square_scene()
  local dt = scene:add_constant("dt", { value = 0.5 })
  local shift = scene.mesh:add_attribute("shift", { rows = 2, value = { 1, 2 } })
  h.close_arrays(verts:evaluate(x * dt + shift), { { 1, 2 }, { 1.5, 2 }, { 1.5, 2.5 }, { 1, 2.5 } })
  shift:update { 0, 0 }
  dt:update(2)
  h.close_arrays(verts:evaluate(x * dt + shift), { { 0, 0 }, { 2, 0 }, { 2, 2 }, { 0, 2 } })
  h.close_arrays(dt:value(), { 2 })
end)

h.test("unions nest and cross meshes", function()
  local scene, verts, x = square_scene()
  local other = scene:add_mesh("other")
  local more = other:add_primitive("vertices", 1)
  local y = more:add_attribute("position", { rows = 2, value = { { 5, 6 } } })
  local computed = other:add_primitive("shifted", 1)
  local base = computed:add_constant("base", { rows = 2, value = { { 1, 1 } } })
  computed:add_attribute("position", 2 * base)
  local inner = other:add_primitive_union("inner", { more, computed })
  inner:add_attribute("position")
  local all = scene:add_mesh("all"):add_primitive_union("vertices", { verts, inner })
  local p = all:add_attribute("position")
  h.equal(all.count, 6)
  h.close_arrays(p:value(), { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 5, 6 }, { 2, 2 } })
  y:update { { 7, 8 } }
  base:update { { 3, 3 } }
  x:update(0)
  h.close_arrays(p:value(), { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 7, 8 }, { 6, 6 } })
end)

h.test("values are never stale", function()
  local _, verts, x, _, ends = square_scene()
  local length = (ends:gather(x):row(1) - ends:gather(x):row(2)):norm()
  local named = ends:from():add_attribute("length", length)
  h.close_arrays(named:value(), { 1, 1, 1, 1 })
  x:update { { 0, 0 }, { 2, 0 }, { 2, 1 }, { 0, 1 } }
  h.close_arrays(named:value(), { 2, 1, 2, 1 })
  ends:update { { 0, 2 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }
  h.close(named:compute()[1], math.sqrt(5))
  local snapshot = x:value()
  x:update(0)
  h.equal(snapshot:max_abs(), 2, "a value is a copy")
  h.equal(verts.position:value():max_abs(), 0)
end)

h.test("numbers and single instances fill", function()
  local _, verts = square_scene()
  local c = verts:add_constant("c", { rows = 2, value = 3 })
  h.close_arrays(c:value(), { { 3, 3 }, { 3, 3 }, { 3, 3 }, { 3, 3 } })
  c:update { 1, 2 }
  h.close_arrays(c:value(), { { 1, 2 }, { 1, 2 }, { 1, 2 }, { 1, 2 } })
  h.close_arrays(verts:add_constant("zero", { rows = 2 }):value(),
    { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } })
end)

h.test("dynamic primitives resize, zero instances are fine", function()
  local scene, verts, x = square_scene()
  local pairs_ = scene.mesh:add_primitive("pairs", 0, { dynamic = true })
  local ends = pairs_:add_connectivity("ends", verts, {}, 2)
  local weight = pairs_:add_constant("weight")
  local p = ends:gather(x)
  local energy = scene:add_energy(weight * (p:row(1) - p:row(2)):squared_norm(), { name = "pairs" })
  scene:add_energy(x:dot(x), { name = "rest" })
  scene:add_minimize_target { x }
  h.close(scene:compute_total_energy(), 4)
  pairs_:resize(2)
  ends:update { { 0, 2 }, { 1, 3 } }
  weight:update { 1, 10 }
  h.close(scene:compute_total_energy(), 4 + 2 + 20)
  h.equal(energy:compute().count, 2)
  pairs_:resize(1)
  ends:update { { 0, 1 } }
  h.close(scene:compute_total_energy(), 5)
  pairs_:resize(0)
  ends:update {}
  h.close(scene:compute_total_energy(), 4)
  scene:minimize_energy {}
end)

h.test("an error leaves everything as it was", function()
  local scene, verts, x, edges, ends = square_scene()
  local before = x:value()
  h.fails("not a number", x.update, x, { { 1, 1 }, { 1, 1 }, { 1, 0 / 0 }, { 1, 1 } })
  h.fails("need 8", x.update, x, { { 1, 1 } })
  h.fails("index", ends.update, ends, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 9 } })
  h.fails("already has", verts.add_constant, verts, "position")
  h.fails("do not match", function() return x + basin.vector { 1, 2, 3 } end)
  h.equal(x:value() == before, true)
  h.close_arrays(ends:value(), { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } })
  scene:add_energy(edges:add_attribute("e",
    (ends:gather(x):row(1) - ends:gather(x):row(2)):squared_norm()))
  scene:add_minimize_target { x }
  h.close(scene:compute_total_energy(), 4)
end)

h.test("sorted goes through keys in order", function()
  local keys = {}
  for key in basin.sorted { b = 1, a = 2, [2] = 3, [1] = 4 } do keys[#keys + 1] = key end
  h.equal(table.concat(keys, " "), "1 2 a b")
end)

h.finish()
