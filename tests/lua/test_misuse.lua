-- Misuse by scripts: objects used after a closing state has collected them, metatables, indices
-- that are none, absurd sizes.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

local function small_scene()
  local scene = basin.scene("small")
  local points = scene:add_mesh("mesh"):add_primitive("points", 3)
  local x = points:add_attribute("x",
    { rows = 3, value = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } } })
  scene:add_energy(points:add_attribute("pull", 0.5 * (x - 1):squared_norm()))
  scene:add_minimize_target { x }
  return scene, x
end

-- Finalizers run in the reverse order of creation: this one last, when the objects it holds are
-- gone. Its checks end the process, since the summary is printed long before.
local last = setmetatable({}, {
  __gc = function(self)
    for name, use in pairs(self.uses) do
      local ok, problem = pcall(use)
      if ok or not tostring(problem):find("released already", 1, true)
        and not tostring(problem):find("is needed here", 1, true) then
        io.stderr:write("FAIL after the end, ", name, ": ", tostring(problem), "\n")
        os.exit(1)
      end
    end
  end,
})

h.test("finalizers that outlive what they hold get errors", function()
  local scene, x = small_scene()
  local hessian = scene:hessian()
  local factor = hessian:factorize()
  local box = basin.mesh.box {}
  last.uses = {
    matrix = function() return hessian:norm() end,
    factor = function() return factor:solve { 1, 2, 3, 4, 5, 6, 7, 8, 9 } end,
    mesh = function() return box:unique_edges() end,
    scene = function() return scene:compute_total_energy() end,
    attribute = function() return x:value() end,
    expression = function() return (x * 2):compute() end,
    maker = function() return basin.sparse.identity(3) end,
  }
  for _, use in pairs(last.uses) do use() end
end)

h.test("children keep their parents", function()
  local function children()
    local scene, x = small_scene()
    return x, scene:hessian(), scene:energy("pull"), (scene:hessian():factorize())
  end
  local x, hessian, pull, factor = children()
  collectgarbage()
  collectgarbage()
  h.close(x:value():at(2, 1), 1)
  h.close(hessian:at(1, 1), 1)
  h.close(pull:compute():sum(), 1.5 + 1 + 1.5)
  h.close(factor:solve({ 2, 0, 0, 0, 0, 0, 0, 0, 0 }):at(1, 1), 2)
end)

h.test("metatables of the binding are hidden", function()
  h.equal(getmetatable(basin.array.zeros(1)), "basin.array")
  h.equal(getmetatable(basin.mesh.box {}), "basin.mesh")
  h.fails("table expected", setmetatable, basin.array.zeros(1), {})
end)

h.test("indices that are none", function()
  local _, x = small_scene()
  for _, wrong in ipairs { 1e308, 0 / 0, 1 / 0, 1.5, "1", {} } do
    h.fails("whole number", x.at, x, wrong)
    h.fails("whole number", x.row, x, wrong)
  end
  h.fails("count from 1", x.at, x, 0)
  h.fails("count from 1", x.at, x, math.mininteger)
end)

h.test("variables that are none", function()
  h.fails("must be one of", require("basin.core").env, "HOME")
end)

h.test("sizes that are absurd", function()
  h.fails("two points", basin.array.line, {}, {}, math.maxinteger)
  h.fails("too large", basin.array.zeros, math.maxinteger)
  h.fails("too large", basin.array.zeros, math.maxinteger, { rows = 0 })
  h.fails("too large", basin.mesh.sphere, { level = 2 ^ 40 })
  h.fails("too many", basin.mesh.grid, { nx = 2 ^ 31, ny = 2 ^ 31 })
  h.fails("option 'nx' is too large", basin.mesh.grid, { nx = 2 ^ 62, ny = 2 })
end)

h.test("messages name what the script wrote", function()
  h.fails("basin.mesh.sphere: 'level' must be a whole number from 0, got %-1", basin.mesh.sphere,
    { level = -1 })
  h.fails("basin.mesh.globe: 'segments' must be at least 3, got 2", basin.mesh.globe,
    { segments = 2 })
  h.fails("a list of names of groups is needed, got a string", function()
    return basin.mesh.box {}:select "nope"
  end)
  h.fails("got 'cuda:99999999999'", basin.scene, "far", { device = "cuda:99999999999" })
  local across = basin.contact.detector { positions = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 },
    { 0.2, 0.2, -1 }, { 0.2, 0.2, 1 } }, triangles = { { 0, 1, 2 } },
    edges = { { 3, 4 }, { 4, 3 }, { 3, 4 } }, pair_limit = 1 }
  h.fails("more than 1 edge%-triangle pairs", across.intersections, across)
end)

h.test("terms are checked when they are defined and called", function()
  local std, term = require "basin.std", require "basin.std.term"
  local function define(more)
    local fields = { name = "square", doc = "x^2", stencil = { { "x", "a number" } }, params = {},
      energy = function(x) return x ^ 2 end, reference = "none", checks = {} }
    for key, value in pairs(more) do fields[key] = value end
    return term.define(fields)
  end
  h.equal(term.is_term(define { singular = {}, rotates = false }), true)
  h.fails("unknown field 'sinular'; .*did you mean 'singular'", define, { sinular = {} })
  h.fails("the field 'energy' must be a function, got a number", define, { energy = 3 })
  h.fails("needs 3 arguments, got 4", std.elastic.spring, basin.vector { 1, 2 }, 1, 2, 3)
  h.fails("needs 'young' and 'poisson', or 'mu' and 'lambda'", std.elastic.stable_neo_hookean, {})
  h.fails("needs 'lambda'", std.elastic.stable_neo_hookean, { mu = 1 })
end)

