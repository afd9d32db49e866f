-- Springs between vertices of every kind through one union: kinematic, free, affine-body and cage
-- vertices.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

-- A cage of 8 corners carries two vertices by trilinear weights; an affine body carries one, two
-- are free, one is fixed.
local WEIGHTS <const> = {
  { 0.1, 0.2, 0.05, 0.15, 0.1, 0.1, 0.2, 0.1 }, { 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 },
}

local function corners()
  local list = {}
  for k = 0, 7 do list[k + 1] = { k % 2 + 0.03 * k, (k // 2) % 2, k // 4 - 0.02 * k * k } end
  return list
end

local function build()
  local scene = basin.scene "union"
  local cage = scene:add_mesh("cage")
  local control = cage:add_primitive("control", 8)
  local c = control:add_attribute("position", { rows = 3, value = corners() })
  local caged = cage:add_primitive("vertices", 2)
  local of = caged:add_connectivity("cage", control, { { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 0, 1, 2, 3, 4, 5, 6, 7 } }, 8)
  local w = caged:add_constant("weights", { rows = 8, value = WEIGHTS })
  caged:add_attribute("position", of:gather(c):T() * w)

  local body = scene:add_mesh("affine"):add_primitive("bodies", 1)
  local A = body:add_attribute("A", { rows = 3, cols = 3, value = { 1, 0.1, 0, -0.2, 0.9, 0.1, 0,
    0.3, 1.1 } })
  local t = body:add_attribute("t", { rows = 3, value = { 2, 0.5, 0.3 } })
  local rigid = scene.affine:add_primitive("vertices", 1)
  local r = rigid:add_connectivity("body", body, { 0 }, 1)
  rigid:add_attribute("position", r:gather(A) * rigid:add_constant("X",
    { rows = 3, value = { 0.4, -0.3, 0.8 } }) + r:gather(t))

  local free = scene:add_mesh("free"):add_primitive("vertices", 2)
  local x = free:add_attribute("position",
    { rows = 3, value = { { -1, 0.2, 0.4 }, { 0.3, 1.5, -0.6 } } })
  local fixed = scene:add_mesh("fixed"):add_primitive("vertices", 1)
  fixed:add_attribute("position", { rows = 3, value = { 0.5, -1, 0.7 } })
  return { scene = scene, targets = { c, A, t, x }, caged = caged, rigid = rigid, free = free,
    fixed = fixed }
end

-- Pairs over the union's order: caged 0 1, affine 2, free 3 4, fixed 5; one pair joins two vertices
-- of one cage.
local PAIRS <const> = { { 0, 2 }, { 1, 3 }, { 2, 4 }, { 3, 5 }, { 0, 1 }, { 2, 5 }, { 1, 5 },
  { 3, 4 } }
local REST <const>, K <const> = 0.7, 3.5

local function attach(m, nested)
  local mesh = m.scene:add_mesh "attachment"
  local members = { m.caged, m.rigid, m.free, m.fixed }
  if nested then
    members = { mesh:add_primitive_union("first", { m.caged, m.rigid }),
      mesh:add_primitive_union("second", { m.free, m.fixed }) }
    for _, part in ipairs(members) do part:add_attribute "position" end
  end
  local union = mesh:add_primitive_union("vertices", members)
  local springs = mesh:add_primitive("springs", #PAIRS)
  local ends = springs:add_connectivity("ends", union, PAIRS, 2)
  m.scene:add_energy(std.elastic.spring(ends:gather(union:add_attribute "position"), REST, K),
    { name = "springs", projection = "none" })
  m.scene:add_minimize_target(m.targets)
  return union
end

for _, nested in ipairs { false, true } do
  harness.test(nested and "derivatives through nested unions" or "derivatives through a union",
    function()
    local m = build()
    attach(m, nested)
    local report = basin.check(m.scene)
    assert(report.passed, tostring(report))
  end)
end

-- A second method: the same springs written out, each pair a primitive of its own that reads its
-- two ends directly.
local function written_out(m)
  local places = { { m.caged, 0 }, { m.caged, 1 }, { m.rigid, 0 }, { m.free, 0 }, { m.free, 1 },
    { m.fixed, 0 } }
  local mesh = m.scene:add_mesh "pairs"
  for i, pair in ipairs(PAIRS) do
    local element, x = mesh:add_primitive("pair_" .. i, 1), {}
    for k = 1, 2 do
      local vertices, index = table.unpack(places[pair[k] + 1])
      x[k] = element:add_connectivity("end_" .. k, vertices, { index }, 1):gather(vertices.position)
    end
    m.scene:add_energy(std.elastic.spring(basin.rows(x), REST, K), { name = "spring_" .. i,
      projection = "none" })
  end
  m.scene:add_minimize_target(m.targets)
end

harness.test("a union gives what the springs give one by one", function()
  local first, second = build(), build()
  attach(first, false)
  written_out(second)
  harness.close(first.scene:compute_total_energy(), second.scene:compute_total_energy(), 1e-13)
  local g, h = { first.scene:gradient() }, { second.scene:gradient() }
  for k in ipairs(g) do assert((g[k] - h[k]):max_abs() < 1e-12, "gradient of target " .. k) end
  local H = first.scene:hessian { projection = "none" }
    - second.scene:hessian { projection = "none" }
  assert(H:norm "max" < 1e-11, "Hessians differ by " .. H:norm "max")
end)

harness.test("only the unknowns among the members have rows", function()
  local m = build()
  attach(m, false)
  local H = m.scene:hessian { projection = "none" }
  harness.equal(H.rows, 8 * 3 + 9 + 3 + 2 * 3, "rows")
end)

harness.test("several affine bodies: the rows of the Hessian follow the targets", function()
  local scene = basin.scene "bodies"
  local body = std.body.affine(scene, "cubes", {
    mesh = basin.mesh.box { surface = true }, density = 10, stiffness = 100,
    copies = { { 0, 0, 0 }, { 2, 0.1, 0 }, { 4, 0, 0.3 } },
  })
  std.constraint.attach(body, body, { pairs = { { 7, 8 }, { 15, 16 } }, stiffness = 50,
    rest = 0.4 })
  local report = basin.check(scene)
  assert(report.passed, tostring(report))
end)

harness.test("an attachment pulls a rope and an affine body together, momentum stays", function()
  local scene = basin.scene "attach"
  local rope = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 5 }, density = 1,
    stiffness = 100 })
  local cube = std.body.affine(scene, "cube", { mesh = basin.mesh.box { width = 0.2, height = 0.2,
    depth = 0.2, surface = true },
    copies = { { 1.5, 0, 0 } }, density = 100, stiffness = 1e5 })
  std.constraint.attach(rope, cube, { pairs = { { 4, 0 } }, stiffness = 50, rest = 0.1 })
  basin.simulate(scene, { dt = 0.01, steps = 20, newton = { rule = "gradient", tolerance = 1e-10,
    linear = { solver = "direct" } } })
  local p = { 0, 0, 0 }
  local v, m = rope.motion.unknowns[1].velocity:value():table(), rope.vertices.mass:value():table()
  for i, mass in ipairs(m) do
    for k = 1, 3 do p[k] = p[k] + mass * v[i][k] end
  end
  -- the cube's origin is its centre
  local rate = cube.motion.unknowns[2].velocity:value():table()[1]
  for k = 1, 3 do harness.close(p[k] + cube.mass * rate[k], 0, 1e-9, "momentum") end
  assert(rate[1] < -1e-3, "the cube was not pulled")
end)
harness.finish()
