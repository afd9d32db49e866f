-- What the fuzzer of the Lua interface calls things with: odd values, tables of options, objects.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"

local M = {}

local plain <const> = { false, true, 0, 1, -1, 2, 3, 4, 7, 0.5, -0.0, 1e-8, 1e8, 1e308, -1e308,
  0 / 0, 1 / 0, -1 / 0, 65536, 2 ^ 31, 2 ^ 32, 2 ^ 53, math.mininteger, math.maxinteger, "", "x",
  "position", "sum", "cpu", "direct", "pcg", "clamp", "none", "%s%n%d", "a\0b",
  ("long "):rep(2000), "no/such/folder/file.obj", "out.vtu", "file.ply" }

local keys <const> = { "rows", "cols", "value", "through", "source", "reduce", "name",
  "projection", "targets", "tolerance", "max_iterations", "solver", "dynamic", "dim", "size",
  "count", "density", "thickness", "radius", "height", "factor", "axis", "angle", "degrees", "step",
  "steps", "kind", "threads", "precision", "device", "from", "to", "n", "level", "matrix",
  "positions", "energy", "fixed", "velocity", "mass", "frames", "folder" }

local function pick(list) return list[math.random(#list)] end

-- A fresh scene with one of everything; what it made is added to `pool`.
local function populate(pool)
  local function add(value)
    pool[#pool + 1] = value
    return value
  end
  local scene = add(basin.scene("fuzzed"))
  local mesh = add(scene:add_mesh("rope"))
  local knots = add(mesh:add_primitive("knots", 3))
  local links = add(mesh:add_primitive("links", 2, { dynamic = true }))
  add(mesh:add_primitive("nothing", 0, { dynamic = true }))
  local x = add(knots:add_attribute("position",
    { rows = 3, value = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 1 } } }))
  add(knots:add_constant("weight", { value = 1 }))
  local ends = add(links:add_connectivity("ends", knots, { 0, 1, 1, 2 }, 2))
  local p = add(ends:gather(x))
  local length = add((p:row(1) - p:row(2)):norm())
  add(scene:add_energy(links:add_attribute("spring", 0.5 * (length - 0.5) ^ 2)))
  scene:add_minimize_target { x }
  add(scene:gradient())
  local hessian = add(scene:hessian())
  add((hessian + basin.sparse.identity(9)):factorize())
  add(basin.mesh.box { width = 1 })
  add(basin.array.from { { 1, 2 }, { 3, 4 } })
  add(basin.array.zeros(0))
  add(basin.sparse.identity(3))
  add(basin.matrix { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 10 } })
  add(basin.vector { 1, 2, 3 })
end

-- A pool of live objects.
function M.pool()
  local pool = {}
  populate(pool)
  return pool
end

-- A random value; `depth` limits nested tables.
function M.random(pool, depth)
  local kind = math.random(100)
  if kind <= 35 then return pick(pool) end
  if kind <= 65 then return pick(plain) end
  if kind <= 70 then return nil end
  if kind <= 72 then return function(...) return ... end end
  if kind <= 73 then return coroutine.create(print) end
  if kind <= 74 then return io.stdout end
  if depth <= 0 then return 1 end
  local made = {}
  if kind <= 88 then
    for i = 1, math.random(0, 4) do made[i] = M.random(pool, depth - 1) end
  else
    for _ = 1, math.random(0, 3) do made[pick(keys)] = M.random(pool, depth - 1) end
  end
  if math.random(50) == 1 then setmetatable(made, { __len = function() return 5 end }) end
  if math.random(50) == 1 then made[1] = made end
  return made
end

return M
