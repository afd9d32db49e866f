-- Random bodies fall onto each other: of all kinds and scales, far from the origin, fast, with
-- degenerate meshes. A clear error or a run without intersections under the witness; anything else
-- is a fault. Settings: first and count (of the seeds), seconds, verbose.
-- SPDX-License-Identifier: Apache-2.0
local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "../scenes/?.lua;" .. package.path
local basin = require "basin"
local std = require "basin.std"
local guard = require "physics.guard"
local random = require "random"

local first <const> = math.tointeger(tonumber(basin.setting("first", 1)))
local count <const> = math.tointeger(tonumber(basin.setting("count", 1000000)))
local seconds <const> = tonumber(basin.setting("seconds", 8))
local verbose <const> = basin.setting("verbose", false)

local function pick_scale(r)
  return 10 ^ (r:one_in(3) and r:real(-4, 4) or r:real(-1, 1))
end

-- A rotation times a size, or a squeezed one: slivers.
local function placed(r, mesh, size)
  local a, b = r:real(0, 2 * math.pi), r:real(0, 2 * math.pi)
  local ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
  local flat = r:one_in(6) and r:pick { 1e-1, 1e-2, 1e-3 } or 1
  return mesh:transformed { { size * ca, -size * sa * flat, 0, 0 },
    { size * sa * cb, size * ca * cb * flat, -size * sb, 0 },
    { size * sa * sb, size * ca * sb * flat, size * cb, 0 } }
end

