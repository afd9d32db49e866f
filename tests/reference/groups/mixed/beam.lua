-- A clamped plane-strain beam: displacements, stresses, pressures as unknowns; locking.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local array, sparse = basin.array, basin.sparse

-- Strain (xx, yy, 2 xy) of each triangle, weighted areas, free unknowns.
local function setup(case)
  local V, T = array.from(case.inputs.V), array.from(case.inputs.T)
  local scene = basin.scene("beam")
  local mesh = scene:add_mesh("beam")
  local verts = mesh:add_primitive("vertices", V.count)
  local tris = mesh:add_primitive("triangles", T.count)
  local corners = tris:add_connectivity("corners", verts, T, 3)
  local rest = verts:add_constant("rest", { rows = 2, value = V })
  local u = verts:add_attribute("u", { rows = 2, value = V * 0 })
  local F, area = require("basin.std").elastic.deformation.gradient(corners:gather(u),
    corners:gather(rest))
  local strain = basin.vector { F:at(1, 1), F:at(2, 2), F:at(1, 2) + F:at(2, 1) }
  local free = {}
  local left = V:component(1):min()
  for i = 0, V.count - 1 do
    if V:component(1):at(i + 1) > left + 1e-12 then
      free[#free + 1] = 2 * i
      free[#free + 1] = 2 * i + 1
    end
  end
  return { B = basin.jacobian(strain, { u }):select(nil, free), free = free, n = V.count,
    areas = tris:evaluate(area), f = array.from(array.from(case.inputs.load), { rows = 1 })
      :select(free) }
end

-- Plane strain: sigma = D epsilon.
local function elasticity(ym, nu)
  local mu, lambda = ym / (2 * (1 + nu)), ym * nu / ((1 + nu) * (1 - 2 * nu))
  return mu, lambda, sparse.from { { lambda + 2 * mu, lambda, 0 }, { lambda, lambda + 2 * mu, 0 },
    { 0, 0, mu } }
end

local function spread(beam, x)
  local all = {}
  for i = 1, 2 * beam.n do all[i] = 0 end
  for k, i in ipairs(beam.free) do all[i + 1] = x:at(k) end
  return all
end

return function(case, check)
  local params, expect = case.params, case.expect
  local beam = setup(case)
  local count = beam.areas.count
  local A3 = sparse.diagonal(beam.areas):kron(sparse.identity(3))
  local A = sparse.diagonal(beam.areas)
  local tip = 2 * math.tointeger(case.inputs.tip) + 2
  local divergence = sparse.identity(count):kron(sparse.from { { 1, 1, 0 } }) * beam.B
  for nu, row in pairs(expect.table) do
    local mu, lambda, D = elasticity(params.ym, tonumber(nu))
    local K = beam.B:T() * A3 * sparse.identity(count):kron(D) * beam.B
    local u = K:solve(beam.f, "cholesky")
    local all = spread(beam, u)
    check:within(nu .. " tip", "rel", 1e-8, row.tip_deflection, all[tip])
    check:within(nu .. " energy", "rel", 1e-8, row.energy, 0.5 * u:dot(K * u))
    local stress = sparse.identity(count):kron(D) * (beam.B * u)
    local rows = array.from(stress, { rows = 3 })
    check:within(nu .. " stress", "rel", 1e-8, row.max_stress_xx, rows:component(1):max())
    if nu == "0" then check:within("K_fro", "rel", 1e-10, expect.K_fro_nu_0, K:norm()) end
    if nu == "0.3" then
      check:compare("u_nu_0_3", "u_nu_0_3", expect.u_nu_0_3, all)
      check:compare("stress_nu_0_3", "stress_nu_0_3", expect.stress_nu_0_3, rows)
    end
    -- Displacement and stress: (0 B^T A; A B, -A D^-1).
    local inverse = sparse.from(basin.dense.least_squares(D, sparse.identity(3)))
    local w, sigma = sparse.kkt(sparse.zero(u.count, u.count), A3 * beam.B,
      { compliance = A3 * sparse.identity(count):kron(inverse) }):solve(beam.f)
    check:within(nu .. " with stresses", "rel", 1e-8, u, w)
    check:within(nu .. " stresses", "rel", 1e-7, stress, sigma)
    -- Displacement and pressure: the volumetric part by compliance 1 / lambda.
    local shear = sparse.from { { 2 * mu, 0, 0 }, { 0, 2 * mu, 0 }, { 0, 0, mu } }
    local Kd = beam.B:T() * A3 * sparse.identity(count):kron(shear) * beam.B
    if lambda > 0 then
      local v = sparse.kkt(Kd, A * divergence, { compliance = A / lambda }):solve(beam.f)
      check:within(nu .. " with pressures", "rel", 1e-8, u, v)
    end
  end
  -- Incompressible: no compliance at all.
  local mu = elasticity(params.ym, 0.5 - 1e-15)
  local shear = sparse.from { { 2 * mu, 0, 0 }, { 0, 2 * mu, 0 }, { 0, 0, mu } }
  local Kd = beam.B:T() * A3 * sparse.identity(count):kron(shear) * beam.B
  local system = sparse.kkt(Kd, A * divergence)
  local u = system:solve(beam.f)
  check:compare("u_incompressible", "u_incompressible", expect.u_incompressible, spread(beam, u))
  check:require("divergence", (divergence * u):max_abs() <= expect.divergence_at_most)
  check:equal("divergence_rank", math.tointeger(expect.divergence_rank), system.rank)
end
