-- Small scenes that several tests share.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local M = {}

---All terms of the standard library, as a sorted list of { path, term }.
function M.terms()
  local term = require "basin.std.term"
  local list = {}
  for folder, modules in pairs(std) do
    for name, module in pairs(modules) do
      if term.is_term(module) then list[#list + 1] = { folder .. "." .. name, module } end
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

---A reproducible sequence of numbers in -1 .. 1.
function M.random(seed)
  local state = seed or 1
  return function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end
end

---A soft block of 4 x 2 x 2 cells; options are added to those of std.body.soft.
function M.block(scene, name, given)
  local all = {
    mesh = basin.mesh.box { nx = 4, ny = 2, nz = 2, width = 0.4, height = 0.2, depth = 0.2 },
    density = 1000, material = std.elastic.stable_neo_hookean { young = 5e4, poisson = 0.4 },
  }
  for key, value in pairs(given or {}) do all[key] = value end
  return std.body.soft(scene, name, all)
end

---Newton options for steps solved to rounding.
M.tight = { rule = "gradient", tolerance = 1e-9, max_iterations = 100,
  linear = { solver = "direct" } }

return M
