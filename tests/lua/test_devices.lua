-- Device words, what is said when a device or a library is missing, and scenes on a CUDA device:
-- BASIN_LIB_CUDA names the software CUDA, without it only the first half is done.
-- SPDX-License-Identifier: Apache-2.0
local h = require "harness"

local software = os.getenv "BASIN_LIB_CUDA"
local expect <const>, write <const> = h.expect_command, h.write

local none <const> = "BASIN_LIB_CUDA=/nonexistent/libcuda.so.1"

local show = write("device_show.lua", [[
local basin = require "basin"
local scene = basin.scene("show")
local x = scene:add_mesh("m"):add_primitive("points", 5):add_attribute("x", { value = 3 })
print(scene:device())
print((x * x + 1):compute():at(5))
]])

h.test("words that name no device", function()
  expect("run --device gpu " .. show, 2,
    "must be one of auto, cpu, cpu:interp, cuda, cuda:N, got 'gpu'; did you mean 'cuda'%?")
  expect("run --device cuda0 " .. show, 2, "did you mean 'cuda'%?")
  expect("run --device cuda: " .. show, 2, "got 'cuda:'")
  expect("run --device CPU " .. show, 2, "did you mean 'cpu'%?")
  expect("run " .. show, 1, "BASIN_DEVICE must be one of.*got 'nvidia'.*did you mean 'cuda'%?",
    "BASIN_DEVICE=nvidia")
end)

h.test("no driver: cuda is an error, auto is the CPU", function()
  local text = expect("run --device cuda " .. show, 1,
    "the CUDA driver cannot be opened.*it comes with NVIDIA's driver", none)
  h.equal(text:find("device_show.lua:2: ", 1, true) ~= nil, true, text)
  expect("run --device cuda:3 " .. show, 1, "the CUDA driver cannot be opened", none)
  text = expect("run --device auto " .. show, 0, "10.0\n$", none)
  h.equal(text:find("cuda", 1, true), nil)
  expect("run --device auto --log info " .. show, 0, "device auto is the CPU: the CUDA driver",
    none)
  expect("run " .. show, 1, "the CUDA driver cannot be opened", none .. " BASIN_DEVICE=cuda")
  expect("info", 0, "device cuda +missing: the CUDA driver.*CUDA driver +missing: /nonexistent",
    none)
end)

h.test("a library that is no driver", function()
  expect("run --device cuda " .. show, 1,
    "has no function cuInit; a driver for CUDA 11.4 or newer is needed", "BASIN_LIB_CUDA=libm.so.6")
  expect("run --device auto " .. show, 0, "10.0\n$", "BASIN_LIB_CUDA=libm.so.6")
end)

local survive = write("device_survive.lua", [[
local basin = require "basin"
local ok, problem = pcall(basin.scene, "lost", { device = "cuda" })
print("cuda", ok, problem)
local scene = basin.scene("kept", { device = "cpu" })
local x = scene:add_mesh("m"):add_primitive("points", 5):add_attribute("x", { value = 3 })
print((x * x + 1):compute():at(5))
]])

h.test("after a device that cannot be opened the CPU works", function()
  expect("run " .. survive, 0, "cuda\tfalse\t.*cannot be opened.*10.0\n$", none)
end)

if not software then
  h.finish()
  return
end

-- ---- with a device ----

h.test("cuda, cuda:N and auto are the device", function()
  for _, word in ipairs { "cuda", "cuda:0", "auto" } do
    expect(("run --device %s %s"):format(word, show), 0, "^cuda:0: .*10.0\n$")
  end
  expect("run " .. show, 0, "^cuda:0: ", "BASIN_DEVICE=cuda")
  expect("run --precision float --device cuda " .. show, 0, "float\n10.0")
  expect("info", 0, "device cuda:0 +Software CUDA, sm_%d+, .* GiB, %d+ multiprocessors")
  expect("info", 0, "CUDA driver +for CUDA 13.0, .*softcuda")
end)

h.test("devices that are not there", function()
  expect("run --device cuda:5 " .. show, 1, "there is no device cuda:5; there is cuda:0 alone")
  expect("run --device cuda:1 " .. show, 0, "^cuda:1: .*10.0\n$", "SOFTCUDA_DEVICES=2")
  expect("run --device cuda " .. show, 1, "there is no CUDA device", "SOFTCUDA_DEVICES=0")
  expect("run --device auto " .. show, 0, "^[^c].*10.0\n$", "SOFTCUDA_DEVICES=0")
end)

