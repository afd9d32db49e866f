-- What moves as functions of time: bodies without unknowns, and held vertices. Nothing they meet
-- may be jumped over.
-- SPDX-License-Identifier: Apache-2.0
local moves = require "basin.moves"

local M = {}
M.__index = M

local SLACKNESS <const> = 0.8
local LEAST <const> = 0.1      -- slackness where there is no room
-- Parts of the distance where barriers begin: the gap that an approach leaves, so that Newton's
-- method can widen it again, and the one below which nothing approaches.
local ROOM <const> = 1e-2
local NONE <const> = 1e-3

-- A body without unknowns, as basin.moves takes it; `last`: where it was at the end of a step.
local function follow(body, mesh)
  local position = body.position
  local item = { body = body, last = body.vertices:add_constant(mesh.name .. "_last_position",
    { rows = 3, value = position:value() }) }
  function item.now() return position:value() end
  function item.place(values) position:update(values) end
  return item
end

---Follows the bodies of a list that have no unknowns, and what is held of the others. Where the
---former were at the end of a step, and its number, are constants of the scene, so that checkpoints
---have them. `distance`: where barriers begin.
function M.new(bodies, detector, position, mesh, distance)
  local followed, positions, stored, pieces = {}, {}, mesh:add_primitive("steps", 1), 1
  for _, body in ipairs(bodies) do
    if not body.motion then
      followed[#followed + 1] = follow(body, mesh)
      pieces = math.max(pieces, body.pieces or 1)
    end
    positions[body.position] = true
  end
  return setmetatable({ followed = followed, positions = positions, detector = detector,
    position = position, late = 0, distance = distance, body_pieces = pieces, held = {},
    step = stored:add_constant "number" }, M)
end

-- What is held of the bodies and no other contact has taken.
local function take(self, list)
  self.held, self.pieces = {}, self.body_pieces
  for _, move in ipairs(list or {}) do
    if self.positions[move.attribute] and not move.taken then
      move.taken = true
      self.held[#self.held + 1] = move
      self.pieces = math.max(self.pieces, move.pieces)
    end
  end
end

---Takes the bodies back to where the last step left them, and over what is held of the others; true
---if anything is to move. Steps that do not follow on the last one begin where the bodies are.
function M:rewind(state)
  local any, follows = false, state.step == self.step:value()[1] + 1
  take(self, state.moves)
  for _, item in ipairs(self.followed) do
    item.wanted, item.path = item.body.position:value(), item.body.path
    if not follows then item.last:update(item.wanted) end
    local from = item.last:value()
    item.moved = item.path ~= nil or (item.wanted - from):max_abs() > 0
    if item.moved then
      any = true
      item.body.position:update(from)
    end
  end
  for _, move in ipairs(self.held) do any = any or move.moved end
  return any
end

-- How far all may go from here, and whether there is room for them.
local function approach(self, place, part, limit)
  place(1)
  local there = self.position:compute()
  place(part)
  local here = self.position:compute()
  local motion = there - here
  local step = self.detector:_step(here, motion, 1, SLACKNESS)
  local allowed = limit()
  if allowed < step then return allowed, allowed > moves.LEAST end
  if step >= 1 then return 1, true end
  local _, closest = self.detector:smallest_distance { positions = here }
  local gap = closest.gap / self.distance
  if gap * (1 - SLACKNESS) >= ROOM then return step, true end
  if gap <= NONE then return 0, false end
  local slackness = math.max(LEAST, 1 - ROOM / gap)
  step = self.detector:_step(here, motion, 1, slackness)
  return math.min(allowed, step), slackness > LEAST
end

---Moves all to where they should be, as far as nothing is in the way, by the contact itself and by
---the other filters of the simulation (`filter` is the contact's own). What does not arrive is
---late: it stays behind until the next step.
function M:advance(state, filter)
  local all = table.move(self.held, 1, #self.held, #self.followed + 1,
    table.move(self.followed, 1, #self.followed, 1, {}))
  local function limit()
    return #self.held > 0 and state.limit(self.held, filter) or 1
  end
  local arrived = moves.advance(all, self.pieces, function(place, part)
    return approach(self, place, part, limit)
  end, state.minimize)
  if not arrived then self.late = self.late + 1 end
end

---Remembers where the bodies are at the end of a step.
function M:finish(step)
  self.step:update(step)
  for _, item in ipairs(self.followed) do
    if item.moved then item.last:update(item.body.position:value()) end
  end
end

return M
