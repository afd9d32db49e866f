-- A body that stays where it is, or moves as a function of time says.
-- SPDX-License-Identifier: Apache-2.0
local options = require "basin.options"
local common = require "basin.std.body.common"

---std.body.fixed(scene, name, { mesh, copies, motion = function(time, start) -> positions }). Its
---positions are data, no unknowns, and take part in projections.
return function(scene, name, given)
  local where = "std.body.fixed"
  common.check_start(where, scene, name)
  local spec = { mesh = "any", copies = "any", motion = "function" }
  local checked = options.check(where, given, spec, { "mesh" })
  local mesh = common.copies(where, common.check_mesh(where, checked.mesh), checked.copies)
  local vertices = scene:add_mesh(name):add_primitive("vertices", mesh.points.count)
  local x = vertices:add_attribute("position", { rows = mesh.dim, value = mesh.points })
  local surface = { positions = x, triangles = mesh:surface().triangles }
  local move = checked.motion
  scene:add_step_hook {
    name = name, surface = surface,
    begin_step = move and function(state) x:update(move(state.time, mesh.points)) end,
  }
  return common.new {
    scene = scene, name = name, mesh = mesh, vertices = vertices, position = x, mass = 0,
    surface = surface,
  }
end
