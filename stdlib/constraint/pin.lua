-- Ties vertices of a body to places, which may move.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local options = require "basin.options"
local common = require "basin.std.body.common"
local placed = require "basin.std.body.placed"
local parameters = require "basin.std.parameters"
local target = require "basin.std.constraint.target"

local SAG <const> = 1e-5 -- of the body's size, under its own weight, with the default stiffness
local GRAVITY <const> = 9.8

local function default_stiffness(body)
  local lower, upper = body.mesh:bounds()
  local size = 0
  for i, low in ipairs(lower) do size = math.max(size, upper[i] - low) end
  return body.mass * GRAVITY / (SAG * size)
end

---std.constraint.pin(body, options). Returns the primitive of the pins, with the constant `place`;
---its name is that of the energy. Options:
---  vertices   indices
---  stiffness  N/m; by default so that the body's weight moves it by a hundred-thousandth of its
---             size
---  motion     function(time, start) -> the places of all, or one offset from where they started
return function(body, given)
  local where = "std.constraint.pin"
  common.check(where, body)
  local checked = options.check(where, given,
    { vertices = "any", stiffness = "positive", motion = "function", name = "string" },
    { "vertices" })
  local scene = body.scene
  local name = checked.name or ("%s_pin"):format(body.name)
  local k = 1
  while scene:find(name) do
    k = k + 1
    name = ("%s_pin_%d"):format(body.name, k)
  end
  if type(checked.vertices) ~= "table"
    and options.type_name(checked.vertices) ~= "basin.array" then
    errors.fail_hint("ARGUMENT", "vertices = { 0, 3 }, or what mesh:select gives",
      "%s: 'vertices' must be a list of vertices, got a %s", where,
      options.type_name(checked.vertices))
  end
  local indices = require("basin").array.from(checked.vertices, { rows = 1 })
  if indices.count == 0 then errors.fail("LENGTH", "%s: there are no vertices to pin", where) end
  local mesh = scene:add_mesh(name)
  local points = mesh:add_primitive("points", indices.count)
  local of = points:add_connectivity("vertex", body.vertices, indices, 1)
  local x = of:gather(body.position)
  local start = points:evaluate(x)
  local place = points:add_constant("place", { rows = x.rows, cols = x.cols, value = start })
  local stiffness = parameters.store(mesh, "stiffness",
    checked.stiffness or default_stiffness(body))
  local energy = target(x, place, stiffness)
  scene:add_energy(points:add_attribute("energy", energy), { name = name, projection = "none" })
  local motion = checked.motion
  if motion then
    local label = ("%s '%s'"):format(where, name)
    scene:add_step_hook { name = name, begin_step = function(state)
      place:update(placed(label, start, motion(state.time, start)))
    end }
  end
  return points
end
