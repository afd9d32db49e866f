-- basin.newton: minimizes the energy of a scene or minimizer from the present values.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"
local filter = require "basin.filter"
local minimizer_module = require "basin.minimizer"
local options = require "basin.options"

local M = {}

local Report = { __name = "basin.newton_report" }
Report.__index = Report

function Report.__tostring(self)
  return ("%s after %d iterations (%d linear, %d trials): "):format(self.reason, self.iterations,
    self.linear_iterations, self.line_search_trials) .. ("energy %.10g, |g| %.3g, |d| %.3g, %.3f s")
    :format(self.energy, self.gradient_norm, self.direction_norm, self.seconds)
end

--- Options of basin.newton, and of simulate's `newton` table.
M.spec = { rule = { "step", "gradient", "decrement" }, tolerance = "positive",
  step_scale = "positive", max_iterations = "whole", line_search_limit = "whole",
  sufficient_decrease = "nonnegative", linear = "table", filters = "table", refresh = "function",
  monitor = "function" }

--- Checks options and turns them into those of the core; `more` adds keys to the valid ones.
function M.check(where, given)
  local checked = options.check(where, given, M.spec)
  checked.linear = options.check(where .. ".linear", checked.linear, minimizer_module.solve_spec)
  return checked
end

--- The core of a minimizer, and what it is to be called with: checked options, whose list of
--- filters, with more of them, becomes one function.
function M._call(minimizer, checked, filters)
  local core = minimizer:_synchronize()
  local all = {}
  for _, item in ipairs(checked.filters or {}) do all[#all + 1] = item end
  for _, item in ipairs(filters or {}) do all[#all + 1] = item end
  filter.prepare(all, minimizer)
  local combined = filter._combine(all)
  local call = {}
  for key, value in pairs(checked) do call[key] = value end
  call.filters = nil
  call.filter = combined and function(direction, alpha) return combined(core, direction, alpha) end
    or nil
  return core, call
end

--- Reports of the core print themselves.
function M._report(report) return setmetatable(report, Report) end

--- Runs Newton's method with checked options on a minimizer. `step_scale` and more filters may be
--- added by the caller.
function M.run(minimizer, checked, filters)
  local core, call = M._call(minimizer, checked, filters)
  return M._report(core:newton(call))
end

--- The minimizer that a scene or minimizer stands for.
function M._minimizer_of(where, target)
  if minimizer_module.is(target) then return target end
  if require("basin.scene").is(target) then return target:main_minimizer() end
  return errors.fail("ARGUMENT", "%s: a scene or a minimizer is needed, got a %s", where,
    options.type_name(target))
end

--- basin.newton(scene or minimizer, {rule=, tolerance=, step_scale=, max_iterations=,
--- line_search_limit=, sufficient_decrease=, linear=, filters=, refresh=, monitor=}): returns a
--- report; report.converged and report.reason say how it ended.
function M.newton(target, given)
  local checked = M.check("basin.newton", given)
  return M.run(M._minimizer_of("basin.newton", target), checked)
end

return M
