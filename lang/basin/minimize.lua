-- basin.minimize: Newton's method and first-order methods behind one name.
-- SPDX-License-Identifier: Apache-2.0
local newton = require "basin.newton"
local options = require "basin.options"

local M = {}

local methods <const> = { "newton", "lbfgs", "bfgs", "dfp", "gradient_descent",
  "fletcher_reeves", "polak_ribiere", "hestenes_stiefel", "dai_yuan" }

local spec = { method = methods, rule = { "step", "gradient", "decrement" },
  tolerance = "positive", step_scale = "positive", max_iterations = "whole",
  line_search_limit = "whole", sufficient_decrease = "positive", curvature = "positive",
  memory = "count", fixed_scale = "boolean", filters = "table", refresh = "function",
  monitor = "function" }

--- Checks options of a method, or those of Newton's, which are its own.
function M.check(where, given)
  if type(given) ~= "table" or given.method ~= "newton" then
    local checked = options.check(where, given, spec)
    checked.method = checked.method or "lbfgs"
    return checked
  end
  local rest = {}
  for key, value in pairs(given) do rest[key] = value end
  rest.method = nil
  local checked = newton.check(where, rest)
  checked.method = "newton"
  return checked
end

--- Runs the method of checked options on a minimizer; the caller may add filters.
function M.run(minimizer, checked, filters)
  local core, call = newton._call(minimizer, checked, filters)
  if checked.method == "newton" then return newton._report(core:newton(call)) end
  return newton._report(core:first_order(call))
end

--- basin.minimize(scene or minimizer, {method=, rule=, tolerance=, step_scale=, max_iterations=,
--- line_search_limit=, sufficient_decrease=, curvature=, memory=, fixed_scale=, filters=, refresh=,
--- monitor=}): minimizes from the present values; returns a report as basin.newton does. Methods:
--- "lbfgs" (the default), "bfgs", "dfp", "gradient_descent", "fletcher_reeves", "polak_ribiere",
--- "hestenes_stiefel", "dai_yuan"; "newton" takes the options of basin.newton.
function M.minimize(target, given)
  local checked = M.check("basin.minimize", given)
  return M.run(newton._minimizer_of("basin.minimize", target), checked)
end

return M
