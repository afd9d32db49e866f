-- First-order minimizers on a CUDA device against the CPU, and what comes back to the host.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local h = require "harness"

h.need_cuda()

local methods <const> = { "lbfgs", "bfgs", "dfp", "gradient_descent", "fletcher_reeves",
  "polak_ribiere", "hestenes_stiefel", "dai_yuan" }

-- A net of springs between points that are held softly.
local function net(device, count)
  local scene = basin.scene("net", { device = device })
  local mesh = scene:add_mesh("m")
  local knots, links = mesh:add_primitive("knots", count), mesh:add_primitive("links", count - 1)
  local start = {}
  for i = 1, count do start[i] = { 0.9 * i, math.sin(i), math.cos(2 * i) } end
  local x = knots:add_attribute("position", { rows = 3, value = start })
  local ends = links:add_connectivity("ends", knots, basin.array.chain(count), 2):gather(x)
  local stretch = (ends:row(1) - ends:row(2)):norm() - 0.7
  local off = x - knots:add_constant("rest", { rows = 3, value = start })
  scene:add_energy(links:add_attribute("spring", 2 * stretch ^ 2))
  scene:add_energy(knots:add_attribute("held", 0.5 * off:dot(off)))
  scene:add_minimize_target { x }
  return scene, x
end

h.test("the same minimum in the same number of iterations", function()
  for _, method in ipairs(methods) do
    local found, counts = {}, {}
    for k, device in ipairs { h.host(), "cuda" } do
      local scene, x = net(device, 12)
      local refreshed = 0
      local report = basin.minimize(scene, { method = method, tolerance = 1e-6,
        refresh = function() refreshed = refreshed + 1 end })
      h.equal(report.converged, true, method .. " on " .. device .. ": " .. report.reason)
      assert(refreshed > report.line_search_trials)
      found[k], counts[k] = x:value(), report.iterations
    end
    assert(math.abs(counts[1] - counts[2]) <= 2, ("%s: %d and %d iterations"):format(method,
      counts[1], counts[2]))
    h.close_arrays(found[2], found[1], 1e-5, method)
  end
end)

h.test("filters that look at the step, planes", function()
  local scene, x = net("cuda", 8)
  local longest = 0
  local report = basin.minimize(scene, { tolerance = 1e-5, filters = {
    basin.filter.plane { positions = x, normal = { 0, 0, 1 }, offset = -1.2 },
    function(alpha, direction)
      longest = math.max(longest, direction:max_abs())
      return alpha
    end } })
  h.equal(report.converged, true, report.reason)
  assert(longest > 0 and x:value():component(3):min() > -1.2)
end)

-- Only scalars: as many bytes an evaluation for a large problem as for a small one.
h.test("downloads of an iteration", function()
  for _, method in ipairs { "lbfgs", "bfgs", "polak_ribiere" } do
    local function bytes(count)
      local scene = net("cuda", count)
      local last, most = nil, 0
      basin.minimize(scene, { method = method, tolerance = 1e-6, memory = 5,
        monitor = function(iteration)
          local now = scene._system:transfers().downloaded_bytes
          if last then most = math.max(most, (now - last) / (iteration.line_search_trials + 1)) end
          last = now
        end })
      assert(most > 0, "nothing was measured")
      return most
    end
    local small, large = bytes(10), bytes(100)
    assert(large < 512 and large < 1.5 * small,
      ("%s: %g bytes an evaluation for 10 knots, %g for 100"):format(method, small, large))
  end
end)

h.finish()
