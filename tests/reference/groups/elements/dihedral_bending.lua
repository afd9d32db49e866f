-- Hinge bending, and the signed angle with its derivatives.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local function rest_values(case)
  local scene = basin.scene "rest"
  local hinge = scene:add_mesh("mesh"):add_primitive("hinge", 1)
  local X = hinge:add_constant("X", { rows = 4, cols = 3, value = { case.inputs.rest } })
  return golden.flat(hinge:evaluate(std.shell.hinge.angle(X)))[1],
    golden.flat(hinge:evaluate(std.shell.hinge.weight(X)))[1]
end

return function(case, checker)
  local rest, weight = rest_values(case)
  checker:compare("rest angle", "energy", case.expect.rest_angle, rest)
  checker:compare("weight", "energy", case.expect.weight, weight)
  local unknowns = { { "x", 4, 3, case.inputs.states } }
  local bending = probe.states { unknowns = unknowns, energy = function(u)
    return std.shell.hinge_bending(u.x, rest, weight, case.params.k)
  end }
  local angle = probe.states { unknowns = unknowns, energy = function(u)
    return std.shell.hinge.angle(u.x)
  end }
  for s, expected in ipairs(case.expect.results) do
    local name = ("state %d"):format(s - 1)
    probe.compare(checker, name, expected, bending[s])
    checker:compare(name .. " angle", "energy", expected.angle, angle[s].energy)
    checker:compare(name .. " angle gradient", "gradient", expected.angle_gradient,
      angle[s].gradient)
    checker:compare(name .. " angle hessian", "hessian", expected.angle_hessian, angle[s].none)
  end
end
