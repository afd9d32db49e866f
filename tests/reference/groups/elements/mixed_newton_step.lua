-- A soft and an affine tetrahedron with one contact pair: five projections, directions, minimum.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

-- The contact pair's two positions, read from the bodies themselves or through a union.
local function add_pair(case, scene, soft, affine, split)
  local pair = scene:add_mesh("contact"):add_primitive("pair", 1)
  local i, j = math.tointeger(case.inputs.contact_pair[1]),
    math.tointeger(case.inputs.contact_pair[2])
  if split then
    local union = scene.contact:add_primitive_union("vertices", { soft, affine })
    local ends = pair:add_connectivity("ends", union, { { i, 4 + j } }, 2)
    return ends:gather(union:add_attribute "position")
  end
  local first = pair:add_connectivity("first", soft, { i }, 1)
  local second = pair:add_connectivity("second", affine, { j }, 1)
  return basin.rows { first:gather(soft.position), second:gather(affine.position) }
end

local function build(case, projection, split)
  local p, inputs = case.params, case.inputs
  local scene = basin.scene "mixed"
  local mesh = scene:add_mesh "soft"
  local soft = mesh:add_primitive("vertices", 4)
  local x = soft:add_attribute("position", { rows = 3, value = inputs.soft_x })
  local X = soft:add_constant("rest", { rows = 3, value = inputs.soft_rest })
  local target = soft:add_constant("target", { rows = 3, value = inputs.soft_target })
  local tet = mesh:add_primitive("tet", 1)
  local corner = tet:add_connectivity("corner", soft, { { 0, 1, 2, 3 } }, 4)
  local F, volume = std.elastic.deformation.gradient(corner:gather(x), corner:gather(X))

  local body = scene:add_mesh("affine"):add_primitive("body", 1)
  local A = body:add_attribute("A", { rows = 3, cols = 3, value = { inputs.affine_A } })
  local t = body:add_attribute("t", { rows = 3, value = { inputs.affine_t } })
  local points = scene.affine:add_primitive("vertices", 4)
  local of = points:add_connectivity("of", body, { 0, 0, 0, 0 }, 1)
  local aX = points:add_constant("rest", { rows = 3, value = inputs.affine_rest })
  local affine_target = points:add_constant("target", { rows = 3, value = inputs.affine_target })
  local position = points:add_attribute("position", of:gather(A) * aX + of:gather(t))
  local pair = add_pair(case, scene, soft, points, split)

  local energies = {
    inertia_soft = std.motion.inertia(x, target, p.m),
    inertia_affine = std.motion.inertia(position, affine_target, p.m),
    elastic = p.dt ^ 2 * volume * std.elastic.stable_neo_hookean_log(F, p.mu, p.lam),
    orthogonality = p.dt ^ 2 * inputs.affine_volume * std.body.orthogonality(A, p.kappa_abd),
    contact = p.dt ^ 2 * std.contact.log_barrier(std.contact.squared_distance.point_point(pair),
      p.dhat2, p.kappa),
  }
  local list = {}
  for name, expression in pairs(energies) do
    list[#list + 1] = scene:add_energy(expression, { name = name, projection = projection,
      project = split and name == "contact" and "inner" or "unknowns" })
  end
  scene:add_minimize_target { x, A, t }
  return scene, { x, A, t }, list
end

local function flat_list(...)
  local result = {}
  for _, part in ipairs { ... } do
    for _, value in ipairs(golden.flat(part)) do result[#result + 1] = value end
  end
  return result
end

local choices = {
  none = { "none", false }, clamp = { "clamp", false }, abs = { "abs", false },
  clamp_split = { "clamp", true }, abs_split = { "abs", true },
}

local function check_minimum(case, checker)
  local scene, targets = build(case, "clamp", true)
  local report = basin.newton(scene, { rule = "gradient", tolerance = 1e-12, max_iterations = 50,
    linear = { solver = "direct" } })
  checker:require("minimum found", report.converged, tostring(report))
  local values = {}
  for i, target in ipairs(targets) do values[i] = target:value() end
  checker:compare("minimiser", "minimiser", case.expect.minimiser, flat_list(table.unpack(values)))
  local total, parts = scene:main_minimizer():energy_of_terms()
  checker:compare("minimum", "minimum", case.expect.minimum, total)
  for name, expected in pairs(case.expect.energies_at_minimum) do
    checker:within("at the minimum: " .. name, "abs", 1e-9 * math.abs(case.expect.minimum),
      expected, parts[name])
  end
end

return function(case, checker)
  for choice, expected in pairs(case.expect.projections) do
    local projection, split = table.unpack(choices[choice])
    local scene, targets, list = build(case, projection, split)
    local p = probe.new(scene, targets, list)
    checker:compare(choice .. " energy", "energy", case.expect.energy, p:energy())
    checker:compare(choice .. " gradient", "gradient", case.expect.gradient, p:gradient())
    checker:compare(choice .. " hessian", "hessian", expected.hessian, p:hessian(projection))
    local total, parts = p.minimizer:energy_of_terms()
    for name, value in pairs(case.expect.energies) do
      checker:compare(choice .. " energy " .. name, "energy", value, parts[name], math.abs(total))
    end
    local dx, dA, dt = p.minimizer:minimize_energy { solver = "direct" }
    checker:compare(choice .. " direction", "direction", expected.direction, flat_list(dx, dA, dt))
  end
  check_minimum(case, checker)
end
