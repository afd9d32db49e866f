-- The same bits with any number of threads; the interpreter agrees to rounding.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

-- A soft block, cloth and an affine body over a plane; enough elements for several chunks a thread.
local function run(options, solver, steps)
  local scene = basin.scene("determinism", options)
  local soft = std.body.soft(scene, "soft", { mesh = basin.mesh.box { nx = 12, ny = 6, nz = 6,
    width = 0.4, height = 0.2, depth = 0.2 },
    copies = { { 0, 0.11, 0 } }, density = 1000,
      material = std.elastic.fixed_corotated { young = 2e4, poisson = 0.4 } })
  local cloth = std.body.cloth(scene, "cloth", { mesh = basin.mesh.grid { nx = 20, ny = 20 },
    copies = { { 0, 0.6, 0.5 } }, density = 0.2,
    thickness = 1e-3, young = 5e4, bending = 1e-4 })
  local cube = std.body.affine(scene, "cube", { mesh = basin.mesh.box { width = 0.1, height = 0.1,
    depth = 0.1, surface = true },
    copies = { { 0.6, 0.06, 0 } }, density = 500, stiffness = 1e6, spin = { 1, 2, 3 } })
  std.contact.plane(scene, { bodies = { soft, cube }, friction = 0.3, distance = 2e-3 })
  basin.simulate(scene, { dt = 0.01, steps = steps, gravity = { 0, -9.8, 0 },
    newton = { rule = "gradient", tolerance = 1e-8, max_iterations = 100,
      linear = { solver = solver, tolerance = 1e-16 } } })
  local bytes, values = {}, {}
  for _, body in ipairs { soft, cloth, cube } do
    for _, part in ipairs(body.motion.unknowns) do
      bytes[#bytes + 1] = part.value:value():bytes()
      values[#values + 1] = part.value:value()
    end
  end
  return table.concat(bytes), values
end

for _, solver in ipairs { "pcg", "direct" } do
  harness.test("1, 2, 3 and 4 threads, " .. solver, function()
    local expected = run({ threads = 1 }, solver, 6)
    for threads = 2, 4 do
      assert(run({ threads = threads }, solver, 6) == expected,
        ("%d threads give other bits than 1"):format(threads))
    end
  end)
end

harness.test("two runs", function()
  assert(run({}, "pcg", 3) == run({}, "pcg", 3), "the second run gives other bits")
end)

harness.test("compiled and interpreted kernels", function()
  local _, compiled = run({ device = "cpu" }, "direct", 4)
  local _, interpreted = run({ device = "cpu:interp" }, "direct", 4)
  for i, values in ipairs(compiled) do
    local difference = (values - interpreted[i]):max_abs()
    assert(difference < 1e-9, ("unknown %d differs by %.3g"):format(i, difference))
  end
end)
harness.finish()
