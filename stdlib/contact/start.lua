-- What contact knows of its bodies at the start: surfaces and rules.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local M = {}

-- Cells of all bodies with the numbers of the union; nil without any.
local function joined(rules, kind)
  local list = {}
  for _, start in ipairs(rules.starts) do
    local cells = start.body.surface[kind]
    local array = cells and basin.array.from(cells)
    if array and array.count > 0 then list[#list + 1] = array + start.first end
  end
  return #list > 0 and basin.array.joined(list) or nil
end

local function has(cells) return cells ~= nil and cells.count > 0 end

-- The points that bodies name, and all vertices of those without any cells.
local function lone_points(rules)
  local list = {}
  for _, start in ipairs(rules.starts) do
    local surface = start.body.surface
    if has(surface.points) then
      list[#list + 1] = basin.array.from(surface.points, { rows = 1 }) + start.first
    elseif not has(surface.triangles) and not has(surface.edges) then
      list[#list + 1] = basin.array.range(start.first, start.body.vertices.count)
    end
  end
  return #list > 0 and basin.array.joined(list) or nil
end

---The description of the detector.
function M.surface(contact, given)
  local rules, rest, touch, planes = contact.rules, {}, {}, {}
  for i, start in ipairs(rules.starts) do rest[i] = basin.array.from(start.body.mesh.points) end
  for i, row in ipairs(rules.touch) do
    touch[i] = table.move(row, 1, #rules.parts, 1, {})
    planes[i] = row[#rules.parts + 1]
  end
  return { positions = contact.position, triangles = joined(rules, "triangles"),
    edges = joined(rules, "edges"), points = lone_points(rules),
    body = basin.array.joined(rules.labels), table = touch, thickness = given.thickness,
    planes = given.planes, plane_bodies = given.planes and planes or nil, pairs = contact.pairs,
    weights = rules.weight, pair_limit = given.pair_limit,
    rest_positions = given.mollifier ~= false and basin.array.joined(rest) or nil }
end

return M
