-- An example on a CUDA device and on the CPU: the same unknowns at the end. --set example=FILE is
-- the script, apart=NUMBER says how far they may be from each other. Where the CPU only interprets,
-- which takes long, they must be finite.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

h.need_cuda()
local file, bound = basin.setting("example", ""), basin.setting("apart", 1e-6)

-- The unknowns of the scene that the example makes.
local function run(device)
  local create, scene = basin.scene, nil
  basin.scene = function(name, options)
    local given = { device = device }
    for key, value in pairs(options or {}) do given[key] = value end
    scene = create(name, given)
    return scene
  end
  local done, why = xpcall(dofile, debug.traceback, file)
  basin.scene = create
  assert(done, why)
  local values = {}
  for i, target in ipairs(scene:targets()) do values[i] = target:value() end
  return values
end

h.test("the unknowns of the CPU", function()
  local there = run "cuda"
  assert(#there > 0, "no unknowns")
  for i, value in ipairs(there) do assert(value:is_finite(), "not finite: unknown " .. i) end
  if h.host() ~= "cpu" then return end
  for i, value in ipairs(run "cpu") do
    local apart = (value - there[i]):max_abs()
    assert(apart < bound, ("unknown %d differs by %.3g"):format(i, apart))
  end
end)
h.finish()
