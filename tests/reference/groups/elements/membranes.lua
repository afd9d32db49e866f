-- Membranes of one triangle in space.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"

-- The energies per rest area.
local laws = {
  baraff_witkin_stretch = function(F, p) return std.shell.baraff_witkin(F, p.ku, 0) end,
  baraff_witkin_shear = function(F, p) return std.shell.baraff_witkin(F, 0, p.ks) end,
  stvk_membrane = function(F, p) return p.thickness * std.shell.stvk_membrane(F, p.mu, p.lam) end,
}

local function build(case, law)
  local x, X, cells = {}, {}, {}
  for s, state in ipairs(case.inputs.states) do
    for k = 1, 3 do x[#x + 1], X[#X + 1] = state[k], case.inputs.rest_uv[k] end
    cells[s] = { 3 * s - 3, 3 * s - 2, 3 * s - 1 }
  end
  local scene = basin.scene "membranes"
  local mesh = scene:add_mesh "cloth"
  local vertices = mesh:add_primitive("vertices", #x)
  local position = vertices:add_attribute("position", { rows = 3, value = x })
  local rest = vertices:add_constant("rest", { rows = 2, value = X })
  local triangles = mesh:add_primitive("triangles", #cells)
  local corner = triangles:add_connectivity("corner", vertices, cells, 3)
  local F, area = std.elastic.deformation.gradient(corner:gather(position), corner:gather(rest))
  local energy = scene:add_energy(area * law(F, case.params),
    { name = "membrane", project = "unknowns" })
  return probe.new(scene, { position }, { energy }), energy, area
end

return function(case, checker)
  for name, law in pairs(laws) do
    local p, energy, area = build(case, law)
    local energies, gradient = golden.flat(energy:compute()), p:gradient()
    local none, clamp, abs = p:hessian "none", p:hessian "clamp", p:hessian "abs"
    for s, results in ipairs(case.expect.results) do
      local first = (s - 1) * 9 + 1
      probe.compare(checker, ("state %d %s"):format(s - 1, name), results[name], {
        energy = energies[s], gradient = probe.slice(gradient, first, 9), none = probe.block(none,
          first, 9),
        clamp = probe.block(clamp, first, 9), abs = probe.block(abs, first, 9),
      })
    end
    checker:compare("rest area", "energy", case.expect.rest_area, golden.flat(area:compute())[1])
  end
end
