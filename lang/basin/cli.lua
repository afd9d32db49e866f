-- The `basin` command: run, check, explain, dump, info, repl, help, version.
-- SPDX-License-Identifier: Apache-2.0
local command = require "basin.command"
local core = require "basin.core"
local device = require "basin.device"
local errors = require "basin.errors"
local files = require "basin.files"
local session = require "basin.session"

local M = {}

local usage <const> = [[
usage: basin run FILE.lua [options]     run a scene
       basin check FILE.lua [options]   compare the derivatives of its energies with differences
       basin explain FILE.lua [NAME]    what the compiler found in each energy
       basin dump FILE.lua --stage STAGE [--term NAME] [--kernel value|gradient|hessian|compute]
                                        what it made of them: ir, scalar, hoist, frontier, gradient,
                                        hessian, waist, map_out; kernel, llvm, asm, cuda,
                                        sm_90 (what NVRTC says of that architecture)
       basin info [--config]            version, device, libraries; options and where they came from
       basin repl [FILE.lua]            an interpreter with basin and std loaded
       basin help [operators]           this text, or the operators of expressions
       basin version

options: --device auto|cpu|cpu:interp|cuda|cuda:N   where kernels run
         --threads N                    threads (default: all cores)
         --precision double|float
         --set KEY=VALUE                a setting for basin.setting("KEY", default); may be repeated
         --out DIR                      folder for output, instead of the one the script names
         --log error|warn|info|debug|trace
         --quiet                        no progress
exit status: 0 success, 1 an error or a failed check, 2 wrong usage, 130 interrupted]]

local function fail_usage(format, ...)
  io.stderr:write("basin: ", format:format(...), "\n")
  error({ usage = true }, 0)
end

-- ---- the command line ----

local value_options <const> = { ["--device"] = "device", ["--threads"] = "threads",
  ["--precision"] = "precision", ["--set"] = "set",
  ["--out"] = "out", ["--stage"] = "stage", ["--term"] = "term", ["--log"] = "log",
  ["--kernel"] = "kernel" }
local switches <const> = { ["--quiet"] = "quiet", ["--config"] = "config" }

local option_words <const> = {
  precision = { "double", "float" },
  log = { "error", "warn", "info", "debug", "trace" },
  kernel = { "value", "gradient", "hessian", "compute" },
}

local function check_value(name, value)
  if name == "threads" then
    local number = math.tointeger(tonumber(value))
    if not number or number < 1 or number > core.threads_max then
      fail_usage("--threads needs a whole number from 1 to %d, got '%s'", core.threads_max, value)
    end
    return number
  end
  if name == "device" and not device.is(value) then
    local hint = device.suggestion(value)
    fail_usage("--device must be one of %s, got '%s'%s", device.list(), value,
      hint and "; " .. hint or "")
  end
  local words = option_words[name]
  if not words then return value end
  for _, word in ipairs(words) do
    if word == value then return value end
  end
  fail_usage("--%s must be one of %s, got '%s'", name, table.concat(words, ", "), value)
end

local function add_setting(text)
  local key, value = text:match("^([%w_]+)=(.*)$")
  if not key then fail_usage("--set needs KEY=VALUE, got '%s'", text) end
  session.set(key, value)
end

local function read_option(options, arguments, i)
  local word = arguments[i]
  if switches[word] then
    options[switches[word]] = true
    return i
  end
  local flag, joined = word:match("^(%-%-[%w]+)=(.*)$")
  local name = value_options[flag or word]
  if not name then
    local hint = errors.suggestion(flag or word,
      errors.sorted_keys(value_options, switches))
    fail_usage("unknown option '%s'%s", word, hint and " (" .. hint .. ")" or "")
  end
  local value = joined or arguments[i + 1]
  if value == nil then fail_usage("%s needs a value", word) end
  if name == "set" then
    add_setting(value)
  else
    options[name] = check_value(name, value)
  end
  return joined and i or i + 1
end

