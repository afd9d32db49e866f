-- Bodies of all kinds in a container, and links of a chain that hold each other.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local harness = require "lua.harness"

local folder = os.getenv "BASIN_TEST_MESHES"
  or arg[0]:match("^(.*)/physics/[^/]*$") .. "/data/meshes"
local container = folder .. "/../../../examples/data/container.obj"

local function kernels(scene)
  local count = scene:kernel_statistics()
  return count.compiled + count.from_disk + count.from_memory
end

harness.test("soft, stiff, cloth and rope in a container; contacts compile nothing", function()
  local scene = basin.scene "drop"
  local soft = std.body.soft(scene, "soft", { mesh = basin.mesh.box { nx = 2, ny = 2, nz = 2,
    width = 0.2, height = 0.2, depth = 0.2 }, copies = { { 0, 0.2, 0 }, { 0.05, 0.5, 0.03 } },
    density = 1000, material = std.elastic.stable_neo_hookean { young = 2e4, poisson = 0.36 } })
  local stiff = std.body.affine(scene, "stiff", { mesh = basin.mesh.box { width = 0.2,
    height = 0.1, depth = 0.2, surface = true }:rotated { axis = { 0, 0, 1 }, angle = 0.3 },
    copies = { { 0.02, 0.75, 0 }, { -0.1, 0.95, 0.05 } }, density = 1000, stiffness = 1e7 })
  local sheet = std.body.cloth(scene, "sheet", { mesh = basin.mesh.grid { nx = 5, ny = 5,
    width = 0.3, height = 0.3, plane = "xz" }, copies = { { 0, 0.33, 0 } }, density = 0.5,
    thickness = 1e-3, young = 1e5, bending = 1e-4 })
  local rope = std.body.rope(scene, "rope", { mesh = basin.mesh.line { from = { -0.2, 0.08, 0.2 },
    to = { 0.2, 0.08, 0.22 }, count = 9 }, density = 0.1, stiffness = 50 })
  local box = std.body.fixed(scene, "container", { mesh = basin.mesh.read(container) })
  local bodies = { soft, stiff, sheet, rope, box }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e4,
    friction = 0.3 })
  local witness, first = guard.new(contact, bodies), nil
  local report = basin.simulate(scene, { dt = 0.01, steps = 80, gravity = { 0, -9.8, 0 },
    newton = { tolerance = 1e-2, linear = { solver = "pcg", tolerance = 1e-4 } },
    on_step = witness:on_step(function(state)
      if state.step == 1 then
        first = kernels(scene)
        harness.equal(contact.most_pairs, 0, "pairs at the first step")
      end
      harness.equal(kernels(scene), first, "kernels")
    end) })
  assert(contact.most_pairs > 30, "few pairs")
  harness.equal(report.reasons.converged, 80, "steps that converged\n" .. tostring(report))
  assert(tostring(report):find "contact: at most %d+ pairs, smallest distance", "the report")
end)

-- A sphere in a soft cage of eight corners: every vertex is a weighted sum of the corners.
local function caged(scene, name, offset)
  local cage = basin.mesh.box { nx = 1, ny = 1, nz = 1, width = 0.2, height = 0.2, depth = 0.2 }
    :translated(offset)
  local corners = std.body.soft(scene, name .. "_cage", { mesh = cage, density = 300,
    material = std.elastic.stable_neo_hookean { young = 3e4, poisson = 0.3 } })
  local mesh = basin.mesh.sphere { level = 1, radius = 0.09 }:translated(offset)
  local vertices = scene:add_mesh(name):add_primitive("vertices", mesh.points.count)
  local weights, all, ends = {}, {}, cage.points:table()
  for i, p in ipairs(mesh.points:table()) do
    weights[i], all[i] = {}, { 0, 1, 2, 3, 4, 5, 6, 7 }
    for k, e in ipairs(ends) do
      weights[i][k] = 1
      for c = 1, 3 do
        weights[i][k] = weights[i][k] * (0.5 + (p[c] - offset[c]) * (e[c] - offset[c]) / 0.02)
      end
    end
  end
  local of = vertices:add_connectivity("corners", corners.vertices, all, 8)
  local w = vertices:add_constant("weights", { rows = 8, value = weights })
  local position = vertices:add_attribute("position", of:gather(corners.position):T() * w)
  return require("basin.std.body.common").new { scene = scene, name = name, mesh = mesh,
    vertices = vertices, position = position, mass = corners.mass, motion = corners.motion,
    last_position = of:gather(corners.last_position):T() * w,
    surface = { positions = position, triangles = mesh.triangles } }
end

harness.test("bodies in cages meet soft, stiff and fixed ones", function()
  local scene = basin.scene "cages"
  local first = caged(scene, "first", { 0.01, 0.11, 0.02 })
  local second = caged(scene, "second", { 0.04, 0.32, 0 })
  local stiff = std.body.affine(scene, "stiff", { mesh = basin.mesh.box { width = 0.1,
    height = 0.1, depth = 0.1, surface = true }, copies = { { -0.14, 0.12, 0 } }, density = 500,
    stiffness = 1e6 })
  local box = std.body.fixed(scene, "container", { mesh = basin.mesh.read(container) })
  local bodies = { first, second, stiff, box }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 2e-3, stiffness = 1e3,
    friction = 0.3 })
  local witness = guard.new(contact, bodies)
  local report = basin.simulate(scene, { dt = 0.01, steps = 40, gravity = { 0, -9.8, 0 },
    newton = { tolerance = 1e-2, linear = { solver = "direct" } },
    on_step = witness:on_step() })
  assert(contact.most_pairs > 5, "few pairs")
  harness.equal(report.reasons.converged, 40, "steps that converged\n" .. tostring(report))
end)

harness.test("links of a chain hold each other", function()
  local scene = basin.scene "chain"
  local link = basin.mesh.read(folder .. "/link.msh")
  local turned = link:rotated { axis = { 0, 1, 0 }, degrees = 90 }
  local top = std.body.fixed(scene, "top", { mesh = link })
  local middle = std.body.affine(scene, "middle", { mesh = turned, copies = { { 0, -1.05, 0 } },
    density = 1000, stiffness = 1e8 })
  local last = std.body.affine(scene, "last", { mesh = link, copies = { { 0, -2.1, 0 } },
    density = 1000, stiffness = 1e8 })
  local bodies = { top, middle, last }
  local contact = std.contact.barrier(scene, { bodies = bodies, distance = 5e-3,
    stiffness = 1e5 })
  local witness = guard.new(contact, bodies)
  basin.simulate(scene, { dt = 0.01, steps = 30, gravity = { 0, -9.8, 0 },
    newton = { tolerance = 1e-2, linear = { solver = "direct" } },
    on_step = witness:on_step() })
  assert(contact.most_pairs > 0, "the links never met")
  assert(last.position:compute():component(2):min() > -3.1, "the last link fell")
end)
harness.finish()
