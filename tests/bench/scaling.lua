-- The cost of one Newton iteration by size: workload W1 with 1e4, 1e5, 1e6 tets, assembled with
-- projection and solved by a fixed number of conjugate gradient iterations. JSON lines; the last
-- one has the exponent of a power law through the figures. Setting: largest (a power of ten, times
-- 1e5).
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "?.lua;" .. package.path
local workloads = require "workloads"

local iterations <const>, repeats <const> = 50, 3
local largest = basin.setting("largest", 1)

local function step(scene)
  local start = os.clock()
  scene:minimize_energy { solver = "pcg", max_iterations = iterations, tolerance = 1e-300 }
  return os.clock() - start
end

-- Processor seconds of all threads, the median; the first step, which finds the pattern, apart.
local function measure(size)
  local scene, count = workloads.W1(size)
  collectgarbage()
  local first, times = step(scene), {}
  for k = 1, repeats do times[k] = step(scene) end
  table.sort(times)
  local seconds = times[(repeats + 1) // 2]
  print(('{"bench":"scaling","elements":%d,"processor_seconds":%.4g,"first":%.4g,' ..
    '"us_per_element":%.4g}'):format(count, seconds, first, seconds / count * 1e6))
  return math.log(count), math.log(seconds)
end

local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
for power = -1, largest do
  local x, y = measure(10.0 ^ power)
  n, sx, sy, sxx, sxy = n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y
end
print(('{"bench":"scaling","exponent":%.3f}'):format((n * sxy - sx * sy) / (n * sxx - sx * sx)))
