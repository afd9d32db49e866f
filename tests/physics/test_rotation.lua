-- Elastic terms do not notice rotations: E(QF) = E(F), and the gradient turns along.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

-- A rotation of dim rows from Rodrigues' formula about the axis (1, 2, -2)/3, or in the plane.
local function rotation(dim, angle)
  local c, s = math.cos(angle), math.sin(angle)
  if dim == 2 then return { { c, -s }, { s, c } } end
  local n, Q = { 1 / 3, 2 / 3, -2 / 3 }, {}
  local cross = { { 0, -n[3], n[2] }, { n[3], 0, -n[1] }, { -n[2], n[1], 0 } }
  for i = 1, 3 do
    Q[i] = {}
    for j = 1, 3 do Q[i][j] = (i == j and c or 0) + s * cross[i][j] + (1 - c) * n[i] * n[j] end
  end
  return Q
end

local function product(A, B)
  local C = {}
  for i, row in ipairs(A) do
    C[i] = {}
    for j = 1, #B[1] do
      C[i][j] = 0
      for k, value in ipairs(row) do C[i][j] = C[i][j] + value * B[k][j] end
    end
  end
  return C
end

local function transposed(A)
  local T = {}
  for j = 1, #A[1] do
    T[j] = {}
    for i = 1, #A do T[j][i] = A[i][j] end
  end
  return T
end

local function evaluate(term, state, name, value)
  local scene = basin.scene(term.name)
  local element = scene:add_mesh("mesh"):add_primitive("element", 1)
  local x = element:add_attribute("x", { rows = #value, cols = #value[1], value = { value } })
  local arguments = { x }
  for _, entry in ipairs(term.params) do arguments[#arguments + 1] = state[entry[1]] end
  scene:add_energy(term(table.unpack(arguments)), { name = name, projection = "none" })
  scene:add_minimize_target { x }
  local flat, g = scene:gradient():table()[1], {}
  for i = 1, #value do g[i] = table.move(flat, (i - 1) * #value[1] + 1, i * #value[1], 1, {}) end
  return scene:compute_total_energy(), g
end

-- `turn(value, Q)` is the turned state.
local function check(path, term, turn)
  for i, state in ipairs(term.checks) do
    harness.test(("%s, state %d"):format(path, i), function()
      local name = term.stencil[1][1]
      local value = state[name]
      local Q = rotation(path:find "^elastic.spring" and #value[1] or path:find "hinge" and 3
        or #value, 0.8)
      local energy, gradient = evaluate(term, state, "E", value)
      local turned_energy, turned_gradient = evaluate(term, state, "E", turn(value, Q))
      harness.close(turned_energy, energy, 1e-12, "energy")
      local expected = turn(gradient, Q)
      for r, row in ipairs(expected) do
        for c, number in ipairs(row) do
          harness.close(turned_gradient[r][c], number, 1e-12, "gradient")
        end
      end
    end)
  end
end

-- Deformation gradients are turned from the left, points written as rows from the right.
local function left(value, Q) return product(Q, value) end
local function rows(value, Q) return product(value, transposed(Q)) end

for _, entry in ipairs(scenes.terms()) do
  local path, term = table.unpack(entry)
  if path:find "^elastic" and path ~= "elastic.spring" and term.rotates ~= false then
    check(path, term, left)
  end
end
check("elastic.spring", std.elastic.spring, rows)
check("shell.baraff_witkin", std.shell.baraff_witkin, left)
check("shell.stvk_membrane", std.shell.stvk_membrane, left)
check("shell.hinge_bending", std.shell.hinge_bending, rows)
check("body.orthogonality", std.body.orthogonality, left)
check("body.determinant", std.body.determinant, left)
harness.finish()