h.test("too old a driver, no compiler", function()
  expect("run --device cuda " .. show, 1, "is for CUDA 10.2; CUDA 11.4 or newer is needed",
    "SOFTCUDA_DRIVER_VERSION=10020")
  expect("run --device cuda " .. show, 1, "NVRTC cannot be opened.*CUDA toolkit",
    "BASIN_LIB_NVRTC=/nonexistent/libnvrtc.so")
  expect("run --device auto " .. show, 0, "10.0\n$", "BASIN_LIB_NVRTC=/nonexistent/libnvrtc.so")
  expect("info", 0, "NVRTC +missing: /nonexistent", "BASIN_LIB_NVRTC=/nonexistent/libnvrtc.so")
end)

-- A driver takes code for its own device and PTX for older ones.
h.test("wrong architecture", function()
  expect("run --device cuda " .. show, 1, "makes no code for devices of compute capability 3.0",
    "SOFTCUDA_CAPABILITY=30")
  expect("run --device auto " .. show, 0, "^[^c].*10.0\n$", "SOFTCUDA_CAPABILITY=30")
  expect("run --device cuda " .. show, 0, "^cuda:0: .*10.0\n$", "SOFTCUDA_CAPABILITY=75")
  -- newer than the compiler knows: PTX
  expect("run --device cuda " .. show, 0, "^cuda:0: .*10.0\n$", "SOFTCUDA_CAPABILITY=120")
  expect("run --device cuda " .. show, 1, "cuModuleLoadDataEx for .*CUDA_ERROR_NO_BINARY_FOR_GPU"
    .. ".*refuses code that NVRTC .* made for sm_120",
    "SOFTCUDA_CAPABILITY=120 SOFTCUDA_FAIL=cuModuleLoadDataEx:1=209,cuModuleLoadDataEx:2=209")
end)

-- Real NVRTC beside the software driver, which can run none of its code.
h.test("code of another compiler", function()
  local real <const> = "env -u BASIN_LIB_NVRTC BASIN_CACHE=off"
  if h.command("info", real):find "NVRTC +missing" then return end
  local newton = write("device_refused.lua", [[
local basin = require "basin"
local function minimize(device)
  local scene = basin.scene("scene", { device = device })
  local x = scene:add_mesh("m"):add_primitive("points", 5):add_attribute("x", { value = 3 })
  scene:add_energy((x - 1) ^ 2)
  scene:add_minimize_target { x }
  return basin.newton(scene).reason, x:value():at(5)
end
print(pcall(minimize, "cuda"))
print(pcall(minimize, "cuda"))
print(minimize "cpu")
]])
  for _, capability in ipairs { 90, 200 } do -- machine code, PTX
    local text = expect("run " .. newton, 0,
      "false\t.*cuModuleLoadDataEx for .*refuses code.*false\t.*refuses.*converged\t1%.0+\n$",
      ("%s SOFTCUDA_CAPABILITY=%d"):format(real, capability))
    local word = capability == 90 and "CUDA_ERROR_NO_BINARY_FOR_GPU"
      or "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
    h.equal(text:find(word, 1, true) ~= nil, true, text)
  end
end)

-- A launch that fails takes the device with it; scenes on the CPU do not notice.
local lose = write("device_lose.lua", [[
local basin = require "basin"
local function compute(device)
  local scene = basin.scene("scene", { device = device })
  local x = scene:add_mesh("m"):add_primitive("points", 5):add_attribute("x", { value = 3 })
  return scene:add_mesh("n") and (x * x + 1):compute():at(5)
end
print(pcall(compute, "cuda"))
print(pcall(compute, "cuda"))
print(compute "cpu")
]])

h.test("a lost device", function()
  local text = expect("run " .. lose, 0, "false\t.*false\t.*the device was lost.*10.0\n$",
    "SOFTCUDA_FAIL=cuLaunchKernel:1=700")
  h.equal(text:find("cuLaunchKernel for kernel .*CUDA_ERROR_ILLEGAL_ADDRESS") ~= nil, true, text)
end)

