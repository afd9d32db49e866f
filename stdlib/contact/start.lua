-- What contact knows of its bodies at the start: surfaces, rules, and that nothing intersects.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local rules_module = require "basin.std.contact.rules"
local M = {}

local SHOWN <const> = 4

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

-- Vertices of bodies without edges and triangles.
local function lone_points(rules)
  local list = {}
  for _, start in ipairs(rules.starts) do
    local surface = start.body.surface
    if not (surface.triangles and surface.triangles.count > 0)
      and not (surface.edges and surface.edges.count > 0) then
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
    rest_positions = given.mollifier ~= false and basin.array.joined(rest) or nil }
end

---The largest coefficient of friction, and whether any pair has two.
function M.friction(rules)
  local most, blended = 0, false
  for i, row in ipairs(rules.fixed) do
    for j, value in ipairs(row) do
      most = math.max(most, value, rules.moving[i][j])
      blended = blended or value ~= rules.moving[i][j]
    end
  end
  return most, blended
end

---Raises an error that names the bodies that intersect, are closer than their thickness, or lie
---behind a plane.
function M.check(contact)
  local rows, count = contact.detector:intersections { limit = SHOWN }
  if count == 0 then return contact.detector:check() end
  local list = {}
  for i, row in ipairs(rows:table()) do
    list[i] = ("an edge at %s meets a triangle at %s"):format(
      rules_module.vertex_name(contact.rules, row[1]),
      rules_module.vertex_name(contact.rules, row[3]))
  end
  if count > SHOWN then list[#list + 1] = ("%d more"):format(count - SHOWN) end
  errors.fail_hint("STATE", "move the bodies apart before the first step",
    "std.contact.barrier: %d intersections at the start: %s", count, table.concat(list, "; "))
end

return M
