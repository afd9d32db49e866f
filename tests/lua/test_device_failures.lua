-- Calls of the driver fail at many places of a simulation with contact: a clear error, the state
-- kept, the device or the CPU goes on in the same process (scripts/device_failures.lua). Over the
-- software CUDA.
-- SPDX-License-Identifier: Apache-2.0
local h = require "harness"

local script <const> = "run --quiet --device cpu "
  .. (arg and arg[0] or debug.getinfo(1, "S").source:sub(2)):gsub("[^/]*$", "")
  .. "scripts/device_failures.lua"

local function run(pattern, environment)
  return h.expect_command(script, 0, pattern, environment)
end

-- How often the driver's functions are called when nothing fails.
local function count_calls()
  local path = h.write("device_failures.txt", "")
  run("^0 failures, the end on cuda\n$", "SOFTCUDA_COUNT=" .. path)
  local counts = {}
  for line in io.lines(path) do
    local name, calls = line:match "^(%S+) (%d+)$"
    counts[name] = tonumber(calls)
  end
  return counts
end

local counts <const> = count_calls()

-- Failures of a function at `times` of its calls, spread over all; of two in a row, since what asks
-- for room to grow is content with less. Some are taken without a word.
local function sweep(name, result, times, pattern, expected)
  local total, seen = assert(counts[name], name), 0
  times = math.min(times, total)
  for i = 1, times do
    local call = 1 + (i - 1) * (total - 1) // math.max(1, times - 1)
    local text = run("failures, the end on %a+\n$",
      ("SOFTCUDA_FAIL=%s:%d=%d,%s:%d=%d"):format(name, call, result, name, call + 1, result))
    if not text:find "%f[%d]0 failures" then
      seen = seen + 1
      if not text:find(pattern) then error(("'%s' not found in: %s"):format(pattern, text)) end
      h.equal(text:match "the end on (%a+)\n$", expected, text)
    end
  end
  h.equal(seen > 0, true, "errors seen")
end

h.test("out of memory", function()
  sweep("cuMemAlloc", 2, 10, "cuda:0 is out of memory: [%d.]+ %a+ asked, .* free", "cuda")
  sweep("cuMemHostAlloc", 2, 1, "cuMemHostAlloc for transfers: CUDA_ERROR_OUT_OF_MEMORY", "cuda")
  sweep("cuGraphInstantiate", 2, 1, "cuGraphInstantiate.*CUDA_ERROR_OUT_OF_MEMORY", "cuda")
end)

h.test("refused code", function()
  sweep("cuModuleLoadDataEx", 209, 8, "CUDA_ERROR_NO_BINARY_FOR_GPU.*refuses code", "cuda")
end)

h.test("failing launches", function()
  sweep("cuLaunchKernel", 701, 5, "cuLaunchKernel for kernel .*OUT_OF_RESOURCES", "cuda")
  sweep("cuLaunchKernel", 719, 6, "cuLaunchKernel for kernel .*CUDA_ERROR_LAUNCH_FAILED", "cpu")
  sweep("cuGraphLaunch", 719, 2, "cuGraphLaunch for .*CUDA_ERROR_LAUNCH_FAILED", "cpu")
end)

-- Whatever call comes next says so.
h.test("a killed context", function()
  sweep("cuStreamSynchronize", 709, 6, "cuStreamSynchronize: .*CONTEXT_IS_DESTROYED", "cpu")
  sweep("cuCtxPushCurrent", 709, 4, "cuCtxPushCurrent: .*CONTEXT_IS_DESTROYED", "cpu")
  sweep("cuMemcpyDtoHAsync", 700, 3, "cuMemcpyDtoHAsync.*CUDA_ERROR_ILLEGAL_ADDRESS", "cpu")
end)

h.finish()
