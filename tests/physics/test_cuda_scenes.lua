-- Small versions of the examples on a CUDA device: the states of the CPU to rounding, and the same
-- bits in every order of execution and for any size of batches. Exits with 77 without a device.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local harness = require "lua.harness"

local gravity <const> = { 0, -9.8, 0 }
local scenes = {}

function scenes.hanging_cloth(scene)
  local cloth = std.body.cloth(scene, "cloth", { mesh = basin.mesh.grid { nx = 4, ny = 4,
    width = 1, height = 1, plane = "xz" }, density = 0.2, thickness = 1e-3, young = 5e4,
    poisson = 0.3, bending = 1e-4 })
  std.constraint.pin(cloth, { vertices = cloth.mesh:corners { "top_left", "top_right" } })
  return { cloth }, { dt = 1 / 60, steps = 3 }
end

function scenes.falling_block(scene)
  local block = std.body.soft(scene, "block", { mesh = basin.mesh.box { nx = 2, ny = 2, nz = 1,
    width = 0.2, height = 0.2, depth = 0.1 }, copies = { { 0, 0.106, 0 } }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 5e4, poisson = 0.4 },
    damping = { stiffness = 0.02 }, velocity = { 0.4, -1, 0 } })
  std.contact.plane(scene, { bodies = { block }, friction = 0.3, distance = 2e-3 })
  return { block }, { dt = 0.005, steps = 3 }
end

function scenes.twisted_beam(scene)
  local mesh = basin.mesh.box { nx = 4, ny = 1, nz = 1, width = 0.8, height = 0.2, depth = 0.2 }
  local beam = std.body.soft(scene, "beam", { mesh = mesh, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.45 } })
  std.constraint.pin(beam, { vertices = mesh:select { "left" }, stiffness = 1e4 })
  std.constraint.pin(beam, { vertices = mesh:select { "right" }, stiffness = 1e4,
    motion = function(step, start)
      local angle, places = math.rad(6 * step), start:table()
      local c, s = math.cos(angle), math.sin(angle)
      for _, p in ipairs(places) do p[2], p[3] = c * p[2] - s * p[3], s * p[2] + c * p[3] end
      return places
    end })
  return { beam }, { dt = 1, steps = 3, integrator = "quasistatic", tolerance = 1e-6 }
end

function scenes.rope_and_weight(scene)
  local rope = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { 0, 0, 0 },
    to = { 1, 0, 0 }, count = 8 }, density = 0.2, stiffness = 2e3 })
  local ball = std.body.affine(scene, "ball", { mesh = basin.mesh.sphere { level = 1,
    radius = 0.12 }, copies = { { 1.12, 0, 0 } }, density = 300, stiffness = 1e5 })
  std.constraint.attach(rope, ball, { pairs = { { 7, 0 } }, stiffness = 2e4, rest = 0 })
  std.constraint.pin(rope, { vertices = { 0 } })
  return { rope, ball }, { dt = 0.01, steps = 3, integrator = "bdf2" }
end

function scenes.affine_tumble(scene)
  local slope = math.rad(20)
  local cubes = std.body.affine(scene, "cubes", { mesh = basin.mesh.box { width = 0.1, height = 0.1,
    depth = 0.1, surface = true }, copies = { { -0.5, 0.26, -0.5 }, { -0.5, 0.28, 0 } },
    density = 1000, stiffness = 1e6, spin = { 2, 1, -4 } })
  std.contact.plane(scene, { bodies = { cubes }, normal = { math.sin(slope), math.cos(slope), 0 },
    friction = 0.3, distance = 2e-3 })
  return { cubes }, { dt = 0.005, steps = 4 }
end

