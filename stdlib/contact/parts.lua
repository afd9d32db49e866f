-- Parts of bodies that contact tells apart: copies of stiff bodies, and regions with a name.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local M = {}

local function add_part(parts, name, member, fields)
  fields.name = name
  parts.list[#parts.list + 1] = fields
  parts.members[member] = parts.members[member] or {}
  table.insert(parts.members[member], #parts.list)
  return #parts.list
end

-- Numbers of the vertices of a body: copies of a stiff one are parts of their own.
local function add_body(parts, body)
  local labels = body.surface.labels
  local copies = labels and labels.count > 0 and math.tointeger(labels:max()) + 1 or 1
  local first = #parts.list
  for i = 1, copies do
    local name = copies > 1 and ("%s[%d]"):format(body.name, i) or body.name
    add_part(parts, name, body.name, { group = first + i, moves = body.motion ~= nil,
      soft = labels == nil and body.motion ~= nil })
  end
  parts.labels[#parts.labels + 1] = (labels or basin.array.filled(body.vertices.count, 0)) + first
  parts.starts[#parts.starts + 1] = { body = body, first = parts.count }
  parts.count = parts.count + body.vertices.count
end

local function start_of(parts, where, region)
  local body = common.is(region.body) and region.body.name or region.body
  for i, start in ipairs(parts.starts) do
    if start.body.name == body then return i, start.body.vertices.count end
  end
  errors.fail_hint("NAME", errors.suggestion(tostring(body), errors.sorted_keys(parts.members)),
    "%s: region '%s' is of '%s', which is none of the bodies", where, region.name, tostring(body))
end

-- A part for each part of the body that has vertices in the region.
local function add_region(parts, where, given)
  local region = options.check(where .. ": regions", given,
    { name = "string", body = "any", vertices = "any" }, { "name", "body", "vertices" })
  if parts.members[region.name] then
    errors.fail("NAME", "%s: there are two bodies or regions '%s'", where, region.name)
  end
  local index, count = start_of(parts, where, region)
  local labels, new = basin.array.from(parts.labels[index]):table(), {}
  for _, vertex in ipairs(basin.array.from(region.vertices, { rows = 1 }):table()) do
    local old = labels[vertex + 1]
    if not old or vertex >= count then
      errors.fail("RANGE", "%s: region '%s' names vertex %g of %d", where, region.name, vertex,
        count)
    end
    local part = parts.list[old + 1]
    new[old] = new[old] or add_part(parts, region.name, region.name,
      { group = part.group, soft = part.soft, moves = part.moves })
    labels[vertex + 1] = new[old] - 1
  end
  parts.labels[index] = basin.array.from(labels)
end

---The parts of bodies: list (name, moves, soft, group), labels (a part a vertex, one array a body),
---starts (where the vertices of each body begin), members (parts by the name of body or region).
function M.new(where, bodies, regions)
  local parts = { list = {}, labels = {}, members = {}, starts = {}, count = 0 }
  for _, body in ipairs(bodies) do add_body(parts, common.check(where, body)) end
  for _, region in ipairs(regions or {}) do add_region(parts, where, region) end
  return parts
end

return M
