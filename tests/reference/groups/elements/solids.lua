-- A single simplex: derivatives in the deformation gradient and in the vertex positions.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"
local golden = require "golden"
local probe = require "probe"
local terms = require "groups.elements.terms"

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- Derivatives in F, one state an instance.
local function check_density(case, checker, law, states)
  local dim, F = case.params.dim, {}
  for i, state in ipairs(states) do F[i] = case.expect.results[state].F end
  local results = probe.states {
    unknowns = { { "F", dim, dim, F } },
    energy = function(u) return terms.density(law, u.F, case.params) end,
  }
  for i, state in ipairs(states) do
    local expected, got = case.expect.results[state][law], results[i]
    local name = state .. " " .. law
    local size = golden.norm(got.none)
    checker:compare(name .. " psi", "energy", expected.psi, got.energy, size)
    checker:compare(name .. " stress", "gradient", expected.stress, got.gradient, size)
    checker:compare(name .. " d2psi", "hessian", expected.d2psi_dF2, got.none)
  end
  return results
end

-- A mesh of one simplex a state, its deformation gradient and the energy in the positions.
local function build(case, law, states)
  local corners, x, X, cells = case.params.dim + 1, {}, {}, {}
  for s, state in ipairs(states) do
    cells[s] = {}
    for k = 1, corners do
      x[#x + 1], X[#X + 1] = case.inputs.states[state][k], case.inputs.X[k]
      cells[s][k] = (s - 1) * corners + k - 1
    end
  end
  local scene = basin.scene "solids"
  local mesh = scene:add_mesh "solid"
  local vertices = mesh:add_primitive("vertices", #x)
  local position = vertices:add_attribute("position", { rows = case.params.dim, value = x })
  local rest = vertices:add_constant("rest", { rows = case.params.dim, value = X })
  local elements = mesh:add_primitive("elements", #states)
  local corner = elements:add_connectivity("corner", vertices, cells, corners)
  local F, measure = std.elastic.deformation.gradient(corner:gather(position), corner:gather(rest))
  local energy = scene:add_energy(measure * terms.density(law, F, case.params),
    { name = "elastic", project = "unknowns" })
  return { scene = scene, position = position, F = F, measure = measure, energy = energy }
end

-- V G^T H G: the Hessian in F, projected there, pulled back to the positions.
local function pulled_back(model, results)
  local G = basin.jacobian(model.F, model.position)
  local measure = golden.flat(model.measure:compute())
  local blocks = {}
  for i, result in ipairs(results) do
    blocks[i] = {}
    for j = 1, #results do
      blocks[i][j] = i == j and measure[i] * basin.sparse.from(result.clamp) or false
    end
  end
  local H = G:T() * basin.sparse.blocks(blocks) * G
  local dense, n, rows = golden.flat(H:dense()), H.rows, {}
  for i = 1, n do rows[i] = probe.slice(dense, (i - 1) * n + 1, n) end
  return rows
end

local function check_law(case, checker, law, states)
  local results = check_density(case, checker, law, states)
  local model = build(case, law, states)
  local p = probe.new(model.scene, { model.position }, { model.energy })
  local energies, gradient = golden.flat(model.energy:compute()), p:gradient()
  local none, clamp, abs = p:hessian "none", p:hessian "clamp", p:hessian "abs"
  local in_F = pulled_back(model, results)
  local F = golden.flat(model.F:compute())
  local dim = case.params.dim
  local n = (dim + 1) * dim
  for i, state in ipairs(states) do
    local expected, first, name = case.expect.results[state][law], (i - 1) * n + 1,
      state .. " " .. law
    local block = probe.block(none, first, n)
    probe.compare(checker, name, expected, {
      energy = energies[i], gradient = probe.slice(gradient, first, n), none = block,
      clamp = probe.block(clamp, first, n), abs = probe.block(abs, first, n),
    })
    checker:compare(name .. " F", "gradient", case.expect.results[state].F,
      probe.slice(F, (i - 1) * dim * dim + 1, dim * dim))
    checker:compare(name .. " clamped in F", "projected", expected.hessian_clamped_in_F,
      probe.block(in_F, first, n), 1e3 * golden.norm(block))
  end
  checker:compare("rest measure", "energy", case.expect.rest_measure,
    golden.flat(model.measure:compute())[1])
end

return function(case, checker)
  local laws = {}
  for _, state in ipairs(sorted_keys(case.expect.results)) do
    for law, value in pairs(case.expect.results[state]) do
      if terms.is_law(law) then
        laws[law] = laws[law] or {}
        table.insert(laws[law], state)
      elseif type(value) == "table" and value.psi then
        checker:fail(law, "the standard library has no such law")
      end
    end
  end
  for _, law in ipairs(sorted_keys(laws)) do check_law(case, checker, law, laws[law]) end
end
