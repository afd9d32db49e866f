-- Bodies that move as functions of time: nothing they meet may be jumped over.
-- SPDX-License-Identifier: Apache-2.0
local M = {}
M.__index = M

local TRIES <const> = 400      -- times others are given room within a step
local ITERATIONS <const> = 5   -- of Newton's method each time
local STALLED <const> = 20     -- tries in a row without room after which a body is late
local SLACKNESS <const> = 0.8
local LEAST <const> = 0.1      -- slackness where there is no room
-- Parts of the distance where barriers begin: the gap that an approach leaves, so that Newton's
-- method can widen it again, and the one below which nothing approaches.
local ROOM <const> = 1e-2
local NONE <const> = 1e-3

---Follows the bodies of a list that have no unknowns. Where they were at the end of a step, and its
---number, are constants of the scene, so that checkpoints have them. `distance`: where barriers
---begin.
function M.new(bodies, detector, position, mesh, distance)
  local followed, stored, pieces = {}, mesh:add_primitive("steps", 1), 1
  for _, body in ipairs(bodies) do
    if not body.motion then
      local last = body.vertices:add_constant(mesh.name .. "_last_position",
        { rows = 3, value = body.position:value() })
      followed[#followed + 1] = { body = body, last = last }
      pieces = math.max(pieces, body.pieces or 1)
    end
  end
  return setmetatable({ followed = followed, detector = detector, position = position, late = 0,
    distance = distance, pieces = pieces, step = stored:add_constant "number" }, M)
end

---Takes the bodies back to where the last step left them; true if any has moved since. Steps that
---do not follow on the last one begin where the bodies are.
function M:rewind(step)
  local any, follows = false, step == self.step:value()[1] + 1
  for _, item in ipairs(self.followed) do
    item.wanted = item.body.position:value()
    if not follows then item.last:update(item.wanted) end
    local from = item.last:value()
    item.moved = item.body.path ~= nil or (item.wanted - from):max_abs() > 0
    if item.moved then
      any = true
      item.body.position:update(from)
    end
  end
  return any
end

-- Chooses the end of a piece of the way, which is a straight line for every point.
local function aim(self, piece)
  local part = piece / self.pieces
  for _, item in ipairs(self.followed) do
    item.from, item.to = item.body.position:value(), item.wanted
    if part < 1 then
      item.to = item.body.path and item.body.path(part)
        or item.last:value() + (item.wanted - item.last:value()) * part
    end
  end
end

local function place(self, part)
  for _, item in ipairs(self.followed) do
    if item.moved then
      item.body.position:update(part == 1 and item.to or item.from + (item.to - item.from) * part)
    end
  end
  return self.position:compute()
end

-- How far the bodies may go from here, and whether there is room for them.
local function approach(self, here, motion)
  local step = self.detector:_step(here, motion, 1, SLACKNESS)
  if step >= 1 then return 1, true end
  local _, closest = self.detector:smallest_distance { positions = here }
  local gap = closest.gap / self.distance
  if gap * (1 - SLACKNESS) >= ROOM then return step, true end
  if gap <= NONE then return 0, false end
  local slackness = math.max(LEAST, 1 - ROOM / gap)
  return self.detector:_step(here, motion, 1, slackness), slackness > LEAST
end

---Moves the bodies to where they should be, as far as nothing is in the way; `make_room` minimizes
---in between. A body that does not arrive is late: it stays behind until the next step.
function M:advance(make_room)
  local piece, part, stalled = 1, 0, 0
  aim(self, piece)
  for try = 1, TRIES * self.pieces do
    local here = place(self, part)
    local step, room = approach(self, here, place(self, 1) - here)
    part = step >= 1 and 1 or part + step * (1 - part)
    stalled = room and 0 or stalled + 1
    place(self, part)
    if part == 1 then
      if piece == self.pieces then break end
      piece, part = piece + 1, 0
      aim(self, piece)
    else
      local late = try == TRIES * self.pieces or stalled == STALLED
      if late then self.late = self.late + 1 end
      make_room { max_iterations = ITERATIONS }
      if late then break end
    end
  end
end

---Remembers where the bodies are at the end of a step.
function M:finish(step)
  self.step:update(step)
  for _, item in ipairs(self.followed) do
    if item.moved then item.last:update(item.body.position:value()) end
  end
end

return M
