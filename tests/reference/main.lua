-- Runs golden cases, named by the setting `paths`, one a line: a line a case, then the counts.
-- SPDX-License-Identifier: Apache-2.0
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path
local golden = require "golden"

-- Group handlers: groups/<group>.lua returns { { prefix, function(case, checker) }, ... }; the
-- first
-- entry whose prefix starts the name of the case takes it. Others are listed as skipped.
local function handler_of(case)
  local path = here .. "groups/" .. case.group .. ".lua"
  local file = case.group:match("^[%w_]+$") and io.open(path, "r")
  if not file then return nil, "group '" .. case.group .. "' is not supported yet" end
  file:close()
  for _, entry in ipairs(require("groups." .. case.group)) do
    if case.case:sub(1, #entry[1]) == entry[1] then return entry[2] end
  end
  return nil, "no handler in group '" .. case.group .. "' yet"
end

-- All .json files and lists of queries in a folder, sorted; a file stands for itself.
local function files_of(path)
  local quoted = "'" .. path:gsub("'", "'\\''") .. "'"
  local pipe = assert(io.popen("find " .. quoted
    .. " -type f '(' -name '*.json' -o -name '*queries.txt' ')' | LC_ALL=C sort", "r"))
  local files = {}
  for line in pipe:lines() do files[#files + 1] = line end
  pipe:close()
  return files
end

local function line(mark, name, text) print(("%-5s %-44s %s"):format(mark, name, text)) end

local function run(path)
  local case, message, other = golden.read(path)
  if not case then
    line(other and "skip" or "FAIL", path, message)
    return other and "skipped" or "failed"
  end
  local name = case.group .. "/" .. case.case
  local handler, reason = handler_of(case)
  if not handler then
    line("skip", name, reason)
    return "skipped"
  end
  local checker = golden.checker(case)
  local missing
  local ok, failure = xpcall(handler, function(value)
    missing = type(value) == "table" and value.code == "MISSING_LIBRARY"
    return type(value) == "string" and debug.traceback(value, 2) or tostring(value)
  end, case, checker)
  if missing then
    line("skip", name, (failure:match("[^\n]*")))
    return "skipped"
  end
  if not ok then checker:fail("stopped", failure) end
  if #checker.failures == 0 then
    line("ok", name, ("%d numbers, worst %.2g of its tolerance (%s)"):format(
      checker.count, checker.worst, checker.worst_text))
    for _, note in ipairs(checker.notes) do print("        " .. note) end
    return "passed"
  end
  line("FAIL", name, ("%d of %d comparisons"):format(#checker.failures, checker.count))
  for i = 1, math.min(#checker.failures, 8) do print("        " .. checker.failures[i]) end
  return "failed"
end

local M = {}

---Runs everything below the paths; returns true if nothing failed and something passed.
function M.run(paths)
  local counts = { passed = 0, failed = 0, skipped = 0 }
  for _, path in ipairs(paths) do
    local files = files_of(path)
    if #files == 0 then
      line("FAIL", path, "no .json files")
      counts.failed = counts.failed + 1
    end
    for _, file in ipairs(files) do
      local outcome = run(file)
      counts[outcome] = counts[outcome] + 1
    end
  end
  if counts.skipped > 0 then print(("%d skipped"):format(counts.skipped)) end
  print(("%d passed, %d failed"):format(counts.passed, counts.failed))
  return counts.failed == 0 and counts.passed > 0
end

local paths = {}
for path in (require("basin").setting("paths", "")):gmatch("[^\n]+") do paths[#paths + 1] = path end
if #paths == 0 then
  print("usage: scripts/reference [--device DEVICE] PATH...")
  os.exit(2)
end
os.exit(M.run(paths) and 0 or 1)
