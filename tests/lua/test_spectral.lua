-- Modes, dense factors, constraints, projections, subspaces: against analytic values and second
-- methods.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local sparse, dense, array = basin.sparse, basin.dense, basin.array

-- The libraries are needed from these sizes on.
local function need(name, call, value)
  local ok, problem = pcall(call, value)
  if ok then return end
  print(("skipped: %s: %s"):format(name, tostring(problem)))
  os.exit(77)
end
need("LAPACK", dense.svd, sparse.identity(49))
need("ARPACK", sparse.eigen, sparse.identity(2049))

-- The matrix of a graph that is a grid of n x n nodes; its eigenvalues are sums of those of chains.
local function grid_matrix(n)
  local i, j, v = {}, {}, {}
  local function add(a, b, value) i[#i + 1], j[#j + 1], v[#v + 1] = a, b, value end
  local function join(a, b)
    add(a, a, 1)
    add(b, b, 1)
    add(a, b, -1)
    add(b, a, -1)
  end
  for y = 0, n - 1 do
    for x = 0, n - 1 do
      if x + 1 < n then join(x + n * y, x + 1 + n * y) end
      if y + 1 < n then join(x + n * y, x + n * (y + 1)) end
    end
  end
  return sparse.new { rows = n * n, columns = n * n, i = i, j = j, values = v }
end

local function grid_values(n)
  local values = {}
  for a = 0, n - 1 do
    for b = 0, n - 1 do
      values[#values + 1] = 4 * math.sin(math.pi * a / 2 / n) ^ 2
        + 4 * math.sin(math.pi * b / 2 / n) ^ 2
    end
  end
  table.sort(values)
  return values
end

local function random_rows(rows, columns, seed)
  local list, state = {}, seed
  for i = 1, rows do
    list[i] = {}
    for j = 1, columns do
      state = (state * 1103515245 + 12345) % 2147483648
      list[i][j] = state / 1073741824 - 1
    end
  end
  return list
end

local function gap(a, b) return (a - b):max_abs() end

local function unit(a) return sparse.identity(a.size):dense() end

-- A M V - M V diag(values), and V^T M V - I.
local function check_pairs(a, mass, values, vectors, bound)
  local mv = mass * vectors
  h.equal(gap(a * vectors, dense.multiply(mv, sparse.diagonal(values))) < bound, true, "residual")
  h.equal(gap(dense.multiply(dense.transpose(vectors), mv), unit(vectors)) < bound, true,
    "orthonormal")
end

h.test("lowest modes of grids, dense and by ARPACK", function()
  for _, n in ipairs { 4, 12, 20 } do
    local a, expected = grid_matrix(n), grid_values(n)
    local values, vectors, info = sparse.eigen(a, { count = 7 })
    h.equal(info.method, n * n > 256 and "ARPACK" or "dense")
    for k = 1, 7 do h.close(values:at(k), expected[k], 1e-12) end
    check_pairs(a, sparse.identity(n * n), values, vectors, 1e-12)
    local again, same = sparse.eigen(a, { count = 7 })
    h.equal(again == values and same == vectors, true, "the same bits")
  end
end)

h.test("modes near a shift, with a mass and constraints", function()
  for _, n in ipairs { 8, 20 } do
    local a, weights = grid_matrix(n), {}
    for k = 1, n * n do weights[k] = 1 + k % 3 end
    local mass = sparse.diagonal(weights)
    local ones = {}
    for k = 1, n * n do ones[k] = 1 end
    -- Rows that repeat: the mean, again, and one node held.
    local held = sparse.new { rows = 3, columns = n * n, i = { 0, 0, 2 }, j = { 0, 1, 5 },
      values = { 0, 0, 1 } }
      + sparse.blocks { { sparse.from { ones, ones } }, { sparse.zero(1, n * n) } }
    for _, near in ipairs { false, 3.3 } do
      local values, vectors = sparse.eigen(a, { count = 4, mass = mass, constraints = held,
        near = near or nil })
      h.equal((held * vectors):max_abs() < 1e-11, true, "constraints hold")
      local z = sparse.projection(held):null_space()
      local all = dense.eigen(z:T() * a * z, { mass = z:T() * mass * z }):table()
      if near then
        table.sort(all, function(p, q) return math.abs(p - near) < math.abs(q - near) end)
      end
      local nearest = { all[1], all[2], all[3], all[4] }
      table.sort(nearest)
      for k = 1, 4 do h.close(values:at(k), nearest[k], 1e-10) end
    end
  end
end)

h.test("a matrix with negative eigenvalues", function()
  local n = 20
  local a = grid_matrix(n) - sparse.identity(n * n, 5)
  local values, _, info = sparse.eigen(a, { count = 3 })
  local expected = grid_values(n)
  for k = 1, 3 do h.close(values:at(k), expected[k] - 5, 1e-11) end
  h.equal(info.shift < -5, true, "a shift below all")
end)

h.test("more eigenvalues than there are, shapes, values that are no numbers", function()
  local a = grid_matrix(3)
  h.fails("10 eigenvalues were asked for, the problem has 9", sparse.eigen, a, { count = 10 })
  h.fails("the problem has 8 %(9 unknowns, 1 constraints%)", sparse.eigen, a,
    { count = 9, constraints = sparse.from { { 1, 1, 0, 0, 0, 0, 0, 0, 0 } } })
  h.equal(sparse.eigen(a, { count = 9 }).count, 9)
  h.fails("must be 2x2, it is 2x3", sparse.eigen, sparse.zero(2, 3))
  h.fails("'constraints' must have 9 columns", sparse.eigen, a, { constraints = sparse.zero(1, 8) })
  h.fails("the mass must be 9x9", sparse.eigen, a, { mass = sparse.identity(8) })
  h.fails("the matrix must be symmetric", sparse.eigen, sparse.from { { 1, 2 }, { 0, 1 } },
    { count = 1 })
  h.fails("the mass is not positive definite", sparse.eigen, a,
    { mass = sparse.diagonal { 1, 1, 1, 1, -1, 1, 1, 1, 1 } })
  h.fails("the mass is not positive definite", sparse.eigen, a, { mass = sparse.zero(9, 9) })
  h.fails("the mass is not positive definite", sparse.eigen, sparse.identity(2),
    { count = 1, mass = sparse.from { { 1, 2 }, { 2, 1 } } })
  h.fails("count", sparse.eigen, a, { count = 0 })
  h.fails("a basis of 40000 vectors is too large", sparse.eigen, sparse.identity(50000),
    { count = 1, basis = 40000 })
  h.fails("finite", sparse.eigen, sparse.identity(9) * (0 / 0))
  h.fails("a sparse matrix", sparse.eigen, { { 1 } })
  h.equal(sparse.eigen(a, { count = 3, near = 0 }).count, 3)
  h.fails("shift 0 is an eigenvalue", sparse.eigen, sparse.zero(300, 300), { near = 0 })
end)

h.test("without ARPACK or LAPACK", function()
  local script = h.write("large.lua", [[
    local basin = require "basin"
    local n, kind = tonumber(basin.setting "n"), basin.setting "kind"
    local a = basin.sparse.diagonal(basin.array.range(1, n))
    if kind == "svd" then
      print(basin.dense.svd(a).count)
    else
      local values, _, info = basin.sparse.eigen(a, { count = 2 })
      print(info.method, values:at(1), values:at(2))
    end
  ]])
  local function run(n, kind, status, pattern, environment)
    h.expect_command(("run --quiet --set n=%d --set kind=%s '%s'"):format(n, kind, script), status,
      pattern, environment)
  end
  run(100, "eigen", 0, "dense%s+1.0", "BASIN_LIB_ARPACK=/nowhere")
  run(40, "eigen", 0, "dense%s+1.0%s+2.0", "BASIN_LIB_ARPACK=/nowhere BASIN_LIB_LAPACK=/nowhere")
  run(100, "eigen", 0, "ARPACK%s+1.0", "BASIN_LIB_LAPACK=/nowhere")
  run(100, "eigen", 1, "LAPACK is needed.*liblapack3",
    "BASIN_LIB_ARPACK=/nowhere BASIN_LIB_LAPACK=/nowhere")
  run(3000, "eigen", 1, "ARPACK is needed.*libarpack2", "BASIN_LIB_ARPACK=/nowhere")
  run(48, "svd", 0, "48", "BASIN_LIB_LAPACK=/nowhere")
  run(49, "svd", 1, "LAPACK is needed.*liblapack3", "BASIN_LIB_LAPACK=/nowhere")
  run(49, "svd", 1, "libm.* has no function ilaver_", "BASIN_LIB_LAPACK=libm.so.6")
  run(3000, "eigen", 1, "libm.* has no function dsaupd_", "BASIN_LIB_ARPACK=libm.so.6")
end)

-- Sides up to 48 are done without LAPACK.
local shapes = { { 1, 1 }, { 3, 2 }, { 2, 5 }, { 40, 40 }, { 7, 90 }, { 60, 50 }, { 50, 80 },
  { 70, 70 } }

h.test("singular values and QR", function()
  for seed, shape in ipairs(shapes) do
    local rows = random_rows(shape[1], shape[2], seed)
    if shape[1] > 2 then rows[2] = rows[1] end
    local a, k = array.from(rows), math.min(shape[1], shape[2])
    for _, full in ipairs { false, true } do
      local u, s, v = dense.svd(a, { full = full })
      local first = array.range(0, k)
      local uk, vk = sparse.from(u):select(nil, first), sparse.from(v):select(nil, first)
      h.equal(gap((uk * sparse.diagonal(s) * vk:T()):dense(), a) < 1e-13, true, "U s V^T")
      h.equal(gap(dense.multiply(dense.transpose(u), u), unit(u)) < 1e-13, true, "U")
      h.equal(gap(dense.multiply(dense.transpose(v), v), unit(v)) < 1e-13, true, "V")
      h.equal(u.size, full and shape[1] or k)
      for _, pivot in ipairs { false, true } do
        local q, r, order = dense.qr(a, { full = full, pivot = pivot })
        local permuted = pivot and sparse.from(a):select(nil, order):dense() or a
        h.equal(gap(dense.multiply(q, r), permuted) < 1e-13, true, "Q R")
        h.equal(gap(dense.multiply(dense.transpose(q), q), unit(q)) < 1e-13, true, "Q")
      end
    end
    h.equal(dense.rank(a), (shape[1] > 2 and shape[1] <= shape[2]) and k - 1 or k)
  end
end)

h.test("dense eigenvalues with a mass", function()
  for _, n in ipairs({ 1, 5, 60 }) do
    local b, c = array.from(random_rows(n, n, 3)), array.from(random_rows(n, n, 4))
    local a = b + dense.transpose(b)
    local mass = dense.multiply(dense.transpose(c), c) + sparse.identity(n):dense()
    local values, vectors = dense.eigen(a, { mass = mass })
    check_pairs(sparse.from(a), sparse.from(mass), values, vectors, 1e-11)
  end
  h.fails("must be square, this one is 2x3", dense.eigen, { { 1, 2, 3 }, { 4, 5, 6 } })
  h.fails("the matrix must be symmetric", dense.eigen, { { 1, 2 }, { 0, 1 } })
  h.fails("not positive definite", dense.eigen, { { 1, 0 }, { 0, 1 } },
    { mass = { { 1, 0 }, { 0, -1 } } })
  h.fails("entry %(1, 2%) of the matrix is not finite", dense.svd, { { 1, 0 / 0 }, { 0, 1 } })
  h.fails("a matrix is needed", dense.svd, 3)
end)

h.test("narrow matrices of any length", function()
  -- Two columns normal to each other: their lengths are the singular values.
  local n, rows = 40000, {}
  for i = 1, n do rows[i] = { i % 2 == 0 and 1 or -1, 2 } end
  local _, s = dense.svd(rows)
  h.close_arrays(s, { 2 * math.sqrt(n), math.sqrt(n) }, 1e-10)
  h.fails("32768 rows and columns are the most", dense.svd, rows, { full = true })
end)

h.test("empty matrices", function()
  local nothing = array.zeros(0)
  h.equal(dense.eigen(nothing).count, 0)
  h.equal(select(2, dense.svd(nothing)).count, 0)
  local saddle = sparse.kkt(sparse.identity(2), sparse.zero(0, 2))
  h.close_arrays((saddle:solve({ 3, 4 }, nil)), { 3, 4 })
  local projection = sparse.projection(sparse.zero(0, 3))
  h.equal(projection.rank, 0)
  h.close_arrays(projection:apply { 1, 2, 3 }, { 1, 2, 3 })
  h.equal(projection:null_space().columns, 3)
end)

h.test("a projection that keeps one of two equal singular values", function()
  local free = sparse.projection(sparse.from { { 1, 1, 0 }, { 1, -1, 0 } }, { keep = 1 })
  local z = free:null_space()
  h.equal(free.rank, 1)
  h.equal(z.columns, 2)
  h.equal((free.basis * z):norm() < 1e-15, true)
  h.equal((z:T() * z - sparse.identity(2)):norm() < 1e-15, true)
end)

h.test("least squares", function()
  local a = { { 1, 0 }, { 1, 1 }, { 1, 2 } }
  h.close_arrays(dense.least_squares(a, { 1, 3, 4 }), { 7 / 6, 1.5 }, 1e-14)
  local x, r = sparse.least_squares(sparse.from(a), { 1, 3, 4 })
  h.close_arrays(x, { 7 / 6, 1.5 }, 1e-14)
  h.close_arrays(r, { -1 / 6, 1 / 3, -1 / 6 }, 1e-14)
  -- Of all solutions the smallest.
  local smallest, rank = dense.least_squares({ { 1, 1 }, { 2, 2 } }, { 2, 4 })
  h.close_arrays(smallest, { 1, 1 }, 1e-14)
  h.equal(rank, 1)
  h.close_arrays(sparse.least_squares(sparse.from { { 1 } }, { 3 }, { ridge = 0.5 }), { 2 }, 1e-14)
  h.fails("not invertible", sparse.least_squares, sparse.from { { 1, 1 }, { 2, 2 } }, { 2, 4 })
  h.fails("has 3 rows, the right%-hand side 2", sparse.least_squares, sparse.from(a), { 1, 2 })
end)

h.test("saddle points with rows that depend on each other", function()
  local n = 300
  local a = grid_matrix(20):select(array.range(0, n), array.range(0, n))
    + sparse.identity(n)
  local rows = {}
  for k, row in ipairs(random_rows(4, n, 9)) do rows[k] = row end
  rows[5] = {}
  for j = 1, n do rows[5][j] = rows[1][j] - 3 * rows[2][j] end
  local c = sparse.from(rows)
  local b, right = array.from(random_rows(1, n, 5)[1]), { 1, 2, 3, 4, -5 }
  local saddle = sparse.kkt(a, c)
  h.equal(saddle.rank, 4)
  h.equal(#saddle.dropped, 1)
  local x, y, violation = saddle:solve(b, right)
  h.equal((a * x + c:apply_transposed(y) - b):max_abs() < 1e-11, true)
  h.equal((c * x - array.from(right)):max_abs() < 1e-11, true)
  h.equal(violation < 1e-11, true)
  local _, _, wrong = saddle:solve(b, { 1, 2, 3, 4, 0 })
  h.equal(wrong > 0.1, true, "a row that cannot hold")
  -- By projection, and by elimination.
  local projection = sparse.projection(c)
  local other, info = projection:solve(a, b, right, { tolerance = 1e-13 })
  h.equal(info.converged, true)
  h.equal((other - x):max_abs() < 1e-10, true)
  h.equal((c:apply_transposed(info.multipliers) - c:apply_transposed(y)):max_abs() < 1e-9, true)
  local z = projection:null_space()
  local x0 = projection:particular(right)
  local reduced = (z:T() * a * z):solve(z:T() * (b - a * x0), "cholesky")
  h.equal((x0 + z * reduced - x):max_abs() < 1e-11, true)
  h.close(projection:matrix():norm() ^ 2, n - 4, 1e-12)
  -- New values, the same constraints.
  local twice = saddle:update(a * 2):solve(b * 2, right)
  h.equal((twice - x):max_abs() < 1e-11, true)
  h.fails("the right%-hand side has 3 numbers", saddle.solve, saddle, { 1, 2, 3 })
  h.fails("must be square", sparse.kkt, sparse.zero(2, 3), c)
end)

h.test("compliance", function()
  -- x = b - C^T y, C x - E y = c: y = (C b - c) / (C C^T + E).
  local c = sparse.from { { 1, 2 } }
  local x, y = sparse.kkt(sparse.identity(2), c, { compliance = 5 }):solve({ 1, 1 }, { 0 })
  h.close_arrays(y, { 0.3 }, 1e-14)
  h.close_arrays(x, { 0.7, 0.4 }, 1e-14)
  local saddle = sparse.kkt(sparse.identity(2), sparse.from { { 1, 2 }, { 1, 2 } },
    { compliance = { 0, 1 } })
  h.equal(saddle.rank, 2)
  h.fails("'compliance' has 2 numbers for 1", sparse.kkt, sparse.identity(2), c,
    { compliance = { 1, 2 } })
end)

h.test("conjugate gradients", function()
  local n = 12
  local a = grid_matrix(n) + sparse.identity(n * n, 0.1)
  local b = array.from(random_rows(1, n * n, 2)[1])
  local x, info = sparse.cg(a, b, { tolerance = 1e-12 })
  h.equal(info.converged, true)
  h.equal(#info.residuals, info.iterations + 1)
  h.equal((a * x - b):max_abs() < 1e-11, true)
  local factor = a:factorize "cholesky"
  local _, fast = sparse.cg(a, b, { preconditioner = function(r) return factor:solve(r) end })
  h.equal(fast.iterations <= 2, true)
  local _, bad = sparse.cg(sparse.diagonal { 1, -1 }, { 1, 1 })
  h.equal(bad.converged, false)
  h.equal(bad.status, "a direction of non-positive curvature was found")
  local _, none = sparse.cg(a, b * 0)
  h.equal(none.converged and none.iterations == 0, true)
  local _, no_number = sparse.cg(a * (0 / 0), b)
  h.equal(no_number.status, "a value is not finite")
end)

h.test("minima in a subspace", function()
  local scene = basin.scene("chain")
  local verts = scene:add_mesh("chain"):add_primitive("vertices", 5)
  local rest = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 } }
  local x = verts:add_attribute("position", { rows = 2, value = rest })
  local goal = verts:add_constant("goal", { rows = 2,
    value = { { 0, 1 }, { 2, 1 }, { 4, 1 }, { 6, 1 }, { 8, 3 } } })
  local d = x - goal
  scene:add_energy(0.5 * d:squared_norm() + 0.25 * d:squared_norm() ^ 2)
  scene:add_minimize_target { x }
  -- Affine maps of the plane: (x, 1) (x) I.
  local columns = sparse.columns { rest, { 1, 1, 1, 1, 1 } }
  local basis = columns:select(nil, { 0, 2 }):kron(sparse.identity(2))
  local space = sparse.subspace(basis, rest)
  local z, info = space:minimize(scene, x, { tolerance = 1e-11 })
  h.equal(info.converged, true)
  h.close_arrays(space:restrict((scene:gradient())), array.zeros(4), 1e-10)
  h.close_arrays(space:lift(z), x:value())
  h.close_arrays(space:coordinates(space:lift(z)), z, 1e-12)
  h.equal(space:reduce(scene:hessian()).rows, 4)
end)

h.test("matrices of graphs and surfaces", function()
  local std = require "basin.std"
  local graph = std.smooth.graph(4, { { 0, 1 }, { 1, 2 } })
  h.close_arrays(graph.umbrella:dense(), { { -1, 1, 0, 0 }, { 0.5, -1, 0.5, 0 }, { 0, 1, -1, 0 },
    { 0, 0, 0, 0 } })
  h.close_arrays(std.smooth.passes({ 1, 2, 6, 7 }, graph.umbrella, { lambda = 1 }),
    { 2, 3.5, 2, 7 })
  h.equal(std.smooth.graph(3, array.zeros(0, { rows = 2 })).laplacian:norm(), 0)
  h.fails("edges name nodes from 0 to 4 of 4", std.smooth.graph, 4, { { 0, 4 } })
  h.fails("edges name nodes from %-1 to 4.5 of 4", std.smooth.graph, 4, { { -1, 4.5 } })
  h.fails("unknown option 'steps'", std.smooth.passes, { 1 }, graph.umbrella, { steps = 3 })
  -- Half a square: the right angle's cotangent is 0, the others' 1.
  local half = std.smooth.cotangent({ { 0, 0 }, { 1, 0 }, { 0, 1 } }, { { 0, 1, 2 } })
  h.close_arrays(half.stiffness:dense(), { { 1, -0.5, -0.5 }, { -0.5, 0.5, 0 }, { -0.5, 0, 0.5 } },
    1e-14)
  h.close_arrays(half.areas, { 1 / 6, 1 / 6, 1 / 6 }, 1e-15)
  half:update { { 0, 0 }, { 2, 0 }, { 0, 2 } }
  h.close_arrays(half.areas, { 2 / 3, 2 / 3, 2 / 3 }, 1e-15)
  -- Cubes of any size are at rest; a turned one has its rotation.
  local box = basin.mesh.box { nx = 2, ny = 2, nz = 2 }
  local solid = std.rig.local_global(box.points, box.tets, 3)
  local turned = box.points * 1
  local R = sparse.from { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
  turned = (sparse.from(turned) * R:T()):dense()
  h.close(solid:energy(turned), 0, 1e-12)
  local rotations = solid:rotations(turned)
  h.close_arrays(rotations:slice(1, 1), { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } }, 1e-12)
  h.close_arrays(solid.stiffness * array.from(turned, { rows = 1 }), solid:force(rotations), 1e-12)
  local clustered = std.rig.local_global(box.points, box.tets, 3, array.zeros(box.tets.count))
  h.close_arrays(clustered:rotations(turned), rotations, 1e-12)
end)

h.finish()
