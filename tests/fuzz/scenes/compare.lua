-- Compares what devices say of one scene, with each other and with differences.
-- SPDX-License-Identifier: Apache-2.0
local build = require "build"

local M = {}

local counts = { numbers = 0, differences = 0, problems = 0 }

function M.counts()
  return ("%d numbers compared, %d differences, %d refused"):format(counts.numbers,
    counts.differences, counts.problems)
end

local function largest(list)
  local result = 0
  for _, value in ipairs(list) do
    local size = math.abs(value)
    if size < math.huge then result = math.max(result, size) end
  end
  return result
end

local function finite(value)
  return value == value and math.abs(value) < math.huge
end

-- The deviation of two lists over the largest number (or 1e-3: sums of ones may cancel); `where` it
-- is. Numbers that are not finite
-- must be so on both sides.
local function deviation(a, b)
  if a.problem or b.problem then
    if a.problem and b.problem then return 0 end
    return math.huge, a.problem or b.problem
  end
  if #a ~= #b then return math.huge, ("%d and %d numbers"):format(#a, #b) end
  local scale, worst, where = math.max(largest(a), 1e-3), 0, nil
  for i = 1, #a do
    local x, y = a[i], b[i]
    if finite(x) and finite(y) then
      if math.abs(x - y) / scale > worst then
        worst, where = math.abs(x - y) / scale, ("number %d: %.17g and %.17g"):format(i, x, y)
      end
    elseif finite(x) ~= finite(y) then
      return math.huge, ("number %d: %.17g and %.17g"):format(i, x, y)
    end
  end
  return worst, where
end
M.deviation = deviation

local function perturbed(description, amount, sign)
  local values = {}
  for i, array in ipairs(description.arrays) do
    if array.values then
      values[i] = {}
      for k, row in ipairs(array.values) do
        values[i][k] = {}
        for c, value in ipairs(row) do
          sign = (sign * 1103515245 + 12345) % 2147483648
          values[i][k][c] = value + (sign / 1073741824 - 1) * amount
        end
      end
    end
  end
  return values
end

-- How much the measurements move when the data move by `amount`: what rounding may do.
local function sensitivity(description, amount)
  local context = build.build(description, { device = "cpu:interp", threads = 1 })
  local before, moved = build.measure(context, true), {}
  for round = 1, 3 do
    build.update(description, context, perturbed(description, amount, 77 + round))
    for i, list in ipairs(build.measure(context, true)) do
      moved[i] = math.max(moved[i] or 0, (deviation(before[i], list)))
    end
  end
  return moved
end

local function tolerance_of(device)
  return device.options.precision == "float" and 2e-3 or 1e-9
end

local function compare_devices(description, reference, device, found)
  local tolerance, moved = tolerance_of(device), nil
  for i, expected in ipairs(reference) do
    local list = found[i]
    if expected.problem then counts.problems = counts.problems + 1 end
    counts.numbers = counts.numbers + #expected
    local worst, where = deviation(expected, list)
    if worst > tolerance then
      local single = device.options.precision == "float"
      moved = moved or sensitivity(description, single and 1e-6 or 1e-13)
      if moved[i] <= worst * 1e-3 or moved[i] ~= moved[i] then
        return ("%s on %s: deviates by %.2g, %s (moves by %.2g)"):format(expected.name, device.name,
          worst, where, moved[i])
      end
    end
  end
end

-- The same list after a detour, or with more threads: the same bits.
local function compare_bits(expected, found, what)
  for i, list in ipairs(expected) do
    local other = found[i]
    if (list.problem ~= nil) ~= (other.problem ~= nil) then
      return ("%s, %s: %s"):format(list.name, what, list.problem or other.problem)
    end
    for k, value in ipairs(list) do
      if value ~= other[k] and (value == value or other[k] == other[k]) then
        return ("%s, %s: number %d: %.17g and %.17g"):format(list.name, what, k, value, other[k])
      end
    end
  end
end

local function by_name(list)
  local result = {}
  for _, item in ipairs(list) do result[item.name] = item end
  return result
end

