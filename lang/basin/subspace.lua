-- basin.sparse.subspace: unknowns x = x0 + B z, and minima among them.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"
local row_space = require "basin.row_space"

local M = {}

local methods = {}
local Subspace = { __name = "basin.subspace", __index = methods }

function Subspace:__tostring()
  return ("subspace of %d among %d unknowns"):format(self.basis.columns, self.basis.rows)
end

--- x = offset + basis z.
function M.subspace(basis, offset)
  local where <const> = "basin.sparse.subspace"
  row_space.check(where, "the basis", basis)
  local x0 = offset and core.array(offset) or core.array_filled(basis.rows, 0)
  if x0.count * x0.size ~= basis.rows then
    errors.fail("LENGTH", "%s: the offset has %d numbers, the basis %d rows", where,
      x0.count * x0.size, basis.rows)
  end
  return setmetatable({ basis = basis, offset = x0, transposed = basis:T() }, Subspace)
end

local function flat(x)
  return core.array(core.array(x), 1)
end

--- The unknowns of coordinates z, in the grouping of the offset.
function methods:lift(z)
  return core.array(flat(self.offset) + self.basis * flat(z), self.offset.rows, self.offset.cols)
end

--- B^T g.
function methods:restrict(g)
  return self.transposed * flat(g)
end

--- B^T H B.
function methods:reduce(h)
  return self.transposed * h * self.basis
end

--- The coordinates nearest to x, in the norm of the mass.
function methods:coordinates(x, mass)
  local d = flat(x) - flat(self.offset)
  local weighted = mass or core.sparse_identity(self.basis.rows)
  return self:reduce(weighted):solve(self:restrict(weighted * d), "cholesky")
end

-- The largest halving of the step that lowers the energy by a ten-thousandth of what the slope
-- promises; nil if none does.
local function search(energy, z, d, e, slope)
  local step = 1
  for _ = 1, 60 do
    local trial = z + d * step
    local value = energy(trial)
    if value <= e + 1e-4 * step * slope then return trial, value end
    step = step / 2
  end
  return nil
end

--- Newton's method for the energies of a scene among x = x0 + B z.
function methods:minimize(scene, target, given)
  local where <const> = "subspace:minimize"
  local checked = options.check(where, given, { start = "any", tolerance = "positive",
    max_iterations = "whole", projection = { "clamp", "abs", "none" } })
  local z = checked.start and flat(checked.start) or core.array_filled(self.basis.columns, 0)
  local function energy(at)
    target:update(self:lift(at))
    return scene:compute_total_energy()
  end
  local limit, tolerance = checked.max_iterations or 100, checked.tolerance or 1e-8
  local info = { converged = false, iterations = 0, status = "the iteration limit was reached" }
  local e = energy(z)
  while true do
    local g = self:restrict((scene:gradient()))
    info.gradient, info.energy = g:norm(), e
    if info.gradient <= tolerance then
      info.converged, info.status = true, "converged"
      return z, info
    elseif info.iterations == limit then
      return z, info
    end
    local h = self:reduce(scene:hessian { projection = checked.projection or "abs" })
    local d = -h:solve(g, "ldlt")
    local slope = g:dot(d)
    local trial, value
    if slope < 0 then trial, value = search(energy, z, d, e, slope) end
    if not trial then
      energy(z)
      info.status = slope < 0 and "no step lowers the energy" or "no direction of descent"
      return z, info
    end
    z, e = trial, value
    info.iterations = info.iterations + 1
  end
end

M.methods = methods
return M
