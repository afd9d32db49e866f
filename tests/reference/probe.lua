-- Energies, gradients and Hessians of Basin in the order that golden cases use.
-- SPDX-License-Identifier: Apache-2.0
--
-- Entries count target after target, inside a target instance by instance, inside an instance row
-- after row. A gradient comes so; rows of a Hessian come by nodes, which `order` translates.
local basin = require "basin"
local golden = require "golden"

local M = {}

-- Finds the row of each entry: the Hessian of 1/2 sum w x^2 has w on its diagonal.
local function find_order(scene, targets)
  local energies, entries = {}, 0
  for k, target in ipairs(targets) do
    local owner = target:owner()
    local count = owner:instances() * target.rows * target.cols
    local name = ("probe_%d_%d"):format(k, #scene:energies())
    local weight = owner:add_constant(name, { rows = target.rows, cols = target.cols,
      value = basin.array.range(entries + 1, count) })
    energies[k] = scene:add_energy(0.5 * weight:hadamard(target):dot(target),
      { name = name .. "_energy", projection = "none" })
    entries = entries + count
  end
  local diagonal = scene:minimizer { targets = targets, energies = energies }:hessian():diagonal()
  local order = {}
  for row, entry in ipairs(golden.flat(diagonal)) do order[math.tointeger(entry)] = row end
  assert(#order == entries, "every entry has a row")
  for _, energy in ipairs(energies) do energy:disable() end
  return order
end

local Probe = {}
Probe.__index = Probe

---A probe of some energies for some targets.
function M.new(scene, targets, energies)
  local order = find_order(scene, targets)
  return setmetatable({
    scene = scene, targets = targets, order = order, size = #order,
    minimizer = scene:minimizer { targets = targets, energies = energies },
  }, Probe)
end

function Probe:energy() return self.minimizer:compute_total_energy() end

---The gradient as a flat list.
function Probe:gradient()
  local result = {}
  for _, part in ipairs { self.minimizer:gradient() } do
    for _, value in ipairs(golden.flat(part)) do result[#result + 1] = value end
  end
  return result
end

---The Hessian as a list of rows; `drop_held` as of minimizer:hessian.
function Probe:hessian(projection, drop_held)
  local dense = golden.flat(self.minimizer:hessian({ projection = projection,
    drop_held = drop_held }):dense())
  local n, order, rows = self.size, self.order, {}
  for i = 1, n do
    local row, start = {}, (order[i] - 1) * n
    for j = 1, n do row[j] = dense[start + order[j]] end
    rows[i] = row
  end
  return rows
end

---A vector in the order of the Hessian's rows, as a flat list in the order of entries.
function Probe:entries(vector)
  local flat, result = golden.flat(vector), {}
  for i = 1, self.size do result[i] = flat[self.order[i]] end
  return result
end

---Rows and columns first .. first + count - 1 of a list of rows.
function M.block(rows, first, count)
  local result = {}
  for i = 1, count do
    result[i] = table.move(rows[first + i - 1], first, first + count - 1, 1, {})
  end
  return result
end

---Entries first .. first + count - 1 of a list.
function M.slice(list, first, count) return table.move(list, first, first + count - 1, 1, {}) end

---Local derivatives of one energy for several states of its unknowns:
---{ unknowns = { { name, rows, cols, values } ... }, constants = the same or nil, energy =
---function(u, c),
---  project = "unknowns" (default) or "inner" }; values: one nested list a state.
---Returns a list, one a state, of { energy, gradient, none, clamp, abs }.
function M.states(spec)
  local count = #spec.unknowns[1][4]
  local scene = basin.scene "states"
  local elements = scene:add_mesh("mesh"):add_primitive("elements", count)
  local function attributes(list, add)
    local result, ordered = {}, {}
    for i, item in ipairs(list or {}) do
      local name, rows, cols, values = table.unpack(item)
      local attribute = add(elements, name, { rows = rows, cols = cols,
        value = basin.array.from(golden.flat(values), { rows = rows, cols = cols }) })
      result[name], ordered[i] = attribute, attribute
    end
    return result, ordered
  end
  local u, targets = attributes(spec.unknowns, elements.add_attribute)
  local c = attributes(spec.constants, elements.add_constant)
  local expression = spec.energy(u, c)
  local energy = scene:add_energy(expression, { name = "energy", projection = "none",
    project = spec.project or "unknowns" })
  local probe = M.new(scene, targets, { energy })
  local values, gradient = golden.flat(expression:compute()), probe:gradient()
  local hessians = {}
  for _, projection in ipairs { "none", "clamp", "abs" } do
    hessians[projection] = probe:hessian(projection)
  end
  -- Entries of one state: those of each unknown, which lie count * size apart.
  local results = {}
  for s = 1, count do
    local entries, base = {}, 0
    for _, target in ipairs(targets) do
      local size = target.rows * target.cols
      for k = 1, size do entries[#entries + 1] = base + (s - 1) * size + k end
      base = base + count * size
    end
    local result = { energy = values[s], gradient = {} }
    for i, entry in ipairs(entries) do result.gradient[i] = gradient[entry] end
    for projection, rows in pairs(hessians) do
      local block = {}
      for i, row in ipairs(entries) do
        block[i] = {}
        for j, column in ipairs(entries) do block[i][j] = rows[row][column] end
      end
      result[projection] = block
    end
    results[s] = result
  end
  return results
end

---Compares one state with the fields energy, gradient, hessian, hessian_clamp, hessian_abs of a
---golden result, those that are there.
function M.compare(checker, name, expected, got)
  local size = golden.norm(got.none)
  checker:compare(name .. " energy", "energy", expected.energy, got.energy, size)
  checker:compare(name .. " gradient", "gradient", expected.gradient, got.gradient, size)
  checker:compare(name .. " hessian", "hessian", expected.hessian, got.none)
  for _, projection in ipairs { "clamp", "abs" } do
    local field = expected["hessian_" .. projection]
    if field then
      local bound = checker.case.tol.projected and "projected" or "hessian"
      checker:compare(name .. " " .. projection, bound, field, got[projection], 1e3 * size)
    end
  end
end

return M
