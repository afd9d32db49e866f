-- basin.simulate over bodies registered by hand: free fall and a swinging spring against formulas,
-- restarts, files.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local out = assert(os.getenv "BASIN_TEST_OUTPUT", "BASIN_TEST_OUTPUT names a folder")

-- Points of given masses; `stiffness` ties each to the origin.
local function particles(positions, masses, stiffness)
  local scene = basin.scene("particles")
  local mesh = scene:add_mesh("cloud")
  local points = mesh:add_primitive("points", #positions)
  local x = points:add_attribute("position", { rows = 3, value = positions })
  local m = points:add_constant("mass", { value = masses })
  local v = points:add_constant("velocity", { rows = 3 })
  local body = scene:add_body { name = "cloud", unknowns = { x }, velocities = { v },
    inertia = function(d) return 0.5 * m * d:dot(d) end,
    gravity = function(g) return -m * g:dot(x) end,
    surface = { positions = x } }
  if stiffness then scene:add_energy(points:add_attribute("spring", 0.5 * stiffness * x:dot(x))) end
  return scene, x, v, body
end

h.test("free fall with implicit Euler: y(n) = -g h^2 n (n + 1) / 2", function()
  local scene, x, v = particles({ { 0, 0, 0 }, { 1, 5, 0 } }, { 1, 3 })
  v:update { { 0, 0, 0 }, { 2, 0, 0 } }
  local dt, n = 0.05, 7
  local report = basin.simulate(scene, { dt = dt, steps = n, gravity = { 0, -9.8, 0 } })
  h.equal(report.steps, n)
  local fall = -9.8 * dt ^ 2 * n * (n + 1) / 2
  h.close_arrays(x:value(), { { 0, fall, 0 }, { 1 + 2 * n * dt, 5 + fall, 0 } }, 1e-12)
  h.close_arrays(v:value(), { { 0, -9.8 * n * dt, 0 }, { 2, -9.8 * n * dt, 0 } }, 1e-11)
  h.equal(tostring(report):find("7 steps of 0.05 s", 1, true) ~= nil, true)
  h.equal(report.reasons.converged, n)
end)

-- Largest error of a unit oscillator after one unit of time.
local function oscillator_error(integrator, steps)
  local scene, x, v = particles({ { 1, 0, 0 } }, { 1 }, 1)
  v:update { 0, 0, 0 }
  basin.simulate(scene, { dt = 1 / steps, steps = steps, integrator = integrator,
    newton = { tolerance = 1e-12 } })
  return math.abs(x:value():at(1, 1) - math.cos(1))
end

h.test("orders of convergence: 1 for implicit Euler, 2 for BDF2", function()
  for integrator, order in pairs { implicit_euler = 1, bdf2 = 2 } do
    local rate = math.log(oscillator_error(integrator, 40) / oscillator_error(integrator, 80), 2)
    h.close(rate, order, 0.1, integrator)
  end
end)

h.test("quasi-static finds the equilibrium m g / k", function()
  local scene, x, v = particles({ { 1, 0, 0 } }, { 2 }, 50)
  basin.simulate(scene, { dt = 1, steps = 1, integrator = "quasistatic", gravity = { 0, -9.8, 0 } })
  h.close_arrays(x:value(), { { 0, -2 * 9.8 / 50, 0 } }, 1e-12)
  h.close(v:value():max_abs(), 0)
end)

h.test("quasi-static without anything that holds: an error, and the state as it was", function()
  local scene, x = particles({ { 1, 2, 3 } }, { 2 })
  h.fails("step 1: the energy falls without bound", basin.simulate, scene,
    { dt = 1, steps = 1, integrator = "quasistatic", gravity = { 0, -9.8, 0 } })
  h.close_arrays(x:value(), { { 1, 2, 3 } }, 0)
end)

h.test("no steps: nothing to do", function()
  local scene = particles({ { 1, 0, 0 } }, { 2 })
  local report = basin.simulate(scene, { dt = 1, steps = 0 })
  h.equal(tostring(report), "particles: 0 steps, nothing to do")
end)

h.test("fields of frames: one value a point or a cell", function()
  local mesh = basin.scene("fields"):add_mesh("m")
  local points, cells = mesh:add_primitive("points", 3), mesh:add_primitive("cells", 1)
  local x = points:add_attribute("position", { rows = 3,
    value = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } })
  local series = basin.output { folder = out .. "/fields", frames = "vtu", positions = x,
    triangles = { { 0, 1, 2 } }, fields = { a = points:add_constant("a", { value = 1 }),
      b = cells:add_constant("b", { value = 2 }) } }
  series:write(0)
  local file = assert(io.open(out .. "/fields/frame_00000.vtu", "rb"))
  local text = file:read("a")
  file:close()
  h.equal(text:find('<PointData>%s*<DataArray type="Float64" Name="a"') ~= nil, true)
  h.equal(text:find('<CellData>%s*<DataArray type="Float64" Name="b"') ~= nil, true)
end)

