-- A thrown thread under five treatments of its constraints.
-- SPDX-License-Identifier: Apache-2.0
local thread = require "groups.thread"

local function filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

local function options_of(method, p)
  if method == "vts" then return { beta = p.beta } end
  if method == "ivts" then return { beta = p.beta, iterations = p.iters } end
  if method == "ivts_gs" then return { beta = p.beta, sweeps = p.sweeps } end
  if method == "fast_projection" then return { iterations = p.iters } end
  return { sweeps = p.sweeps }
end

-- Compares the comparable first steps; the rest of the run is chaotic and gives figures.
local function run(case, checker, method, expected)
  local p = case.params
  local masses = filled(p.n, p.m)
  masses[p.n] = p.m_end
  local scene = thread.new { x0 = case.inputs.x0, v0 = case.inputs.v0, masses = masses,
    lengths = filled(p.n, p.l), g = p.g }
  local stepper = scene.stepper(method, p.h, options_of(method, p))
  local kinetic, off, worst = {}, 0, 1
  local upto = #expected.kinetic_head
  for _, value in pairs(expected.sensitivity) do worst = math.max(worst, value) end
  for k = 1, p.steps do
    stepper:step()
    off, kinetic[k] = math.max(off, stepper:constraint_error()), stepper:kinetic_energy()
    local key = tostring(k)
    if expected.positions[key] then
      local bound = math.max(1e-9, 1e-10 * expected.sensitivity[key])
      checker:within(("%s after %d"):format(method, k), "abs", bound, expected.positions[key],
        thread.free(scene, scene.x))
    end
  end
  checker:within(method .. " kinetic energy", "rel", 1e-9 * worst, expected.kinetic_head,
    table.move(kinetic, 1, upto, 1, {}))
  return { off = off, last = kinetic[#kinetic] }
end

local function within_factor(checker, name, factor, expected, value)
  checker:require(name, value < factor * expected + 1e-12 and value > expected / factor - 1e-12,
    ("%.3g instead of %.3g"):format(value, expected))
end

local function thrown(case, checker)
  local results = {}
  for method, expected in pairs(case.expect.methods) do
    local result = run(case, checker, method, expected)
    results[method] = result
    within_factor(checker, method .. " largest length error", 3, expected.constraint_error_max,
      result.off)
    within_factor(checker, method .. " last kinetic energy", 3, expected.kinetic_last, result.last)
  end
  checker:require("vts is off by more than 3 times ivts", results.vts.off > 3 * results.ivts.off)
  for method, result in pairs(results) do
    checker:require("vts moves most at the end, not " .. method, result.last <= results.vts.last)
  end
end

return { { "thrown_thread", thrown } }
