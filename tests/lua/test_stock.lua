-- require "basin" in a stock lua5.4: no globals, a scene that is minimized.
-- SPDX-License-Identifier: Apache-2.0
local before = {}
for key in pairs(_G) do before[key] = true end

local basin = require "basin"
local h = require "harness"

h.test("no globals", function()
  for key in pairs(_G) do h.equal(before[key], true, "global " .. tostring(key)) end
end)

h.test("a scene runs", function()
  local scene = basin.scene("stock")
  local points = scene:add_mesh("m"):add_primitive("points", 3)
  local x = points:add_attribute("x", { rows = 2, value = { { 1, 2 }, { 3, 4 }, { 5, 6 } } })
  scene:add_energy(points:add_attribute("e", (x - basin.vector { 1, 1 }):squared_norm()))
  scene:add_minimize_target { x }
  local report = basin.newton(scene, { tolerance = 1e-12 })
  h.equal(report.converged, true)
  h.close_arrays(x:value(), { { 1, 1 }, { 1, 1 }, { 1, 1 } }, 1e-12)
end)

h.test("errors are values that print themselves", function()
  local ok, problem = pcall(basin.vector, {})
  h.equal(ok, false)
  h.equal(problem.code, "ARGUMENT")
  h.equal(tostring(problem):find("vector: a list of entries is needed", 1, true) ~= nil, true)
end)

h.test("simulate prints nothing", function()
  local scene = basin.scene("quiet")
  local x = scene:add_mesh("m"):add_primitive("points", 1):add_attribute("x", { rows = 3 })
  scene:add_body { name = "b", unknowns = { x }, inertia = function(d) return 0.5 * d:dot(d) end }
  h.equal(basin.simulate(scene, { dt = 0.1, steps = 2 }).steps, 2)
end)

h.finish()
