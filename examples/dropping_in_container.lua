-- Soft and affine bunnies fall into an open container: meshes, primitives, connectivities, attributes, a primitive union for
-- contact, and one Newton loop written out by hand. Lengths in m, masses in kg, times in s.
local basin = require "basin"
local std = require "basin.std"

local H, DHAT, KAPPA = 0.01, 1e-6, 1e4 -- time step; squared contact distance; barrier stiffness
local scene = basin.scene("mixed_drop")
local dt = scene:add_constant("dt", { value = H })
local dhat = scene:add_constant("dhat", { value = DHAT })
local kappa = scene:add_constant("kappa", { value = KAPPA })
local mu, lambda = 3760.0, 8480.0 -- plain Lua numbers become literals

local bunny = basin.mesh.read("data/bunny_tet.msh"):scaled_to { height = 0.3 }
local drop = bunny:copies { { 0.0, 0.5, 0.0 }, { 0.1, 1.0, 0.05 } } -- one mesh of two bunnies

-- soft bunnies ------------------------------------------------------------------------------------------------------------
local soft = scene:add_mesh("soft_bunnies")
local verts = soft:add_primitive("vertices", drop.points.count)
local x = verts:add_attribute("position", { rows = 3, value = drop.points })
local X = verts:add_constant("rest_position", { rows = 3, value = drop.points })
local x_last = verts:add_constant("last_position", { rows = 3, value = drop.points })
local v = verts:add_constant("velocity", { rows = 3 })
local m = verts:add_constant("mass", { value = drop:lumped_mass { density = 1000 } })

local tets = soft:add_primitive("tetrahedra", drop.tets.count)
local t2v = tets:add_connectivity("t2v", verts, drop.tets, 4)
local tx = tets:add_attribute("position", { through = t2v, source = x }) -- 4×3: one vertex a row
local tX = tets:add_attribute("rest_position", { through = t2v, source = X })

local function edge_matrix(p) -- 3×3, columns p2-p1, p3-p1, p4-p1
  return basin.columns { p:row(2) - p:row(1), p:row(3) - p:row(1), p:row(4) - p:row(1) }
end
local F = tets:add_attribute("deformation_gradient", edge_matrix(tx) * edge_matrix(tX):inverse())
local volume = edge_matrix(tX):det() / 6

-- affine bunny ------------------------------------------------------------------------------------------------------------
local affine = scene:add_mesh("affine_bunnies")
local bodies = affine:add_primitive("bodies", 1)
local A = bodies:add_attribute("affine_matrix", { rows = 3, cols = 3, value = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } })
local t = bodies:add_attribute("translation", { rows = 3, value = { { 0.05, 1.5, 0.0 } } })
local A_last, A_rate = bodies:add_constant("last_affine", { rows = 3, cols = 3, value = A:value() }), bodies:add_constant("affine_rate", { rows = 3, cols = 3 })
local t_last, t_rate = bodies:add_constant("last_translation", { rows = 3, value = t:value() }), bodies:add_constant("translation_rate", { rows = 3 })

local averts = affine:add_primitive("vertices", bunny.points.count)
local body_of = averts:add_connectivity("body_of", bodies, basin.array.filled(bunny.points.count, 0), 1)
local aX = averts:add_constant("rest_position", { rows = 3, value = bunny.points })
averts:add_attribute("position", body_of:gather(A) * aX + body_of:gather(t)) -- gather is JOIN, written inside an expression

-- container ---------------------------------------------------------------------------------------------------------------
local box = basin.mesh.read("data/container.obj")
local container = scene:add_mesh("container")
local cverts = container:add_primitive("vertices", box.points.count)
cverts:add_attribute("position", { rows = 3, value = box.points }) -- data, not a target: it stays, and takes part in projection

-- energies ----------------------------------------------------------------------------------------------------------------
local function inertia(q, q_last, rate, mass, gravity)
  local d = q - (q_last + rate * dt - gravity * dt ^ 2)
  return 0.5 * mass * d:dot(d) -- any shape: entries are multiplied and added
end
local g = basin.vector { 0, 9.8, 0 }
scene:add_energy(verts:add_attribute("inertia", inertia(x, x_last, v, m, g)), { projection = "none" })
scene:add_energy(tets:add_attribute("elastic", volume * dt ^ 2 * std.elastic.stable_neo_hookean(F, mu, lambda)))

local moments = bunny:affine_moments { density = 1000 } -- mass, first and second moments of the solid
scene:add_energy(bodies:add_attribute("inertia", std.body.affine_inertia(A, t, A_last, t_last, A_rate, t_rate, moments, dt, g)), { projection = "none" })
scene:add_energy(bodies:add_attribute("orthogonality", moments.volume * dt ^ 2 * std.body.orthogonality(A, 1e7)))

-- contact: pairs are primitives over the union of all vertices --------------------------------------------------------------
local contact = scene:add_mesh("contact")
local cv = contact:add_primitive_union("vertices", { verts, averts, cverts })
local cx = cv:add_attribute("position") -- the attribute of that name of every member

local pairs_of = {}
for kind, arity in basin.sorted { point_point = 2, point_edge = 3, point_triangle = 4, edge_edge = 4 } do
  local pair = contact:add_primitive(kind, 0, { dynamic = true })
  local p2v = pair:add_connectivity(kind .. "_to_vertices", cv, {}, arity)
  local D = std.contact.squared_distance[kind](p2v:gather(cx))
  scene:add_energy(pair:add_attribute("barrier", std.contact.log_barrier(D, dhat, kappa)), { projection = "clamp" })
  pairs_of[kind] = p2v
end

local surface = basin.mesh.joined { drop:surface(), bunny:surface(), box } -- in the order of the union
local ccd = basin.contact.detector {
  positions = cx, triangles = surface.triangles, edges = surface.edges, points = surface.surface_points,
  body = basin.array.labels { { drop.points.count, 0 }, { bunny.points.count, 1 }, { box.points.count, 2 } }, -- 0: may touch itself
  pairs = pairs_of, -- filled by ccd:detect
}

-- one step of implicit Euler: Newton, written out --------------------------------------------------------------------------
scene:add_minimize_target { x, A, t }
local out = basin.output { folder = "out/dropping_in_container", frames = "vtu", pictures = "png", positions = cx, triangles = surface.triangles }

for frame = 1, basin.setting("steps", 200) do
  local x0, A0, t0 = x:value(), A:value(), t:value()
  for iteration = 1, 50 do
    local dx, dA, dt_ = scene:minimize_energy { tolerance = 1e-4 } -- H d = g: the step is -d
    local xs, As, ts, ps = x:value(), A:value(), t:value(), cx:compute()
    local before = scene:compute_total_energy()

    local function take(step)
      x:update(xs - step * dx); A:update(As - step * dA); t:update(ts - step * dt_)
      return cx:compute()
    end
    local motion = ps - take(1)
    local step = ccd:largest_step { from = ps, direction = motion, slackness = 0.5 } -- never further than the first touch
    for _ = 1, 8 do
      ccd:detect { positions = take(step), squared_distance = DHAT } -- updates the four pair primitives
      if scene:compute_total_energy() <= before then break end
      step = step * 0.5
    end
    if motion:max_abs() / H < 1e-2 then break end
  end
  v:update((x:value() - x0) / H); x_last:update(x:value())
  A_rate:update((A:value() - A0) / H); A_last:update(A:value())
  t_rate:update((t:value() - t0) / H); t_last:update(t:value())
  out:write(frame)
end
