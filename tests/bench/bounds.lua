-- Least time an element on a CUDA device, from the emitted texts: bytes that must move and
-- operations that must be done, one JSON line a workload (workloads.lua) and stage.
-- Settings: bandwidth (bytes a second), flops (double precision, a second); defaults: one H200,
-- copy bandwidth as measured, half of the 67 Tflop/s of single precision.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "?.lua;" .. package.path
local workloads = require "workloads"

local bandwidth, flops = basin.setting("bandwidth", 4.3e12), basin.setting("flops", 33.5e12)

-- Vertices an element in the full workloads.
local vertices <const> = { W1 = 19683 / 105456, W2 = 343000 / 1014300, W3 = 33856 / 100101,
  W4 = 150977 / 100352 }

-- Numbers an element has for itself, numbers of a vertex, indices: what a text reads, each once.
local function reads(text)
  local own, shared, seen = 0, 0, {}
  for width, array, index, first in
    text:gmatch("BASIN_LOAD_(%d)%([^;]-, (%d+), i(%d+), %d+, (%d+)%)") do
    for component = first, first + width - 1 do
      local key = ("%s %s %d"):format(index == "0" and "own" or "vertex", array, component)
      if not seen[key] then
        seen[key] = true
        if index == "0" then own = own + 1 else shared = shared + 1 end
      end
    end
  end
  local _, indices = text:gsub("BASIN_STEP", "")
  return own, shared, indices
end

local stages <const> = { "value", "gradient", "hessian" }

for _, name in ipairs { "W1", "W2", "W3", "W4" } do
  local scene = workloads[name](0.01)
  local core = scene:main_minimizer():_synchronize()
  for _, stage in ipairs(stages) do
    local report = core:benchmark(0, { stage = stage, projection = "none", form = "stored",
      repeats = 1 })
    local text = scene:dump("kernel", scene:main_minimizer()._terms[1].energy.name, stage)
    local own, shared, indices = reads(text)
    local read = 8 * own + 8 * shared * vertices[name] + 4 * indices
    local written = stage == "value" and 8 or 8 + report.stored_bytes
    local memory, arithmetic = (read + written) / bandwidth, report.operations / flops
    print(('{"bench":"bounds","workload":"%s","stage":"%s","bytes_read":%.4g,"bytes_written":%d,' ..
      '"operations":%d,"nanoseconds":%.4g,"bound":"%s","rate":%.4g}'):format(name, stage, read,
      written, report.operations, 1e9 * math.max(memory, arithmetic),
      memory > arithmetic and "memory" or "arithmetic", 1 / math.max(memory, arithmetic)))
  end
end
