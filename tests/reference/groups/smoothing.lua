-- Smoothing: umbrella, implicit fairing, low-pass pairs, cotangents, springs, graphs, images.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local std = require "basin.std"

local array, sparse = basin.array, basin.sparse

local function surface(case)
  local points = array.from(case.inputs.V)
  local triangles = array.from(case.inputs.F or case.inputs.T)
  local mesh = basin.mesh.new { points = points, triangles = triangles }
  return points, triangles, std.smooth.graph(points.count, mesh:unique_edges())
end

-- Sums over triangles are values of a scene's expressions.
local function measures(points, triangles)
  local scene = basin.scene("measures")
  local mesh = scene:add_mesh("surface")
  local verts = mesh:add_primitive("vertices", points.count)
  local tris = mesh:add_primitive("triangles", triangles.count)
  local corners = tris:add_connectivity("corners", verts, triangles, 3)
  local x = verts:add_attribute("place", { rows = 3, value = points })
  local p = corners:gather(x)
  local normal = (p:row(2) - p:row(1)):cross(p:row(3) - p:row(1)) * 0.5
  local six = p:row(1):cross(p:row(2)):dot(p:row(3))
  local around = {}
  for k = 1, points.count do around[k] = {} end
  for t, corner in ipairs(triangles:table()) do
    for _, v in ipairs(corner) do table.insert(around[math.tointeger(v) + 1], t - 1) end
  end
  local of = verts:add_connectivity("around", tris, around, 0)
  local tilt = of:sum(normal)
  return function(places)
    x:update(places)
    return tris:evaluate(six / 6):sum(), tris:evaluate(normal:norm()):sum(),
      verts:evaluate(tilt / tilt:norm())
  end
end

local function explicit(case, check)
  local points, triangles, graph = surface(case)
  local expect, lambda = case.expect, case.params.lam
  check:equal("n_edges", math.tointeger(expect.n_edges), graph.edges.count)
  check:within("degree", "abs", 0, expect.degree, graph.degree)
  local measure = measures(points, triangles)
  local volume, area, normals = measure(points)
  check:compare("vertex_normals", "vertex_normals", expect.vertex_normals, normals)
  local volumes, areas = { volume }, { area }
  std.smooth.passes(points, graph.umbrella, { lambda = lambda, passes = #expect.volume - 1,
    each = function(pass, p)
      local wanted = expect.positions[tostring(pass)]
      if wanted then check:compare("positions " .. pass, "positions", wanted, p) end
      volumes[pass + 1], areas[pass + 1] = measure(p)
    end })
  check:compare("volume", "volume", expect.volume, volumes)
  check:compare("area", "area", expect.area, areas)
  check:compare("full_step", "positions", expect.full_step,
    std.smooth.passes(points, graph.umbrella, { lambda = 1 }))
  local n = #case.inputs.curve
  local ring = {}
  for k = 0, n - 1 do ring[k + 1] = { k, (k + 1) % n } end
  check:compare("curve", "positions", expect.curve_after_one,
    std.smooth.passes(case.inputs.curve, std.smooth.graph(n, ring).umbrella, { lambda = lambda }))
end

local function implicit(case, check)
  local points, triangles, graph = surface(case)
  local expect, measure = case.expect, measures(points, triangles)
  local p, q = points, points
  local cotangent = std.smooth.cotangent(points, triangles)
  local volumes, others = { (measure(p)) }, { (measure(p)) }
  for k = 1, math.tointeger(case.params.steps) do
    p = std.smooth.fairing(p, graph.umbrella, case.params.lam)
    q = std.smooth.fairing(q, cotangent:update(q).stiffness, case.params.dt_cot, cotangent.mass)
    check:compare("umbrella " .. k, "umbrella_positions", expect.umbrella_positions[k], p)
    check:compare("cotangent " .. k, "cot_positions", expect.cot_positions[k], q)
    volumes[k + 1], others[k + 1] = (measure(p)), (measure(q))
  end
  check:compare("umbrella_volume", "volume", expect.umbrella_volume, volumes)
  check:compare("cot_volume", "volume", expect.cot_volume, others)
  -- The symmetric form, with degrees.
  local D = sparse.diagonal(graph.degree)
  local same = (D + case.params.lam * graph.laplacian):factorize("cholesky"):solve(D * points)
  check:compare("symmetric form", "umbrella_positions", expect.umbrella_positions[1], same)
end

-- Scaled about the mean of the vertices.
local function scaled(p, factor)
  local ones = sparse.from(array.filled(p.count, 1))
  local center = ones * (ones:T() * sparse.from(p)) / p.count
  local away = sparse.from(p) - center
  return (center + away * factor):dense()
end

