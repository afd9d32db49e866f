-- Projected constraints: pre-filtered systems, redundant rows, velocities projected in two metrics.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local array, sparse, dense = basin.array, basin.sparse, basin.dense

local function triplets(value)
  local s = value.shape
  return sparse.new { rows = s[1], columns = s[2], i = value.i, j = value.j, values = value.v }
end

local function cloth(case, check)
  local inputs, expect = case.inputs, case.expect
  local A, J, b = triplets(inputs.A), triplets(inputs.J), array.from(inputs.b)
  local free = sparse.projection(J)
  local S = free:matrix()
  local z = free:particular(inputs.c)
  check:compare("z", "z", expect.z, z)
  check:within("S_fro", "rel", 1e-12, expect.S_fro, S:norm())
  check:within("S_trace", "rel", 1e-12, expect.S_trace, S:diagonal():sum())
  local x, info = free:solve(A, b, inputs.c, { tolerance = 1e-12 })
  check:compare("x", "x", expect.x, x)
  check:compare("y", "y", expect.y, info.free)
  check:compare("multipliers", "multipliers", expect.multipliers, info.multipliers)
  check:require("constraint_residual",
    (J * x - array.from(inputs.c)):max_abs() <= expect.constraint_residual_at_most)
  check:require("cg_iterations", math.abs(info.iterations - expect.cg_iterations) <= 3,
    ("%d, expected about %d"):format(info.iterations, expect.cg_iterations))
  for k, residual in ipairs(expect.cg_residuals) do
    check:within("cg_residuals " .. k, "rel", 1e-8, residual, info.residuals[k])
  end
  -- The saddle point and a basis of the null space.
  local other, multipliers = sparse.kkt(A, J):solve(b, inputs.c)
  check:compare("x of the saddle point", "x", expect.x, other)
  check:compare("multipliers of the saddle point", "multipliers", expect.multipliers, multipliers)
  local Z = free:null_space()
  local reduced = (Z:T() * A * Z):solve(Z:T() * (b - A * z), "cholesky")
  check:compare("x by elimination", "x", expect.x, z + Z * reduced)
  -- The filtered matrix.
  local n = A.rows
  local filtered = S * A * S + sparse.identity(n) - S
  local values = dense.eigen((filtered + filtered:T()) * 0.5)
  check:within("eig_min", "rel", 1e-10, expect.eig_min, values:at(1))
  check:within("eig_max", "rel", 1e-10, expect.eig_max, values:at(n))
  -- Rows that say the same again.
  local J2, c2 = triplets(inputs.J_redundant), array.from(inputs.c_redundant)
  local same = sparse.projection(J2)
  check:equal("rank_redundant", math.tointeger(expect.rank_redundant), same.rank)
  check:compare("singular_values_redundant", "singular_values_redundant",
    expect.singular_values_redundant, same.singular_values:slice(1, same.rank))
  check:compare("z of redundant rows", "z", expect.z, same:particular(c2))
  check:within("S of redundant rows", "abs", 1e-12, S:dense(), same:matrix():dense())
  local again, _, violation = sparse.kkt(A, J2):solve(b, c2)
  check:compare("x of redundant rows", "x", expect.x, again)
  check:require("dropped rows hold", violation <= expect.constraint_residual_at_most)
  for kept, norm in ipairs(expect.residual_norm_vs_kept_values) do
    if type(norm) == "number" then
      local few = sparse.projection(J2, { keep = kept })
      local part = few:solve(A, b, c2, { tolerance = 1e-13 })
      local residual = (J2 * part - c2):norm()
      if norm < 1e-10 then
        check:within("residual of all", "abs", 1e-10, norm, residual)
      else
        check:compare("residual_norm of " .. kept, "residual_norm_vs_kept_values", norm, residual)
      end
    end
  end
end

local function metric(case, check)
  local inputs, expect = case.inputs, case.expect
  local x = array.from(inputs.x)
  local scene = basin.scene("chain")
  local mesh = scene:add_mesh("chain")
  local verts = mesh:add_primitive("vertices", x.count)
  local place = verts:add_attribute("place", { rows = 2, value = x })
  local rods = mesh:add_primitive("rods", #inputs.E)
  local ends = rods:add_connectivity("ends", verts, inputs.E, 2)
  local p = ends:gather(place)
  local J = basin.jacobian((p:row(2) - p:row(1)):norm(), { place })
  check:within("J", "abs", 1e-12, expect.J, J:dense())
  check:within("JJt", "abs", 1e-12, expect.JJt, (J * J:T()):dense())
  local m = array.from(inputs.m)
  local M = sparse.diagonal(m):kron(sparse.identity(2))
  local inverse = sparse.diagonal(m ^ -1):kron(sparse.identity(2))
  local W = J * inverse * J:T()
  check:within("J_Minv_Jt", "abs", 1e-12, expect.J_Minv_Jt, W:dense())
  local v = array.from(array.from(inputs.v), { rows = 1 })
  check:compare("v_plain", "v", expect.v_plain, sparse.projection(J):apply(v))
  local closest, multipliers = sparse.kkt(M, J):solve(M * v)
  check:compare("v_mass", "v", expect.v_mass, closest)
  local other = W:solve(J * v, "cholesky")
  check:compare("multipliers_mass", "multipliers", expect.multipliers_mass, -other)
  check:compare("multipliers of the saddle point", "multipliers", expect.multipliers_mass,
    -multipliers)
  check:within("kinetic_before", "rel", 1e-12, expect.kinetic_before, 0.5 * v:dot(M * v))
  check:within("kinetic_after_mass", "rel", 1e-12, expect.kinetic_after_mass,
    0.5 * closest:dot(M * closest))
  local guess, right, steps = other * 0, J * v, {}
  local damped = sparse.diagonal(W:diagonal() ^ -1) * case.params.jacobi_weight
  for k = 1, #expect.jacobi_error do
    steps[k] = (inverse * J:apply_transposed(guess - other)):norm() -- in velocities
    guess = guess + damped * (right - W * guess)
  end
   check:compare("jacobi_error", "jacobi_error", expect.jacobi_error, steps)
end

return { { "cloth_", cloth }, { "projection_", metric } }
