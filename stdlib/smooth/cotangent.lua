-- The cotangent matrix and lumped areas of triangles, in the plane or in space.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local function corners_of(p)
  local out = {}
  for k = 1, 3 do
    local at, first, second = p:row(k), p:row(k % 3 + 1), p:row((k + 1) % 3 + 1)
    out[k] = { first - at, second - at, k % 3 + 1, (k + 1) % 3 + 1 }
  end
  return out
end

local function double_area(a, b, dimension)
  if dimension == 3 then return a:cross(b):norm() end
  return (a:at(1) * b:at(2) - a:at(2) * b:at(1)):abs()
end

local methods = {}
methods.__index = methods

-- Matrices are Hessians of energies of one number a vertex: 1/4 sum cot (u_i - u_j)^2 over the
-- edges of a triangle, and a sixth of its area times the squares.
local function build(points, triangles)
  local scene = basin.scene("cotangent")
  local mesh = scene:add_mesh("surface")
  local verts = mesh:add_primitive("vertices", points.count)
  local tris = mesh:add_primitive("triangles", triangles.count)
  local corners = tris:add_connectivity("corners", verts, triangles, 3)
  local place = verts:add_constant("place", { rows = points.size, value = points })
  local u = verts:add_attribute("u", { value = basin.array.zeros(points.count) })
  local p, q = corners:gather(place), corners:gather(u)
  local parts = corners_of(p)
  local doubled = double_area(parts[1][1], parts[1][2], points.size)
  local stretch, square = 0, 0
  for k, corner in ipairs(parts) do
    stretch = stretch + corner[1]:dot(corner[2]) * (q:row(corner[3]) - q:row(corner[4])) ^ 2
    square = square + q:row(k) ^ 2
  end
  return { scene = scene, place = place,
    dirichlet = scene:add_energy(0.25 * stretch / doubled, { name = "dirichlet",
      projection = "none", targets = { u } }),
    mass_energy = scene:add_energy(doubled * square / 12, { name = "mass", projection = "none",
      targets = { u } }), u = u }
end

-- New places of the vertices.
function methods:update(points)
  self._parts.place:update(points)
  local parts = self._parts
  parts.dirichlet:enable(true)
  parts.mass_energy:enable(false)
  self.stiffness = parts.scene:hessian { projection = "none" }
  parts.dirichlet:enable(false)
  parts.mass_energy:enable(true)
  self.areas = parts.scene:hessian({ projection = "none" }):diagonal()
  self.mass = basin.sparse.diagonal(self.areas)
  return self
end

---std.smooth.cotangent(points, triangles): in the plane or in space. C p is the gradient of the
---area, |C p|_i / (2 area_i) the mean curvature. No triangle may be without area. The method
---update(points) moves the vertices.
---Source: Pinkall and Polthier, Computing Discrete Minimal Surfaces and Their
---Conjugates, Experimental Mathematics 2(1), 1993. Fields:
---  stiffness  C with C_ij = -(cot alpha + cot beta) / 2
---  areas  a third of the triangles around each vertex
---  mass  the diagonal matrix of them
return function(points, triangles)
  local places = basin.array.from(points)
  local cells = basin.array.from(triangles, { rows = 3 })
  local parts = build(places, cells)
  parts.scene:add_minimize_target { parts.u }
  return setmetatable({ _parts = parts }, methods):update(places)
end
