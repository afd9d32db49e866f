-- Nets of springs between particles in the plane.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

---Particles at places with masses, springs on edges of rest lengths l0 (a number or a list) and
---stiffness k.
return function(places, edges, l0, k, masses)
  local scene = basin.scene "net"
  local mesh = scene:add_mesh "net"
  local points = mesh:add_primitive("points", #places)
  local x = points:add_attribute("x", { rows = 2, value = places })
  local mass = points:add_constant("mass",
    { value = type(masses) == "table" and basin.array.from(masses) or masses })
  local body = scene:add_body {
    name = "net", unknowns = { x },
    inertia = function(d) return 0.5 * mass * d:squared_norm() end,
    gravity = function(g) return -(mass * x:dot(basin.vector { g:at(1), g:at(2) })) end,
  }
  local springs = mesh:add_primitive("springs", #edges)
  local ends = springs:add_connectivity("ends", points, edges, 2)
  local rest = springs:add_constant("rest",
    { value = type(l0) == "table" and basin.array.from(l0) or l0 })
  scene:add_energy(std.elastic.spring(ends:gather(x), rest, k), { name = "springs",
    projection = "none" })
  return { scene = scene, points = points, springs = springs, ends = ends, x = x, rest = rest,
    mass = mass, v = body.unknowns[1].velocity }
end
