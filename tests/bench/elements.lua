-- Element kernels of the workloads W1 .. W4 (workloads.lua), one JSON line a stage; the machine's
-- own limits first.
-- Settings: size (share of the full element count), repeats, only ("W1" runs that one alone),
-- deterministic (false: sums in any order on a CUDA device).
-- Threads and precision: `basin run --threads 1 --precision float`.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local session = require "basin.session"
package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "?.lua;" .. package.path
local workloads = require "workloads"

local size, repeats = basin.setting("size", 1.0), basin.setting("repeats", 10)
local only = basin.setting("only", "")

-- What is computed, stage, projection, where results go.
local stages = {
  { "E", "value", "none", "cache" }, { "E+g", "gradient", "none", "cache" },
  { "E+g+H", "hessian", "none", "cache" }, { "E+g+H stored", "hessian", "none", "stored" },
  { "E+g+H assembled", "hessian", "none", "assembled" },
  { "E+g+H projected", "hessian", "clamp", "cache" },
  { "E+g+H projected, assembled", "hessian", "clamp", "assembled" },
}

local machine

-- Least seconds an element: arithmetic at the peak, and every result written once by an assembly.
local function limit(report, form)
  local arithmetic = report.operations / machine.flops
  local traffic = form == "assembled" and report.stored_bytes / machine.bandwidth or 0
  return math.max(arithmetic, traffic)
end

-- Elements of the full workloads.
local full = { W1 = 105456, W2 = 1014300, W3 = 100101, W4 = 100352 }

local function run(name)
  local scene, count = workloads[name](size)
  assert(size ~= 1 or count == full[name])
  local minimizer = scene:main_minimizer()
  local core = minimizer:_synchronize()
  if not machine then
    machine = core:machine()
    print(('{"bench":"machine","threads":%d,"gflops":%.4g,"triad_gbs":%.4g}'):format(
      machine.workers, machine.flops / 1e9, machine.bandwidth / 1e9))
  end
  for _, stage in ipairs(stages) do
    local report = core:benchmark(0, { stage = stage[2], projection = stage[3], form = stage[4],
      repeats = repeats })
    assert(report.elements == count)
    if stage[2] == "value" then
      local total = scene:compute_total_energy()
      assert(math.abs(report.energy - total) <= 1e-5 * math.abs(total), -- float kernels too
        "the timed kernel gives another energy")
    end
    -- One thread: processor time, which other programs do not lengthen. processor_rate is what all
    -- threads together would reach if each had a processor to itself.
    local seconds = machine.workers == 1 and report.processor_seconds or report.seconds
    print(('{"bench":"elements","workload":"%s","stage":"%s","threads":%d,"precision":"%s",' ..
      '"elements":%d,"rate":%.4g,"best_rate":%.4g,"processor_rate":%.4g,"operations":%d,' ..
      '"of_limit":%.3f,"deterministic":%s,"batch":"%s"}'):format(name, stage[1], machine.workers,
      session.option("precision") or "double", report.elements,
      report.elements / seconds, report.elements / report.best_seconds,
      report.elements * machine.workers / report.processor_seconds, report.operations,
      report.elements * limit(report, stage[4]) / seconds, basin.setting("deterministic", true),
      os.getenv "BASIN_CUDA_BATCH" or "default"))
  end
end

for _, name in ipairs { "W1", "W2", "W3", "W4" } do
  if only == "" or only == name then
    run(name)
    collectgarbage()
  end
end
