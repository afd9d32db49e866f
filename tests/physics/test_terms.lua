-- Every term of the standard library: derivatives against differences at its states and at random
-- ones near them, the same numbers as the interpreter's, finite values at singular states.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local harness = require "lua.harness"
local scenes = require "physics.scenes"

local function build(term, state, noise, device)
  return scenes.term(term, state, noise, { device = device })
end

local function no_noise() return 0 end

local function finite(scene)
  for _, part in ipairs { scene:gradient() } do
    if not part:is_finite() then return false end
  end
  for _, projection in ipairs { "none", "clamp", "abs" } do
    if not scene:hessian({ projection = projection }):dense():is_finite() then return false end
  end
  return scene:compute_total_energy() == scene:compute_total_energy()
end

-- Largest difference of two arrays or matrices, relative to the largest number.
local function differ(a, b) return (a - b):max_abs() / math.max(1e-300, a:max_abs()) end

local function agree(term, state)
  local here, interpreted = build(term, state, no_noise), build(term, state, no_noise, "cpu:interp")
  local deviation = differ(basin.array.from { here:compute_total_energy() },
    basin.array.from { interpreted:compute_total_energy() })
  assert(deviation < 1e-13, ("energies differ by %.2g"):format(deviation))
  local g, h = { here:gradient() }, { interpreted:gradient() }
  for i in ipairs(g) do
    deviation = differ(g[i], h[i])
    assert(deviation < 1e-12, ("gradients differ by %.2g"):format(deviation))
  end
  for _, projection in ipairs { "none", "clamp", "abs" } do
    deviation = differ(here:hessian({ projection = projection }):dense(),
      interpreted:hessian({ projection = projection }):dense())
    assert(deviation < 1e-11, ("Hessians (%s) differ by %.2g"):format(projection, deviation))
  end
end

for _, entry in ipairs(scenes.terms()) do
  local path, term = table.unpack(entry)
  local random = scenes.random(#path)
  for i, state in ipairs(term.checks) do
    harness.test(("%s, state %d"):format(path, i), function()
      local report = basin.check((build(term, state, no_noise)))
      assert(report.passed, tostring(report))
    end)
    harness.test(("%s, near state %d"):format(path, i), function()
      local size = term.noise or 0.05
      local report = basin.check((build(term, state, function() return size * random() end)))
      assert(report.passed, tostring(report))
    end)
    harness.test(("%s, finite at state %d"):format(path, i), function()
      assert(finite((build(term, state, no_noise))), "energy, gradient or Hessian is not finite")
    end)
    harness.test(("%s, like the interpreter at state %d"):format(path, i), function()
      agree(term, state)
    end)
  end
  for i, state in ipairs(term.singular or {}) do
    harness.test(("%s, finite at singular state %d"):format(path, i), function()
      assert(finite((build(term, state, no_noise))), "energy, gradient or Hessian is not finite")
    end)
  end
end
harness.finish()
