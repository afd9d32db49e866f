-- Jacobians, mixed derivatives and derivative checks, against formulas and differences.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local function edge_scene()
  local scene = basin.scene("edges")
  local mesh = scene:add_mesh("m")
  local verts = mesh:add_primitive("vertices", 3)
  local x = verts:add_attribute("x", { rows = 2, value = { { 0, 0 }, { 1, 0.5 }, { 2, -1 } } })
  local edges = mesh:add_primitive("edges", 2)
  local ends = edges:add_connectivity("ends", verts, { { 0, 1 }, { 1, 2 } }, 2)
  return scene, verts, x, edges, ends
end

h.test("Jacobian of differences is the incidence matrix", function()
  local _, _, x, _, ends = edge_scene()
  local p = ends:gather(x)
  local G = basin.jacobian(p:row(2) - p:row(1), { x })
  h.equal(G.rows, 4)
  h.equal(G.columns, 6)
  h.close_arrays(G:dense(), { { -1, 0, 1, 0, 0, 0 }, { 0, -1, 0, 1, 0, 0 }, { 0, 0, -1, 0, 1, 0 },
    { 0, 0, 0, -1, 0, 1 } })
  h.close_arrays(G * x:value(), { { 1, 0.5 }, { 1, -1.5 } }, 1e-15)
  local L = G:T() * G
  h.close_arrays(L:diagonal(), { 1, 1, 2, 2, 1, 1 })
end)

h.test("Jacobian of a matrix attribute is in storage order", function()
  local scene = basin.scene("matrix")
  local A = scene:add_attribute("A", { rows = 2, cols = 2, value = { 1, 2, 3, 4 } })
  local J = basin.jacobian(A * basin.vector { 10, 20 }, { A })
  h.close_arrays(J:dense(), { { 10, 20, 0, 0 }, { 0, 0, 10, 20 } })
  local D = basin.jacobian(A:det(), { A })
  h.close_arrays(D:dense(), { { 4, -3, -2, 1 } })
end)

h.test("Jacobian by several attributes, shared ones too, and through unions", function()
  local scene, verts, x, _, _ = edge_scene()
  local s = scene:add_attribute("s", { value = 2 })
  local J = basin.jacobian(s * x:at(1), { s, x })
  h.close_arrays(J:dense(), { { 0, 2, 0, 0, 0, 0, 0 }, { 1, 0, 0, 2, 0, 0, 0 },
    { 2, 0, 0, 0, 0, 2, 0 } })
  local more = scene.m:add_primitive("more", 1)
  more:add_attribute("x", { rows = 2, value = { { 5, 5 } } })
  local all = scene.m:add_primitive_union("all", { more, verts })
  local y = all:add_attribute("x")
  local U = basin.jacobian(y:at(2), { x })
  h.equal(U.rows, 4)
  h.close_arrays(U:dense(), { { 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 0, 0, 0 }, { 0, 0, 0, 1, 0, 0 },
    { 0, 0, 0, 0, 0, 1 } })
end)

h.test("mixed derivative by rest lengths, against differences of the gradient", function()
  local scene, _, x, edges, ends = edge_scene()
  local rest = edges:add_constant("rest", { value = { 0.7, 1.1 } })
  local p = ends:gather(x)
  local e = 0.5 * ((p:row(1) - p:row(2)):norm() - rest) ^ 2
  local term = scene:add_energy(edges:add_attribute("spring", e))
  scene:add_minimize_target { x }
  local M = scene:mixed_derivative(term, { x }, { rest })
  h.equal(M.rows, 6)
  h.equal(M.columns, 2)
  local base = { 0.7, 1.1 }
  for column = 1, 2 do
    local function gradient_at(change)
      local value = { base[1], base[2] }
      value[column] = value[column] + change
      rest:update(value)
      return scene:gradient()
    end
    local difference = (gradient_at(1e-5) - gradient_at(-1e-5)) / 2e-5
    local unit = { column == 1 and 1 or 0, column == 2 and 1 or 0 }
    h.close_arrays(M * basin.array.from(unit), difference, 1e-9)
  end
end)

h.test("a mixed derivative by the unknowns themselves is the Hessian", function()
  local scene, _, x, edges, ends = edge_scene()
  local p = ends:gather(x)
  local term = scene:add_energy(edges:add_attribute("spring",
    ((p:row(1) - p:row(2)):norm() - 2) ^ 2))
  scene:add_minimize_target { x }
  local M = scene:mixed_derivative(term, { x }, { x })
  h.close((M - scene:hessian { projection = "none" }):norm "max", 0, 1e-13)
end)

h.test("check passes right derivatives and catches wrong ones", function()
  local scene, verts, x = edge_scene()
  local d = x:dot(x)
  scene:add_energy(verts:add_attribute("right", (d + 1):sqrt() + d:sin()))
  scene:add_minimize_target { x }
  local report = basin.check(scene)
  h.equal(report.passed, true, tostring(report))
  scene:add_energy(basin.custom(d ^ 2, { x }, { 3.9 * d * x:T() }), { name = "wrong" })
  local second = basin.check(scene)
  h.equal(second.passed, false)
  h.equal(second.terms[1].passed, true)
  h.equal(second.terms[2].passed, false)
  h.equal(tostring(second):find("FAIL wrong", 1, true) ~= nil, true)
  h.close_arrays(x:value(), { { 0, 0 }, { 1, 0.5 }, { 2, -1 } }, 0, "the state is put back")
end)

