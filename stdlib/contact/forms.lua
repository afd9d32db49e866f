-- The forms of the barrier by name, and their derivatives as numbers.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local cubic_barrier = require "basin.std.contact.cubic_barrier"
local log_barrier = require "basin.std.contact.log_barrier"
local squared_log_barrier = require "basin.std.contact.squared_log_barrier"
local two_stage_barrier = require "basin.std.contact.two_stage_barrier"
local M = {}

M.by_name = { squared_log = squared_log_barrier, log = log_barrier, cubic = cubic_barrier,
  two_stage = two_stage_barrier }

---What the option `form` may be.
M.names = { "squared_log", "log", "cubic", "two_stage" }

---Value, slope and curvature in its argument of a form at stiffness 1, from the expression that
---kernels are made of.
function M.derivatives(form, D, reach)
  local scene = basin.scene("form", { device = "cpu:interp" })
  local element = scene:add_mesh("mesh"):add_primitive("element", 1)
  local unknown = element:add_attribute("D", { value = D })
  scene:add_energy(form(unknown, reach, 1), { name = "barrier", projection = "none" })
  scene:add_minimize_target { unknown }
  return scene:compute_total_energy(), scene:gradient():at(1),
    scene:hessian({ projection = "none" }):at(1, 1)
end

---The force of a barrier of stiffness 1 N/m that begins at distance 1, at half that distance.
function M.half_force(form)
  local _, slope = M.derivatives(form, form.of_distance and 0.5 or 0.25, 1)
  return -slope
end

return M
