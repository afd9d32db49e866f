-- Exact inertia of an affine body x = A X + t over one step, from the moments of its matter.
-- SPDX-License-Identifier: Apache-2.0
-- Source: L. Lan, D. Kaufman, M. Li, C. Jiang, Y. Yang, Affine Body Dynamics, ACM Trans. Graph.
-- 41(4), 2022, section 3, with integrals over the solid instead of lumped masses.
local basin = require "basin"
local M = {}

-- A moment as an expression: arrays and tables of numbers become literals.
local function expression(value, rows, cols)
  local kind = type(value)
  if kind == "number" or (kind == "table" and getmetatable(value) ~= nil) then return value end
  local flat, entries = basin.array.from(value, { rows = rows, cols = cols }):table()[1], {}
  for i = 1, rows do entries[i] = table.move(flat, (i - 1) * cols + 1, i * cols, 1, {}) end
  return basin.matrix(entries)
end
M.expression = expression

---Half the integral of density |D X + s|^2 for changes D of the matrix and s of the translation.
---moments: { mass, first, second }, as mesh:affine_moments gives them: mass, the integrals of
---density X and of density X X^T.
function M.quadratic(D, s, moments)
  local first, second = expression(moments.first, 3, 1), expression(moments.second, 3, 3)
  return 0.5 * ((D * second):dot(D) + moments.mass * s:squared_norm()) + (D * first):dot(s)
end

---Moments of a rigid body from its mass, its inertia tensor about the centre of mass (3 rows) and
---that centre: the integral of density X X^T is tr(I)/2 - I about the centre.
function M.rigid(mass, inertia, centre)
  local c, first, second = centre or { 0, 0, 0 }, {}, {}
  local half = 0.5 * (inertia[1][1] + inertia[2][2] + inertia[3][3])
  for i = 1, 3 do
    first[i], second[i] = mass * c[i], {}
    for j = 1, 3 do
      second[i][j] = (i == j and half or 0) - inertia[i][j] + mass * c[i] * c[j]
    end
  end
  return { mass = mass, first = first, second = second }
end

---The inertia term of one implicit step. `down` is the pull of gravity as a positive vector, for
---example (0, 9.8, 0): without other forces t moves by t_rate dt - down dt^2.
function M.energy(A, t, A_last, t_last, A_rate, t_rate, moments, dt, down)
  return M.quadratic(A - (A_last + A_rate * dt), t - (t_last + t_rate * dt - down * dt ^ 2),
    moments)
end

return setmetatable(M, { __call = function(_, ...) return M.energy(...) end })
