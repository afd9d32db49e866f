-- The standard library's terms under the names that golden cases use.
-- SPDX-License-Identifier: Apache-2.0
local std = require "basin.std"

local M = {}

local terms = {
  snh_log = std.elastic.stable_neo_hookean_log,
  snh = std.elastic.stable_neo_hookean,
  nh = std.elastic.neo_hookean,
  arap = std.elastic.arap,
  fcr = std.elastic.fixed_corotated,
  stvk = std.elastic.st_venant_kirchhoff,
  linear = std.elastic.linear,
}

---The density of a named law; nil if there is none of that name.
function M.density(name, F, params)
  local term = terms[name]
  if not term then return nil end
  if name == "arap" then return term(F, params.mu) end
  return term(F, params.mu, params.lam)
end

function M.is_law(name) return terms[name] ~= nil end

return M
