-- The witness of the contact tests finds what passes through, and the distances it reports are
-- those of the positions.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

-- Watches positions that are given: `parts` with triangles, edges or points.
local function watch(points, parts, given)
  local scene = basin.scene "witness"
  local x = scene:add_mesh("mesh"):add_primitive("vertices", #points):add_attribute("x",
    { rows = 3, value = points })
  local all = { position = x, reach = 1, parts = parts }
  for key, value in pairs(given or {}) do all[key] = value end
  return guard.of(all), x
end

local triangle <const> = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }

local function over(...) return { triangle[1], triangle[2], triangle[3], ... } end

local function triangle_and(part) return { { count = 3, triangles = { { 0, 1, 2 } } }, part } end

harness.test("distances of points, edges and triangles, by hand", function()
  local point = { count = 1, points = { 0 } }
  for _, case in ipairs {
    { { 0.2, 0.2, 0.3 }, 0.3 }, -- above the inside
    { { 0.5, -0.3, 0.4 }, 0.5 }, -- beyond an edge
    { { -0.2, -0.3, 0.6 }, 0.7 }, -- beyond a corner
  } do
    local witness = watch(over(case[1]), triangle_and(point))
    witness:check()
    harness.close(witness.closest, case[2])
  end
  local edges = { { count = 2, edges = { { 0, 1 } } }, { count = 2, edges = { { 0, 1 } } },
    { count = 1, points = { 0 } } }
  local witness = watch({ { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0.25 }, { 0, 1, 0.25 },
    { 0.5, 0, -0.125 } }, edges)
  witness:check()
  harness.close(witness.closest, 0.125) -- the lone point and the first edge
  witness = watch({ { 0, 0, 0 }, { 0, 0.5, 0 } }, { point, point })
  witness:check()
  harness.close(witness.closest, 0.5)
end)

harness.test("an edge through a triangle, at the step at which it happens", function()
  local witness, x = watch(over({ 0.2, 0.2, 1 }, { 0.2, 0.2, 0.5 }),
    triangle_and { count = 2, edges = { { 0, 1 } } })
  witness:check()
  harness.close(witness.smallest, 0.5)
  x:update(over({ 0.2, 0.2, 1 }, { 0.2, 0.2, -1 }))
  harness.fails("1 edges pass through triangles after step 1", witness.check, witness)
end)

harness.test("what touches has no distance", function()
  for _, p in ipairs { { 0.2, 0.2, 0 }, { 0.5, 0.5, 0 }, { 1, 0, 0 } } do
    local witness = watch(over(p), triangle_and { count = 1, points = { 0 } })
    harness.fails("the distance is 0", witness.check, witness)
  end
end)

harness.test("behind a plane", function()
  local planes = { { normal = { 0, 0, 2 }, offset = -1 } }
  local witness, x = watch(over(), { { count = 3, triangles = { { 0, 1, 2 } } } },
    { planes = planes })
  witness:check()
  harness.close(witness.closest, 0.5)
  x:update { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, -0.6 } }
  harness.fails("the distance is %-0.1", witness.check, witness)
end)

harness.test("parts that are fixed, stiff or one another's copies", function()
  local crossing = over({ 0.2, 0.2, 1 }, { 0.2, 0.2, -1 })
  local function counted(first, second)
    local witness = watch(crossing, { { count = 3, triangles = { { 0, 1, 2 } }, fixed = first },
      { count = 2, edges = { { 0, 1 } }, fixed = second } })
    return not pcall(witness.check, witness)
  end
  harness.equal(counted(true, true), false, "both fixed")
  harness.equal(counted(true, false), true, "one fixed")
  local function labelled(labels)
    local witness = watch(crossing, { { count = 5, triangles = { { 0, 1, 2 } },
      edges = { { 3, 4 } }, labels = labels and basin.array.from(labels) } })
    return not pcall(witness.check, witness)
  end
  harness.equal(labelled { 0, 0, 0, 0, 0 }, false, "one stiff body")
  harness.equal(labelled { 0, 0, 0, 1, 1 }, true, "two copies")
  harness.equal(labelled(nil), true, "a soft body")
end)

harness.test("a simulation without contact is caught", function()
  local scene = basin.scene "through"
  local box = basin.mesh.box { width = 0.1, height = 0.1, depth = 0.1, surface = true }
  local ball = std.body.affine(scene, "ball", { mesh = box, copies = { { 0.02, 0.17, 0.01 } },
    density = 1000, stiffness = 1e6, velocity = { 0, -10, 0 } })
  local still = std.body.fixed(scene, "still", { mesh = box:scaled(0.9) })
  local contact = std.contact.barrier(scene, { bodies = { ball, still },
    pairs = { { ball, still, touch = false } } })
  local witness = guard.new(contact, { ball, still })
  harness.fails("edges pass through triangles after step 0", basin.simulate, scene, { dt = 0.01,
    steps = 2, on_step = witness:on_step() })
end)
harness.finish()
