-- The cloth as a Basin scene: energies, and the minimizers of both methods.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local M = {}

-- Springs as they are, with every eigenvalue below `floor` raised to it: what remains after the
-- floor's quadratic is taken off is clamped at zero, then the quadratic is added back.
local function add_spring_energies(scene, springs, e, rest, stiffness, floor)
  local exact = 0.5 * stiffness * (e:norm() - rest) ^ 2
  local base = 0.5 * floor * e:squared_norm()
  local add = function(expression, name, projection)
    return scene:add_energy(springs:add_attribute(name, expression), { projection = projection })
  end
  return {
    exact = add(exact, "spring", "none"),
    above = add(exact - base, "spring_above_floor", "clamp"), base = add(base, "spring_floor",
      "none"),
  }
end

---{ scene, x, target, springs, project, energies, ... } of a case.
function M.build(case)
  local p, inputs = case.params, case.inputs
  local scene = basin.scene "cloth"
  local mesh = scene:add_mesh "cloth"
  local vertices = mesh:add_primitive("vertices", #inputs.X)
  local x = vertices:add_attribute("position", { rows = 2, value = inputs.X })
  local X = vertices:add_constant("rest", { rows = 2, value = inputs.X })
  local target = vertices:add_constant("target", { rows = 2, value = inputs.X })
  local mask = {}
  for i = 1, #inputs.X do mask[i] = 0 end
  for _, pin in ipairs(inputs.pins) do mask[math.tointeger(pin) + 1] = 1 end
  local pinned = vertices:add_constant("pinned", { value = mask })

  local springs = mesh:add_primitive("springs", #inputs.E)
  local ends = springs:add_connectivity("ends", vertices, inputs.E, 2)
  local function span(q) return ends:gather(q):row(1) - ends:gather(q):row(2) end
  local rest = springs:add_constant("rest", { value = springs:evaluate(span(X):norm()) })
  local direction = springs:add_constant("direction", { rows = 2 })
  local stiffness = p.ym / rest ^ 2
  local e = span(x)

  local down = basin.vector { 0, p.gravity }
  local common = {
    scene:add_energy(vertices:add_attribute("inertia", std.motion.inertia(x, target,
      p.mass / p.h ^ 2)), { projection = "none" }),
    scene:add_energy(vertices:add_attribute("gravity", std.motion.gravity(x, p.mass, down)),
      { projection = "none" }),
    scene:add_energy(vertices:add_attribute("pin", pinned * std.constraint.target(x, X, p.k_pin)),
      { projection = "none" }),
  }
  local energies = add_spring_energies(scene, springs, e, rest, stiffness, p.psd_floor)
  local lagged = e - direction:T()
  energies.lagged = scene:add_energy(springs:add_attribute("lagged",
    0.5 * stiffness * lagged:squared_norm()))
  local function minimizer(...)
    local list = table.move(common, 1, 3, 1, {})
    for _, energy in ipairs { ... } do list[#list + 1] = energy end
    return scene:minimizer { targets = { x }, energies = list }
  end
  return {
    scene = scene, x = x, target = target, springs = springs, direction = direction,
    projected = springs:add_attribute("projected", (rest * e:normalized()):T()),
    strain = springs:add_attribute("strain", (e:norm() - rest) / rest),
    rest_lengths = rest, stiffness = springs:add_attribute("stiffness", stiffness),
      energies = energies,
    exact = minimizer(energies.exact), psd = minimizer(energies.above, energies.base),
    global = minimizer(energies.lagged),
    springs_only = scene:minimizer { targets = { x }, energies = { energies.exact } },
    springs_psd = scene:minimizer { targets = { x }, energies = { energies.above, energies.base } },
  }
end

return M
