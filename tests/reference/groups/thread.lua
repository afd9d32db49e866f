-- Point masses on massless rods that hang from the origin, in the plane: pendulums and threads.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local M = {}

---A scene with x (n + 1 points, the first is the held origin), the constraint "rods" and what
---stands in `given`: x0, masses, lengths, v0, g. `step` makes a stepper of a method with options.
function M.new(given)
  local n = #given.x0
  local scene = basin.scene "thread"
  local mesh = scene:add_mesh "thread"
  local points = mesh:add_primitive("points", n + 1)
  local places = table.move(given.x0, 1, n, 2, { { 0, 0 } })
  local x = points:add_attribute("x", { rows = 2, value = places })
  local mass = points:add_constant("mass",
    { value = basin.array.from(table.move(given.masses, 1, n, 2, { 0 })) })
  local body = scene:add_body {
    name = "thread", unknowns = { x },
    inertia = function(d) return 0.5 * mass * d:squared_norm() end,
    gravity = function(g) return -(mass * x:dot(basin.vector { g:at(1), g:at(2) })) end,
  }
  if given.v0 then
    body.unknowns[1].velocity:update(table.move(given.v0, 1, n, 2, { { 0, 0 } }))
  end
  local rods = mesh:add_primitive("rods", n)
  local ends = rods:add_connectivity("ends", points, basin.array.chain(n + 1), 2)
  local length = rods:add_constant("length", { value = basin.array.from(given.lengths) })
  local p = ends:gather(x)
  scene:add_constraint((p:row(2) - p:row(1)):norm() - length, { name = "rods" })
  local self = { scene = scene, x = x, v = body.unknowns[1].velocity, count = n }
  function self.stepper(method, h, more)
    local options = { dt = h, gravity = { 0, -given.g },
      hold = { { position = x, vertices = { 0 } } } }
    for key, value in pairs(more or {}) do options[key] = value end
    return require("basin.std").integrate[method](scene, options)
  end
  return self
end

---Positions or velocities without the origin, as a table.
function M.free(self, attribute)
  local rows = attribute:value():table()
  return table.move(rows, 2, self.count + 1, 1, {})
end

return M
