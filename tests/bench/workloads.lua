-- The four element workloads of docs/internals/performance.md as ordinary scenes: W1 stable
-- neo-Hookean tets, W2 springs, W3 hinges, W4 point-triangle barrier. `size` scales the element
-- count for quick runs (1 = full).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local M = {}

--- splitmix64; numbers in [-1, 1) from the top 53 bits.
local function random_source(seed)
  local state = seed
  return function()
    state = state + 0x9E3779B97F4A7C15
    local z = state
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    z = z ~ (z >> 31)
    return (z >> 11) / 4503599627370496.0 - 1.0
  end
end

-- Moves every coordinate, drawn vertex by vertex, x y z; also returns the source, for what is drawn
-- next.
local function perturbed(points, amount)
  local random, result = random_source(12345), {}
  for i = 1, #points do result[i] = points[i] + amount * random() end
  return result, random
end

local function cells(size, full, power)
  return math.max(2, math.floor(full * size ^ (1 / power) + 0.5))
end

-- The six tetrahedra of a cell follow the permutations of the axes; odd ones swap two corners to
-- stay positive.
local kuhn = { { 1, 2, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 1, 3, 2 }, { 3, 2, 1 }, { 2, 1, 3 } }

local function kuhn_tets(n)
  local m, tets = n + 1, {}
  local stride = { 1, m, m * m }
  for k = 0, n - 1 do
    for j = 0, n - 1 do
      for i = 0, n - 1 do
        local corner = i + m * j + m * m * k
        for p, axes in ipairs(kuhn) do
          local a = corner + stride[axes[1]]
          local b = a + stride[axes[2]]
          local c = b + stride[axes[3]]
          if p > 3 then a, b = b, a end
          local at = #tets
          tets[at + 1], tets[at + 2], tets[at + 3], tets[at + 4] = corner, a, b, c
        end
      end
    end
  end
  return tets
end

local function lattice(m, h)
  local points = {}
  for k = 0, m - 1 do
    for j = 0, m - 1 do
      for i = 0, m - 1 do
        local at = #points
        points[at + 1], points[at + 2], points[at + 3] = i * h, j * h, k * h
      end
    end
  end
  return points
end