h.test("a restart goes on with the same bits", function()
  for _, integrator in ipairs { "implicit_euler", "bdf2" } do
    local options = { dt = 0.02, steps = 10, gravity = { 0, -9.8, 0 }, integrator = integrator }
    local scene, x = particles({ { 1, 0, 0 }, { 0, 1, 0 } }, { 1, 2 }, 30)
    basin.simulate(scene, options)
    local file = out .. "/" .. integrator .. ".npz"
    local first = particles({ { 1, 0, 0 }, { 0, 1, 0 } }, { 1, 2 }, 30)
    basin.simulate(first, { dt = 0.02, steps = 6, gravity = { 0, -9.8, 0 },
      integrator = integrator, checkpoint = { file = file, every = 3 } })
    local second, y = particles({ { 9, 9, 9 }, { 9, 9, 9 } }, { 1, 2 }, 30)
    options.restart = file
    local report = basin.simulate(second, options)
    h.equal(report.steps, 4)
    h.equal(y:value():bytes() == x:value():bytes(), true, integrator)
  end
end)

h.test("a restart goes on with what on_step updated", function()
  local file = out .. "/on_step.npz"
  local function run(steps, restart)
    local scene, x = particles({ { 1, 0, 0 } }, { 1 }, 30)
    local wind = scene.cloud.points:add_constant("wind", { rows = 3, value = { 0, 0, 0 } })
    scene:add_energy(scene.cloud.points:add_attribute("pull", -wind:dot(x)))
    local report = basin.simulate(scene, { dt = 0.02, steps = steps, restart = restart,
      checkpoint = { file = restart and out .. "/unused.npz" or file, every = 4 },
      on_step = function(state)
        wind:update { math.sin(9 * state.time), 0, state.step }
        return state.step < 10
      end })
    return x:value():bytes(), report.steps
  end
  local whole = run(10)
  run(4)
  local rest, steps = run(10, file)
  h.equal(steps, 6)
  h.equal(rest == whole, true, "bits")
end)