h.test("out of memory says how much", function()
  local big = write("device_big.lua", [[
local basin = require "basin"
local scene = basin.scene("scene", { device = "cuda" })
local x = scene:add_mesh("m"):add_primitive("points", 300000):add_attribute("x", { value = 3 })
local ok, problem = pcall(function() return (x * x + 1):compute() end)
print(ok, problem)
print(x:value():at(300000))
]])
  expect("run " .. big, 0, "false\t.*cuda:0 is out of memory: 2.29 MiB asked, .* free.*3.0\n$",
    "SOFTCUDA_MEMORY=1M")
end)

-- Memory runs out in the midst of a solve, once: the state is one that can be gone on from.
h.test("out of memory in mid-run", function()
  local midway = write("device_midway.lua", [[
local basin = require "basin"
local options = { tolerance = 1e-10 }
local function make(device)
  local scene = basin.scene("scene", { device = device })
  local points = scene:add_mesh("m"):add_primitive("points", 3)
  local x = points:add_attribute("x", { rows = 2, value = { { 1, 0 }, { 0, 2 }, { -1, 1 } } })
  scene:add_energy(points:add_attribute("spring", (x:norm() - 0.5) ^ 2 + 0.1 * x:dot(x)))
  scene:add_minimize_target { x }
  return scene, x
end
local scene, x = make "cpu"
assert(basin.newton(scene, options).reason == "converged")
local expected = x:value()
local whole = true
-- Until it succeeds: two failures are asked for.
local function try(action)
  for _ = 1, 3 do
    local ok, problem = pcall(action)
    if ok then return end
    whole = false
    assert(tostring(problem):find "out of memory: .* asked, .* free", tostring(problem))
  end
  error "it never succeeds"
end
try(function() scene, x = make "cuda" end)
try(function()
  for i = 1, 3 do
    local value = x:value()
    assert(math.abs(value:at(i, 1)) <= 2 and math.abs(value:at(i, 2)) <= 2)
  end
  assert(basin.newton(scene, options).reason == "converged")
end)
assert((x:value() - expected):max_abs() < 1e-8)
print(whole and "whole" or "failed")
]])
  local call, failures = 1, 0
  while true do
    -- Twice in a row: what asks for room to grow is content with less.
    local text = expect("run " .. midway, 0, "",
      ("SOFTCUDA_FAIL=cuMemAlloc:%d=2,cuMemAlloc:%d=2"):format(call, call + 1))
    if text:find "whole" then break end
    failures, call = failures + 1, call + 1 + call // 4
  end
  h.equal(failures > 8, true, ("%d failures"):format(failures))
end)

h.test("the same values as on the CPU", function()
  local both = write("device_both.lua", [[
local basin = require "basin"
local function values(device)
  local scene = basin.scene("scene", { device = device })
  local mesh = scene:add_mesh("m")
  local points, edges = mesh:add_primitive("points", 4), mesh:add_primitive("edges", 3)
  local ends = edges:add_connectivity("ends", points, { 0, 1, 1, 2, 2, 3 }, 2)
  local x = points:add_attribute("x", { value = { 0.5, 1.25, -3, 7 } })
  local length = edges:add_attribute("length", ends:sum(x) * 0.5)
  local result = { length:value(), ends:mean(x):compute(), (x / 3):sqrt():compute() }
  x:update { 4, 3, 2, 1.5 }
  result[#result + 1] = length:value()
  return result
end
local cpu, cuda = values "cpu", values "cuda"
for i, array in ipairs(cpu) do
  assert(#array == #cuda[i])
  for k = 1, #array do
    local a, b = array:at(k), cuda[i]:at(k)
    assert(a == b or (a ~= a and b ~= b), ("%d %d: %.17g %.17g"):format(i, k, a, b))
  end
end
print "same"
]])
  expect("run " .. both, 0, "same")
end)

h.test("texts of a kernel", function()
  local spring = write("device_spring.lua", [[
local basin = require "basin"
local scene = basin.scene("spring")
local x = scene:add_mesh("m"):add_primitive("points", 2):add_attribute("x", { rows = 2 })
scene:add_energy((x:norm() - 0.5) ^ 2, { name = "spring" })
scene:add_minimize_target { x }
]])
  expect("dump --device cuda --stage kernel " .. spring, 0, "#include")
  expect("dump --device cuda --stage cuda " .. spring, 0, "__global__")
  expect("dump --device cuda --stage asm " .. spring, 1, "architectures like sm_90")
end)

h.finish()
