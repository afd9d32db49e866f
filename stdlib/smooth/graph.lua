-- Matrices of a graph: incidence, degrees, Laplacian, umbrella.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local errors = require "basin.errors"
local sparse = basin.sparse

---std.smooth.graph(count, edges): matrices of count nodes and of edges, pairs from 0. Springs
---without rest length have the energy k/2 x^T L x. Source: Taubin, A Signal Processing Approach to
---Fair Surface Design, SIGGRAPH 1995. Fields:
---  incidence  B, a column an edge: -1 at its first node, 1 at its second
---  laplacian  L = B B^T = D - A
---  adjacency  A
---  degree  the diagonal of D
---  umbrella  U = A / D - I: the mean of the neighbours minus the node; 0 for nodes without
---  edge_matrix  B^T B
return function(count, edges)
  local pairs_of = basin.array.from(edges, { rows = 2 })
  local m = pairs_of.count
  if m > 0 and not (pairs_of:min() >= 0 and pairs_of:max() < count) then
    errors.fail("RANGE", "std.smooth.graph: edges name nodes from %g to %g of %d", pairs_of:min(),
      pairs_of:max(), count)
  end
  local signs = basin.array.filled(m, { -1, 1 })
  local column = basin.array.range(0, m)
  local incidence = m == 0 and sparse.zero(count, 0) or sparse.new { rows = count, columns = m,
    i = basin.array.from(pairs_of, { rows = 1 }), values = basin.array.from(signs, { rows = 1 }),
    j = basin.array.from(sparse.columns { column, column }:dense(), { rows = 1 }) }
  local laplacian = incidence * incidence:T()
  local degree = laplacian:diagonal()
  local adjacency = sparse.diagonal(degree) - laplacian
  local inverse = degree:map(function(d) return d > 0 and 1 / d or 0 end)
  local joined = degree:map(function(d) return d > 0 and 1 or 0 end)
  return { count = count, edges = pairs_of, incidence = incidence, laplacian = laplacian,
    degree = degree, adjacency = adjacency, edge_matrix = incidence:T() * incidence,
    umbrella = sparse.diagonal(inverse) * adjacency - sparse.diagonal(joined) }
end
