-- Jacobians, mixed derivatives and Hessians through unions, reductions and computed members,
-- against central differences; their rows and columns are in the order of the arrays.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local chain_parts = require "chain_parts"
local h = require "harness"

local STEP <const> = 1e-5

-- All numbers of a list of attributes, one after the other.
local function read(attributes)
  local parts = {}
  for i, attribute in ipairs(attributes) do
    parts[i] = basin.array.from(attribute:value(), { rows = 1 })
  end
  return basin.array.joined(parts):table()
end

local function write(attributes, numbers)
  local at = 0
  for _, attribute in ipairs(attributes) do
    local count = attribute:owner():instances() * attribute.rows * attribute.cols
    attribute:update(basin.array.from(table.move(numbers, at + 1, at + count, 1, {}),
      { rows = attribute.rows, cols = attribute.cols }))
    at = at + count
  end
end

-- Central differences of evaluate() (an array of any shape) by all numbers of the attributes, as a
-- table of rows.
local function differences(evaluate, attributes)
  local base, rows = read(attributes), {}
  for column = 1, #base do
    local function at(change)
      local moved = table.move(base, 1, #base, 1, {})
      moved[column] = moved[column] + change
      write(attributes, moved)
      return basin.array.from(evaluate(), { rows = 1 })
    end
    local slope = ((at(STEP) - at(-STEP)) / (2 * STEP)):table()
    for row = 1, #slope do
      rows[row] = rows[row] or {}
      rows[row][column] = slope[row]
    end
  end
  write(attributes, base)
  return rows
end

local function flat(attributes)
  local list = {}
  for i, value in ipairs(attributes) do list[i] = basin.array.from(value, { rows = 1 }) end
  return basin.array.joined(list)
end

-- Free points, fixed points, scaled means of free points and, in a union of their own, points of
-- affine bodies and points turned by an angle.
local function union_scene()
  local scene = basin.scene("chain")
  local mesh = scene:add_mesh("m")
  local free = mesh:add_primitive("free", 3)
  local x = free:add_attribute("position", { rows = 3, value = chain_parts.free })
  local affine, A, t, X = chain_parts.affine(mesh)
  local turned = mesh:add_primitive("turned", 2)
  local angle = turned:add_attribute("angle", { value = { 0.4, 1.3 } })
  local radius = turned:add_constant("radius", { value = { 2, 1.5 } })
  turned:add_attribute("position",
    basin.vector { radius * angle:cos(), radius * angle:sin(), angle ^ 2 })
  local fixed = mesh:add_primitive("fixed", 1)
  local anchor = fixed:add_constant("position", { rows = 3, value = { 2, 2, 2 } })
  local inner = mesh:add_primitive_union("inner", { affine, turned })
  inner:add_attribute("position")
  local means = mesh:add_primitive("means", 2)
  local around = means:add_connectivity("around", free, { { 0, 1, 2 }, { 2 } }, 0)
  local weight = means:add_attribute("weight", { value = { 0.7, 1.2 } })
  means:add_attribute("position", weight * around:mean(x))
  local all = mesh:add_primitive_union("all", { free, inner, fixed, means })
  local p = all:add_attribute("position")
  local springs = mesh:add_primitive("springs", 6)
  local ends = springs:add_connectivity("ends", all,
    { { 0, 3 }, { 1, 6 }, { 4, 7 }, { 5, 8 }, { 9, 2 }, { 10, 5 } }, 2)
  local stiffness = springs:add_constant("stiffness", { value = { 1, 2, 3, 1.5, 0.5, 2.5 } })
  local q = ends:gather(p)
  local stretch = (q:row(1) - q:row(2)):norm() - 0.5
  local term = scene:add_energy(springs:add_attribute("spring", 0.5 * stiffness * stretch ^ 2))
  return { scene = scene, x = x, A = A, t = t, X = X, angle = angle, radius = radius,
    anchor = anchor, weight = weight, stiffness = stiffness, q = q, p = p, all = all, term = term,
    springs = springs, stretch = stretch }
end

h.test("Jacobians through unions of computed members", function()
  local s = union_scene()
  local by = { s.A, s.x, s.angle, s.t, s.weight, s.X, s.radius, s.anchor }
  local J = basin.jacobian(s.stretch, by)
  h.equal(J.rows, 6)
  h.equal(J.columns, #read(by))
  h.close_arrays(J:dense(),
    differences(function() return s.springs:evaluate(s.stretch) end, by), 1e-8)
  local P = basin.jacobian(s.p, { s.angle, s.A })
  h.close_arrays(P:dense(), differences(function() return s.p:value() end, { s.angle, s.A }), 1e-8)
  local square = 2 * s.q:T()
  h.close_arrays(basin.jacobian(square, { s.t, s.x }):dense(),
    differences(function() return s.springs:evaluate(square) end, { s.t, s.x }), 1e-8)
end)

h.test("Jacobians follow indices that change", function()
  local s = union_scene()
  local by = { s.x, s.A }
  local before = basin.jacobian(s.stretch, by)
  s.scene.m.affine.body_of:update { 1, 0, 0 }
  s.scene.m.means.around:update { { 0 }, {} }
  local J = basin.jacobian(s.stretch, by)
  h.equal((J - before):norm "max" > 0.1, true)
  h.close_arrays(J:dense(),
    differences(function() return s.springs:evaluate(s.stretch) end, by), 1e-8)
end)

h.test("Jacobians through sums of computed values", function()
  local scene = basin.scene("sums")
  local mesh = scene:add_mesh("m")
  local points = mesh:add_primitive("points", 4)
  local x = points:add_attribute("x",
    { rows = 2, value = { { 0, 1 }, { 2, 0.5 }, { -1, 1 }, { 0.3, 2 } } })
  local rings = mesh:add_primitive("rings", 3)
  local ring = rings:add_connectivity("ring", points, { { 0, 1, 2 }, {}, { 3, 1 } }, 0)
  local stars = mesh:add_primitive("stars", 2)
  local star = stars:add_connectivity("star", rings, { { 0, 2 }, { 1, 2 } }, 2)
  local sum = ring:sum(x:dot(x) * x)
  local mean = star:mean(sum:at(1) * basin.vector { sum:at(2), 1 })
  for _, value in ipairs { sum, mean, mean:dot(mean) } do
    local own = value:owner()
    h.close_arrays(basin.jacobian(value, { x }):dense(),
      differences(function() return own:evaluate(value) end, { x }), 1e-7)
  end
end)

local function check_mixed(s, rows, columns)
  local minimizer = s.scene:minimizer { targets = rows }
  local M = s.scene:mixed_derivative(s.term, rows, columns)
  h.equal(M.rows, #read(rows))
  h.equal(M.columns, #read(columns))
  h.close_arrays(M:dense(),
    differences(function() return flat { minimizer:gradient() } end, columns), 2e-8)
end

h.test("mixed derivatives through unions and means", function()
  local s = union_scene()
  check_mixed(s, { s.x, s.A, s.t, s.angle, s.weight }, { s.stiffness })
  check_mixed(s, { s.A, s.x }, { s.X })
  check_mixed(s, { s.angle }, { s.radius })
  check_mixed(s, { s.weight, s.angle }, { s.x, s.anchor, s.radius })
end)

h.test("a mixed derivative by the unknowns is the Hessian, curved maps included", function()
  local s = union_scene()
  local targets = { s.angle, s.A, s.x, s.t, s.weight }
  local M = s.scene:mixed_derivative(s.term, targets, targets)
  local H = s.scene:minimizer { targets = targets }:hessian { projection = "none" }
  h.close((M - H):norm "max", 0, 1e-12)
end)

h.test("rows of Hessians are in the order of the arrays", function()
  local s = union_scene()
  for _, targets in ipairs { { s.x, s.A, s.t }, { s.t, s.A }, { s.A }, { s.A, s.weight } } do
    local minimizer = s.scene:minimizer { targets = targets }
    local H = minimizer:hessian { projection = "none" }
    h.close_arrays(H:dense(),
      differences(function() return flat { minimizer:gradient() } end, targets), 2e-8)
  end
end)

h.test("minimizers with nodes of different sizes share a union", function()
  local s = union_scene()
  local first = s.scene:minimizer { targets = { s.x, s.A, s.t } }
  local before = first:hessian { projection = "none" }
  local second = s.scene:minimizer { targets = { s.x, s.angle } }
  local third = s.scene:minimizer { targets = { s.angle, s.weight } }
  for _, case in ipairs { { second, { s.x, s.angle } }, { third, { s.angle, s.weight } } } do
    h.close_arrays(case[1]:hessian({ projection = "none" }):dense(),
      differences(function() return flat { case[1]:gradient() } end, case[2]), 2e-8)
  end
  h.close((first:hessian { projection = "none" } - before):norm "max", 0, 0)
end)

h.test("scalars computed from vectors are reduced", function()
  local scene = basin.scene("scalars")
  local mesh = scene:add_mesh("m")
  local points = mesh:add_primitive("points", 4)
  local x = points:add_attribute("x",
    { rows = 3, value = { { 0, 1, 2 }, { 2, 0.5, 0 }, { -1, 1, 1 }, { 0.3, 2, -2 } } })
  local groups = mesh:add_primitive("groups", 2)
  local members = groups:add_connectivity("members", points, { { 0, 1 }, { 1, 2, 3 } }, 0)
  scene:add_energy(groups:add_attribute("deviation", (members:mean(x:dot(x)) - 3) ^ 2))
  local minimizer = scene:minimizer { targets = { x } }
  h.close_arrays(minimizer:hessian({ projection = "none" }):dense(),
    differences(function() return flat { minimizer:gradient() } end, { x }), 1e-7)
end)

h.test("lists of derivatives are checked", function()
  local s = union_scene()
  h.fails("entry 2 is a number", basin.jacobian, s.stretch, { s.x, 3 })
  h.fails("'m.all.position' is computed %(union%)", basin.jacobian, s.stretch, { s.p })
  h.fails("'m.free.position' is named twice", basin.jacobian, s.stretch, { s.x, s.x })
  h.fails("belongs to another scene", basin.jacobian, s.stretch, { union_scene().x })
end)

h.finish()
