-- The `basin` command: exit statuses, settings, check, explain, dump, folders, missing libraries.
-- SPDX-License-Identifier: Apache-2.0
local h = require "harness"

local command = assert(os.getenv "BASIN_COMMAND", "BASIN_COMMAND names the basin command")
local out = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")

local write <const>, run <const>, expect <const> = h.write, h.command, h.expect_command

local scene = [[
local basin = require "basin"
local scene = basin.scene("spring")
local points = scene:add_mesh("m"):add_primitive("points", 2)
local height = basin.setting("height", 2.0)
local x = points:add_attribute("x", { rows = 2, value = { { 1, 0 }, { 0, height } } })
scene:add_energy(points:add_attribute("spring", (x:norm() - 0.5) ^ 2))
scene:add_minimize_target { x }
]]
local good = write("good.lua", scene .. [[
print("height", x:value():at(2, 2), basin.settings.word, math.type(basin.setting("number", 1)))
print(basin.newton(scene, { tolerance = 1e-10 }).reason)
]])

h.test("run with settings", function()
  expect("run " .. good, 0, "height\t2.0\tnil\tinteger\nconverged")
  expect("run " .. good .. " --set height=3.5 --set word=hello --set number=2", 0,
    "height\t3.5\thello\tinteger")
  expect("run " .. good .. " --set height=tall", 1, "a number is needed, got a string")
  expect("run " .. good .. " --set nothing=1", 0, "never asked for")
  local words = write("words.lua", [[
local basin = require "basin"
print(basin.setting("word", "none"), basin.setting("other", "none"), basin.setting("number", 1))
]])
  expect("run " .. words .. " --set word=1e300 --set other=true --set number=2", 0,
    "1e300\ttrue\t2")
  expect("run " .. good .. " --device cpu:interp --threads 1 --precision double", 0, "converged")
end)

h.test("wrong usage is status 2", function()
  expect("frobnicate", 2, "unknown command")
  expect("rnu " .. good, 2, "did you mean 'run'")
  expect("run", 2, "a script is missing")
  expect("run " .. good .. " --devise cpu", 2, "did you mean '%-%-device'")
  expect("run " .. good .. " --device gpu", 2, "must be one of")
  expect("run " .. good .. " --threads zero", 2, "whole number")
  expect("run " .. good .. " --threads 1000000", 2, "from 1 to 1024, got '1000000'")
  expect("run " .. good .. " --set novalue", 2, "KEY=VALUE")
  expect("dump " .. good, 2, "%-%-stage")
end)

h.test("errors are status 1", function()
  expect("run " .. out .. "/missing.lua", 1, "cannot read the script")
  expect("run " .. write("raises.lua", 'error("plain text")'), 1, "plain text\nstack traceback")
  expect("run " .. write("value.lua", "error({})"), 1, "table")
end)

h.test("check passes and fails", function()
  expect("check " .. good, 0, "ok   m.points.spring")
  local wrong = write("wrong.lua", scene
    .. 'scene:add_energy(basin.custom(x:dot(x), { x }, { 1.9 * x:T() }), { name = "wrong" })')
  expect("check " .. wrong, 1, "FAIL wrong")
  expect("check " .. write("empty.lua", 'require "basin"'), 1, "made no scene")
end)

h.test("explain and dump", function()
  expect("explain " .. good, 0, "energy m.points.spring .*inner variables.*system: 4 unknowns")
  expect("explain " .. good .. " spring", 0, "energy m.points.spring")
end)

