-- A beam follows an affine handle; secondary motion that the handle cannot make is added to it, in full and
-- in a subspace of skinning modes (Zhang and others 2020, Benchekroun and others 2023).
local basin = require "basin"
local std = require "basin.std"
local sparse, array = basin.sparse, basin.array

local h, density, mu, amplitude, period = 0.01, 1000, 5e4, 1, 60
local grid = basin.mesh.grid { nx = 41, ny = 9, width = 2, height = 0.4, dim = 2 }
local X, n = grid.points, grid.points.count

-- The rig, and what of its momentum the added motion must not touch: A u = 0.
local cotangent = std.smooth.cotangent(X, grid.triangles)
local M = (density * cotangent.mass):kron(sparse.identity(2))
local J = std.rig.linear.affine(X)
local leak = std.rig.leak(cotangent.stiffness, cotangent.mass, grid:boundary_points(), 1)
local A = J:T() * M * sparse.diagonal(leak):kron(sparse.identity(2))

-- A constant matrix, factorized once, in full with its constraint; and in the subspace.
local weights = std.rig.modes(cotangent.stiffness, cotangent.mass, std.rig.linear.weight_rows(A, X), 8)
local space = sparse.subspace(std.rig.linear.skinning(weights, X, M))
local solid = std.rig.local_global(X, grid.triangles, mu)
local H = solid.stiffness + M / h ^ 2
local full, small = sparse.kkt(H, A), space:reduce(H):factorize "cholesky"

local function simulate(name, solve)
  local shown = basin.scene(name)
  local x = shown:add_mesh(name):add_primitive("vertices", n):add_attribute("position", { rows = 2, value = X })
  local out = basin.output { folder = "out/complementary_beam/" .. name, frames = "vtu", pictures = "png",
    positions = x, triangles = grid.triangles }
  local function flat(values) return array.from(values, { rows = 1 }) end
  local before, now, u, most = flat(X), flat(X), array.zeros(2 * n), 0
  for step = 1, basin.setting("steps", 120) do
    local rigged = J * { 1, 0, 0, 1, 0, amplitude * math.sin(2 * math.pi * step / period) }
    for _ = 1, 8 do
      local rotations = solid:rotations(array.from(rigged + u, { rows = 2 }))
      u = solve(M * (2 * now - before) / h ^ 2 + solid:force(rotations) - H * rigged)
    end
    before, now, most = now, rigged + u, math.max(most, u:max_abs())
    x:update(array.from(now, { rows = 2 }))
    if step % 5 == 0 then out:write(step * h) end
  end
  print(("%s: added up to %.3f m, |A u| at most %.0e of |A||u|"):format(name, most,
    (A * u):max_abs() / (A:norm() * u:norm())))
end

simulate("full", function(b) return (full:solve(b)) end)
simulate("reduced", function(b) return space:lift(small:solve(space:restrict(b))) end)
