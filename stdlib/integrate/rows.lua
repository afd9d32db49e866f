-- All constraints of a scene as one vector c(x) with one Jacobian, and solves in the mass metric.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local derivative = require "basin.derivative"
local errors = require "basin.errors"
local M = {}

local Rows = {}
Rows.__index = Rows

-- A constraint that no unknown moves would make every solve singular.
local function check_depends(where, scene, constraint, targets)
  local J = constraint:jacobian(targets)
  if J.count > 0 or J.rows == 0 then return end
  errors.fail_hint("ARGUMENT", "constraints act on the unknowns of bodies: body.position",
    "%s: constraint '%s' depends on nothing that moves in scene '%s'", where, constraint.name,
    scene.name)
end

---The constraints that are switched on, at the present positions of a system.
function M.new(where, system)
  local self = setmetatable({ where = where, system = system, list = {}, total = 0 }, Rows)
  system.checked = system.checked or {}
  for _, constraint in ipairs(system.scene:constraints()) do
    if constraint.enabled then
      if not system.checked[constraint] then
        check_depends(where, system.scene, constraint, system.targets)
        system.checked[constraint] = true
      end
      self.list[#self.list + 1] = constraint
    end
  end
  return self
end

local function flat(array) return basin.array.from(array, { rows = 1 }) end

local function join(list)
  if #list == 0 then return basin.array.zeros(0) end
  return #list == 1 and list[1] or basin.array.joined(list)
end

---c at the present positions.
function Rows:values()
  local parts = {}
  for i, constraint in ipairs(self.list) do parts[i] = flat(constraint:compute()) end
  return join(parts)
end

---c at x, where the positions then are.
function Rows:values_at(x)
  self.system:set_position(x)
  return self:values()
end

---dc/dx at the present positions.
function Rows:jacobian()
  local targets, parts = self.system.targets, {}
  if #self.list == 1 then return self.list[1]:jacobian(targets) end
  for i, constraint in ipairs(self.list) do parts[i] = { constraint:jacobian(targets) } end
  if #parts == 0 then return basin.sparse.zero(0, self.system.total) end
  return basin.sparse.blocks(parts)
end

local function sliced(self, values, visit)
  local first = 0
  for _, constraint in ipairs(self.list) do
    local count = flat(constraint:compute()).count
    visit(constraint, values:slice(first + 1, first + count))
    first = first + count
  end
end

---sum of weights . d2c/dx2 at the present positions.
function Rows:curvature(weights)
  local sum = basin.sparse.zero(self.system.total, self.system.total)
  sliced(self, weights, function(constraint, part)
    sum = sum + constraint:hessian(part, self.system.targets)
  end)
  return sum
end

---One number a row by the names of the constraints.
function M.by_name(self, values)
  local result = {}
  if values then
    sliced(self, values, function(constraint, part) result[constraint.name] = part end)
  end
  return result
end

---Gauss-Seidel from the present positions, row after row in the order of the constraints and their
---instances, each with the directions at the positions that the rows before have left. Options:
---  sweeps  how often
---  scale   of compliances: 1/h^2; 0 takes all as rigid
---  bias    (long) the residual of a row is bias + J (x - from), not c
---  from    (long) positions that a bias counts from
---Returns the multipliers.
function Rows:sweep(given)
  local system, sets, first = self.system, {}, 0
  for i, constraint in ipairs(self.list) do
    local set = derivative.sweep_rows(constraint:expression(), system.targets, constraint.name)
    local count = set.rows * constraint:expression():owner():instances()
    local compliance = given.scale ~= 0 and constraint:compliances()
    set.multipliers = basin.array.zeros(count)
    set.compliance = compliance and given.scale * compliance
    set.bias = given.bias and given.bias:slice(first + 1, first + count)
    sets[i], first = set, first + count
  end
  local ids = {}
  for i, target in ipairs(system.targets) do ids[i] = rawget(target, "_array") end
  if first == 0 then return basin.array.zeros(0) end
  system.scene._system:sweep(sets, ids, { inverse_mass = system.inverse_mass, from = given.from },
    given.sweeps)
  for i, set in ipairs(sets) do sets[i] = set.multipliers end
  return join(sets)
end

---The solution of matrix y = b; a matrix without an inverse is the constraints' fault.
function M.solve(where, matrix, kind, b)
  local ok, result = pcall(function() return flat(matrix:factorize(kind):solve(b)) end)
  if ok then return result end
  if result.code ~= "SINGULAR" and result.code ~= "INDEFINITE" then error(result, 0) end
  errors.fail_hint("SINGULAR", "leave out rows that follow from others, and rows over held "
    .. "particles alone; std.integrate.pbd and xpbd do not mind",
    "%s: the constraints depend on each other and have no unique forces", where)
end

---Solves (A W B^T) y = b for Jacobians A and B: symmetric where they are the same.
function Rows:solve(A, B, b)
  if b.count == 0 then return b end
  local matrix = A * basin.sparse.diagonal(self.system.inverse_mass) * B:T()
  return M.solve(self.where, matrix, A == B and "cholesky" or "lu", b)
end

---W J^T y.
function Rows:pull(J, y)
  return self.system.inverse_mass * flat(J:apply_transposed(y))
end

---v without the part that moves the constraints: J v = 0, closest in the mass metric.
function Rows:projected(J, v)
  return v - self:pull(J, self:solve(J, J, flat(J * v)))
end

return M
