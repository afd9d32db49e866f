-- Positions on the constraints: along old directions, closest in the mass metric, by repeated
-- linear projection.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local rows_module = require "basin.std.integrate.rows"
local M = {}

---Options of the methods that call `along` and `closest`.
M.options = {
  { "tolerance", "positive", 1e-10, "largest error of a row that is left" },
  { "max_iterations", "count", 50, "of Newton's method on the multipliers" },
}

local function fail(self, error_left)
  errors.fail_hint("NOT_CONVERGED", "a shorter time step, or a larger tolerance",
    "%s: the constraints are still off by %.3g after %d iterations", self.where, error_left,
    self.options.max_iterations)
end

---x + W J^T y with c = 0, for the directions J at the start of the step: Newton on y. Returns the
---positions, y and the iterations.
function M.along(self, J, x)
  local rows = self.rows
  local y = basin.array.zeros(J.rows)
  local moved = x
  for k = 0, self.options.max_iterations do
    local c = rows:values_at(moved)
    local size = c.count > 0 and c:max_abs() or 0
    if size <= self.options.tolerance then return moved, y, k end
    if k == self.options.max_iterations then fail(self, size) end
    y = y - rows:solve(rows:jacobian(), J, c)
    moved = x + rows:pull(J, y)
  end
end

-- One Newton step of the conditions M (z - x) = J(z)^T y, c(z) = 0 in the free unknowns.
local function kkt_step(self, x, z, y, c, J)
  local rows, system = self.rows, self.system
  local free = system:free()
  local H = basin.sparse.diagonal(system.mass) - rows:curvature(y)
  local J_free = J:select(basin.array.range(0, J.rows), free)
  local K = basin.sparse.blocks { { H:select(free, free), -J_free:T() }, { J_free, false } }
  local residual = system.mass * (z - x) - basin.array.from(J:apply_transposed(y), { rows = 1 })
  local b = basin.array.joined { residual:select(free), c }
  local d = rows_module.solve(self.where, K, "lu", b)
  local step = d:slice(1, free.count):table()
  local moved = z:table()
  for i, entry in ipairs(free:table()) do
    local k = math.tointeger(entry) + 1
    moved[k] = moved[k] - step[i]
  end
  return basin.array.from(moved), y - d:slice(free.count + 1, free.count + c.count)
end

---The point of c = 0 closest to x in the mass metric: Newton on the conditions for it, directions
---at the result. Returns the positions, the multipliers and the iterations.
function M.closest(self, x)
  local rows, system = self.rows, self.system
  local z, y, last = x, nil, math.huge
  for k = 0, self.options.max_iterations do
    local c, J = rows:values_at(z), rows:jacobian()
    if c.count == 0 then return z, c, 0 end
    y = y or basin.array.zeros(c.count)
    local moved = system.inverse_mass * basin.array.from(J:apply_transposed(y), { rows = 1 })
    local size = math.max(c:max_abs(), system:free_part(z - x - moved):max_abs())
    if size <= self.options.tolerance then return z, y, k end
    if k == self.options.max_iterations or size ~= size then fail(self, math.min(size, last)) end
    z, y = kkt_step(self, x, z, y, c, J)
    last = size
  end
end

---`count` times the linearized projection of x in the mass metric. Returns the positions and the
---sum of the multipliers.
function M.repeated(self, x, count)
  local rows, sum = self.rows, nil
  for _ = 1, count do
    local c = rows:values_at(x)
    local J = rows:jacobian()
    local y = -rows:solve(J, J, c)
    x, sum = x + rows:pull(J, y), sum and sum + y or y
  end
  return x, sum
end

return M
