-- Meshes from Lua: generators, groups, moving, measures, reading what was written.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local out = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")

h.test("grid", function()
  local grid = basin.mesh.grid { nx = 3, ny = 2, width = 2, height = 1, dim = 2 }
  h.equal(grid.points.count, 6)
  h.equal(grid.dim, 2)
  h.close_arrays(grid.points[1], { -1, -0.5 })
  h.close_arrays(grid.triangles:slice(1, 2), { { 0, 1, 3 }, { 1, 4, 3 } })
  h.equal(grid.edges.count, 9)
  h.close_arrays(grid:mask { "top_left", "top_right" }, { 0, 0, 0, 1, 0, 1 })
  h.close_arrays(grid:corners { "top_left", "top_right" }, { 3, 5 })
  h.close(grid:measure("triangles"):sum(), 2)
  h.fails("missing", basin.mesh.grid, { nx = 3 })
  h.fails("no group", grid.mask, grid, { "left_top" })
end)

h.test("edges of a 25x25 grid", function()
  local lying = basin.mesh.grid { nx = 3, ny = 3, width = 2, height = 4, plane = "xz" }
  h.close_arrays(select(1, lying:bounds()), { -1, 0, -2 })
  h.close_arrays(lying.points[lying:corners({ "top_left" })[1] + 1], { -1, 0, -2 })
  h.equal(basin.mesh.grid({ nx = 25, ny = 25 }).edges.count, 1776)
end)

h.test("box: volume, mass, moments, surface", function()
  local box = basin.mesh.box { nx = 2, ny = 1, nz = 1, width = 2, height = 1, depth = 1 }
  h.close(box:measure("tets"):sum(), 2)
  h.close(box:lumped_mass({ density = 3 }):sum(), 6)
  local moments = box:affine_moments { density = 3 }
  h.close(moments.mass, 6)
  h.close(moments.volume, 2)
  h.close_arrays(moments.first, { 0, 0, 0 }, 1e-14)
  h.close(moments.second[1][1], 3 * 2 ^ 3 / 12) -- density * integral of x^2
  h.close(moments.second[1][2], 0)
  local surface = box:surface()
  h.equal(surface.triangles.count, 2 * (2 + 2 + 1) * 2)
  h.equal(basin.mesh.box({ surface = true }).tets.count, 0)
end)

h.test("moving returns new meshes", function()
  local box = basin.mesh.box {}
  local moved = box:translated { 1, 2, 3 }
  h.close_arrays(moved.points, (box.points:component(1) * 0 + 1) * 0 + moved.points)
  local low, high = box:bounds()
  h.close_arrays(low, { -0.5, -0.5, -0.5 })
  h.close_arrays(high, { 0.5, 0.5, 0.5 })
  h.close_arrays(select(2, moved:bounds()), { 1.5, 2.5, 3.5 })
  h.close_arrays(select(2, box:scaled_to({ height = 4 }):bounds()), { 2, 2, 2 })
  h.close_arrays(select(2, box:scaled { 1, 2, 3 }:bounds()), { 0.5, 1, 1.5 })
  local turned = box:scaled({ 2, 1, 1 }):rotated { axis = { 0, 0, 1 }, degrees = 90 }
  h.close_arrays(select(2, turned:bounds()), { 0.5, 1, 0.5 }, 1e-14)
  h.fails("either height or factor", box.scaled_to, box, {})
  h.fails("did you mean 'height'", box.scaled_to, box, { hight = 1 })
end)

h.test("copies and joined", function()
  local box = basin.mesh.box {}
  local two = box:copies { { 0, 0, 0 }, { 5, 0, 0 } }
  h.equal(two.points.count, 16)
  h.equal(two.tets:max(), 15)
  h.equal(basin.mesh.joined({ two, box }).tets.count, 18)
  h.fails("3 numbers", box.copies, box, { { 1, 2 } })
end)

h.test("spheres", function()
  h.equal(basin.mesh.sphere({ level = 1 }).triangles.count, 80)
  h.equal(basin.mesh.sphere({ level = 1, layers = 2, radius = 0.5 }).tets.count > 0, true)
  h.equal(basin.mesh.globe({ segments = 8, rings = 4 }).points.count, 8 * 3 + 2)
end)

h.test("from data, with groups", function()
  local mesh = basin.mesh.new { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    tets = { { 0, 1, 2, 3 } } }
  h.close(mesh:measure("tets")[1], 1 / 6)
  local with = mesh:with_group("base", { 0, 1, 2 })
  h.close_arrays(with:select { "base" }, { 0, 1, 2 })
  h.close_arrays(with.groups.base.points, { 0, 1, 2 })
  h.fails("indices each", basin.mesh.new, { points = { { 0, 0, 0 } }, tets = { { 0, 0, 0 } } })
end)

h.test("hinges and lines", function()
  local hinges = basin.mesh.grid({ nx = 2, ny = 2 }):hinges()
  h.close_arrays(hinges, { { 1, 2, 0, 3 } })
  local line = basin.mesh.line { from = { 0, 0 }, to = { 1, 0 }, count = 3 }
  h.close_arrays(line.edges, { { 0, 1 }, { 1, 2 } })
end)

h.test("a mesh that is written reads back", function()
  local sphere = basin.mesh.sphere { level = 1, radius = 2 }
  for _, format in ipairs { "obj", "ply", "vtu" } do
    local path = out .. "/sphere." .. format
    sphere:write(path)
    local back = basin.mesh.read(path)
    h.close_arrays(back.points, sphere.points, format == "ply" and 1e-6 or 0, format)
    h.close_arrays(back.triangles, sphere.triangles, 0, format)
  end
  sphere:write(out .. "/doubled.obj", sphere.points * 2)
  h.close(basin.mesh.read(out .. "/doubled.obj").points:max_abs(), 2 * sphere.points:max_abs())
  h.fails("cannot", sphere.write, sphere, "/dev/null/x.obj")
end)

h.test("output writes frames and an index", function()
  local scene = basin.scene("frames")
  local grid = basin.mesh.grid { nx = 3, ny = 3 }
  local verts = scene:add_mesh("m"):add_primitive("vertices", 9)
  local x = verts:add_attribute("position", { rows = 3, value = grid.points })
  local frames = basin.output { folder = out .. "/frames", frames = { "vtu", "obj" },
    pictures = "png", positions = x,
    triangles = grid.triangles, fields = { height = x:at(2) }, width = 64, height = 48 }
  h.equal(frames:write(0), 0)
  x:update(grid.points + 1)
  h.equal(frames:write(0.5), 1)
  local back = basin.mesh.read(out .. "/frames/frame_00001.vtu")
  h.close_arrays(back.points, x:value())
  for _, name in ipairs { "frame.pvd", "frame_00000.obj", "frame_00001.png" } do
    local file = io.open(out .. "/frames/" .. name, "rb")
    h.equal(file ~= nil, true, name)
    file:close()
  end
  h.fails("must be of", basin.output, { folder = out, frames = "vtk", positions = x })
end)

h.finish()
