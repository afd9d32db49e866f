-- Stiffness "adaptive": barriers balance all other forces when contact begins.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local stiffness_rules = require "basin.std.contact.stiffness"
local M = {}

-- Diagonal of the box around the bodies that move, mean mass of their vertices.
local function measure(contact)
  local mass, count, squares = 0, 0, 0
  local low, high = { math.huge, math.huge, math.huge }, { -math.huge, -math.huge, -math.huge }
  for _, body in ipairs(contact.bodies) do
    if body.motion then
      mass, count = mass + body.mass, count + body.vertices.count
      local lower, upper = body.mesh:bounds()
      for i = 1, 3 do
        low[i], high[i] = math.min(low[i], lower[i]), math.max(high[i], upper[i])
      end
    end
  end
  for i = 1, 3 do squares = squares + (high[i] - low[i]) ^ 2 end
  return math.sqrt(squares), mass / math.max(1, count)
end

-- Least and most, N/m, for the time step of the simulation; a quasi-static one has no bounds.
local function bounds(contact)
  if not contact.stiffness_bounds then
    local diagonal, mass = measure(contact)
    contact.stiffness_bounds = { stiffness_rules.bounds { form = contact.form, mass = mass,
      distance = contact.activation, diagonal = diagonal } }
  end
  local least, most = table.unpack(contact.stiffness_bounds)
  local unit = contact.scene:motion().inertia_weight:value()[1] * contact.activation ^ 2
  if unit == 0 then return 0, math.huge end
  return unit * least, unit * most
end

local function gradient(scene)
  local parts = { scene:gradient() }
  for i, part in ipairs(parts) do parts[i] = basin.array.from(part, { rows = 1 }) end
  return basin.array.joined(parts)
end

-- The stiffness that balances all other forces at the present positions.
local function balance(contact)
  local all = gradient(contact.scene)
  for _, barrier in ipairs(contact.barriers) do barrier:disable() end
  local rest = gradient(contact.scene)
  for _, barrier in ipairs(contact.barriers) do barrier:enable() end
  return stiffness_rules.balance(rest, all - rest) * contact.stiffness:value()[1]
end

---At the start of a step with contact: the balance, within bounds; from then on it only grows.
function M.begin_step(contact)
  if contact.rule ~= "adaptive" or contact:counts().total == 0 then return end
  local least, most = bounds(contact)
  local balanced = contact.memory.balanced:value()[1] == 1
  local present = balanced and contact.stiffness:value()[1] or 0
  contact.most_stiffness = math.max(most, present)
  local wanted = math.max(balance(contact), least, present)
  if wanted > 0 then contact.stiffness:update(math.min(wanted, contact.most_stiffness)) end
  if not balanced then contact.first_stiffness = contact.stiffness:value()[1] end
  contact.memory.balanced:update(1)
end

return M
