-- A stiffness of each pair of its own, from masses, distances and elasticity at the step's start.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local pair_module = require "basin.std.contact.pair"
local stiffness_rules = require "basin.std.contact.stiffness"
local M = {}

local CLOSEST <const> = 0.01 -- part of the distance below which the stiffness grows no more

-- Masses of all vertices; those of bodies without unknowns are 0.
local function masses(contact)
  local list = {}
  for i, body in ipairs(contact.bodies) do
    local mass = body.motion and body.vertices:find "mass"
    list[i] = mass and mass:value()
      or basin.array.filled(body.vertices.count, body.mass / body.vertices.count)
  end
  return basin.array.joined(list)
end

-- The stiffness of pairs, N/m, from distances d at the step's start and the vertices that move;
-- `own` is 0 for corners that only fill a row.
local function stiffness_of(contact, corners, d, own)
  local lagged = contact.lagged
  local moves = corners:gather(lagged.mass):sign()
  if own then moves = moves:hadamard(own) end
  local closest, least = corners:gather(lagged.closest), 0
  for i = 1, corners:arity() do least = basin.max(least, closest:at(i)) end
  local part = basin.min(d / contact.distance, least):clamp(CLOSEST, 1)
  local function mean(value) return corners:gather(value):dot(moves) / moves:sum() end
  local inertia = mean(lagged.mass) * contact.scene:motion().inertia_weight
  return stiffness_rules.semi_implicit(inertia, part, mean(lagged.elastic))
end

---Constants of the union of all vertices that the stiffness is made of.
function M.prepare(contact)
  local vertices = contact.vertices
  contact.lagged = { mass = vertices:add_constant("contact_mass", { value = masses(contact) }),
    position = vertices:add_constant("contact_start", { rows = 3,
      value = contact.position:compute() }),
    number = vertices:add_constant("contact_number",
      { value = basin.array.range(0, vertices:instances()) }),
    closest = vertices:add_constant("contact_closest", { value = 1 }),
    elastic = vertices:add_constant("contact_elastic", { value = 0 }) }
end

---The stiffness of a pair, N/m.
function M.of(contact, kind, corners, values)
  local lagged = contact.lagged
  local p = corners:gather(lagged.position)
  if kind == "point_plane" then p = p:reshape(1, 3) end
  local D = pair_module.squared_distance(kind, p, values.plane)
  local d = basin.where(D:gt(0), D, 0):sqrt() - (values.separation or 0)
  return stiffness_of(contact, corners, d)
end

---The same of a row of the list of friction, whose kind is not known, from its constants; to be
---evaluated where the list was filled. The distance at the step's start is the present one less
---what the closest points have moved since along the normal.
function M.of_row(contact, corners, values)
  local number = corners:gather(contact.lagged.number)
  local own, sum = { 1 }, 0
  for i = 2, 4 do own[i] = basin.where(number:at(i):eq(number:at(1)), 0, 1) end
  for i = 1, 4 do sum = sum + values.coefficients:at(i) end
  local normal = values.tangents:row(1):T():cross(values.tangents:row(2):T())
  local function along(position)
    return normal:dot(corners:gather(position):T() * values.coefficients)
  end
  local now = along(contact.position)
  -- Coefficients of two features add up to 0 and their normal has any sign; a point above a plane
  -- has a 1 alone, and the plane's own normal.
  local side = basin.where(sum:gt(0.5), 1, now:sign())
  local d = values.squared_distance:sqrt() + side * (along(contact.lagged.position) - now)
  return stiffness_of(contact, corners, d - values.separation, basin.vector(own))
end

-- A third of the trace of each vertex's block of the Hessian of all but inertia and contact.
local function elastic(contact)
  local off, list, first = {}, {}, {}
  for _, energy in ipairs(contact.scene:energies()) do
    local own = contact.own[energy] or energy.name:find("%.inertia$")
    if own and energy.enabled then off[#off + 1] = energy end
  end
  for _, energy in ipairs(off) do energy:disable() end
  local diagonal, next_row = contact.scene:hessian():diagonal(), 1
  for _, energy in ipairs(off) do energy:enable() end
  for _, target in ipairs(contact.scene:targets()) do
    first[target], next_row = next_row, next_row + target:owner():instances() * target.rows
      * target.cols
  end
  for i, body in ipairs(contact.bodies) do
    local row, count = first[body.position], body.vertices.count
    list[i] = row and basin.array.from(diagonal:slice(row, row + 3 * count - 1), { rows = 3 })
      or basin.array.zeros(count, { rows = 3 })
  end
  local all = basin.array.joined(list)
  return (all:component(1) + all:component(2) + all:component(3)) * (1 / 3)
end

-- How close, as a part of the distance, each vertex is to others: at most what it was.
local function closest_of(contact, parts)
  for kind, count in pairs(contact.detector:counts()) do
    local found = pair_module.arities[kind] and count > 0 and contact.detector:pairs(kind)
    for i, row in ipairs(found and found.vertices:table() or {}) do
      local gap = math.sqrt(found.squared_distance:at(i)) - found.separation:at(i)
      for _, vertex in ipairs(type(row) == "table" and row or { row }) do
        parts[vertex + 1] = math.min(parts[vertex + 1], gap / contact.activation)
      end
    end
  end
  return basin.array.from(parts)
end

---At the start of a step (`first`), where a step ends with hardly any gap left, and where a line
---search ends that found no decrease.
function M.lag(contact, first)
  local lagged = contact.lagged
  lagged.closest:update(first and basin.array.filled(contact.vertices:instances(), 1)
    or closest_of(contact, lagged.closest:value():table()))
  contact.lagged.position:update(contact.position:compute())
  contact.lagged.elastic:update(elastic(contact))
end

return M
