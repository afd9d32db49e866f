-- basin.quasi_newton: the formulas of first-order minimizers, for minimizers of one's own.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"

local M = {}

local function flat(x)
  return core.array(core.array(x), 1)
end

--- The approximate inverse Hessian H after a BFGS update by a step s and the change of gradient y
--- along it, s·y > 0. H: n rows of n numbers, symmetric; the result is an array of them.
function M.inverse_bfgs(H, s, y) return core.update("inverse_bfgs", H, s, y) end

--- The same by the update of Davidon, Fletcher and Powell.
function M.inverse_dfp(H, s, y) return core.update("inverse_dfp", H, s, y) end

--- An approximate Hessian B after a BFGS update.
function M.direct_bfgs(B, s, y) return core.update("direct_bfgs", B, s, y) end

--- H g, where H is what BFGS updates by the rows of S and Y, the oldest first, make of a multiple
--- of the identity: by default s·y / y·y of the newest pair, and 1 if there is none.
function M.two_loop(S, Y, g, scale)
  if not scale then
    local size = flat(g).count
    local s, y = flat(S), flat(Y)
    scale = 1
    if size > 0 and y.count >= size and s.count == y.count then
      s, y = s:slice(s.count - size + 1, s.count), y:slice(y.count - size + 1, y.count)
      scale = s:dot(y) / y:dot(y)
    end
  end
  return core.two_loop(S, Y, scale, g)
end

--- The coefficient b of the next direction -g + b d of conjugate gradients by "fletcher_reeves",
--- "polak_ribiere", "hestenes_stiefel" or "dai_yuan", after a step along d from where the gradient
--- was g_old. It may be negative; basin.minimize then takes 0.
function M.coefficient(method, g, g_old, d) return core.conjugacy(method, g, g_old, d) end

return M
