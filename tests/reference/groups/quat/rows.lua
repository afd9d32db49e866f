-- Rows of locked and hinge joints and their Jacobians, by formula and by compiled derivatives.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local golden = require "golden"
local std = require "basin.std"

local shapes <const> = { q1 = { 4, 1 }, q2 = { 4, 1 }, target = { 4, 1 }, w1 = { 3, 1 },
  w2 = { 3, 1 }, a = { 3, 1 }, b = { 3, 1 }, Ainv = { 3, 3 }, beta_over_h = { 1, 1 } }

local function inputs_of(case)
  local scene = basin.scene "joints"
  local joints = scene:add_mesh("joints"):add_primitive("joints", #case.inputs.samples)
  for name, shape in pairs(shapes) do
    local values = {}
    for i, sample in ipairs(case.inputs.samples) do
      values[i] = type(sample[name]) == "table" and golden.flat(sample[name]) or { sample[name] }
    end
    joints:add_attribute(name, { rows = shape[1], cols = shape[2],
      value = basin.array.from(values, { rows = shape[1], cols = shape[2] }) })
  end
  return joints
end

local function formulas(j)
  local locked, hinge, quaternion = std.rotation.locked, std.rotation.hinge,
    std.rotation.quaternion
  local g, J = locked.error(j.q1, j.q2), locked.jacobian(j.q1, j.q2)
  local eta = hinge.jacobian(j.q1, j.q2, j.a, j.b)
  local rows = hinge.error(j.q1, j.q2, j.a, j.b)
  local matrix = eta * j.Ainv * eta:T()
  local rate = eta * (j.w1 - j.w2)
  return {
    g = g, J1 = J, g_target = locked.error(j.q1, j.q2, j.target),
    J1_target = locked.jacobian(j.q1, j.q2, j.target), gdot = J * (j.w1 - j.w2),
    G_q1 = quaternion.G(j.q1), E_q2 = quaternion.E(j.q2), hinge_g = rows,
    hinge_u = eta:row(1), hinge_v = eta:row(2), hinge_matrix = matrix, hinge_eta = rate,
    hinge_lambda = -(matrix:inverse() * (rate + j.beta_over_h * rows)),
  }
end

-- The Jacobian by the first orientation, from the compiler, times E(q1)^T / 2.
local function compiled(j, g, i)
  local n = 3 * (i - 1)
  local J = basin.jacobian(g, { j.q1 })
    :select(basin.array.range(n, 3), basin.array.range(4 * (i - 1), 4))
  local E = basin.array.from(j:evaluate(std.rotation.quaternion.E(j.q1)):table()[i],
    { rows = 4 }):table()
  return 0.5 * (J * basin.sparse.from(E):T()):dense()
end

return function(case, checker)
  local joints = inputs_of(case)
  for name, expression in pairs(formulas(joints)) do
    local values = joints:evaluate(expression):table()
    for i, sample in ipairs(case.expect.samples) do
      local label = ("%s of %d"):format(name, i)
      if name == "hinge_lambda" then
        checker:within(label, "rel", 1e-10, sample[name], values[i])
      else
        checker:within(label, "abs", 1e-12, sample[name], values[i])
      end
    end
  end
  local g = std.rotation.locked.error(joints.q1, joints.q2)
  for i, sample in ipairs(case.expect.samples) do
    checker:within("compiled Jacobian of " .. i, "abs", 1e-12, sample.J1, compiled(joints, g, i))
  end
end
