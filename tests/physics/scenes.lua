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

---A scene with one instance of a term at a state (one of its `checks`); `noise` gives what is added
---to each number of the unknowns; `options` are those of the scene.
function M.term(term, state, noise, options)
  local scene = basin.scene(term.name, options)
  local element = scene:add_mesh("mesh"):add_primitive("element", 1)
  local arguments, unknowns = {}, {}
  local function add(name, value, constant)
    if type(value) ~= "table" then value = { { value } } end
    local flat = {}
    for _, row in ipairs(value) do
      for _, number in ipairs(row) do flat[#flat + 1] = number + (constant and 0 or noise()) end
    end
    local method = constant and element.add_constant or element.add_attribute
    local attribute = method(element, name, { rows = #value, cols = #value[1], value = flat })
    if not constant then unknowns[#unknowns + 1] = attribute end
    arguments[#arguments + 1] = attribute
  end
  for _, entry in ipairs(term.stencil) do
    add(entry[1], state[entry[1]], term.constants and term.constants[entry[1]])
  end
  for _, entry in ipairs(term.params) do add(entry[1], state[entry[1]], true) end
  local energy = scene:add_energy(term(table.unpack(arguments)),
    { name = "term", projection = "none" })
  scene:add_minimize_target(unknowns)
  return scene, energy
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
