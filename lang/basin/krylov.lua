-- basin.sparse.cg: conjugate gradients for matrices and for functions that apply one.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"

local M = {}

-- A matrix or a function as a function.
local function operator(where, value, what)
  if type(value) == "function" then return value end
  if options.type_name(value) == "basin.matrix" then return function(x) return value * x end end
  return errors.fail("ARGUMENT", "%s: %s must be a sparse matrix or a function of a vector, got a "
    .. "%s", where, what, options.type_name(value))
end

--- Solves A x = b for a positive definite A.
function M.cg(a, b, given)
  local where <const> = "basin.sparse.cg"
  local checked = options.check(where, given, { tolerance = "positive", max_iterations = "whole",
    preconditioner = "any", start = "any" })
  local apply = operator(where, a, "the matrix")
  local precondition = checked.preconditioner
    and operator(where, checked.preconditioner, "'preconditioner'") or function(r) return r end
  local right = core.array(core.array(b), 1)
  local x = checked.start and core.array(core.array(checked.start), 1)
    or core.array_filled(right.count, 0)
  local r = checked.start and right - apply(x) or right
  local info = { converged = false, iterations = 0, residuals = { r:norm() }, status = "converged" }
  local goal = (checked.tolerance or 1e-10) * right:norm()
  local limit = checked.max_iterations or 10 * right.count
  local z = precondition(r)
  local p, rz = z, r:dot(z)
  while info.residuals[#info.residuals] > goal do
    if info.iterations == limit then
      info.status = "the iteration limit was reached"
      return x, info
    end
    local ap = apply(p)
    local curvature = p:dot(ap)
    if not (curvature > 0) then -- luacheck: ignore 581
      info.status = curvature == curvature and "a direction of non-positive curvature was found"
        or "a value is not finite"
      return x, info
    end
    local step = rz / curvature
    x, r = x + p * step, r - ap * step
    z = precondition(r)
    local following = r:dot(z)
    p, rz = z + p * (following / rz), following
    info.iterations = info.iterations + 1
    info.residuals[#info.residuals + 1] = r:norm()
  end
  local last = info.residuals[#info.residuals]
  info.converged = last <= goal
  if not info.converged then info.status = "a value is not finite" end
  return x, info
end

return M