-- Points and triangles of a grid with what readers of files meet: an isolated vertex, a triangle of
-- no area, an edge of three triangles.
local function spoiled(r, mesh)
  local points, triangles = {}, {}
  for i, p in ipairs(mesh.points:table()) do points[i] = p end
  for i, t in ipairs(basin.array.from(mesh.triangles):table()) do triangles[i] = t end
  local kind = r:integer(1, 4)
  local n = #points
  if kind == 1 then
    points[n + 1] = { 0.1, 0.7, 0.2 }
  elseif kind == 2 then
    triangles[#triangles + 1] = { 0, 1, 1 }
  elseif kind == 3 then
    points[n + 1] = { 0, 0.5, 0 }
    triangles[#triangles + 1] = { triangles[1][1], triangles[1][2], n }
  else
    local p, q = points[1], points[2]
    points[n + 1] = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2, (p[3] + q[3]) / 2 }
    triangles[#triangles + 1] = { 0, n, 1 }
  end
  return basin.mesh.new { points = points, triangles = triangles }
end

local kinds = {}

function kinds.soft(g, name, given)
  local box = basin.mesh.box { nx = 1, ny = g.random:integer(1, 2), nz = 1 }
  given.mesh = placed(g.random, box, 0.7 * g.size)
  given.density = g.density
  given.material = std.elastic.stable_neo_hookean {
    young = g.density * g.weight * g.size * 10 ^ g.random:real(1, 4),
    poisson = g.random:pick { 0, 0.3, 0.45, 0.49 } }
  return std.body.soft(g.scene, name, given)
end

function kinds.affine(g, name, given)
  given.mesh = placed(g.random, basin.mesh.box { nx = 1, ny = 1, nz = 1 }, 0.7 * g.size)
  given.density = g.density
  given.stiffness = g.density * g.weight * g.size * 10 ^ g.random:real(2, 6)
  return std.body.affine(g.scene, name, given)
end

function kinds.fixed(g, name, given)
  given.velocity = nil
  given.mesh = placed(g.random, basin.mesh.box { nx = 1, ny = 1, nz = 1, surface = true },
    0.7 * g.size)
  return std.body.fixed(g.scene, name, given)
end

function kinds.cloth(g, name, given)
  local mesh = basin.mesh.grid { nx = 3, ny = 3, plane = "xz" }
  if g.random:one_in(4) then mesh = spoiled(g.random, mesh) end
  given.mesh = placed(g.random, mesh, g.size)
  given.thickness = 1e-3 * g.size
  given.density = g.density * given.thickness
  given.young = g.density * g.weight * g.size * 10 ^ g.random:real(1, 4)
  given.bending = given.young * given.thickness ^ 3
  return std.body.cloth(g.scene, name, given)
end

function kinds.rope(g, name, given)
  local points, edges = {}, {}
  for i = 0, 4 do points[i + 1] = { i / 4 - 0.5, 0, 0.01 * (i % 2) } end
  for i = 0, 3 do edges[i + 1] = { i, i + 1 } end
  given.mesh = placed(g.random, basin.mesh.new { points = points, edges = edges }, g.size)
  given.density = g.density * (0.1 * g.size) ^ 2
  given.stiffness = given.density * g.weight * g.size * 10 ^ g.random:real(1, 4)
  return std.body.rope(g.scene, name, given)
end

local names <const> = { "soft", "soft", "affine", "affine", "cloth", "rope", "fixed" }

local function make(seed)
  local r = random(seed)
  local size = pick_scale(r)
  local g = { random = r, size = size, density = 10 ^ r:real(0, 4), weight = 9.8,
    scene = basin.scene("drop_" .. seed) }
  local far = r:one_in(4) and size * 10 ^ r:integer(2, 6) or 0
  local bodies, step = {}, math.sqrt(size / g.weight) * 10 ^ r:real(-1.5, -0.3)
  for i = 1, r:integer(2, 5) do
    local speed = r:one_in(3) and 10 ^ r:real(0, 2.5) or 1
    local down = -speed * math.sqrt(size * g.weight) * (i > 1 and 1 or 0)
    local given = { velocity = { 0, down, 0 }, copies = { { far + 0.3 * size * r:real(-1, 1),
      1.5 * size * i, 0.3 * size * r:real(-1, 1) } } }
    bodies[i] = kinds[r:pick(names)](g, "body_" .. i, given)
  end
  local distance = size * 10 ^ r:real(-3, -1.3)
  local options = { bodies = bodies, distance = distance,
    friction = r:pick { 0, 0.1, 0.5, 1, 10 },
    form = r:pick { "squared_log", "log", "two_stage", "cubic" },
    step_rule = r:pick { "sweep", "cfl", "safe_distance" } }
  if r:one_in(3) then options.stiffness = r:pick { "adaptive", "semi_implicit" } end
  if options.stiffness == "semi_implicit" then options.form = "cubic" end
  if r:one_in(4) then options.thickness = distance * r:pick { 0.1, 1 } end
  if r:one_in(2) then options.planes = { { normal = { 0, 1, 0 }, offset = 0 } } end
  local contact = std.contact.barrier(g.scene, options)
  return g, contact, bodies, step
end

local function finite(contact)
  return contact.position:compute():max_abs() < math.huge
end

-- "refused" for a clear error before anything moves; else nil or what is wrong. Nothing falls
-- without bound within a time step.
local function drop(seed)
  local made, g, contact, bodies, step = pcall(make, seed)
  if not made then return "refused", tostring(g) end
  local witness = guard.new(contact, bodies)
  local began = false
  local ok, problem = pcall(basin.simulate, g.scene, { dt = step, steps = 5,
    gravity = { 0, -g.weight, 0 }, newton = { max_iterations = 30, tolerance = 1e-2 * math.sqrt(
      g.size * g.weight) },
    on_step = function()
      began = true
      witness:check()
      assert(finite(contact), "positions are not finite")
    end })
  if ok then return nil end
  local text = tostring(problem)
  return (began or text:find("without bound", 1, true)) and "failed" or "refused", text
end

local counts = { refused = 0, failed = 0, done = 0 }
local reasons = {}
for seed = first, first + count - 1 do
  if os.clock() > seconds then break end
  local start = os.clock()
  local result, text = drop(seed)
  if verbose then
    io.stderr:write(("seed %d: %s, %.1f s %s\n"):format(seed, result or "done", os.clock() - start,
      text and text:gsub("\n", " | ") or ""))
  end
  counts[result or "done"] = counts[result or "done"] + 1
  if result == "failed" then print(("seed %d: %s"):format(seed, text)) end
  if result == "refused" then reasons[#reasons + 1] = ("seed %d: %s"):format(seed, text) end
  collectgarbage()
end
if verbose then print(table.concat(reasons, "\n")) end
print(("%d drops, %d refused, %d failed"):format(counts.done, counts.refused, counts.failed))
if counts.failed > 0 then os.exit(1) end
if counts.refused > counts.done then error("hardly anything fell") end
