-- Forces of springs, accumulated in three ways.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local net_of = require "groups.integrators.net"
local dense = require "groups.dense"

-- Signed sums over the edges of each node: a table of a row a node.
local function by_table(net, case, force)
  local mesh = net.scene.net
  local list, signs = {}, {}
  for i, edges in ipairs(case.expect.incidence_edges) do
    list[i] = edges
    for k = 1, #edges do signs[#signs + 1] = case.expect.incidence_signs[i][k] end
  end
  local entries = mesh:add_primitive("entries", #signs)
  local flat, starts = {}, {}
  for i, edges in ipairs(list) do
    starts[i] = {}
    for _, edge in ipairs(edges) do
      flat[#flat + 1] = edge
      starts[i][#starts[i] + 1] = #flat - 1
    end
  end
  local edge = entries:add_connectivity("edge", net.springs, flat, 1)
  local sign = entries:add_constant("sign", { value = basin.array.from(signs) })
  local signed = entries:add_attribute("signed", sign * edge:gather(force))
  local of = net.points:add_connectivity("entries", entries, starts, 0)
  local sum = net.points:add_attribute("sum", { through = of, source = signed, reduce = "sum" })
  return sum:compute()
end

return function(case, checker)
  local p, input, expect = case.params, case.inputs, case.expect
  local net = net_of(input.P, input.E, input.l0, p.k, 1)
  local q = net.ends:gather(net.x)
  local d = q:row(2) - q:row(1)
  local phi = d:norm() - net.rest
  local force = net.springs:add_attribute("force", (-p.k * phi * d / d:norm()):reshape(2, 1))
  checker:compare("elongation", "node_force", expect.elongation, phi:compute())
  checker:compare("tension", "node_force", expect.tension, (-p.k * phi):compute())
  checker:compare("edge forces", "node_force", expect.edge_force, force:compute())
  -- The gradient of the energy, a table of edges and signs, and the transposed difference matrix.
  local springs = net.scene:minimizer { targets = { net.x }, energies = { "springs" } }
  local gradient = -springs:gradient()
  local s = net.points:add_attribute("s", { value = 0 })
  local pair = net.ends:gather(s)
  local A = basin.jacobian(pair:row(2) - pair:row(1), { s })
  checker:within("difference matrix", "abs", 0, dense.of(expect.difference_matrix), A:dense())
  local transposed = A:kron(basin.sparse.identity(2)):apply_transposed(force:compute())
  checker:compare("forces", "node_force", expect.node_force, gradient)
  checker:compare("by a table", "routes", gradient, by_table(net, case, force))
  checker:compare("by the difference matrix", "routes", gradient, transposed)
  checker:compare("no force in all", "node_force", { 0, 0 },
    { gradient:component(1):sum(), gradient:component(2):sum() })
  checker:compare("energy", "energy", expect.energy, springs:compute_total_energy())
  for i, row in ipairs(expect.incidence_edges) do
    checker:equal("degree of " .. i, expect.degree[i], #row)
  end
end
