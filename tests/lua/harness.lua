-- A small test harness: test(name, function), checks, and a summary that sets the exit status.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

local passed, failed = 0, 0

--- Runs one test; a failure is printed and remembered.
function M.test(name, body)
  local ok, problem = xpcall(body, function(value)
    local text = tostring(value)
    return type(value) == "string" and debug.traceback(text, 2) or text
  end)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAIL %s: %s"):format(name, problem))
  end
end

function M.equal(found, expected, what)
  if found ~= expected then
    error(("%s: expected %s, found %s"):format(what or "values differ", tostring(expected),
      tostring(found)), 2)
  end
end

local host

--- The device that others are compared with: "cpu" where kernels can be compiled, else the
--- interpreter.
function M.host()
  local basin = require "basin"
  host = host or pcall(function() return basin.scene("host", { device = "cpu" }):device() end)
    and "cpu" or "cpu:interp"
  return host
end

--- Ends the script as skipped where no CUDA device can be opened.
function M.need_cuda()
  local found, reason = pcall(require("basin").scene, "probe", { device = "cuda" })
  if found then return end
  print("skipped: " .. tostring(reason))
  os.exit(77)
end

--- |found - expected| <= tolerance * max(1, |expected|).
function M.close(found, expected, tolerance, what)
  local bound = (tolerance or 1e-12) * math.max(1, math.abs(expected))
  if not (math.abs(found - expected) <= bound) then -- luacheck: ignore 581
    error(("%s: expected %.17g, found %.17g"):format(what or "values differ", expected, found), 2)
  end
end

local function flat(value)
  local basin = require "basin"
  local array = basin.array.from(value)
  return basin.array.from(array, { rows = 1 }):table()
end

--- Compares all numbers of two arrays or tables.
function M.close_arrays(found, expected, tolerance, what)
  local a, b = flat(found), flat(expected)
  if #a ~= #b then
    error(("%s: expected %d numbers, found %d"):format(what or "lengths differ", #b, #a), 2)
  end
  for i = 1, #a do
    local bound = (tolerance or 1e-12) * math.max(1, math.abs(b[i]))
    if not (math.abs(a[i] - b[i]) <= bound) then -- luacheck: ignore 581
      error(("%s: number %d: expected %.17g, found %.17g"):format(what or "arrays differ", i, b[i],
        a[i]), 2)
    end
  end
end

--- The function must raise, and the text of the error match the pattern.
function M.fails(pattern, body, ...)
  local ok, problem = pcall(body, ...)
  if ok then error("no error, expected one like: " .. pattern, 2) end
  if not tostring(problem):find(pattern) then
    error(("expected an error like '%s', found: %s"):format(pattern, tostring(problem)), 2)
  end
end

-- ---- the command, in processes of its own ----

--- What `basin <arguments>` writes (both streams), and its exit status. `environment` is what a
--- shell takes before it: "A=1 B=2", "env -u A".
function M.command(arguments, environment)
  local command = assert(os.getenv "BASIN_COMMAND", "BASIN_COMMAND names the basin command")
  local pipe = assert(io.popen(("%s '%s' %s 2>&1"):format(environment or "", command, arguments)))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  return text, status
end

--- The same; it must end with `status`, and write what matches `pattern` if there is one.
function M.expect_command(arguments, status, pattern, environment)
  local text, found = M.command(arguments, environment)
  M.equal(found, status, arguments .. " gave: " .. text .. "\nexit status")
  if pattern and not text:find(pattern) then
    error(("'%s' not found in: %s"):format(pattern, text), 2)
  end
  return text
end

--- Writes a file into the folder for output of tests; its path.
function M.write(name, text)
  local folder = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")
  local path = folder .. "/" .. name
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

--- Prints the counts; call at the end of every test file.
function M.finish()
  print(("%d passed, %d failed"):format(passed, failed))
  if failed > 0 then os.exit(1) end
  if passed == 0 then error("no test ran") end
end

return M
