-- Runs the cloth both ways and compares every number of the case.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local golden = require "golden"
local build = require("groups.fms.cloth").build
local study = require "groups.fms.study"

local function check_matrix(case, checker, cloth)
  local A, expect = cloth.global:hessian(), case.expect
  checker:require("constant Hessian", cloth.global:is_constant())
  local nonzeros = 0
  for _, value in ipairs(golden.flat(A:csr().values)) do
    if value ~= 0 then nonzeros = nonzeros + 1 end
  end
  checker:equal("nonzeros of A", expect.A_nnz, nonzeros)
  checker:compare("norm of A", "probe", expect.A_fro, A:norm())
  checker:compare("A v", "probe", expect.A_probe, A * basin.array.from(case.inputs.probe_v))
  if expect.A then checker:compare("A", "probe", study.dense(expect.A), A:dense()) end
end

local function check_probe(case, checker, cloth)
  local expect, v = case.expect, basin.array.from(case.inputs.probe_v)
  cloth.x:update(case.inputs.probe_pose)
  checker:compare("energy", "probe", expect.probe_energy, cloth.exact:compute_total_energy())
  checker:compare("spring energy", "probe", expect.probe_spring_energy,
    cloth.springs_only:compute_total_energy())
  checker:compare("gradient", "probe", expect.probe_gradient, (cloth.exact:gradient()))
  local raw, psd = cloth.springs_only:hessian(), cloth.springs_psd:hessian()
  checker:compare("spring Hessian v", "probe", expect.probe_Hspring_raw_v, raw * v)
  checker:compare("projected spring Hessian v", "probe", expect.probe_Hspring_psd_v, psd * v)
  if expect.probe_Hspring_raw then
    checker:compare("spring Hessian", "probe", study.dense(expect.probe_Hspring_raw), raw:dense())
    checker:compare("projected spring Hessian", "probe", study.dense(expect.probe_Hspring_psd),
      psd:dense())
  end
  cloth.x:update(case.inputs.X)
end

-- Energies of the present state, appended to the series.
local function record(case, cloth, series, previous, start)
  local p, x = case.params, cloth.x:value()
  local velocity, fall = (x - previous) / p.h, x - start
  local n = #series.kinetic + 1
  series.kinetic[n] = 0.5 * p.mass * velocity:dot(velocity)
  series.gravity[n] = -p.mass * p.gravity * fall:component(2):sum()
  series.spring[n] = cloth.springs_only:compute_total_energy()
end

-- Steps the cloth with `advance()`, keeping states and energies; `after(step)` looks at each step.
local function run(case, cloth, advance, after)
  local p, kept = case.params, {}
  for _, step in ipairs(case.inputs.keep_steps) do kept[math.tointeger(step)] = true end
  local start = basin.array.from(case.inputs.X)
  cloth.x:update(start)
  local previous, current = start, cloth.x:value()
  local series, positions = { kinetic = {}, gravity = {}, spring = {} }, {}
  record(case, cloth, series, current, start)
  for step = 1, p.steps do
    cloth.target:update(2 * current - previous)
    advance(step)
    previous, current = current, cloth.x:value()
    record(case, cloth, series, previous, start)
    if kept[step] then positions[tostring(step)] = current end
    if after then after(step) end
  end
  return series, positions
end

local function compare_run(case, checker, prefix, series, positions)
  for step, expected in pairs(case.expect[prefix .. "positions"]) do
    checker:compare(prefix .. "positions " .. step, prefix .. "positions", expected,
      positions[step])
  end
  for _, name in ipairs { "kinetic", "gravity", "spring" } do
    checker:compare(prefix .. name, "energies", case.expect[prefix .. name], series[name])
  end
end

local function check_local_global(case, checker, cloth)
  local p, solver = case.params, cloth.global:solver { method = "direct" }
  local drift, first = {}, cloth.springs_psd:hessian()
  drift[1] = 0
  local series, positions = run(case, cloth, function(step)
    -- steps count from 0 there
    if step == p.conv_step + 1 then study.check(case, checker, cloth) end
    for _ = 1, p.inner do study.iterate(cloth, solver) end
  end, function(step)
    if step % p.hess_every == 0 then
      drift[#drift + 1] = (cloth.springs_psd:hessian() - first):norm() / first:norm()
    end
  end)
  compare_run(case, checker, "", series, positions)
  checker:compare("Hessian drift", "drift", case.expect.hessian_drift, drift)
  local strain = cloth.strain:value()
  checker:compare("strain", "strain", { case.expect.strain_min, case.expect.strain_max },
    { strain:min(), strain:max() })
  checker:equal("factorizations", 1, solver.factorizations)
end

local function check_newton(case, checker, cloth)
  local series, positions = run(case, cloth, function()
    basin.newton(cloth.psd, { rule = "gradient", tolerance = 1e-7, max_iterations = 60,
      linear = { solver = "direct" } })
  end)
  compare_run(case, checker, "newton_", series, positions)
end

return function(case, checker)
  local cloth = build(case)
  local rest, stiffness = cloth.rest_lengths:value(), cloth.stiffness:value()
  checker:compare("rest lengths", "probe", case.expect.rest_length_range,
    { rest:min(), rest:max() })
  checker:compare("stiffnesses", "probe", case.expect.stiffness_range,
    { stiffness:min(), stiffness:max() })
  check_matrix(case, checker, cloth)
  check_probe(case, checker, cloth)
  check_local_global(case, checker, cloth)
  check_newton(case, checker, cloth)
end
