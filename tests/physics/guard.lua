-- Watches a contact scene with a witness of its own (brute.c): at every accepted step no edge meets
-- a triangle, and the smallest distance of all surfaces is positive.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local brute = require "brute"
local seconds = require("basin.core").seconds

local M = {}
M.__index = M

local FIXED <const> = 1

local function rows_of(cells)
  return cells and basin.array.from(cells):table() or {}
end

local function bytes(list, width)
  if #list == 0 then return "" end
  return basin.array.from(list, width > 1 and { rows = width } or nil):bytes()
end

-- Cells of all parts, with the numbers of the union: each edge and each point once.
local function collect(parts)
  local all, first, seen = { edges = {}, triangles = {}, points = {}, lone = {} }, 0, {}
  local function add_point(list, a)
    if not seen[a] then list[#list + 1] = a end
    seen[a] = true
  end
  local function add_edge(a, b)
    if a > b then a, b = b, a end
    local key = a * 1e7 + b
    if not seen[-key] then all.edges[#all.edges + 1] = { a, b } end
    seen[-key] = true
  end
  for _, part in ipairs(parts) do
    for _, t in ipairs(rows_of(part.triangles)) do
      local a, b, c = t[1] + first, t[2] + first, t[3] + first
      all.triangles[#all.triangles + 1] = { a, b, c }
      add_edge(a, b)
      add_edge(b, c)
      add_edge(c, a)
    end
    for _, e in ipairs(rows_of(part.edges)) do add_edge(e[1] + first, e[2] + first) end
    for _, e in ipairs(all.edges) do
      for k = 1, 2 do add_point(all.points, e[k]) end
    end
    for _, a in ipairs(part.points and basin.array.from(part.points):table() or {}) do
      add_point(all.lone, a + first)
    end
    first = first + part.count
  end
  table.move(all.lone, 1, #all.lone, #all.points + 1, all.points)
  return all
end

-- One number a vertex; vertices of one number other than 0 do not meet each other.
local function labels_of(parts)
  local labels, next_label, first = {}, FIXED + 1, 0
  for _, part in ipairs(parts) do
    local copies = part.labels
    for i = 1, part.count do
      labels[first + i] = part.fixed and FIXED or copies and next_label + copies[i] or 0
    end
    if copies then next_label = next_label + copies:max() + 1 end
    first = first + part.count
  end
  return labels
end

---Watches positions (an attribute): {position =, reach = distances beyond it do not matter, parts =
---{ { count =, triangles =, edges =, points =, labels =, fixed = }, … }, planes =}. Vertices of a
---part that have one of its labels do not meet each other, nor do those of fixed parts. Or numbers
---in place of labels: one a vertex; those of one number other than 0 do not meet each other.
function M.of(given)
  local all, labels = collect(given.parts), given.numbers or labels_of(given.parts)
  return setmetatable({ position = given.position, reach = given.reach, planes = given.planes or {},
    edges = bytes(all.edges, 2), triangles = bytes(all.triangles, 3), points = bytes(all.points, 1),
    lone = bytes(all.lone, 1), labels = bytes(labels, 1), numbers = labels,
    surface = all.points, smallest = math.huge,
    steps = 0, closest = 0, seconds = 0 }, M)
end

---Watches bodies in the order of the union of `contact`. Stiff bodies, and each of their copies, do
---not meet themselves.
function M.new(contact, bodies)
  local parts = {}
  for i, body in ipairs(bodies) do
    local surface, count = body.surface, body.vertices.count
    local cells = #rows_of(surface.triangles) + #rows_of(surface.edges)
    parts[i] = { count = count, triangles = surface.triangles, edges = surface.edges,
      labels = surface.labels, fixed = not body.motion,
      points = cells == 0 and basin.array.range(0, count) or surface.points }
  end
  return M.of { position = contact.position, reach = 2 * (contact.reach + contact.thickness),
    parts = parts, planes = contact.planes }
end

-- The smallest distance from the planes of all points of surfaces that move.
local function above_planes(self, rows)
  local least = math.huge
  for _, plane in ipairs(self.planes) do
    local n = plane.normal
    local length = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
    for _, i in ipairs(self.surface) do
      local p = rows[i + 1]
      local height = (n[1] * p[1] + n[2] * p[2] + n[3] * p[3] - (plane.offset or 0)) / length
      if self.numbers[i + 1] ~= FIXED then least = math.min(least, height) end
    end
  end
  return least
end

---Checks the present positions.
function M:check()
  local start = seconds()
  local position = self.position:compute()
  local count, distance = brute.count(position:bytes(), self.edges, self.triangles, self.points,
    self.lone, self.labels, self.reach)
  if #self.planes > 0 then
    distance = math.min(distance, above_planes(self, position:table()))
  end
  assert(count == 0, ("%d edges pass through triangles after step %d"):format(count, self.steps))
  assert(distance > 0, ("the distance is %g after step %d"):format(distance, self.steps))
  self.smallest, self.steps = math.min(self.smallest, distance), self.steps + 1
  self.closest = distance
  self.seconds = self.seconds + seconds() - start
end

---A function for on_step of basin.simulate that checks, then calls another.
function M:on_step(more)
  return function(state)
    self:check()
    if more then return more(state) end
  end
end

return M
