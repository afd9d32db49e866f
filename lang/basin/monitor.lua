-- The iteration log and the progress line of simulate.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local errors = require "basin.errors"
local options = require "basin.options"
local session = require "basin.session"

local M = {}

-- ---- the log ----

local Log = {}
Log.__index = Log

local header <const> =
  "  step    it                  E        |g|        |d|      alpha   ls    lin  flags   seconds"
local row <const> = "%6d %5d %18.11g %10.3e %10.3e %10.3e %4d %6d  %-5s %9.5f"
local legend <const> =
  "# flags: p projection strengthened, f step filtered, s solver retried, l step cut by line search"

-- A number as JSON: not finite ones have no form there.
local function json_number(value)
  if math.type(value) == "integer" then return tostring(value) end
  if value ~= value or value == math.huge or value == -math.huge then return "null" end
  return ("%.17g"):format(value)
end

local function json_line(step, iteration)
  local parts = { ('"step":%d'):format(step) }
  for _, key in ipairs(errors.sorted_keys(iteration)) do
    local value = iteration[key]
    parts[#parts + 1] = ('"%s":%s'):format(key, type(value) == "number" and json_number(value)
      or ('"%s"'):format(value))
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function fail_write(problem) errors.fail("IO", "cannot write the log: %s", problem) end

-- Lines leave at once, so that a full disk is noticed where it happens.
function Log:write(...)
  local good, problem = self.file:write(...)
  if good then good, problem = self.file:flush() end
  if not good then fail_write(problem) end
end

function Log:iteration(step, it)
  if self.json then
    self:write(json_line(step, it), "\n")
  else
    self:write(row:format(step, it.number, it.energy, it.gradient_norm, it.direction_norm,
      it.alpha, it.line_search_trials, it.linear_iterations, it.flags, it.seconds), "\n")
  end
end

--- Ends the log; nil, or what could not be written.
function Log:close(text)
  local _, problem
  if not self.json then
    local lines = (text .. "\n"):gsub("\n+", "\n"):gsub("[^\n]+", "# %0")
    _, problem = self.file:write(lines)
  end
  local closed, late = self.file:close()
  return problem or (not closed and late or nil)
end

--- The log that options ask for: a file name, {file=, format = "table" or "json"}, false for none;
--- by default log.txt in the folder of the output. nil without one. After a restart at step `from`
--- the log that is there goes on.
function M.log(given, folder, scene, from)
  if given == false or (given == nil and not folder) then return nil end
  if type(given) == "string" then given = { file = given } end
  local checked = options.check("simulate: log", given == nil and {} or given,
    { file = "string", format = { "table", "json" } })
  local json = checked.format == "json"
  local name = checked.file and session.output_file(checked.file) or (folder or ".")
    .. (json and "/log.jsonl" or "/log.txt")
  local parent = name:match("^(.*)/[^/]*$")
  if parent and parent ~= "" then scene._context:make_folders(parent) end
  local file, problem = io.open(name, from > 0 and "a" or "w")
  if not file then fail_write(problem) end
  file:setvbuf("full")
  local log = setmetatable({ file = file, json = json }, Log)
  if not json then
    log:write(("# basin %s, scene %s, device %s, %d threads\n"):format(core.version, scene.name,
      scene:device(), scene._context:threads()))
    if from > 0 then log:write(("# restarted after step %d\n"):format(from)) end
    log:write(legend, "\n", header, "\n")
  end
  return log
end

-- ---- progress ----

local Progress = {}
Progress.__index = Progress

local LINES <const> = 20 -- without a terminal, about that many lines a run

function Progress:update(step, time, report)
  if not self.show then return end
  local text = ("%s: step %d/%d, t = %.4g s, %d iterations, %s, %.1f s"):format(self.name, step,
    self.steps, time, report.iterations, report.reason, core.seconds() - self.start)
  if self.terminal then
    io.stderr:write("\r", text, "\27[K")
    io.stderr:flush()
  elseif step % math.max(1, self.steps // LINES) == 0 or step == self.steps then
    io.stderr:write(text, "\n")
  end
end

function Progress:close()
  if self.show and self.terminal then io.stderr:write("\n") end
end

--- The progress of a run: under the `basin` command by default, else only with progress = true.
function M.progress(given, name, steps)
  if given ~= nil and type(given) ~= "boolean" then
    errors.fail("ARGUMENT", "simulate: 'progress' must be true or false")
  end
  local show = given
  if show == nil then show = session.command ~= nil and not session.option("quiet") end
  local terminal = session.command ~= nil and session.command.terminal("stderr")
  return setmetatable({ show = show, terminal = terminal, name = name, steps = steps,
    start = core.seconds() }, Progress)
end

return M