local function begin(name, points, moved)
  local scene = basin.scene(name, { deterministic = basin.setting("deterministic", true) })
  local mesh = scene:add_mesh("mesh")
  local vertices = mesh:add_primitive("vertices", #points // 3)
  local x = vertices:add_attribute("position", { rows = 3, value = moved })
  local X = vertices:add_constant("rest_position", { rows = 3, value = points })
  scene:add_minimize_target { x }
  return scene, mesh, vertices, x, X
end

local function add_energy(scene, primitive, energy)
  scene:add_energy(primitive:add_attribute("energy", energy), { projection = "clamp" })
end

local function elements(mesh, vertices, indices, arity)
  local primitive = mesh:add_primitive("elements", #indices // arity)
  return primitive, primitive:add_connectivity("corners", vertices, indices, arity)
end

local function columns(p)
  return basin.columns { p:row(2) - p:row(1), p:row(3) - p:row(1), p:row(4) - p:row(1) }
end

function M.W1(size)
  local n = cells(size, 26, 3)
  local points, young, poisson = lattice(n + 1, 1 / n), 1e6, 0.45
  local scene, mesh, vertices, x, X = begin("W1", points, perturbed(points, 0.1 / n))
  local tets, corners = elements(mesh, vertices, kuhn_tets(n), 4)
  local mu = young / (2 * (1 + poisson))
  local lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
  local rest = columns(corners:gather(X))
  local F = columns(corners:gather(x)) * rest:inverse()
  local J = F:det() - (1 + mu / lambda)
  local psi = mu / 2 * (F:dot(F) - 3) + lambda / 2 * J ^ 2
  add_energy(scene, tets, rest:det() / 6 * psi)
  return scene, tets.count
end

function M.W2(size)
  local m = cells(size, 70, 3)
  local h = 1 / (m - 1)
  local points, edges = lattice(m, h), {}
  local strides = { 1, m, m * m }
  for v = 0, m * m * m - 1 do
    for axis = 1, 3 do
      if v // strides[axis] % m < m - 1 then
        edges[#edges + 1] = v
        edges[#edges + 1] = v + strides[axis]
      end
    end
  end
  local scene, mesh, vertices, x = begin("W2", points, perturbed(points, 0.1 * h))
  local springs, corners = elements(mesh, vertices, edges, 2)
  local p = corners:gather(x)
  local stretch = (p:row(1) - p:row(2)):norm() - h
  add_energy(scene, springs, 500 * stretch ^ 2)
  return scene, springs.count
end

local function hinge_vectors(p)
  local e, a, b = p:row(2) - p:row(1), p:row(3) - p:row(1), p:row(4) - p:row(1)
  return e, e:cross(a), b:cross(e), b
end

local function angle(p)
  local e, n1, n2, b = hinge_vectors(p)
  local s, c, l = e:norm() * n1:dot(b), n1:dot(n2), n1:norm() * n2:norm()
  return -2 * (s / (l + c)):atan()
end

-- Corners of the hinges of a grid of n x n cells split along their (i, j) - (i+1, j+1) diagonals.
local function grid_hinges(n)
  local m, hinges = n + 1, {}
  local function add(...)
    for _, v in ipairs { ... } do hinges[#hinges + 1] = v end
  end
  for j = 0, n do
    for i = 0, n do
      local v = i + m * j
      if i < n and j < n then add(v, v + m + 1, v + m, v + 1) end
      if i < n and j > 0 and j < n then add(v, v + 1, v + m + 1, v - m) end
      if j < n and i > 0 and i < n then add(v, v + m, v - 1, v + m + 1) end
    end
  end
  return hinges
end

function M.W3(size)
  local n = cells(size, 183, 2)
  local points, h = {}, 1 / n
  for j = 0, n do
    for i = 0, n do
      local at, u, v = #points, i * h, j * h
      points[at + 1], points[at + 2] = u, v
      points[at + 3] = 0.1 * math.sin(2 * math.pi * u) * math.sin(2 * math.pi * v)
    end
  end
  local scene, mesh, vertices, x, X = begin("W3", points, perturbed(points, 0.1 * h))
  local hinges, corners = elements(mesh, vertices, grid_hinges(n), 4)
  local e, n1, n2 = hinge_vectors(corners:gather(X))
  local weight = 3 * e:dot(e) / (0.5 * (n1:norm() + n2:norm()))
  local bend = angle(corners:gather(x)) - angle(corners:gather(X))
  add_energy(scene, hinges, 1e-2 * weight * bend ^ 2)
  return scene, hinges.count
end

-- A sheet of unit cells perturbed by 0.1, and one point over each triangle's centroid along its
-- normal.
function M.W4(size)
  local n = cells(size, 224, 2)
  local m, points, pairs_of = n + 1, {}, {}
  for j = 0, n do
    for i = 0, n do
      local at = #points
      points[at + 1], points[at + 2], points[at + 3] = i, j, 0
    end
  end
  local random
  points, random = perturbed(points, 0.1) -- the heights continue the same sequence
  local function add(a, b, c)
    local p = {}
    for k, v in ipairs { a, b, c } do
      p[k] = { points[3 * v + 1], points[3 * v + 2], points[3 * v + 3] }
    end
    local u, w, normal = {}, {}, {}
    for k = 1, 3 do u[k], w[k] = p[2][k] - p[1][k], p[3][k] - p[1][k] end
    for k = 1, 3 do
      local i, j = k % 3 + 1, (k + 1) % 3 + 1
      normal[k] = u[i] * w[j] - u[j] * w[i]
    end
    local length = math.sqrt(normal[1] ^ 2 + normal[2] ^ 2 + normal[3] ^ 2)
    local height = 0.1 * (0.1 + 0.8 * (random() + 1) / 2)
    local at = #pairs_of
    pairs_of[at + 1], pairs_of[at + 2] = #points // 3, a
    pairs_of[at + 3], pairs_of[at + 4] = b, c
    for k = 1, 3 do
      points[#points + 1] = (p[1][k] + p[2][k] + p[3][k]) / 3 + height * normal[k] / length
    end
  end
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local v = i + m * j
      add(v, v + 1, v + m)
      add(v + 1, v + m + 1, v + m)
    end
  end
  local scene, mesh, vertices, x = begin("W4", points, points)
  local pairs_primitive, corners = elements(mesh, vertices, pairs_of, 4)
  local p, near = corners:gather(x), 0.01
  local normal = (p:row(3) - p:row(2)):cross(p:row(4) - p:row(2))
  local distance = (p:row(1) - p:row(2)):dot(normal) ^ 2 / normal:dot(normal)
  local barrier = -1e3 * (distance - near) ^ 2 * (distance / near):log()
  add_energy(scene, pairs_primitive, barrier)
  return scene, pairs_primitive.count
end

return M
