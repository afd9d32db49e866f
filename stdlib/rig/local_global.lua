-- As-rigid-as-possible solids for local/global steps: constant matrices, and closest rotations by
-- element or by cluster. SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local deformation = require "basin.std.elastic.deformation"

local methods = {}
methods.__index = methods

-- Moves the vertices; the rotations closest to F, a matrix each: those of the clusters if there are
-- any.
function methods:rotations(places)
  self.place:update(places)
  if not self.clusters then return self.cells:evaluate(self.rotation) end
  return self.clusters:evaluate(self.cluster_rotation):select(self.labels)
end

-- What the global step has on its right.
function methods:force(rotations)
  return self.spread * basin.array.from(rotations, { rows = 1 })
end

-- sum mu volume / 2 |F - R|^2 with the given rotations, or the closest of each element.
function methods:energy(places, rotations)
  self.place:update(places)
  local R = rotations or self.cells:evaluate(self.rotation)
  local F = self.cells:evaluate(self.F)
  local d = basin.array.from(F, { rows = 1 }) - basin.array.from(R, { rows = 1 })
  return 0.5 * (d * d):dot(self.weights)
end

---std.rig.local_global(rest, simplices, mu, labels): constant matrices and closest rotations of an
---as-rigid-as-possible solid. labels (may be nil): a cluster (from 0) of each simplex, which then
---share the rotation closest to sum mu volume F. rotations(places) finds them, force(rotations) is
---G^T (mu volume R), energy(places, rotations) the elastic energy. Source: Bouaziz, Martin, Liu,
---Kavan and Pauly, Projective Dynamics, ACM TOG 33(4), 2014; for clusters as of std.rig.linear.
---Fields:
---  stiffness  L = G^T (mu volume) G
---  gradient  G, with F = G x
---  volumes  of the simplices
return function(rest, simplices, mu, labels)
  local X = basin.array.from(rest)
  local d = X.size
  local cells_of = basin.array.from(simplices, { rows = d + 1 })
  local scene = basin.scene("local_global")
  local mesh = scene:add_mesh("solid")
  local verts = mesh:add_primitive("vertices", X.count)
  local cells = mesh:add_primitive("cells", cells_of.count)
  local corners = cells:add_connectivity("corners", verts, cells_of, d + 1)
  local place = verts:add_attribute("place", { rows = d, value = X })
  local start = verts:add_constant("rest", { rows = d, value = X })
  local F, volume = deformation.gradient(corners:gather(place), corners:gather(start))
  local self = setmetatable({ place = place, cells = cells, F = F, rotation = F:polar(),
    volumes = cells:evaluate(volume:abs()), gradient = basin.jacobian(F, { place }) }, methods)
  self.weights = (self.volumes * mu):select(basin.array.labels((function()
    local list = {}
    for k = 0, cells_of.count - 1 do list[k + 1] = { d * d, k } end
    return list
  end)()))
  self.spread = self.gradient:T() * basin.sparse.diagonal(self.weights)
  self.stiffness = self.spread * self.gradient
  if labels then
    local label = basin.array.from(labels, { rows = 1 })
    local members = {}
    for c = 1, math.tointeger(label:max()) + 1 do members[c] = {} end
    for k, c in ipairs(label:table()) do table.insert(members[math.tointeger(c) + 1], k - 1) end
    self.labels = label
    self.clusters = mesh:add_primitive("clusters", #members)
    local of = self.clusters:add_connectivity("members", cells, members, 0)
    self.cluster_rotation = of:sum(mu * volume:abs() * F):polar()
  end
  return self
end
