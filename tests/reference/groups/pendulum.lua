-- Pendulums of rods under six constrained integrators.
-- SPDX-License-Identifier: Apache-2.0
local thread = require "groups.thread"

-- The bound that the case states: abs 1e-9 times the sensitivity, and no less than that.
local function tolerance(sensitivity) return 1e-9 * math.max(1, sensitivity) end

local function run(case, checker, method, expected)
  local p = case.params
  local scene = thread.new { x0 = case.inputs.x0, masses = p.masses, lengths = p.lengths, g = p.g }
  local stepper = scene.stepper(method, p.h, method == "pbd" and { sweeps = p.sweeps }
    or { tolerance = 1e-13 })
  local drift, energy, off, worst, low, high = {}, {}, 0, 1, math.huge, -math.huge
  for _, value in pairs(expected.sensitivity_1e10) do worst = math.max(worst, value) end
  for k = 0, p.steps do
    if k > 0 then stepper:step() end
    local total = stepper:kinetic_energy() + stepper:potential_energy()
    low, high = math.min(low, total), math.max(high, total)
    if k % case.inputs.series_every == 0 then
      drift[#drift + 1], energy[#energy + 1] = stepper:velocity_error(), total
      off = math.max(off, stepper:constraint_error())
    end
    local key = tostring(k)
    if expected.positions[key] then
      local bound = tolerance(expected.sensitivity_1e10[key])
      local name = ("%s after %d"):format(method, k)
      checker:within("position of " .. name, "abs", bound, expected.positions[key],
        thread.free(scene, scene.x))
      -- A velocity is a difference of positions over h.
      checker:within("velocity of " .. name, "abs", 10 * bound, expected.velocities[key],
        thread.free(scene, scene.v))
    end
  end
  local still = method == "rattle" or method:find "^proj2"
  checker:within(method .. " velocity drift", "abs", still and 1e-10 or 1e-7 * worst,
    expected.velocity_drift, drift)
  checker:within(method .. " energy", "rel", 1e-6, expected.energy, energy)
  checker:within(method .. " least and largest energy", "rel", 1e-6,
    { expected.energy_min, expected.energy_max }, { low, high })
  checker:require(method .. " constraint error", off < math.max(1e-10,
    2 * expected.constraint_error_max), ("%.3g"):format(off))
  return energy[#energy]
end

local function pendulum(case, checker)
  local last = {}
  for _, method in ipairs { "shake", "rattle", "sap", "pbd", "proj2", "proj2_half" } do
    last[method] = run(case, checker, method, case.expect[method])
  end
  checker:require("the second projection keeps energy", last.proj2 > last.sap
    and last.proj2 > last.pbd)
end

return { { "simple_pendulum", pendulum }, { "double_pendulum", pendulum } }