h.test("tables of a detector have a number a body", function()
  local function detector(more)
    more.positions = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
    more.body, more.edges = { 0, 0, 1, 1 }, { { 0, 1 } }
    return basin.contact.detector(more)
  end
  h.fails("'table' must be a table, got a number", detector, { table = 3 })
  h.fails("one a body, that is 2, got 3", detector, { thickness = { 0.1, 0.2, 0.3 } })
  h.fails("that is 6 numbers, got 4", detector, { weights = { { 1, 2 }, { 2, 1 } } })
  h.fails("'weights' needs", detector, { weights = 3 })
  detector { thickness = { 0.1, 0.2 }, weights = { { 1, 2, 1 }, { 2, 1, 1 } },
    table = { { true, true }, { true, false } } }
end)

h.test("degenerate edges and triangles are what their vertices span", function()
  local detector = basin.contact.detector { positions = { { 0, 0, 0 }, { 0, 0, 0.5 } },
    points = { 1 }, edges = { { 0, 0 } } }
  detector:detect { distance = 1 }
  h.close(detector:counts().smallest_distance, 0.5)
  detector = basin.contact.detector { points = { 2 }, triangles = { { 0, 1, 1 } },
    positions = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, 0, 0.25 } } }
  detector:detect { distance = 1 }
  h.close(detector:counts().smallest_distance, 0.25)
end)

h.test("a camera looks from one point to another", function()
  local _, x = small_scene()
  h.fails("'eye' and 'target' are the same point", basin.output, { positions = x,
    folder = (os.getenv "BASIN_TEST_OUTPUT" or "/tmp") .. "/camera", pictures = "png",
    camera = { eye = { 1, 2, 3 }, target = { 1, 2, 3 } } })
end)

h.test("matrices hold numbers", function()
  h.fails("'values' hold one that is no number", basin.sparse.new,
    { rows = 1, columns = 1, i = { 0 }, j = { 0 }, values = { 0 / 0 } })
  h.fails("'values' hold an infinity", basin.sparse.new,
    { rows = 1, columns = 1, i = { 0 }, j = { 0 }, values = { 1 / 0 } })
end)

-- Inertia of 1e-20 of the stiffness is lost in rounding: the matrix is shifted, and the step is as
-- long as the shift lets it be.
h.test("a time step that hides the inertia is no convergence", function()
  local std = require "basin.std"
  local scene = basin.scene("falling")
  std.body.soft(scene, "box", { mesh = basin.mesh.box { nx = 1, ny = 1, nz = 1 }, density = 1000,
    material = std.elastic.stable_neo_hookean { young = 1e5, poisson = 0.4 } })
  h.fails("falls without bound", basin.simulate, scene,
    { dt = 1e10, steps = 1, gravity = { 0, -9.8, 0 }, progress = false })
end)

-- What a mesh file leaves over: a vertex without mass, of no cell. Free fall of the others by
-- implicit Euler, h^2 g in the first step, for a body whose stiffness dwarfs its weight.
h.test("a vertex of no cell does not hold the body up", function()
  local std = require "basin.std"
  local scene = basin.scene("stray")
  local mesh = basin.mesh.new { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 5, 5, 5 } },
    triangles = { { 0, 1, 2 } } }
  local body = std.body.cloth(scene, "sheet", { mesh = mesh, density = 1, young = 1e10,
    thickness = 1 })
  basin.simulate(scene, { dt = 1, steps = 1, gravity = { 0, -9.8, 0 }, progress = false,
    newton = { tolerance = 1e-9 } })
  local found = body.position:value() - mesh.points
  h.close_arrays(found, { { 0, -9.8, 0 }, { 0, -9.8, 0 }, { 0, -9.8, 0 }, { 0, 0, 0 } }, 1e-8)
end)

h.test("what meets, is hit or inside is a question about numbers", function()
  local triangle, nan = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, { 0 / 0, 0, 1 }
  local surface = { points = triangle, triangles = { { 0, 1, 2 } } }
  local contact = basin.contact
  h.fails("meets: 'segment' holds a number that is not finite", contact.meets,
    { nan, { 0, 0, 1 } }, triangle)
  h.fails("rays: 'directions' holds", contact.rays, surface, { { 0, 0, 1 } }, { nan })
  h.fails("rays: 'origins' holds", contact.rays, surface, { nan }, { { 0, 0, 1 } })
  h.fails("winding: 'points' holds", contact.winding, surface, { nan })
end)

h.test("small problems: as many eigenvalues as there are, compliances that are numbers", function()
  local sparse = basin.sparse
  local values = sparse.eigen(sparse.diagonal { 3, 1, 2 })
  h.close_arrays(values, { 1, 2, 3 }, 1e-14)
  h.close_arrays((sparse.eigen(sparse.diagonal { 3, 1, 2 },
    { constraints = sparse.from { { 0, 1, 0 } } })), { 2, 3 }, 1e-14)
  h.fails("kkt: 'compliance' holds", sparse.kkt, sparse.identity(2), sparse.from { { 1, 0 } },
    { compliance = 0 / 0 })
end)

h.test("a log that cannot be written is no log", function()
  local std = require "basin.std"
  local full = io.open("/dev/full", "w")
  if not full then return end
  full:close()
  for _, format in ipairs { "table", "json" } do
    local scene = basin.scene("logged")
    std.body.rope(scene, "rope", { density = 1, stiffness = 1,
      mesh = basin.mesh.line { from = { 0, 0, 0 }, to = { 1, 0, 0 }, count = 3 } })
    local options = { dt = 0.1, steps = 1, gravity = { 0, -9.8, 0 }, progress = false,
      log = { file = "/dev/full", format = format } }
    h.fails("cannot write the log: No space left", basin.simulate, scene, options)
    options.log = false
    h.equal(basin.simulate(scene, options).steps, 1)
  end
end)

h.finish()
