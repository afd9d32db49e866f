-- Watches a contact scene with a witness of its own (brute.c): at every accepted step no edge meets
-- a triangle, and the smallest distance of all surfaces is positive.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local brute = require "brute"

local M = {}
M.__index = M

-- Edges of triangles, each once, and the edges given.
local function edges_of(surface, first, edges)
  local seen = {}
  local function add(a, b)
    if a > b then a, b = b, a end
    local key = a * 1e7 + b
    if not seen[key] then
      seen[key] = true
      edges[#edges + 1] = { a + first, b + first }
    end
  end
  for _, t in ipairs(surface.triangles and basin.array.from(surface.triangles):table() or {}) do
    add(t[1], t[2])
    add(t[2], t[3])
    add(t[3], t[1])
  end
  for _, e in ipairs(surface.edges and basin.array.from(surface.edges):table() or {}) do
    add(e[1], e[2])
  end
end

local function bytes(list, width)
  if #list == 0 then return "" end
  return basin.array.from(list, width > 1 and { rows = width } or nil):bytes()
end

---Watches bodies in the order of the union of `contact`. Stiff bodies, and each of their copies, do
---not meet themselves; fixed ones do not meet each other.
function M.new(contact, bodies)
  local edges, triangles, points, labels, first, next_label = {}, {}, {}, {}, 0, 2
  for _, body in ipairs(bodies) do
    local surface = body.surface
    edges_of(surface, first, edges)
    local used = {}
    for _, t in ipairs(surface.triangles and basin.array.from(surface.triangles):table() or {}) do
      triangles[#triangles + 1] = { t[1] + first, t[2] + first, t[3] + first }
      for k = 1, 3 do used[t[k] + first] = true end
    end
    for vertex in pairs(used) do points[#points + 1] = vertex end
    local copies = surface.labels and surface.labels:table()
    for i = 1, body.vertices.count do
      labels[first + i] = not body.motion and 1 or copies and next_label + copies[i] or 0
    end
    if copies then next_label = next_label + surface.labels:max() + 1 end
    first = first + body.vertices.count
  end
  return setmetatable({ contact = contact, edges = bytes(edges, 2), triangles = bytes(triangles, 3),
    points = bytes(points, 1), labels = bytes(labels, 1), smallest = math.huge, steps = 0,
    closest = 0 }, M)
end

---Checks the present positions.
function M:check()
  local limit = 2 * (self.contact.reach + self.contact.thickness)
  local count, distance = brute.count(self.contact.position:compute():bytes(), self.edges,
    self.triangles, self.points, self.labels, limit)
  assert(count == 0, ("%d edges pass through triangles after step %d"):format(count, self.steps))
  assert(distance > 0, ("the distance is 0 after step %d"):format(self.steps))
  self.smallest, self.steps = math.min(self.smallest, distance), self.steps + 1
  self.closest = distance
end

---A function for on_step of basin.simulate that checks, then calls another.
function M:on_step(more)
  return function(state)
    self:check()
    if more then return more(state) end
  end
end

return M
