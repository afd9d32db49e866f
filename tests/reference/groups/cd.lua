-- Complementary dynamics of a beam under an affine handle: in full, and in a subspace with
-- clusters.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local beam = require "groups.cd.beam"

local array, sparse = basin.array, basin.sparse

local function check_operators(case, check, setup)
  local expect = case.expect
  local probe = array.from(case.inputs.probe_v)
  check:within("tri_area", "rel", 1e-11, expect.tri_area, setup.solid.volumes)
  check:compare("lumped_mass", "operators", expect.lumped_mass, setup.masses)
  check:compare("leak_raw", "leak_weight_d", expect.leak_raw, setup.raw)
  check:compare("leak_weight_d", "leak_weight_d", expect.leak_weight_d, setup.leak)
  if type(expect.constraint_A) == "table" and not expect.constraint_A.shape then
    check:compare("constraint_A", "operators", expect.constraint_A, setup.A:dense())
  end
  check:compare("constraint_A_norm", "operators", expect.constraint_A_norm, setup.A:norm())
  check:compare("L_fro", "operators", expect.L_fro, setup.solid.stiffness:norm())
  check:compare("H_fro", "operators", expect.H_fro, setup.H:norm())
  check:compare("L_probe", "operators", expect.L_probe, setup.solid.stiffness * probe)
  check:equal("kkt_size", math.tointeger(expect.kkt_size), setup.H.rows + setup.A.rows)
end