local function bytes_of(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

h.test("a restart goes on with the camera and the log", function()
  local function run(folder, steps, restart)
    local scene, x = particles({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 2, 3 }, 30)
    basin.simulate(scene, { dt = 0.1, steps = steps, restart = restart,
      checkpoint = { file = folder .. "/state.npz" },
      output = { folder = folder, frames = "vtu", pictures = "png", width = 120, height = 90,
        positions = x, triangles = { { 0, 1, 2 } } } })
  end
  local whole, parts = out .. "/whole", out .. "/parts"
  run(whole, 6)
  run(parts, 3)
  local log = bytes_of(parts .. "/log.txt")
  run(parts, 6, parts .. "/state.npz")
  for _, name in ipairs { "frame_00000.png", "frame_00003.png", "frame_00004.png",
    "frame_00006.png", "frame.pvd" } do
    h.equal(bytes_of(parts .. "/" .. name) == bytes_of(whole .. "/" .. name), true, name)
  end
  h.equal(bytes_of(parts .. "/frame_00004.png") == bytes_of(parts .. "/frame_00003.png"), false,
    "nothing moves")
  local longer = bytes_of(parts .. "/log.txt")
  h.equal(longer:sub(1, #log) == log, true, "what was in the log")
  h.equal(longer:find("# restarted after step 3\n", #log, true) ~= nil, true, "its mark")
  h.equal(longer:find("\n     4     1 ", #log, true) ~= nil, true, "step 4")
end)

h.test("the parts of the time of a run never exceed it", function()
  local scene = particles({ { 1, 0, 0 } }, { 1 }, 30)
  local report = basin.simulate(scene, { dt = 0.01, steps = 1,
    output = { folder = out .. "/times", frames = "vtu", pictures = "png" } })
  local parts = 0
  for _, phase in ipairs { "assembly", "solve", "line_search", "filter", "output" } do
    parts = parts + report["seconds_" .. phase]
  end
  h.equal(report.seconds_output > 0, true, "output takes time")
  h.equal(report.seconds >= parts, true, ("%.6f s in all, parts %.6f s"):format(report.seconds,
    parts))
end)

h.test("a checkpoint of another scene is refused", function()
  local scene = particles({ { 1, 0, 0 } }, { 1 }, 30)
  local file = out .. "/other.npz"
  scene:save(file)
  local other = basin.scene("other")
  other:add_mesh("box"):add_primitive("points", 1):add_attribute("position")
  h.fails("belongs to another scene: 'particles' saved it, this is 'other'", other.restore, other,
    file)
  local less = basin.scene("particles")
  less:add_mesh("cloud"):add_primitive("points", 1):add_attribute("position", { rows = 3 })
  h.fails("it has data for 'cloud.points.mass', .* and 1 more, which this scene lacks",
    less.restore, less, file)
  local more = particles({ { 1, 0, 0 } }, { 1 }, 30)
  more.cloud.points:add_constant("wind")
  h.fails("it has no data for 'cloud.points.wind'", more.restore, more, file)
  local bigger = particles({ { 1, 0, 0 }, { 2, 0, 0 } }, { 1, 1 }, 30)
  h.fails("need 6 numbers", bigger.restore, bigger, file)
end)

h.test("save and restore keep dynamic primitives", function()
  local function dynamic()
    local scene = basin.scene("dynamic")
    local mesh = scene:add_mesh("m")
    local points = mesh:add_primitive("points", 3)
    local pairs_ = mesh:add_primitive("pairs", 0, { dynamic = true })
    return scene, pairs_, pairs_:add_connectivity("ends", points, {}, 2),
      pairs_:add_constant("weight")
  end
  local scene, pairs_, ends, weight = dynamic()
  pairs_:resize(2)
  ends:update { { 0, 1 }, { 2, 0 } }
  weight:update { 5, 6 }
  scene:save(out .. "/dynamic.npz")
  local again, more, links, factor = dynamic()
  again:restore(out .. "/dynamic.npz")
  h.equal(more.count, 2)
  h.close_arrays(links:value(), { { 0, 1 }, { 2, 0 } })
  h.close_arrays(factor:value(), { 5, 6 })
end)

h.test("hooks run around steps, on_step may stop", function()
  local scene = particles({ { 1, 0, 0 } }, { 1 }, 30)
  local seen = {}
  scene:add_step_hook { name = "hook", begin_step = function(state) seen[#seen + 1] = "begin "
    .. state.step end,
    end_step = function(state) seen[#seen + 1] = "end " .. state.step end }
  local report = basin.simulate(scene,
    { dt = 0.01, steps = 5, on_step = function(state) return state.step < 2 end })
  h.equal(table.concat(seen, ", "), "begin 1, end 1, begin 2, end 2")
  h.equal(report.steps, 2)
end)

h.test("frames, log in both forms", function()
  local scene = particles({ { 1, 0, 0 } }, { 1 }, 30)
  local folder = out .. "/simulate"
  basin.simulate(scene, { dt = 0.01, steps = 4,
    output = { folder = folder, frames = "vtu", every = 2 } })
  local log = assert(io.open(folder .. "/log.txt")):read("a")
  h.equal(log:find("  step    it                  E", 1, true) ~= nil, true, "header")
  h.equal(log:find("# flags: p projection", 1, true) ~= nil, true, "legend")
  h.equal(io.open(folder .. "/frame_00002.vtu") ~= nil, true)
  h.equal(io.open(folder .. "/frame_00003.vtu"), nil)
  local second = particles({ { 1, 0, 0 } }, { 1 }, 30)
  basin.simulate(second, { dt = 0.01, steps = 2,
    log = { file = folder .. "/log.jsonl", format = "json" } })
  local lines = 0
  for line in io.lines(folder .. "/log.jsonl") do
    lines = lines + 1
    h.equal(line:find('^{"step":%d,"alpha":.*"seconds":[%d.e-]+}$') ~= nil, true, line)
  end
  h.equal(lines >= 2, true)
end)

h.test("two bodies: output joins their surfaces", function()
  local scene, x = particles({ { 1, 0, 0 }, { 2, 0, 0 } }, { 1, 1 }, 30)
  local mesh = scene:add_mesh("second")
  local points = mesh:add_primitive("points", 1)
  local y = points:add_attribute("position", { rows = 3, value = { 0, 7, 0 } })
  scene:add_body { name = "second", unknowns = { y },
    inertia = function(d) return 0.5 * d:dot(d) end, surface = { positions = y } }
  basin.simulate(scene, { dt = 0.01, steps = 1,
    output = { folder = out .. "/joined", frames = "obj" } })
  h.equal(basin.mesh.read(out .. "/joined/frame_00001.obj").points.count, 3)
  h.equal(x.rows, 3)
end)

h.test("mistakes in bodies", function()
  local scene, x = particles({ { 1, 0, 0 } }, { 1 }, 30)
  h.fails("no data attribute", scene.add_body, scene,
    { name = "b", unknowns = { 2 * x }, inertia = function() end })
  h.fails("option 'inertia' is missing", scene.add_body, scene, { name = "b", unknowns = { x } })
  h.fails("a nil is no expression", scene.add_body, scene,
    { name = "b", unknowns = { scene.cloud.points:add_attribute("z") }, inertia = function() end })
end)

h.finish()
