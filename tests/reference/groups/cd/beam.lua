-- The beam, its rig, its constraint and its subspace.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local array, sparse = basin.array, basin.sparse

local M = {}

---The handle of frame i: p0 with a moving coordinate.
function M.handle(params, p0, i)
  local p = array.from(p0):table()
  p[5] = params.amp * math.sin(2 * math.pi * i / params.period)
  return array.from(p)
end

function M.setup(case)
  local params, inputs, expect = case.params, case.inputs, case.expect
  local X, T = array.from(inputs.X), array.from(inputs.T)
  local mu = params.ym / (2 * (1 + params.pr))
  local self = { X = X, cells = T, mu = mu, x0 = array.from(X, { rows = 1 }) }
  self.solid = std.rig.local_global(X, T, mu)
  self.clustered = std.rig.local_global(X, T, mu, inputs.cluster_labels)
  local cotangent = std.smooth.cotangent(X, T)
  self.S, self.M1 = cotangent.stiffness, cotangent.mass
  self.masses = cotangent.areas * params.rho
  self.M = sparse.diagonal(self.masses):kron(sparse.identity(2))
  self.H = self.solid.stiffness + self.M / params.h ^ 2
  self.J = std.rig.linear.affine(X)
  self.leak, self.raw = std.rig.leak(self.S, self.M1, expect.boundary, params.leak_dt)
  self.A = self.J:T() * self.M * sparse.diagonal(self.leak):kron(sparse.identity(2))
  self.rows = std.rig.linear.weight_rows(self.A, X)
  self.weights, self.values = std.rig.modes(self.S, self.M1, self.rows,
    math.tointeger(params.modes))
  self.B = std.rig.linear.skinning(self.weights, X, self.M)
  return self
end

---The objective of one step: inertia about `target` and as-rigid-as-possible elasticity.
function M.scene(setup, params, target)
  local scene = basin.scene("step")
  local mesh = scene:add_mesh("beam")
  local verts = mesh:add_primitive("vertices", setup.X.count)
  local tris = mesh:add_primitive("triangles", setup.cells.count)
  local corners = tris:add_connectivity("corners", verts, setup.cells, 3)
  local place = verts:add_attribute("place", { rows = 2, value = setup.X })
  local rest = verts:add_constant("rest", { rows = 2, value = setup.X })
  local goal = verts:add_constant("goal", { rows = 2, value = array.from(target, { rows = 2 }) })
  local mass = verts:add_constant("mass", { value = setup.masses })
  local F, area = std.elastic.deformation.gradient(corners:gather(place), corners:gather(rest))
  scene:add_energy(area:abs() * std.elastic.arap.energy(F, setup.mu), { name = "arap" })
  local inertia = scene:add_energy(mass * (place - goal):squared_norm() / (2 * params.h ^ 2),
    { name = "inertia" })
  scene:add_minimize_target { place }
  return { scene = scene, place = place, inertia = inertia }
end

return M
