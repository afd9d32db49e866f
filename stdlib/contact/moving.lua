-- Bodies that move as functions of time: nothing they meet may be jumped over.
-- SPDX-License-Identifier: Apache-2.0
local M = {}
M.__index = M

local TRIES <const> = 400      -- times others are given room within a step
local ITERATIONS <const> = 5   -- of Newton's method each time
local SLACKNESS <const> = 0.8

---Follows the bodies of a list that have no unknowns. Where they were at the end of a step, and its
---number, are constants of the scene, so that checkpoints have them.
function M.new(bodies, detector, position, mesh)
  local followed, stored = {}, mesh:add_primitive("steps", 1)
  for _, body in ipairs(bodies) do
    if not body.motion then
      local last = body.vertices:add_constant(mesh.name .. "_last_position",
        { rows = 3, value = body.position:value() })
      followed[#followed + 1] = { body = body, last = last }
    end
  end
  return setmetatable({ followed = followed, detector = detector, position = position, late = 0,
    step = stored:add_constant "number" }, M)
end

---Takes the bodies back to where the last step left them; true if any has moved since. Steps that
---do not follow on the last one begin where the bodies are.
function M:rewind(step)
  local any, follows = false, step == self.step:value()[1] + 1
  for _, item in ipairs(self.followed) do
    item.wanted = item.body.position:value()
    if not follows then item.last:update(item.wanted) end
    item.from = item.last:value()
    item.moved = (item.wanted - item.from):max_abs() > 0
    if item.moved then
      any = true
      item.body.position:update(item.from)
    end
  end
  return any
end

local function place(self, part)
  for _, item in ipairs(self.followed) do
    if item.moved then
      item.body.position:update(part == 1 and item.wanted or item.from + (item.wanted - item.from)
        * part)
    end
  end
  return self.position:compute()
end

---Moves the bodies to where they should be, as far as nothing is in the way; `make_room` minimizes
---in between. A body that does not arrive is late: it stays behind until the next step.
function M:advance(make_room)
  local part = 0
  for try = 1, TRIES do
    local here = place(self, part)
    local step = self.detector:_step(here, place(self, 1) - here, 1, SLACKNESS)
    part = step >= 1 and 1 or part + step * (1 - part)
    place(self, part)
    if part == 1 then break end
    if try == TRIES then self.late = self.late + 1 end
    make_room { max_iterations = ITERATIONS }
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
