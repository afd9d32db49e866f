-- A body that stays where it is, or moves as a function of time says.
-- SPDX-License-Identifier: Apache-2.0
local options = require "basin.options"
local common = require "basin.std.body.common"
local placed = require "basin.std.body.placed"

---std.body.fixed(scene, name, options). Its positions are data, no unknowns, and take part in
---projections. Options:
---  mesh    of any kind: contact sees its surface, its edge and point cells, and all points of a
---          mesh without cells
---  copies  list of offsets
---  motion  function(time, start) -> the positions of all vertices, or one offset from start
---  pieces  straight pieces in which contact follows the motion within a step (1): a body that
---          turns far in a step takes more, so that chords stay close to its arcs
return function(scene, name, given)
  local where = "std.body.fixed"
  common.check_start(where, scene, name)
  local spec = { mesh = "any", copies = "any", motion = "function", pieces = "count" }
  local checked = options.check(where, given, spec, { "mesh" })
  local mesh = common.copies(where, common.check_mesh(where, checked.mesh), checked.copies)
  local vertices = scene:add_mesh(name):add_primitive("vertices", mesh.points.count)
  local x = vertices:add_attribute("position", { rows = mesh.dim, value = mesh.points })
  local surface = { positions = x, triangles = mesh:surface().triangles,
    edges = mesh:_edge_cells(), points = mesh.vertices }
  local move, now = checked.motion, nil
  local label = ("%s '%s'"):format(where, name)
  local function places(time) return placed(label, mesh.points, move(time, mesh.points)) end
  scene:add_step_hook {
    name = name, surface = surface,
    begin_step = move and function(state)
      now = { time = state.time, step = state.time_step }
      x:update(places(state.time))
    end,
  }
  local curved = move and (checked.pieces or 1) > 1
  return common.new {
    scene = scene, name = name, mesh = mesh, vertices = vertices, position = x, mass = 0,
    surface = surface, pieces = checked.pieces,
    path = curved and function(part) return places(now.time - (1 - part) * now.step) end or nil,
  }
end
