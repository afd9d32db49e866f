-- Material constants: conversions, their limits, and that every law is linear elasticity in small
-- strains.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

local lame = std.material.lame

harness.test("steel", function()
  local mu, lambda = lame.from_young(210e9, 0.3) -- values: mu = E / 2.6, lambda = 3 E / 5.2
  harness.close(mu, 210e9 / 2.6)
  harness.close(lambda, 210e9 * 0.3 / (1.3 * 0.4))
  local young, poisson = lame.to_young(mu, lambda)
  harness.close(young, 210e9)
  harness.close(poisson, 0.3)
end)

harness.test("plane stress", function()
  local mu, lambda = lame.plane_stress(1e5, 0.25)
  local mu3, lambda3 = lame.from_young(1e5, 0.25)
  harness.close(mu, mu3)
  harness.close(lambda, 2 * mu3 * lambda3 / (lambda3 + 2 * mu3)) -- no stress across the sheet
end)

local function fails(text, call, ...)
  local ok, problem = pcall(call, ...)
  assert(not ok, "no error")
  assert(tostring(problem):find(text, 1, true), tostring(problem))
end

harness.test("limits", function()
  fails("poisson must lie between -1 and 0.5", lame.from_young, 1e5, 0.5)
  fails("poisson must lie between -1 and 0.5", lame.from_young, 1e5, -1)
  fails("poisson must lie between -1 and 0.5", lame.plane_stress, 1e5, 0.7)
  fails("young must be a positive number", lame.from_young, 0, 0.3)
  fails("young must be a positive number", lame.from_young, "soft", 0.3)
  fails("must be positive", lame.to_young, -1, 2)
  fails("option 'poisson' is missing", std.elastic.st_venant_kirchhoff, { young = 1e5 })
  fails("did you mean 'lambda'", std.elastic.st_venant_kirchhoff, { mu = 1, lambda = 1, lamda = 2 })
  fails("needs 'lambda'", std.elastic.st_venant_kirchhoff, { mu = 1 })
  fails("needs 3 arguments", std.elastic.st_venant_kirchhoff, basin.identity(3), 1)
end)

-- e:H:e at F = I for a symmetric e, which for isotropic linear elasticity is 2 mu |e|^2 + lambda
-- tr(e)^2.
local function stiffness_along(material, e)
  local scene = basin.scene "material"
  local element = scene:add_mesh("mesh"):add_primitive("element", 1)
  local F = element:add_attribute("F", { rows = 3, cols = 3, value = { 1, 0, 0, 0, 1, 0, 0, 0,
    1 } })
  scene:add_energy(material:energy(F), { name = "energy", projection = "none" })
  scene:add_minimize_target { F }
  assert(scene:gradient():max_abs() < 1e-9 * 1e5, "there is stress at rest")
  local direction = basin.array.from(e) -- symmetric: the order of rows and columns does not matter
  return (scene:hessian({ projection = "none" }) * direction):dot(direction)
end

local young, poisson = 1e5, 0.35
local mu, lambda = lame.from_young(young, poisson)
for _, name in ipairs { "stable_neo_hookean", "stable_neo_hookean_log", "neo_hookean",
  "st_venant_kirchhoff", "fixed_corotated", "linear" } do
  harness.test(name .. " in small strains", function()
    local material = std.elastic[name] { young = young, poisson = poisson }
    for _, e in ipairs { { 1, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 1, 0, 0, 0, 0, 0 },
      { 0.3, 0.1, -0.4, 0.1, -0.2, 0.5, -0.4, 0.5, 0.7 } } do
      local squared, trace = 0, e[1] + e[5] + e[9]
      for _, v in ipairs(e) do squared = squared + v * v end
      harness.close(stiffness_along(material, e), 2 * mu * squared + lambda * trace ^ 2, 1e-10)
    end
  end)
end

-- The same for the sheet: F is 3 x 2, rest stress free, e in the plane.
harness.test("stvk_membrane in small strains", function()
  local material = std.shell.stvk_membrane { young = young, poisson = poisson }
  local m, l = lame.plane_stress(young, poisson)
  local scene = basin.scene "sheet"
  local element = scene:add_mesh("mesh"):add_primitive("element", 1)
  local s = element:add_attribute("s", { rows = 3, value = { 0, 0, 0 } })
  local F = basin.matrix { { 1 + s:at(1), s:at(3) }, { s:at(3), 1 + s:at(2) }, { 0, 0 } }
  scene:add_energy(material:energy(F), { name = "energy", projection = "none" })
  scene:add_minimize_target { s }
  local H = scene:hessian({ projection = "none" })
  harness.close(H:at(1, 1), 2 * m + l, 1e-10)
  harness.close(H:at(1, 2), l, 1e-10)
  harness.close(H:at(3, 3), 4 * m, 1e-10)
end)
harness.finish()