local function taubin(case, check)
  local points, triangles, graph = surface(case)
  local expect, params, measure = case.expect, case.params, measures(points, triangles)
  local v0 = (measure(points))
  local volumes = { v0 }
  local pairs_of = #expect.volume - 1
  std.smooth.passes(points, graph.umbrella, { lambda = params.lam, mu = params.mu,
    passes = pairs_of, each = function(pass, p)
      local wanted = expect.positions[tostring(pass)]
      if wanted then check:compare("positions " .. pass, "positions", wanted, p) end
      volumes[pass + 1] = (measure(p))
    end })
  check:compare("volume", "volume", expect.volume, volumes)
  check:within("volume_ratio_taubin", "rel", 1e-11, expect.volume_ratio_taubin,
    volumes[#volumes] / v0)
  -- Two plain passes for a pair.
  local plain = std.smooth.passes(points, graph.umbrella, { lambda = params.lam,
    passes = 2 * pairs_of })
  check:compare("plain", "positions", expect.plain_positions, plain)
  check:compare("plain volume", "volume", expect.plain_volume, (measure(plain)))
  check:within("volume_ratio_plain", "rel", 1e-11, expect.volume_ratio_plain, measure(plain) / v0)
  local kept = std.smooth.passes(points, graph.umbrella, { lambda = params.lam,
    passes = 2 * pairs_of, each = function(_, p)
      return scaled(p, (v0 / measure(p)) ^ (1 / 3))
    end })
  check:compare("rescaled", "rescaled_positions", expect.rescaled_positions, kept)
  check:compare("rescaled volume", "volume", expect.rescaled_volume, (measure(kept)))
end

local function triplets(value)
  local s = value.shape
  return sparse.new { rows = s[1], columns = s[2], i = value.i, j = value.j, values = value.v }
end

local function cotangents(case, check)
  local points, triangles, graph = surface(case)
  local expect, lambda = case.expect, case.params.lam
  local cotangent = std.smooth.cotangent(points, triangles)
  local C = cotangent.stiffness
  check:compare("cot_matrix", "cot_matrix", triplets(expect.cot_matrix):dense(), C:dense())
  check:compare("lumped_area", "cot_matrix", expect.lumped_area, cotangent.areas)
  check:compare("cot_times_V", "cot_times_V", expect.cot_times_V, C * points)
  check:compare("umbrella_times_V", "cot_times_V", expect.umbrella_times_V,
    graph.umbrella * points)
  local flow = sparse.diagonal(cotangent.areas ^ -1) * (C * points)
  check:compare("mean_curvature", "cot_times_V", expect.mean_curvature_magnitude,
    flow:lengths() / 2)
  check:compare("explicit cotangent", "cot_times_V", expect.one_explicit_cot_step,
    points - flow * (0.1 * lambda))
  check:compare("explicit umbrella", "cot_times_V", expect.one_explicit_umbrella_step,
    std.smooth.passes(points, graph.umbrella, { lambda = lambda }))
  local flat = array.from(case.inputs.flat_V)
  local cells = array.from(case.inputs.flat_F)
  local space = sparse.columns { flat, array.zeros(flat.count) }:dense()
  local edges = basin.mesh.new { points = space, triangles = cells }:unique_edges()
  local inner = case.inputs.flat_inner
  local drift = (std.smooth.graph(flat.count, edges).umbrella * flat):select(inner)
  check:compare("flat_umbrella_drift", "flat_umbrella_drift", expect.flat_umbrella_drift,
    drift)
  local still = (std.smooth.cotangent(flat, cells).stiffness * flat):select(inner):max_abs()
  check:require("flat_cot_drift", still <= expect.flat_cot_drift_max_at_most)
end

local function springs(case, check)
  local params, inputs, expect = case.params, case.inputs, case.expect
  local x = array.from(inputs.V)
  local n = x.count
  local scene = basin.scene("net")
  local mesh = scene:add_mesh("net")
  local verts = mesh:add_primitive("vertices", n)
  local place = verts:add_attribute("place", { rows = 3, value = x })
  local edges = mesh:add_primitive("springs", #inputs.E)
  local ends = edges:add_connectivity("ends", verts, inputs.E, 2)
  local p = ends:gather(place)
  local d = p:row(2) - p:row(1)
  scene:add_energy(0.5 * params.k * d:squared_norm(), { name = "spring" })
  scene:add_minimize_target { place }
  check:within("energy", "rel", 1e-12, expect.energy, scene:compute_total_energy())
  local force = -(scene:gradient())
  check:within("force", "rel", 1e-12, expect.force, force)
  local graph = std.smooth.graph(n, inputs.E)
  local K = params.k * graph.laplacian
  check:within("stiffness", "abs", 1e-11, triplets(expect.stiffness_matrix_scalar):dense(),
    K:dense())
  check:within("hessian", "abs", 1e-11, K:kron(sparse.identity(3)):dense(),
    scene:hessian():dense())
  local h, m = params.h, params.m
  local degrees = sparse.diagonal(graph.degree ^ -1)
  check:compare("explicit_uniform_mass", "explicit", expect.explicit_uniform_mass,
    x + force * (h * h / m))
  check:within("lambda_uniform", "rel", 1e-14, expect.lambda_uniform, h * h * params.k / m)
  check:within("lambda_degree", "rel", 1e-14, expect.lambda_degree, h * h * params.k)
  local by_degree = x + degrees * force * (h * h)
  check:compare("explicit_degree_mass", "explicit", expect.explicit_degree_mass, by_degree)
  check:compare("equals a pass", "equivalence", by_degree, std.smooth.passes(x, graph.umbrella,
    { lambda = h * h * params.k }))
  local M = sparse.identity(n, m)
  check:compare("implicit_uniform_mass", "implicit", expect.implicit_uniform_mass,
    std.smooth.fairing(x, K, h * h, M))
  local implicit_degree = std.smooth.fairing(x, K, h * h, sparse.diagonal(graph.degree))
  check:compare("implicit_degree_mass", "implicit", expect.implicit_degree_mass, implicit_degree)
  check:compare("equals fairing", "equivalence", implicit_degree,
    std.smooth.fairing(x, graph.umbrella, h * h * params.k))
  -- Springs of a fraction of their length, ten steps down the gradient.
  local other = basin.scene("short")
  local net = other:add_mesh("net")
  local nodes = net:add_primitive("vertices", n)
  local at = nodes:add_attribute("place", { rows = 3, value = x })
  local bars = net:add_primitive("springs", #inputs.E)
  local to = bars:add_connectivity("ends", nodes, inputs.E, 2)
  local q = to:gather(at)
  local length = (q:row(2) - q:row(1)):norm()
  local short = bars:add_constant("length", { value = bars:evaluate(length) * expect.fraction })
  other:add_energy(0.5 * params.k * (length - short) ^ 2, { name = "spring" })
  other:add_minimize_target { at }
  for _ = 1, 10 do at:update(at:value() - other:gradient() * expect.fraction_gradient_step) end
  check:within("fraction_positions_after_10", "abs", 1e-12, expect.fraction_positions_after_10,
    at:value())
end

local function graphs(case, check)
  local expect, v = case.expect, array.from(case.inputs.v)
  local graph = std.smooth.graph(math.tointeger(case.params.n), case.inputs.E)
  check:within("L", "abs", 0, expect.L, graph.laplacian:dense())
  check:within("incidence", "abs", 0, expect.incidence, graph.incidence:dense())
  check:within("degree", "abs", 0, expect.degree, graph.degree)
  check:within("edge_dual_matrix", "abs", 0, expect.edge_dual_matrix, graph.edge_matrix:dense())
  check:compare("Lv", "Lv", expect.Lv, graph.laplacian * v)
  check:within("quadratic_form", "rel", 1e-13, expect.quadratic_form, v:dot(graph.laplacian * v))
  check:compare("eigenvalues", "eigenvalues", expect.eigenvalues,
    (basin.dense.eigen(graph.laplacian)))
  check:compare("eigenvalues of the sparse solver", "eigenvalues", expect.eigenvalues,
    (sparse.eigen(graph.laplacian, { count = graph.count })))
end

-- Differences to the neighbours of a pixel; those beyond the border repeat the border.
local function image_laplacian(nx, ny, offsets)
  local i, j, values = {}, {}, {}
  local function add(a, b, value) i[#i + 1], j[#j + 1], values[#values + 1] = a, b, value end
  for y = 0, ny - 1 do
    for x = 0, nx - 1 do
      for _, o in ipairs(offsets) do
        local cx = math.max(0, math.min(nx - 1, x + o[1]))
        local cy = math.max(0, math.min(ny - 1, y + o[2]))
        add(x + nx * y, cx + nx * cy, 1)
        add(x + nx * y, x + nx * y, -1)
      end
    end
  end
  return sparse.new { rows = nx * ny, columns = nx * ny, i = i, j = j, values = values }
end

local function images(case, check)
  local nx, ny = math.tointeger(case.params.nx), math.tointeger(case.params.ny)
  local image = array.from(case.inputs.image)
  image = array.from(image, { rows = 1 })
  local four, eight = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } }, {}
  for dx = -1, 1 do
    for dy = -1, 1 do
      if dx ~= 0 or dy ~= 0 then eight[#eight + 1] = { dx, dy } end
    end
  end
  for name, offsets in pairs { ["4"] = four, ["8"] = eight } do
    local l = image_laplacian(nx, ny, offsets) * image
    check:compare("laplace" .. name, "all", case.expect["laplace" .. name], l)
    check:compare("smooth" .. name, "all", case.expect["smooth" .. name], image + l / #offsets)
    check:compare("sharpen" .. name, "all", case.expect["sharpen" .. name .. "_clamped"],
      (image - l):map(function(v) return math.max(0, math.min(255, v)) end))
  end
end

return { { "explicit_", explicit }, { "implicit_", implicit }, { "taubin_", taubin },
  { "cotan_", cotangents }, { "zero_length_", springs }, { "graph_", graphs },
  { "image_", images } }
