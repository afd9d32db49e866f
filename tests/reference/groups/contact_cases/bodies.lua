-- Affine bodies: the penalty on deformation, masses, motion of their points, inertia.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

local M = {}
local folder = debug.getinfo(1, "S").source:match("^@(.*)/reference/") .. "/data/meshes/"

local function check_orthogonality(cases, checker)
  local states, kappa = {}, {}
  for i, case in ipairs(cases) do states[i], kappa[i] = case.inputs.A_rows, case.inputs.kappa end
  local results = probe.states { unknowns = { { "A", 3, 3, states } },
    constants = { { "kappa", 1, 1, kappa } },
    energy = function(u, c) return std.body.orthogonality(u.A, c.kappa) end }
  for i, case in ipairs(cases) do
    local bound, want, got = case.tol.rel, case.expected, results[i]
    local size = case.inputs.kappa
    checker:within(case.id, "rel", bound, want.energy, got.energy, size)
    checker:within(case.id .. " gradient", "rel", bound, want.grad, got.gradient, size)
    checker:within(case.id .. " hessian", "rel", bound, want.hess, got.none, size)
  end
end

---A scene with one affine body, made from options of std.body.affine. Its unknowns are written
---q = (t, rows of A) in the cases.
function M.body(options)
  local scene = basin.scene "body"
  options.stiffness = options.stiffness or 1
  return scene, std.body.affine(scene, "body", options)
end

---Moves a copy of an affine body to q.
function M.place(body, q)
  body.bodies.translation:update(table.move(q, 1, 3, 1, {}))
  body.bodies.affine_matrix:update(table.move(q, 4, 12, 1, {}))
end

---Numbers of A, then of t, in the order of q.
function M.entries(list)
  return table.move(list, 1, 9, 4, table.move(list, 10, 12, 1, {}))
end

-- The body that a case describes.
local function options_of(given)
  local mesh
  if given.mesh then
    mesh = basin.mesh.read(folder .. given.mesh)
  elseif given.form == "box" then
    local lo, hi, size, middle = given.lo, given.hi, {}, {}
    for i = 1, 3 do size[i], middle[i] = hi[i] - lo[i], 0.5 * (lo[i] + hi[i]) end
    mesh = basin.mesh.box({ nx = 1, ny = 1, nz = 1, width = size[1], height = size[2],
      depth = size[3] }):translated(middle)
  elseif given.form == "rigid" then
    mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }
    return { mesh = mesh, rigid = { mass = given.mass, inertia = given.inertia_about_centre,
      centre = given.centre } }
  else
    mesh = basin.mesh.new { points = given.V, tets = given.T, triangles = given.F,
      edges = given.E }
  end
  return { mesh = mesh, density = given.rho, radius = given.radius,
    thickness = given.half_thickness and 2 * given.half_thickness }
end

-- The mass matrix in q: the Hessian of the body's inertia.
local function mass_matrix(options)
  local scene, body = M.body(options)
  local inertia = probe.new(scene, { body.bodies.affine_matrix, body.bodies.translation },
    { body.motion.inertia })
  local rows, matrix = M.entries(inertia:hessian "none"), {}
  for i, row in ipairs(rows) do matrix[i] = M.entries(row) end
  return matrix
end

local function check_mass(cases, checker)
  for _, case in ipairs(cases) do
    local want, bound, id = case.expected, case.tol.rel, case.id
    local matrix, first, second = mass_matrix(options_of(case.inputs)), {}, {}
    for k = 1, 3 do
      first[k], second[k] = matrix[1][3 + k], table.move(matrix[3 + k], 4, 6, 1, {})
    end
    local size = golden.norm(matrix)
    checker:within(id .. " mass", "rel", bound, want.mass, matrix[1][1])
    checker:within(id .. " first", "rel", bound, want.first, first, size)
    checker:within(id .. " second", "rel", bound, want.second, second, size)
    if want.M then checker:within(id .. " matrix", "rel", bound, want.M, matrix) end
  end
end

local function check_inertia(cases, checker)
  for _, case in ipairs(cases) do
    local given = case.inputs
    local scene, body = M.body { mesh = basin.mesh.read(folder .. given.mesh), density = given.rho }
    M.place(body, given.q)
    local parts, q = body.motion.unknowns, given.q_tilde
    parts[1].predicted:update(table.move(q, 4, 12, 1, {}))
    parts[2].predicted:update(table.move(q, 1, 3, 1, {}))
    local inertia = scene:minimizer { targets = scene:targets(),
      energies = { body.motion.inertia } }
    checker:within(case.id, "rel", case.tol.rel, case.expected.energy,
      inertia:compute_total_energy())
  end
end

-- A tetrahedron with a corner at X: where that is, and what a force there does to q.
local function check_kinematics(cases, checker)
  for _, case in ipairs(cases) do
    local X, want = case.inputs.X, case.expected
    local points = { X }
    for k = 1, 3 do
      points[k + 1] = table.move(X, 1, 3, 1, {})
      points[k + 1][k] = X[k] + 1
    end
    local scene, body = M.body { density = 1,
      mesh = basin.mesh.new { points = points, tets = { { 0, 1, 2, 3 } } } }
    M.place(body, case.inputs.q)
    local row
    for i, x in ipairs(body.mesh.points:table()) do
      if golden.norm { x[1] - X[1], x[2] - X[2], x[3] - X[3] } == 0 then row = i end
    end
    checker:within(case.id, "rel", case.tol.rel, want.x, body.position:compute():table()[row])
    local force = body.vertices:add_constant("force", { rows = 3, value = 0 })
    local values = force:value():table()
    values[row] = case.inputs.force
    force:update(values)
    local work = scene:add_energy(body.position:dot(force), { name = "work", projection = "none" })
    local pulled = probe.new(scene, { body.bodies.affine_matrix, body.bodies.translation },
      { work }):gradient()
    checker:within(case.id .. " force", "rel", case.tol.rel, want.generalized_force,
      M.entries(pulled))
  end
end

M.kinds = { ["abd.orthogonality"] = check_orthogonality, ["abd.mass"] = check_mass,
  ["abd.inertia"] = check_inertia, ["abd.kinematics"] = check_kinematics }

return M