h.test("dumps of all stages, of one energy and of all", function()
  local two = write("two.lua", scene .. [[
local k = points:add_constant("k", { value = 3 })
scene:add_energy(k:exp() * x:dot(x), { name = "second" })
]])
  for _, stage in ipairs { "ir", "scalar", "hoist", "frontier", "gradient", "hessian", "waist",
    "map_out" } do
    local all = expect("dump " .. two .. " --stage " .. stage, 0,
      "== m.points.spring ==\n%S.*== second ==\n%S")
    local one = expect("dump " .. two .. " --term second --stage " .. stage, 0, "^[^=]")
    h.equal(all:sub(-#one), one, stage)
  end
  expect("dump " .. two .. " --stage nonsense", 1, "there are: ir, scalar, hoist")
  expect("dump " .. two .. " --stage kernel --kernel all", 2, "must be one of value")
  expect("dump " .. two .. " --stage ir --kernel value", 1, "the same for all kernels")
  expect("dump " .. two .. " --stage kernel --kernel compute", 0, "second")
  expect("dump " .. two .. " --stage kernel --kernel compute --term spring", 1, "no compute kernel")
end)

h.test("emitted text of a kernel", function()
  local seen = {}
  for _, kernel in ipairs { "value", "gradient", "hessian" } do
    local text = expect("dump " .. good .. " --stage kernel --term spring --kernel " .. kernel,
      0, "m.points.spring.*#include")
    h.equal(seen[text], nil, kernel)
    seen[text] = true
    local source = expect("dump " .. good .. " --stage cuda --kernel " .. kernel, 0, "__global__")
    h.equal(source:find('#include "', 1, true), nil)
  end
  if run("info"):find("device cpu +missing") then return end
  expect("dump " .. good .. " --stage asm", 0, "ret")
  expect("dump " .. good .. " --stage llvm", 0, "define")
end)

h.test("a script may configure the context; the command line fills in the rest", function()
  local script = write("configure.lua", [[
local basin = require "basin"
basin.configure { threads = 1 }
print(basin.scene("s", {}):device())
print(pcall(basin.configure, { threads = 2 }))
]])
  expect("run " .. script .. " --device cpu:interp", 0, "interpreter.*false\t.*already in use")
end)

h.test("options in effect and where they came from", function()
  local info = "info --config"
  local text = expect(info .. " --threads 3 --set word=hello", 0,
    "threads +3 +%-%-threads\n.*set word +hello +%-%-set", "BASIN_DEVICE=cpu:interp")
  h.equal(text:find("device +cpu:interp +BASIN_DEVICE\n") ~= nil, true, text)
  h.equal(text:find("precision +double +default\n") ~= nil, true, text)
  h.equal(text:find("BASIN_DEVICE=cpu:interp: device of scenes", 1, true) ~= nil, true, text)
  expect(info .. " --log info", 0, "log +info +%-%-log", "BASIN_LOG=debug")
  expect(info, 0, "log +debug +BASIN_LOG", "BASIN_LOG=debug")
  local script = write("config.lua", [[
local basin = require "basin"
basin.configure { threads = 2 }
local config = basin.config()
for _, entry in ipairs(config.options) do
  if entry.name == "threads" or entry.name == "device" then print(entry.value, entry.from) end
end
]])
  expect("run --threads 3 --device cpu:interp " .. script, 0,
    "cpu:interp\t%-%-device\n2\tbasin.configure\n")
end)

h.test("variables that mean nothing are named", function()
  local text = expect("run " .. good, 0, "BASIN_THREAD means nothing to Basin; did you mean "
    .. "'BASIN_THREADS'", "BASIN_THREAD=2 BASIN_WIDTH=4")
  h.equal(text:find("BASIN_WIDTH", 1, true), nil)
  local _, count = text:gsub("means nothing", "")
  h.equal(count, 1)
  expect(("info --config"), 0, "BASIN_THREAD=2: means nothing to Basin", "BASIN_THREAD=2")
end)

h.test("a wrong device is blamed on who gave it", function()
  local chosen = write("device.lua", [[
local basin = require "basin"
require("basin.core").configure { device = os.getenv "CHOSEN" }
basin.scene("s")
]])
  expect("run " .. chosen, 1, "the device of the context's options must be one of auto",
    "CHOSEN=foo")
  expect("run " .. good, 1, "the environment's BASIN_DEVICE must be one of auto",
    "BASIN_DEVICE=foo")
end)

h.test("files are found beside the script", function()
  os.execute(("mkdir -p '%s/beside/data' '%s/elsewhere'"):format(out, out))
  write("beside/data/one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
  write("beside/helper.lua", 'return require("basin").mesh.read("data/one.obj")')
  local script = write("beside/read.lua", [[
local basin = require "basin"
print(basin.mesh.read("data/one.obj").points.count)
print(dofile(arg[0]:gsub("read.lua", "helper.lua")).points.count)
print(pcall(basin.mesh.read, "data/two.obj"))
]])
  local inside = ("cd '%s/beside' &&"):format(out)
  local outside = ("cd '%s/elsewhere' &&"):format(out)
  for _, folder in ipairs { inside, outside } do
    expect("run " .. script, 0, "^3\n3\nfalse\t.*cannot open 'data/two.obj'.*beside the script",
      folder)
  end
  expect("run read.lua", 0, "^3\n3\n", inside)
  expect("run ../beside/read.lua", 0, "^3\n3\n", outside)
  write("elsewhere/one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n")
  write("beside/first.lua", 'print(require("basin").mesh.read("one.obj").points.count)')
  write("beside/one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
  expect("run ../beside/first.lua", 0, "^4\n", outside)
end)

h.test("info, version, help", function()
  expect("info", 0, "cpu:interp")
  expect("version", 0, "^basin %d+%.%d+%.%d+\n$")
  expect("--version", 0, "^basin")
  expect("help", 0, "usage: basin run")
  expect("", 0, "usage: basin run")
  expect("help operators", 0, "normalized")
end)

h.test("repl evaluates lines", function()
  local input = "1 + 1\\nx = 3\\nx * 2\\nbasin.array.range(0, 3):sum()\\nnonsense(\\n)\\n"
  local pipe = assert(io.popen(("printf '%s' | '%s' repl 2>&1"):format(input, command)))
  local text = pipe:read("a")
  pipe:close()
  h.equal(text:find("2\n6\n3.0\n", 1, true) ~= nil, true, text)
end)

h.test("repl takes statements of several lines, shows values, survives errors", function()
  local path = write("lines.txt", [[
function twice(a)
  return 2 * a
end
twice(4), "and"
_ + 1
basin.array.from {
  1, 2 }
basin.scene("s"):add_mesh("m")
basin.vector {}
error("plain")
x = = 1
_
]])
  local pipe = assert(io.popen(("'%s' repl < '%s' 2>&1"):format(command, path)))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  h.equal(status, 0)
  h.equal(text:find("^8\tand\n9\narray of 2[^\n]*\nmesh m: [^\n]*\n") ~= nil, true, text)
  h.equal(text:find("vector: a list of entries is needed", 1, true) ~= nil, true, text)
  h.equal(text:find("plain\n", 1, true) ~= nil, true, text)
  h.equal(text:find("unexpected symbol near '='\nmesh m: [^\n]*\n$") ~= nil, true, text)
end)

local body = [[
local basin = require "basin"
local scene = basin.scene("fall")
local points = scene:add_mesh("m"):add_primitive("points", 1)
local x = points:add_attribute("x", { rows = 3 })
scene:add_body { name = "point", unknowns = { x }, inertia = function(d) return 0.5 * d:dot(d) end,
  gravity = function(g) return -g:dot(x) end, surface = { positions = x } }
]]

h.test("--out replaces the folder a script names", function()
  local script = write("fall.lua", body .. [[
basin.simulate(scene, { dt = 0.1, steps = 2, gravity = { 0, -1, 0 },
  output = { folder = "elsewhere", frames = "obj" } })
]])
  local text = expect("run " .. script .. " --out " .. out .. "/chosen", 0, "step 2/2")
  h.equal(text:find("solves ended: converged 2", 1, true) ~= nil, true, "the report is printed")
  h.equal(io.open(out .. "/chosen/frame_00002.obj") ~= nil, true)
  h.equal(io.open("elsewhere"), nil)
  expect("run " .. script .. " --quiet --out " .. out .. "/chosen", 0, "^$")
end)

h.test("check and explain do not step", function()
  local script = write("declared.lua", body
    .. 'print(basin.simulate(scene, { dt = 0.1, steps = 1000000000, gravity = { 0, -1, 0 } }))')
  expect("check " .. script, 0, "declared, no steps taken.*ok   point.gravity")
end)

-- Starts a script, presses Ctrl-C after a second, returns what it said and its exit status.
local function interrupt(script)
  local start = ("trap - INT; exec %s run %s"):format(command, script)
  local shell = [[sh -c 'trap "" INT; (%s)& sleep 1; kill -INT $!; wait $!; echo status $?' 2>&1]]
  local pipe = assert(io.popen(shell:format(start)))
  local text = pipe:read("a")
  pipe:close()
  return text
end

h.test("Ctrl-C saves the state and ends with status 130", function()
  local file = out .. "/interrupted.npz"
  local script = write("endless.lua", body .. ([[
basin.simulate(scene, { dt = 0.001, steps = 1000000000, progress = false,
  checkpoint = { file = "%s", every = 1000000 } })
]]):format(file))
  os.remove(file)
  local text = interrupt(script)
  h.equal(text:find("interrupted after step", 1, true) ~= nil, true, text)
  h.equal(text:find("status 130", 1, true) ~= nil, true, text)
  h.equal(io.open(file) ~= nil, true)
end)

h.test("Ctrl-C stops a script that saves nothing", function()
  local text = interrupt(write("loop.lua", 'require "basin"; while true do end'))
  h.equal(text:find("status 130", 1, true) ~= nil, true, text)
end)

h.test("missing libraries: clear errors, or the interpreter when the device is left open",
  function()
  local missing = "BASIN_LIB_CLANG=/nonexistent/basin-clang.so"
  expect("run " .. good .. " --device cpu", 1, "/nonexistent/basin%-clang.so", missing)
  expect("run " .. good .. " --device auto", 0, "interpreted, which is slow.*converged", missing)
  expect("run " .. good .. " --device cpu:interp", 0, "^height", missing)
  local big = write("big.lua", [[
local basin = require "basin"
local sparse = basin.sparse
local n = 5000
print(pcall(function() return sparse.identity(n):factorize("cholesky") end))
print(sparse.identity(3):solve({ 1, 2, 3 }))
]])
  expect("run " .. big, 0, "false\t.*CHOLMOD.*array of 3",
    "BASIN_LIB_CHOLMOD=/nonexistent/libcholmod.so")
end)

h.test("an unwritable cache is no obstacle", function()
  expect("run " .. good .. " --device cpu", 0, "converged", "BASIN_CACHE_DIR=/dev/null/cache")
end)

h.test("a file that may not grow is an error, not a signal", function()
  local path = write("limited.lua", ([[
local basin = require "basin"
basin.mesh.box {}:write("%s/limited.obj")
]]):format(out))
  expect("run --quiet " .. path, 1, "cannot write", "ulimit -f 0;")
end)

h.finish()
