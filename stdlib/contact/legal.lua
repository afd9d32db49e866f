-- A start without intersections: errors that name the bodies.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local M = {}

local SHOWN <const> = 4

-- "vertex 12 of 'soft'"
local function name_of(rules, vertex)
  for i = #rules.starts, 1, -1 do
    local start = rules.starts[i]
    if vertex >= start.first then
      return ("vertex %d of '%s'"):format(vertex - start.first, start.body.name)
    end
  end
end

local function names(rules, vertices)
  local list = {}
  for i, vertex in ipairs(vertices) do list[i] = name_of(rules, vertex) end
  return table.concat(list, ", ")
end

-- Whether all vertices are of one body.
local function of_one(rules, vertices)
  local body = {}
  for i, vertex in ipairs(vertices) do body[i] = name_of(rules, vertex):match "of (.*)" end
  for i = 2, #body do if body[i] ~= body[1] then return false end end
  return #body > 1
end

-- Nothing intersects, but something touches, is too close, or lies behind a plane.
local function fail_gap(contact, problem)
  local distance, closest = contact.detector:smallest_distance()
  if closest.gap > 0 then error(problem, 0) end
  local who = names(contact.rules, closest.vertices)
  local hint = "move the bodies apart before the first step"
  if closest.kind == "point_plane" then
    errors.fail_hint("STATE", hint,
      "std.contact.barrier: a gap of %.3g m to a plane at the start: %s", closest.gap + 0.0, who)
  elseif distance > 0 and of_one(contact.rules, closest.vertices) then
    hint = "the thickness must be less than the distances within a body, its edges among them"
  end
  errors.fail_hint("STATE", hint, "std.contact.barrier: the start has a gap of %.3g m (distance "
    .. "%.3g m): %s", closest.gap, distance, who)
end

---Raises an error that names the bodies that intersect, are closer than their thickness, or lie
---behind a plane.
function M.check(contact)
  local legal, problem = pcall(contact.detector.check, contact.detector)
  if legal then return end
  if problem.code ~= "ARGUMENT" then error(problem, 0) end -- no answer
  local rows, count = contact.detector:intersections { limit = SHOWN }
  if count == 0 then return fail_gap(contact, problem) end
  local list = {}
  for i, row in ipairs(rows:table()) do
    list[i] = ("an edge at %s meets a triangle at %s"):format(
      names(contact.rules, { row[1] }), names(contact.rules, { row[3] }))
  end
  if count > SHOWN then list[#list + 1] = ("%d more"):format(count - SHOWN) end
  errors.fail_hint("STATE", "move the bodies apart before the first step",
    "std.contact.barrier: %d intersections at the start: %s", count, table.concat(list, "; "))
end

return M