local function check_subspace(case, check, setup)
  local expect = case.expect
  local values = sparse.projection(setup.rows).singular_values
  local rank = math.tointeger(expect.weight_constraint_rank)
  check:equal("weight_constraint_rank", rank, sparse.projection(setup.rows,
    { cut = case.params.rtol }).rank)
  local wanted = {}
  for k = 1, rank do wanted[k] = expect.weight_constraint_singular_values[k] end
  check:within("weight_constraint_singular_values", "rel", 1e-9, wanted, values:slice(1, rank))
  check:compare("eigenvalues", "eigenvalues", expect.eigenvalues, setup.values)
  local more = select(2, std.rig.modes(setup.S, setup.M1, setup.rows, #expect.eigenvalues + 1))
  check:compare("next_eigenvalue", "eigenvalues", expect.next_eigenvalue, more:at(more.count))
  if expect.modes_W then
    local signs, got = {}, setup.weights:table()
    for k = 1, #expect.modes_W[1] do
      local sum = 0
      for v = 1, #got do sum = sum + got[v][k] * expect.modes_W[v][k] end
      signs[k] = sum < 0 and -1 or 1
    end
    check:compare("modes_W", "modes_W", expect.modes_W,
      sparse.from(setup.weights) * sparse.diagonal(signs):dense())
  end
  check:equal("subspace_dim", math.tointeger(expect.subspace_dim), setup.B.columns)
  local input = array.from(expect.subspace_probe_in)
  check:within("subspace_probe_out", "rel", 1e-6, expect.subspace_probe_out,
    setup.B * (setup.B:T() * (setup.M * input)))
  local eigs = basin.dense.eigen(setup.B:T() * setup.H * setup.B)
  check:compare("reduced_H_eigs", "eigenvalues", expect.reduced_H_eigs,
    array.joined { eigs:slice(1, 3), eigs:slice(eigs.count - 2) })
end

-- All frames; states by frame.
local function run(case, check, setup, name, step)
  local params, expect = case.params, case.expect
  local n, states = setup.X.count, {}
  local current, previous, u = setup.x0, setup.x0, array.zeros(2 * n)
  local lag, norms, kinetic, elastic, worst = {}, {}, {}, {}, 0
  local tip = 2 * math.tointeger(expect.tip_vertex) + 1 -- the handle moves along x
  for i = 0, math.tointeger(params.steps) - 1 do
    local rigged = setup.J * beam.handle(params, expect.p0, i)
    local target = 2 * current - previous
    for _ = 1, math.tointeger(params.bcd) do u = step(rigged, u, target) end
    local x = rigged + u
    worst = math.max(worst, (setup.A * u):max_abs())
    local v = (x - current) / params.h
    lag[i + 1], norms[i + 1] = u:at(tip), u:norm()
    kinetic[i + 1] = i == 0 and 0 or 0.5 * v:dot(setup.M * v)
    elastic[i + 1] = setup.solid:energy(array.from(x, { rows = 2 }))
    local wanted = expect[name .. "_positions"][tostring(i)]
    if wanted then
      check:compare(name .. " positions " .. i, name .. "_positions", wanted, x)
    end
    previous, current = i == 0 and x or current, x
    states[i] = { x = current, before = previous, u = u }
  end
  check:compare("lag_" .. name, "lag", expect["lag_" .. name], lag)
  check:within("uc_norm_" .. name, "abs", 1e-5, expect["uc_norm_" .. name], norms)
  check:within("kinetic_" .. name, "rel", 1e-6, expect["kinetic_" .. name], kinetic)
  check:within("elastic_" .. name, "rel", 1e-6, expect["elastic_" .. name], elastic)
  check:require(name .. " residual", worst <= expect[name .. "_residual_max_at_most"],
    ("%g"):format(worst))
  return states
end

-- The step after a stored frame: what one iteration gives, energies by iteration, and minima.
local function check_step(case, check, setup, name, state, step, first)
  local params, expect = case.params, case.expect
  local frame = math.tointeger(params.valid_step) + 1
  local rigged = setup.J * beam.handle(params, expect.p0, frame)
  local target, u = 2 * state.x - state.before, state.u
  local scene = beam.scene(setup, params, target)
  local function energy(v)
    scene.place:update(array.from(rigged + v, { rows = 2 }))
    return scene.scene:compute_total_energy()
  end
  local list = { energy(u) }
  first(scene, rigged, u, target)
  for k = 1, math.tointeger(params.valid_iters) do
    u = step(rigged, u, target)
    list[k + 1] = energy(u)
  end
  local wanted = expect["valid_energy_" .. name]
  check:compare("valid_energy_" .. name, "valid_energy", wanted,
    array.from(list):slice(1, #wanted))
  return scene, rigged, u
end

local function check_full(case, check, setup, state, full, solve)
  local expect, probe = case.expect, array.from(case.inputs.probe_v)
  local scene, rigged, u = check_step(case, check, setup, "full", state, full,
    function(scene, r, v, target)
      local one, multipliers = solve(r, v, target)
      check:compare("valid_step_frozen_rotations_u", "full_positions",
        expect.valid_step_frozen_rotations_u, one)
      check:within("valid_step_multipliers", "rel", 1e-7, expect.valid_step_multipliers,
        multipliers)
      scene.place:update(array.from(r + v, { rows = 2 }))
      check:within("valid_grad_full", "rel", 1e-8, expect.valid_grad_full,
        (scene.scene:gradient()))
      scene.inertia:enable(false)
      check:compare("valid_arap_energy_full", "valid_energy", expect.valid_arap_energy_full,
        scene.scene:compute_total_energy())
      check:within("valid_arap_H_raw_v", "rel", 1e-8, expect.valid_arap_H_raw_v,
        scene.scene:hessian { projection = "none" } * probe)
      check:within("valid_arap_H_psd_v", "rel", 1e-8, expect.valid_arap_H_psd_v,
        scene.scene:hessian { projection = "clamp" } * probe)
      scene.inertia:enable(true)
    end)
  -- Newton's method under the constraint.
  for _ = 1, 20 do
    scene.place:update(array.from(rigged + u, { rows = 2 }))
    local H = scene.scene:hessian { projection = "clamp" }
    u = u + sparse.kkt(H, setup.A):solve(array.from(-scene.scene:gradient(),
      { rows = 1 }), -(setup.A * u))
  end
  scene.place:update(array.from(rigged + u, { rows = 2 }))
  check:compare("valid_energy_full_min", "valid_energy", expect.valid_energy_full_min,
    scene.scene:compute_total_energy())
end

local function check_reduced(case, check, setup, state, small)
  local scene, rigged = check_step(case, check, setup, "reduced", state, small, function() end)
  local space = sparse.subspace(setup.B, array.from(rigged, { rows = 2 }))
  local _, info = space:minimize(scene.scene, scene.place, { tolerance = 1e-6,
    projection = "clamp" })
  check:require("minimum found", info.converged, info.status)
  check:compare("valid_energy_reduced_newton", "valid_energy_reduced_newton",
    case.expect.valid_energy_reduced_newton, info.energy)
end

return { { "cd_", function(case, check)
  local setup = beam.setup(case)
  check_operators(case, check, setup)
  check_subspace(case, check, setup)
  local system = sparse.kkt(setup.H, setup.A)
  local space = sparse.subspace(setup.B)
  local reduced = space:reduce(setup.H):factorize "cholesky"
  local h2 = case.params.h ^ 2
  local function right(solid, rigged, u, target)
    local rotations = solid:rotations(array.from(rigged + u, { rows = 2 }))
    return setup.M * target / h2 + solid:force(rotations) - setup.H * rigged
  end
  local function solve(rigged, u, target)
    return system:solve(right(setup.solid, rigged, u, target))
  end
  local full = function(rigged, u, target) return (solve(rigged, u, target)) end
  local small = function(rigged, u, target)
    return space:lift(reduced:solve(space:restrict(right(setup.clustered, rigged, u, target))))
  end
  local frame = math.tointeger(case.params.valid_step)
  check_full(case, check, setup, run(case, check, setup, "full", full)[frame], full, solve)
  check_reduced(case, check, setup, run(case, check, setup, "reduced", small)[frame], small)
end } }
