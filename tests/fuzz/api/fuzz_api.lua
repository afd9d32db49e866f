-- Calls everything a script can reach with random wrong arguments: errors must be raised as
-- readable values; crashes and hangs are what the sanitizers and the time limit are for.
-- Settings: seed, seconds, verbose.
-- SPDX-License-Identifier: Apache-2.0
local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local basin = require "basin"
local core = require "basin.core"
local values = require "values"

local seed <const> = math.tointeger(tonumber(basin.setting("seed", 1)))
local seconds <const> = tonumber(basin.setting("seconds", 15))
local verbose <const> = basin.setting("verbose", false)
math.randomseed(seed)

-- ---- what is called: functions of modules, methods of classes, metamethods ----

-- Not called: replaces how errors are raised, which is what this test looks at.
local left_out <const> = { ["core.set_handlers"] = true }

local functions = {}

local function gather(owner, list)
  for name, value in basin.sorted(list) do
    local known = type(name) == "string" and name:sub(1, 1) ~= "_"
      and not left_out[owner .. "." .. name]
    if known and type(value) == "function" then
      functions[#functions + 1] = { name = owner .. "." .. name, call = value }
    end
  end
end

gather("basin", basin)
gather("core", core)
for _, name in ipairs { "array", "mesh", "filter", "sparse", "contact" } do
  gather("basin." .. name, basin[name])
end
for _, name in ipairs { "array", "matrix", "factor", "mesh", "system", "plan", "minimizer",
  "frames", "checkpoint", "contact", "context" } do
  local ok, methods, getters = pcall(core.methods, "basin." .. name)
  if ok then
    gather(name, methods)
    if getters then gather(name, getters) end
  end
end
for _, module in ipairs { "expression", "attribute", "owner", "scene", "primitive", "energy",
  "minimizer", "output" } do
  for key, list in basin.sorted(require("basin." .. module)) do
    local methods = type(list) == "table" and tostring(key):find("methods$")
    if methods then gather(module .. "." .. key, list) end
  end
end

-- Of the classes written in Lua; those written in C hide theirs.
local function metamethods(pool)
  local list = {}
  for _, object in ipairs(pool) do
    local metatable = getmetatable(object)
    for name, value in pairs(type(metatable) == "table" and metatable or {}) do
      if type(value) == "function" and type(name) == "string" then
        list[#list + 1] = { name = "metamethod " .. name, call = value }
      end
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- ---- rounds ----

local counts = { calls = 0, errors = 0 }
local unreadable, raw = {}, {}

-- An error value must have a text. Errors of Lua itself ("attempt to index …") help little: they
-- are listed on request.
local function judge(name, problem)
  counts.errors = counts.errors + 1
  local ok, text = pcall(tostring, problem)
  local kind = type(problem)
  if not ok or kind ~= "string" and kind ~= "table" and kind ~= "userdata" then
    unreadable[name] = kind
  elseif text:find("attempt to ", 1, true) or text:find("bad argument #%d+ to '?for") then
    raw[name .. ": " .. text:gsub("\n.*", ""):sub(1, 160)] = true
  elseif text:find("INTERNAL", 1, true) or #text == 0 then
    unreadable[name] = text
  end
end

-- Bounds what scripts' own loops may take; loops in C are bounded by their data.
local function bounded(call, ...)
  local stop = os.clock() + 2
  debug.sethook(function()
    if os.clock() > stop then error("stopped: two seconds in Lua", 2) end
  end, "", 100000)
  return pcall(call, ...)
end

local function call_once(entry, pool)
  local count, arguments = math.random(0, 5), {}
  for i = 1, count do arguments[i] = values.random(pool, 3) end
  if verbose then
    io.stderr:write(entry.name, " ")
    for i = 1, count do
      local _, text = pcall(tostring, arguments[i])
      io.stderr:write(type(arguments[i]), " ", tostring(text):sub(1, 60), ", ")
    end
    io.stderr:write("\n")
  end
  local result = table.pack(bounded(entry.call, table.unpack(arguments, 1, count)))
  debug.sethook()
  counts.calls = counts.calls + 1
  if not result[1] then
    judge(entry.name, result[2])
  elseif #pool < 60 and (type(result[2]) == "userdata" or type(result[2]) == "table") then
    pool[#pool + 1] = result[2]
  end
end

local quiet = function() end
local print_before = print
print = quiet -- luacheck: ignore
local deadline = os.clock() + seconds
repeat
  local pool = values.pool()
  local meta = metamethods(pool)
  for _ = 1, 400 do
    call_once(functions[math.random(#functions)], pool)
    if math.random(4) == 1 then call_once(meta[math.random(#meta)], pool) end
    if math.random(50) == 1 and #pool > 5 then
      table.remove(pool, math.random(#pool)) -- parents may go before their children
      collectgarbage()
    end
    if os.clock() > deadline then break end
  end
  pool, meta = nil, nil -- luacheck: ignore
  collectgarbage()
until os.clock() > deadline
print = print_before -- luacheck: ignore

for name, text in basin.sorted(unreadable) do print("unreadable", name, text) end
for name in basin.sorted(verbose and raw or {}) do print("raw", name) end
print(("%d functions, %d calls, %d errors"):format(#functions, counts.calls, counts.errors))
if next(unreadable) then os.exit(1) end
if counts.errors < counts.calls / 10 then error("hardly any call failed: no fuzzing was done") end
