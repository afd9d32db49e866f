-- The report of a simulation: counts, times by phase, reasons.
-- SPDX-License-Identifier: Apache-2.0
local body_module = require "basin.body"

local M = {}

local Report = { __name = "basin.report" }
Report.__index = Report

--- Adds what one minimization did.
function Report:add_step(result)
  self.steps = self.steps + (result.interrupted and 0 or 1)
  self.iterations = self.iterations + result.iterations
  self.linear_iterations = self.linear_iterations + result.linear_iterations
  self.line_search_trials = self.line_search_trials + result.line_search_trials
  self.reasons[result.reason] = (self.reasons[result.reason] or 0) + 1
  for _, phase in ipairs { "assembly", "solve", "line_search", "filter", "pairs",
    "pair_energy" } do
    self["seconds_" .. phase] = self["seconds_" .. phase] + result["seconds_" .. phase]
  end
  self.seconds_newton = self.seconds_newton + result.seconds
  self.last = result
end

local function reasons_text(reasons)
  local names = {}
  for name in pairs(reasons) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    if reasons[a] ~= reasons[b] then return reasons[a] > reasons[b] end
    return a < b
  end)
  for i, name in ipairs(names) do names[i] = ("%s %d"):format(name, reasons[name]) end
  return table.concat(names, ", ")
end

function Report:__tostring()
  self.shown = true
  return self:text()
end

local function counts_text(self)
  local text = ("  iterations: %s %d (%.2f a step), linear %d, line search trials %d"):format(
    self.method, self.iterations, self.iterations / math.max(1, self.steps), self.linear_iterations,
    self.line_search_trials)
  if self.smallest_alpha < 1 then
    text = text .. (", smallest step %.2g"):format(self.smallest_alpha)
  end
  return text
end

local function times_text(self)
  local parts, rest = {}, self.seconds
  for _, phase in ipairs { "assembly", "solve", "line_search", "filter", "output" } do
    local seconds = self["seconds_" .. phase]
    parts[#parts + 1] = ("%s %.3f s"):format(phase:gsub("_", " "), seconds)
    rest = rest - seconds
  end
  parts[#parts + 1] = ("rest %.3f s"):format(math.max(0, rest))
  return "  time: " .. table.concat(parts, ", ")
end

--- What contact costs: a table of seconds by phase, all parts of the run's time, or nil without
--- contact. `total` is the sum of broad, narrow, steps, fill and pairs.
function Report:collision()
  local sum
  for _, hook in ipairs(body_module.hooks(self._scene)) do
    if hook.costs then
      sum = sum or { broad = 0, narrow = 0, steps = 0, fill = 0, detections = 0, collections = 0 }
      for key, value in pairs(hook.costs()) do sum[key] = sum[key] + value end
    end
  end
  if not sum then return nil end
  sum.pairs, sum.pair_energy = self.seconds_pairs, self.seconds_pair_energy
  sum.total = sum.broad + sum.narrow + sum.steps + sum.fill + sum.pairs
  return sum
end

local function collision_text(self, c)
  return ("  collision: broad phase %.3f s, narrow phase %.3f s, step times %.3f s, filling pairs "
    .. "%.3f s, pair assembly %.3f s: %.1f %% of the run; pair energies %.3f s"):format(c.broad,
    c.narrow, c.steps, c.fill, c.pairs, 100 * c.total / math.max(self.seconds, 1e-9),
    c.pair_energy)
end

--- The report as several lines.
function Report:text()
  if self.steps == 0 and not self.ran then
    return ("%s: declared, no steps taken"):format(self.name)
  elseif self.steps == 0 and not self.last then
    return ("%s: 0 steps, nothing to do"):format(self.name)
  end
  local kernels = self._scene:kernel_statistics()
  local lines = {
    ("%s: %d steps of %g s in %.3f s%s"):format(self.name, self.steps, self.dt, self.seconds,
      self.interrupted and ", interrupted" or ""),
    counts_text(self),
    "  solves ended: " .. reasons_text(self.reasons),
    times_text(self),
    ("  kernels: %d compiled, %d from the cache, %.3f s"):format(kernels.compiled,
      kernels.from_disk + kernels.from_memory, kernels.seconds),
  }
  local collision = self:collision()
  if collision then lines[#lines + 1] = collision_text(self, collision) end
  for _, hook in ipairs(body_module.hooks(self._scene)) do
    if hook.report then lines[#lines + 1] = hook.report() end
  end
  return table.concat(lines, "\n")
end

--- An empty report.
function M.new(scene, options)
  local method = options.solve and (options.solve.method or "lbfgs") or "newton"
  return setmetatable({ name = scene.name, _scene = scene, dt = options.dt, steps = 0,
    method = method == "newton" and "Newton" or method,
    iterations = 0, linear_iterations = 0,
    line_search_trials = 0, reasons = {}, seconds = 0, seconds_newton = 0, seconds_assembly = 0,
      seconds_solve = 0,
    seconds_line_search = 0, seconds_filter = 0, seconds_output = 0, seconds_pairs = 0,
    seconds_pair_energy = 0,
    smallest_alpha = 1, interrupted = false,
      shown = false }, Report)
end

return M
