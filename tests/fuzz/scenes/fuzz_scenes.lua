-- Random scenes on several devices: values, gradients, Hessians, Jacobians and mixed derivatives
-- must be the same, and right where differences can tell. A scene that fails is made smaller and
-- printed. Settings: first and count (of the seeds), devices, seconds, shrink.
-- SPDX-License-Identifier: Apache-2.0
local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local basin = require "basin"
local compare = require "compare"
local describe = require "describe"
local shrink = require "shrink"

local first <const> = math.tointeger(tonumber(basin.setting("first", 1)))
local count <const> = math.tointeger(tonumber(basin.setting("count", 1000000)))
local seconds <const> = tonumber(basin.setting("seconds", 5))
local words <const> = basin.setting("devices", "cpu:interp,cpu,threads")
local shrinks <const> = basin.setting("shrink", true)
local verbose <const> = basin.setting("verbose", false)

local known <const> = {
  ["cpu:interp"] = { device = "cpu:interp", threads = 1 },
  cpu = { device = "cpu", threads = 1 },
  threads = { device = "cpu", threads = 2 },
  float = { device = "cpu", precision = "float", threads = 1 },
  cuda = { device = "cuda" },
  cuda_float = { device = "cuda", precision = "float" },
}
local devices = {}
for word in words:gmatch "[^,]+" do
  devices[#devices + 1] = { name = word, options = known[word] }
end

local failures, scenes = 0, 0
for seed = first, first + count - 1 do
  if os.clock() > seconds then break end
  if verbose then io.stderr:write("seed ", seed, "\n") end
  local description = describe.scene(seed)
  local problem = compare.check(description, devices)
  if problem then
    failures = failures + 1
    print(("seed %d: %s"):format(seed, problem))
    if shrinks then print(shrink.smallest(description, devices, problem)) end
  end
  scenes = scenes + 1
  if seed % 16 == 0 then collectgarbage() end
end
print(("%d scenes, %d failures, %s"):format(scenes, failures, compare.counts()))
if failures > 0 then os.exit(1) end