-- The last values of all unknowns, and the report.
local function run(name, device, linear, deterministic)
  local scene = basin.scene(name, { device = device, deterministic = deterministic })
  local bodies, options = scenes[name](scene)
  options.gravity = gravity
  options.newton = { rule = "gradient", tolerance = options.tolerance or 1e-9, max_iterations = 60,
    linear = linear or { solver = "direct" } }
  options.tolerance = nil
  local report = basin.simulate(scene, options)
  local values, bytes = {}, {}
  for _, body in ipairs(bodies) do
    for _, part in ipairs(body.motion.unknowns) do
      values[#values + 1] = part.value:value()
      bytes[#bytes + 1] = part.value:value():bytes()
    end
  end
  return values, table.concat(bytes), report
end

-- Local and global steps; the factor of a constant matrix serves them all.
local function mass_springs(device)
  local h, ym, k_pin = 1 / 30, 80.0, 1e7
  local grid = basin.mesh.grid { nx = 5, ny = 5, width = 2, height = 2, dim = 2 }
  local scene = basin.scene("fast_mass_springs", { device = device })
  local cloth = scene:add_mesh("cloth")
  local verts = cloth:add_primitive("vertices", grid.points.count)
  local x = verts:add_attribute("position", { rows = 2, value = grid.points })
  local target = verts:add_constant("momentum_target", { rows = 2, value = grid.points })
  local pinned = verts:add_constant("pinned", { value = grid:mask { "top_left", "top_right" } })
  local rest = verts:add_constant("rest_position", { rows = 2, value = grid.points })
  local springs = cloth:add_primitive("springs", grid.edges.count)
  local s2v = springs:add_connectivity("s2v", verts, grid.edges, 2)
  local function span(q) local p = s2v:gather(q); return p:row(1) - p:row(2) end
  local r = springs:add_constant("rest_length", { value = springs:evaluate(span(rest):norm()) })
  local d = springs:add_constant("direction", { rows = 2 })
  local y, fix, e = x - target, x - rest, span(x) - d
  scene:add_energy(verts:add_attribute("inertia", 0.5 * y:dot(y) / h ^ 2 + 9.8 * x:at(2)))
  scene:add_energy(verts:add_attribute("pin", 0.5 * k_pin * pinned * fix:dot(fix)))
  scene:add_energy(springs:add_attribute("spring", 0.5 * (ym / r ^ 2) * e:dot(e)))
  scene:add_minimize_target { x }
  local project = springs:add_attribute("projected", r * span(x):normalized())
  local solver = scene:solver { method = "direct" }
  local before, now = x:value(), x:value()
  for _ = 1, 3 do
    target:update(2 * now - before)
    for _ = 1, 3 do
      d:update(project:compute())
      x:update(x:value() - solver:solve())
    end
    before, now = now, x:value()
  end
  harness.equal(solver.factorizations, 1, "factorizations")
  return x:value()
end

-- Called again by itself, in another order of execution: prints the bits of one scene.
local alone = os.getenv "TEST_SCENE"
if alone then
  local _, bytes = run(alone, "cuda", { solver = "pcg", tolerance = 1e-20 })
  print((bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)))
  return
end

harness.need_cuda()

for _, name in ipairs { "affine_tumble", "falling_block" } do
  harness.test(name .. ": sums in any order", function()
    local here, there = run(name, harness.host(), nil, false), run(name, "cuda", nil, false)
    for i, values in ipairs(here) do
      local apart = (values - there[i]):max_abs()
      assert(apart < 1e-8, ("unknown %d differs by %.3g"):format(i, apart))
    end
  end)
end

local names = {}
for name in pairs(scenes) do names[#names + 1] = name end
table.sort(names)

for _, name in ipairs(names) do
  harness.test(name .. ": the states of the CPU", function()
    local here, _, report = run(name, harness.host())
    local there, _, other = run(name, "cuda")
    harness.equal(other.iterations, report.iterations, "Newton iterations")
    for i, values in ipairs(here) do
      local apart = (values - there[i]):max_abs()
      assert(apart < 1e-8, ("unknown %d differs by %.3g"):format(i, apart))
    end
  end)
end

harness.test("fast_mass_springs: the states of the CPU", function()
  local apart = (mass_springs(harness.host()) - mass_springs "cuda"):max_abs()
  assert(apart < 1e-10, ("positions differ by %.3g"):format(apart))
end)

local command = os.getenv "BASIN_COMMAND"
if command then
  local function bits(name, environment)
    local pipe = assert(io.popen(("TEST_SCENE=%s %s '%s' run --quiet '%s'"):format(name,
      environment, command, arg and arg[0] or debug.getinfo(1, "S").source:sub(2))))
    local text = pipe:read("a")
    assert(pipe:close(), text)
    assert(#text > 100 and not text:find("[^%x\n]"), text)
    return text
  end
  for _, name in ipairs { "falling_block", "affine_tumble" } do
    harness.test(name .. ": the same bits in any order, for any batches", function()
      local expected = bits(name, "SOFTCUDA_ORDER=forward")
      for _, environment in ipairs { "SOFTCUDA_ORDER=reverse", "SOFTCUDA_ORDER=random:7",
        "BASIN_CUDA_BATCH=1" } do
        assert(bits(name, environment) == expected, environment .. " gives other bits")
      end
    end)
  end
end

harness.finish()
