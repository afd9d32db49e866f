-- Kernels of every term of the standard library as NVRTC makes them for three generations of
-- devices: they compile, and none keeps much outside registers. Needs NVRTC, but no device.
-- SPDX-License-Identifier: Apache-2.0
local harness = require "lua.harness"
local scenes = require "physics.scenes"

-- Bytes a thread; the decompositions of 3 x 3 matrices index their eigenvectors and take the most.
local stack_limit <const>, spill_limit <const> = 192, 64
local architectures <const> = { gradient = { "sm_90" }, hessian = { "sm_80", "sm_90", "sm_120" } }

local function check(path, scene, stage, architecture)
  local ok, text = pcall(scene.dump, scene, architecture, "term", stage)
  if not ok and text.code == "MISSING_LIBRARY" then
    print(text)
    os.exit(77)
  end
  assert(ok, text)
  local registers, stack = text:match("(%d+) registers, (%d+) bytes of stack")
  local stores, loads = text:match("spills (%d+) %+ (%d+) bytes")
  harness.test(("%s, %s on %s"):format(path, stage, architecture), function()
    assert(tonumber(registers) <= 255, text)
    assert(tonumber(stack) <= stack_limit, text)
    assert(tonumber(stores) <= spill_limit and tonumber(loads) <= spill_limit, text)
  end)
end

for _, entry in ipairs(scenes.terms()) do
  local path, term = table.unpack(entry)
  local scene = scenes.term(term, term.checks[1], function() return 0 end,
    { device = "cpu:interp" })
  for _, stage in ipairs { "gradient", "hessian" } do
    for _, architecture in ipairs(architectures[stage]) do
      check(path, scene, stage, architecture)
    end
  end
end
harness.finish()
