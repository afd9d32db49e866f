-- Joints of affine bodies, limits, and the angle of a hinge of cloth.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local bodies = require "groups.contact_cases.bodies"
local probe = require "probe"

-- Two bodies that are together at the point now; then both move.
local function check_points(cases, checker)
  for _, case in ipairs(cases) do
    local given, shift = case.inputs, {}
    for k = 1, 3 do shift[k] = given.X1[1][k] - given.X2[1][k] end
    local scene = basin.scene "joint"
    local box = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
    local first = std.body.affine(scene, "first", { mesh = box, density = 1, stiffness = 1 })
    local second = std.body.affine(scene, "second", { mesh = box, density = 1, stiffness = 1,
      copies = { shift } })
    std.joint.ball(first, second, { at = given.X1[1], stiffness = given.K, name = "joint" })
    bodies.place(first, given.q1)
    bodies.place(second, given.q2)
    local energy = probe.new(scene, { first.bodies.affine_matrix, first.bodies.translation },
      { scene:energy "joint.ball" })
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy, energy:energy())
    checker:within(case.id .. " gradient", "rel", case.tol.rel, case.expected.grad_q1,
      bodies.entries(energy:gradient()))
  end
end

local function check_limit(cases, checker)
  local x, constants = {}, {}
  for _, name in ipairs { "lower", "upper", "strength" } do
    constants[#constants + 1] = { name, 1, 1, {} }
  end
  for i, case in ipairs(cases) do
    x[i] = case.inputs.x
    for _, item in ipairs(constants) do item[4][i] = case.inputs[item[1]] end
  end
  local results = probe.states { unknowns = { { "x", 1, 1, x } }, constants = constants,
    energy = function(u, c) return std.joint.limit(u.x, c.lower, c.upper, c.strength) end }
  for i, case in ipairs(cases) do
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy, results[i].energy)
    checker:within(case.id .. " slope", "rel", case.tol.rel, case.expected.grad,
      results[i].gradient)
  end
end

-- The cases do not tell on which side the tips are.
local function check_dihedral(cases, checker)
  local states = {}
  for i, case in ipairs(cases) do states[i] = case.inputs.x end
  local results = probe.states { unknowns = { { "x", 4, 3, states } },
    energy = function(u) return std.shell.hinge.angle(u.x) end }
  for i, case in ipairs(cases) do
    checker:within(case.id, "abs", case.tol.abs, case.expected.angle, math.abs(results[i].energy))
  end
end

return { kinds = { ["abd.joint_points"] = check_points, ["joint.limit"] = check_limit,
  ["geometry.dihedral_magnitude"] = check_dihedral } }