h.test("check passes at kinks", function()
  local scene, verts, x = edge_scene()
  x:update(0)
  scene:add_energy(verts:add_attribute("kink",
    basin.where(x:at(1):gt(0), x:at(1) ^ 2, 0.1 * x:at(1) ^ 2) + x:norm() ^ 3))
  scene:add_minimize_target { x }
  local report = basin.check(scene)
  h.equal(report.passed, true, tostring(report))
end)

h.test("unions of free, affine and rotated vertices carry derivatives", function()
  local scene = basin.scene("union")
  local mesh = scene:add_mesh("m")
  local free = mesh:add_primitive("free", 2)
  local x = free:add_attribute("position", { rows = 3, value = { { 0, 0, 0 }, { 1, 0.3, 0 } } })
  local bodies = mesh:add_primitive("bodies", 1)
  local A = bodies:add_attribute("A",
    { rows = 3, cols = 3, value = { 1, 0.1, 0, 0, 1, 0, 0.2, 0, 1 } })
  local t = bodies:add_attribute("t", { rows = 3, value = { 0, 1, 0.5 } })
  local affine = mesh:add_primitive("affine", 2)
  local body_of = affine:add_connectivity("body_of", bodies, { 0, 0 }, 1)
  local X = affine:add_constant("rest", { rows = 3, value = { { 1, 0, 0 }, { 0, 1, 2 } } })
  affine:add_attribute("position", body_of:gather(A) * X + body_of:gather(t))
  local fixed = mesh:add_primitive("fixed", 1)
  fixed:add_constant("position", { rows = 3, value = { 2, 2, 2 } })
  local turned = mesh:add_primitive("turned", 1)
  local angle = turned:add_attribute("angle", { value = 0.4 })
  turned:add_attribute("position", basin.vector { 2 * angle:cos(), 2 * angle:sin(), 1 })
  local all = mesh:add_primitive_union("all", { free, affine, fixed, turned })
  local p = all:add_attribute("position")
  local springs = mesh:add_primitive("springs", 6)
  local ends = springs:add_connectivity("ends", all,
    { { 0, 2 }, { 1, 3 }, { 2, 3 }, { 3, 4 }, { 0, 5 }, { 5, 2 } }, 2)
  local q = ends:gather(p)
  scene:add_energy(springs:add_attribute("spring", ((q:row(1) - q:row(2)):norm() - 0.5) ^ 2))
  for _, targets in ipairs { { x }, { x, A, t }, { A } } do
    local minimizer = scene:minimizer { targets = targets }
    h.equal(minimizer:hessian():is_symmetric(1e-12), true)
  end
  local whole = basin.scene("again")
  h.equal(whole.name, "again")
  scene:add_minimize_target { x, A, t }
  local report = basin.check(scene)
  h.equal(report.passed, true, tostring(report))
end)

h.test("a map that is not affine carries second derivatives", function()
  local scene = basin.scene("angle")
  local mesh = scene:add_mesh("m")
  local turned = mesh:add_primitive("turned", 3)
  local angle = turned:add_attribute("angle", { value = { 0.4, 1, 2 } })
  turned:add_attribute("position", basin.vector { 2 * angle:cos(), 2 * angle:sin() })
  local fixed = mesh:add_primitive("fixed", 1)
  fixed:add_constant("position", { rows = 2, value = { 3, 1 } })
  local all = mesh:add_primitive_union("all", { turned, fixed })
  local p = all:add_attribute("position")
  local springs = mesh:add_primitive("springs", 3)
  local ends = springs:add_connectivity("ends", all, { { 0, 3 }, { 1, 3 }, { 2, 0 } }, 2)
  local q = ends:gather(p)
  scene:add_energy(springs:add_attribute("spring", ((q:row(1) - q:row(2)):norm() - 0.5) ^ 2))
  scene:add_minimize_target { angle }
  local report = basin.check(scene)
  h.equal(report.passed, true, tostring(report))
end)

h.test("derivatives through indices that are gone", function()
  local scene = basin.scene("gone")
  local mesh = scene:add_mesh("m")
  local points = mesh:add_primitive("points", 2, { dynamic = true })
  local x = points:add_attribute("x", { value = { 1, 2 } })
  local pairs = mesh:add_primitive("pairs", 2, { dynamic = true })
  local ends = pairs:add_connectivity("ends", points, { { 0, 1 }, { 1, 1 } }, 2)
  local rows = pairs:add_connectivity("rows", points, { { 0 }, {} }, 0)
  local p = ends:gather(x)
  -- Constant slopes: the kernels read no index.
  local difference, sum = p:row(1) - p:row(2), rows:sum(x)
  h.equal(basin.jacobian(difference, { x }):at(1, 2), -1)
  h.equal(basin.jacobian(sum, { x }):at(1, 1), 1)
  pairs:resize(3)
  h.fails("has no indices", basin.jacobian, difference, { x })
  h.fails("has no indices", basin.jacobian, sum, { x })
  local indices, offsets = rows:value()
  h.equal(indices.count, 0, "indices are gone, and so are")
  h.equal(offsets, nil, "the offsets")
  ends:update { { 0, 1 }, { 1, 1 }, { 1, 0 } }
  rows:update { { 0 }, {}, { 0, 1 } }
  h.equal(basin.jacobian(difference, { x }):at(3, 1), -1)
  points:resize(1)
  h.fails("indices, or too large", basin.jacobian, difference, { x })
  h.equal(pcall(basin.jacobian, sum, { x }), false)
end)

h.finish()