local function parse(arguments)
  local options, positional, i = {}, {}, 2
  while i <= #arguments do
    if arguments[i]:sub(1, 2) == "--" then
      i = read_option(options, arguments, i)
    else
      positional[#positional + 1] = arguments[i]
    end
    i = i + 1
  end
  return options, positional
end

local function configure(options)
  session.command = command
  for _, name in ipairs { "device", "precision", "out", "quiet" } do
    session.set_option(name, options[name])
  end
  local context = {}
  for _, name in ipairs { "device", "threads", "log" } do context[name] = options[name] end
  session.context_options = context
  core.configure(context)
end

-- ---- running scripts ----

local function run_file(path, declare)
  if not path then fail_usage("a script is missing; try `basin help`") end
  local chunk = files.load_script(path)
  session.mode = declare and "declare" or "run"
  _G.arg = { [0] = path }
  chunk()
  for _, key in ipairs(session.unused_settings()) do
    core.context():log("warn", ("--set %s=…: the script never asked for it"):format(key))
  end
end

local function declared_scenes(path)
  run_file(path, true)
  local scenes = session.scenes()
  if #scenes == 0 then errors.fail { code = "STATE", message = path .. " made no scene" } end
  return scenes
end

local commands = {}

-- The reports of simulations that the script did not print itself.
local function print_reports()
  for _, scene in ipairs(session.scenes()) do
    local simulation = rawget(scene, "_simulation")
    if simulation and not simulation.report.shown then print(simulation.report) end
  end
end

function commands.run(positional, options)
  run_file(positional[1], false)
  if not options.quiet then print_reports() end
  return 0
end

function commands.check(positional)
  local check = require "basin.check"
  local passed = true
  for _, scene in ipairs(declared_scenes(positional[1])) do
    local report = check.check(scene)
    print(report)
    passed = passed and report.passed
  end
  return passed and 0 or 1
end

function commands.explain(positional)
  for _, scene in ipairs(declared_scenes(positional[1])) do
    print(("scene %s"):format(scene.name))
    print(scene:explain(positional[2]))
  end
  return 0
end

function commands.dump(positional, options)
  if not options.stage then fail_usage("dump needs --stage, for example --stage ir") end
  for _, scene in ipairs(declared_scenes(positional[1])) do
    print(scene:dump(options.stage, options.term, options.kernel))
  end
  return 0
end

local function print_cuda_devices(context)
  local devices, reason = core.devices(context)
  if #devices == 0 then print("device cuda       missing: " .. reason) end
  for i, found in ipairs(devices) do
    local name = ("cuda:%d"):format(i - 1)
    print(("device %-10s %s"):format(name, found.problem and "missing: " .. found.problem
      or ("%s, %s, %.1f GiB, %d multiprocessors"):format(found.name, found.architecture,
        found.memory / 2 ^ 30, found.multiprocessors)))
  end
end

local function library_line(library)
  if library.problem then return ("%-17s missing: %s"):format(library.name, library.problem) end
  local version = library.version and library.version .. ", " or ""
  return ("%-17s %s%s"):format(library.name, version, library.file)
end

function commands.info(_, options)
  local basin = require "basin"
  if options.config then
    print(basin.config())
    return 0
  end
  local context = core.context()
  print("basin " .. core.version)
  print("threads: " .. context:threads())
  for _, name in ipairs { "cpu", "cpu:interp" } do
    local ok, text = pcall(function() return basin.scene("info", { device = name }):device() end)
    print(("device %-10s %s"):format(name, ok and text or "missing: "
      .. tostring(text):gsub("\n.*", "")))
  end
  print_cuda_devices(context)
  for _, library in ipairs(core.libraries(context)) do print(library_line(library)) end
  return 0
end

function commands.repl(positional)
  require("basin.repl").run(positional[1] and function() run_file(positional[1], false) end)
  return 0
end

function commands.help(positional)
  print(positional[1] == "operators" and require("basin.help").operators() or usage)
  return 0
end

function commands.version()
  print("basin " .. core.version)
  return 0
end

local function dispatch(arguments)
  local name = arguments[1]
  if name == nil or name == "--help" or name == "-h" then name = "help" end
  if name == "--version" then name = "version" end
  local run = commands[name]
  if not run then
    local hint = errors.suggestion(name, errors.sorted_keys(commands))
    fail_usage("unknown command '%s'%s; try `basin help`", name, hint and " (" .. hint .. ")" or "")
  end
  local options, positional = parse(arguments)
  configure(options)
  return run(positional, options)
end

-- Basin's own error values explain themselves; anything else gets a traceback.
local function with_traceback(problem)
  if errors.is_error(problem) or (type(problem) == "table" and problem.usage) then
    return problem
  end
  return debug.traceback(tostring(problem), 2)
end

--- Runs one command line; returns the exit status.
function M.main(arguments)
  local ok, result = xpcall(dispatch, with_traceback, arguments)
  if ok then return result end
  if type(result) == "table" and result.usage then return 2 end
  io.stderr:write(tostring(result), "\n")
  if (errors.is_error(result) and result.code == "INTERRUPTED") or command.interrupts() > 0 then
    return 130
  end
  return 1
end

return M