-- What must hold among the measurements of one device.
local function consistent(description, list)
  local item = by_name(list)
  local hessian = item["all Hessian, none"]
  if not hessian then return nil end
  if not hessian.problem then
    for i = 1, hessian.rows or 0 do
      for k = 1, i - 1 do
        local a, b = hessian[(i - 1) * hessian.rows + k], hessian[(k - 1) * hessian.rows + i]
        if finite(a) and finite(b) and math.abs(a - b) > 1e-9 * largest(hessian) then
          return ("the Hessian is not symmetric at %d, %d: %.17g, %.17g"):format(i, k, a, b)
        end
      end
    end
  end
  if #description.energies == 1 and not hessian.problem then
    local mixed = item["mixed derivative of energy_1"]
    local worst, where = deviation(hessian, mixed)
    if worst > 1e-7 then
      return ("mixed derivative and Hessian deviate by %.2g: %s"):format(worst, where)
    end
    local gradient, jacobian = item["all gradient"], item["Jacobian of energy_1"]
    if not jacobian.problem and not gradient.problem then
      local sums = {}
      for c = 1, jacobian.columns or 0 do
        sums[c] = 0
        for i = 1, jacobian.rows do sums[c] = sums[c] + jacobian[(i - 1) * jacobian.columns + c] end
      end
      worst, where = deviation(gradient, sums)
      if worst > 1e-7 and jacobian.columns then
        return ("Jacobian and gradient deviate by %.2g: %s"):format(worst, where)
      end
    end
  end
  -- Arrays that are computed in a nonlinear way add second derivatives of their own.
  local curved = 0
  for _, array in ipairs(description.arrays) do
    if array.tree then curved = curved + 1 end
  end
  for _, projection in ipairs { "clamp", "abs" } do
    local matrix = item["all Hessian, " .. projection]
    local n, scale = matrix.rows or 0, largest(matrix)
    for round = 1, 5 do
      local sum, state = 0, round * 7919
      local v = {}
      for i = 1, n do
        state = (state * 1103515245 + 12345) % 2147483648
        v[i] = state / 1073741824 - 1
      end
      for i = 1, n do
        for k = 1, n do sum = sum + v[i] * matrix[(i - 1) * n + k] * v[k] end
      end
      if curved == 0 and sum < -1e-7 * n * n * scale - 1e-12 then
        return ("the Hessian with %s is indefinite: %.3g"):format(projection, sum)
      end
    end
  end
end

-- ---- differences ----

-- Directional differences of energy and gradient at two steps; only where these agree the function
-- is smooth enough to tell.
local function check_differences(description, context)
  local direction = perturbed({ arrays = description.arrays }, 1, 4242)
  local targets, base = {}, {}
  for i, array in ipairs(context.arrays) do
    for _, target in ipairs(context.targets) do
      if target == array then targets[#targets + 1] = i end
    end
  end
  for _, i in ipairs(targets) do base[i] = description.arrays[i].values end
  local function at(step)
    for _, i in ipairs(targets) do
      local values = {}
      for k, row in ipairs(base[i]) do
        values[k] = {}
        for c, value in ipairs(row) do
          values[k][c] = value + step * (direction[i][k][c] - value)
        end
      end
      if #values > 0 then context.arrays[i]:update(values) end
    end
    local list = {}
    local energy = context.minimizer:compute_total_energy()
    list[1] = energy
    for _, part in ipairs { context.minimizer:gradient() } do
      for _, value in ipairs(build.flat(part)) do list[#list + 1] = value end
    end
    return list
  end
  local function difference(h)
    local a, b, c, d = at(2 * h), at(h), at(-h), at(-2 * h)
    local result = {}
    for i = 1, #a do result[i] = (8 * (b[i] - c[i]) - (a[i] - d[i])) / (12 * h) end
    return result
  end
  local flat_direction = {}
  for _, i in ipairs(targets) do
    for k, row in ipairs(base[i]) do
      for c, value in ipairs(row) do
        flat_direction[#flat_direction + 1] = direction[i][k][c] - value
      end
    end
  end
  local present = at(0)
  local hessian = build.measure_hessian(context)
  local n = #flat_direction
  local expected = { 0 }
  for i = 1, n do
    expected[1] = expected[1] + present[i + 1] * flat_direction[i]
    local sum = 0
    for k = 1, n do sum = sum + hessian[(i - 1) * n + k] * flat_direction[k] end
    expected[i + 1] = sum
  end
  local coarse, fine = difference(1e-3), difference(2.5e-4)
  at(0)
  local scale = math.max(largest(expected), largest(present), 1e-6)
  for i = 1, n + 1 do
    local spread = math.abs(coarse[i] - fine[i])
    if finite(spread) and spread < 1e-4 * scale then
      counts.differences = counts.differences + 1
      local error = math.abs(fine[i] - expected[i])
      if error ~= error or error > 20 * spread + 1e-6 * scale then
        return ("%s of all targets: computed %.12g, differences %.12g and %.12g"):format(i == 1
          and "slope" or "Hessian row " .. i - 1, expected[i], coarse[i], fine[i])
      end
    end
  end
end

--- nil, or what is wrong with a scene. The first device is the reference.
function M.check(description, devices)
  local reference
  for k, device in ipairs(devices) do
    local ok, context = pcall(build.build, description, device.options)
    if not ok and k > 1 then return ("%s: %s"):format(device.name, tostring(context)) end
    if not ok then return nil end
    local found = build.measure(context, true)
    local problem
    if k == 1 then
      reference = found
      problem = consistent(description, found)
      if not problem and description.smooth and not description.stops then
        local fine, result = pcall(check_differences, description, context)
        if fine then problem = result end
      end
    else
      problem = compare_devices(description, reference, device, found)
    end
    if not problem and description.second then
      build.update(description, context, description.second)
      build.measure(context, true)
      local first = {}
      for i, array in ipairs(description.arrays) do first[i] = array.values end
      build.update(description, context, first)
      problem = compare_bits(found, build.measure(context, true), "after an update and back")
    end
    if problem then return ("%s: %s"):format(device.name, problem) end
  end
end

return M
