-- A hanging thread: geometric stiffness, and the step at which explicit directions lose stability.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local dense = require "groups.dense"
local thread = require "groups.thread"

local function build(case)
  local p, lengths = case.params, {}
  for i = 1, p.n do lengths[i] = p.l end
  return thread.new { x0 = case.inputs.x0, masses = case.inputs.masses, lengths = lengths, g = p.g }
end

-- The tensions of the thread at rest, and the geometric stiffness they give.
local function stiffness(case, checker)
  local scene = build(case)
  local stepper = scene.stepper("vts", 1e-3, { beta = 0 })
  stepper:step()
  local forces = stepper:forces().rods
  checker:compare("tension", "tension", case.expect.tension, -forces)
  scene.x:update(table.move(case.inputs.x0, 1, scene.count, 2, { { 0, 0 } }))
  local rods = scene.scene:constraints()[1]
  local all = rods:hessian(-forces, { scene.x })
  local free = basin.array.range(2, 2 * scene.count)
  local K = all:select(free, free)
  local expected = case.expect.K_geo
  checker:compare("geometric stiffness", "K_geo", dense.of(expected), K:dense())
  return K
end

local function largest_frequency(case, K)
  local half = {}
  for _, m in ipairs(case.inputs.masses) do
    half[#half + 1], half[#half + 2] = 1 / math.sqrt(m), 1 / math.sqrt(m)
  end
  local D = basin.sparse.diagonal(half)
  return dense.largest_eigenvalue((D * K * D):dense():table())
end

-- One step from a state (positions, then velocities) as a function of that state.
local function one_step(scene, stepper, state)
  local n = scene.count
  local x, v = { { 0, 0 } }, { { 0, 0 } }
  for i = 1, n do
    x[i + 1] = { state[2 * i - 1], state[2 * i] }
    v[i + 1] = { state[2 * n + 2 * i - 1], state[2 * n + 2 * i] }
  end
  scene.x:update(x)
  scene.v:update(v)
  stepper:step()
  local result = {}
  for _, attribute in ipairs { scene.x, scene.v } do
    for _, row in ipairs(thread.free(scene, attribute)) do
      result[#result + 1], result[#result + 2] = row[1], row[2]
    end
  end
  return result
end

local STEP <const> = 1e-5 -- of the central differences

local function spectral_radius(case, h)
  local scene = build(case)
  local stepper = scene.stepper("vts", h, { beta = 0 })
  local rest = {}
  for _, row in ipairs(case.inputs.x0) do rest[#rest + 1], rest[#rest + 2] = row[1], row[2] end
  for i = 1, 2 * scene.count do rest[2 * scene.count + i] = 0 end
  local columns = {}
  for j = 1, #rest do
    local plus, minus = table.move(rest, 1, #rest, 1, {}), table.move(rest, 1, #rest, 1, {})
    plus[j], minus[j] = plus[j] + STEP, minus[j] - STEP
    local a, b = one_step(scene, stepper, plus), one_step(scene, stepper, minus)
    columns[j] = {}
    for i = 1, #rest do columns[j][i] = (a[i] - b[i]) / (2 * STEP) end
  end
  return dense.spectral_radius(columns)
end

-- The largest sideways place after 400 steps from a noise of 1e-8.
local function sideways(case, h)
  local scene = build(case)
  local x = scene.x:value():table()
  for i = 2, #x do x[i][1] = case.expect.start_perturbation * math.sin(7 * i) end
  scene.x:update(x)
  local stepper = scene.stepper("vts", h, { beta = 0 })
  for _ = 1, 400 do stepper:step() end
  return scene.x:value():component(1):max_abs()
end

return { { "hanging_thread", function(case, checker)
  local K = stiffness(case, checker)
  local omega2 = largest_frequency(case, K)
  checker:compare("omega^2", "omega2_max", case.expect.omega2_max, omega2)
  local h_crit = 2 / math.sqrt(omega2)
  checker:compare("critical step", "h_crit", case.expect.h_crit, h_crit)
  for i, fraction in ipairs(case.params.fractions) do
    local radius = spectral_radius(case, fraction * h_crit)
    checker:compare("spectral radius at " .. fraction, "spectral_radius",
      case.expect.spectral_radius[i], radius)
    checker:equal("stable at " .. fraction, case.expect.stable[i],
      sideways(case, fraction * h_crit) < 1e-5)
  end
end } }
