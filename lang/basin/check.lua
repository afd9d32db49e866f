-- basin.check: gradient and Hessian of every energy against central differences.
-- SPDX-License-Identifier: Apache-2.0
local core = require "basin.core"
local energy_module = require "basin.energy"
local errors = require "basin.errors"
local minimizer_module = require "basin.minimizer"
local options = require "basin.options"
local scene_module = require "basin.scene"

local M = {}

local SAMPLES <const> = 24 -- unknowns differenced one by one, spread evenly over all
local STEP <const> = 2e-5 -- of the size of the values; the differences are of fourth order
local DISTURBANCE <const> = 1e-2 -- of that size, for the second state

local Report = { __name = "basin.check_report" }
Report.__index = Report

local function term_line(term)
  return ("  %-4s %-40s gradient %.1e  Hessian %.1e"):format(term.passed and "ok" or "FAIL",
    term.name, term.gradient, term.hessian)
end

function Report:__tostring()
  local lines = { ("derivatives of '%s' against differences: %s"):format(self.scene, self.passed
    and "all passed" or "FAILED") }
  for _, term in ipairs(self.terms) do
    lines[#lines + 1] = term.skipped and ("  skip %-40s %s"):format(term.name, term.skipped)
      or term_line(term)
    for _, worst in ipairs(term.passed and {} or term.worst or {}) do
      lines[#lines + 1] = ("       %s of %s: computed %.10g, difference %.10g"):format(worst.what,
        worst.where, worst.computed, worst.difference)
    end
  end
  return table.concat(lines, "\n")
end

-- A reproducible sequence in -1 .. 1.
local function random_sequence()
  local state = 12345
  return function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end
end

-- Typical size of the values of a target: half of their extent, or their magnitude, or 1.
local function scale_of(array)
  if array.count == 0 then return 1 end
  local extent = (array:max() - array:min()) / 2
  if extent > 0 then return extent end
  local magnitude = array:max_abs()
  return magnitude > 0 and magnitude or 1
end

local function name_of(target, entry, size)
  local instance, component = entry // size, entry % size
  return ("%s[%d] entry %d"):format(target:full_name(), instance, component + 1)
end

-- Which entries to try: {target number, entry}, spread over all that `matters` (one array a target)
-- is not zero for.
local function samples_of(targets, matters)
  local all = {}
  for number, target in ipairs(targets) do
    local flat = core.array(matters[number], 1)
    for entry = 0, target.array.count * target.array.size - 1 do
      if flat[entry + 1] ~= 0 then all[#all + 1] = { number = number, entry = entry } end
    end
  end
  local list, count = {}, math.min(#all, SAMPLES)
  for k = 0, count - 1 do list[k + 1] = all[math.floor((k + 0.5) * #all / count) + 1] end
  return list
end

local function with_entry(array, entry, change)
  local copy = core.array(array, 1):copy()
  copy[entry + 1] = copy[entry + 1] + change
  return core.array(copy, array.rows, array.cols)
end

-- Fourth-order central difference of a function of the change of one entry. `combine(f, weight)`
-- adds weighted results.
local function difference(target, entry, step, evaluate)
  local result
  for _, point in ipairs { { 1, 8 }, { -1, -8 }, { 2, -1 }, { -2, 1 } } do
    target.attribute:update(with_entry(target.array, entry, point[1] * step))
    local value = evaluate()
    for i, part in ipairs(value) do value[i] = part * (point[2] / (12 * step)) end
    if result then
      for i, part in ipairs(value) do result[i] = result[i] + part end
    else
      result = value
    end
  end
  target.attribute:update(target.array)
  return result
end

-- Entry of the largest deviation between two flat arrays.
local function largest_deviation(a, b)
  local deviation, largest = (a - b):abs(), 1
  for i = 2, deviation.count do
    if not (deviation[i] <= deviation[largest]) then largest = i end -- luacheck: ignore 581
  end
  return largest
end

local KINK <const> = 1e-2 -- of the scale: a larger change between neighbouring states is a jump

-- Whether a list of arrays jumps between the present state and the outermost states of a
-- difference.
local function jumps(target, entry, step, present, scale, evaluate)
  local found = false
  for _, side in ipairs { 2, -2 } do
    target.attribute:update(with_entry(target.array, entry, side * step))
    for k, array in ipairs(evaluate()) do
      found = found or (array - present[k]):max_abs() > KINK * scale
    end
  end
  target.attribute:update(target.array)
  return found
end

-- Notes the worst entry of computed against differences (lists of arrays). Where the derivatives
-- have a kink there is no difference to compare with, and only NaN counts.
local function note(worst, kind, computed, central, kink, scale, name)
  for k = 1, #computed do
    local a, b = core.array(computed[k], 1), core.array(central[k], 1)
    if a.count > 0 then
      local at = largest_deviation(a, b)
      local deviation = math.abs(a[at] - b[at]) / scale
      if not (deviation <= 1e-7) and kink() then deviation = 0 end -- luacheck: ignore 581
      if deviation ~= deviation or not computed[k]:is_finite() then deviation = math.huge end
      if not worst[kind] or deviation > worst[kind].deviation then
        worst[kind] = { what = kind, where = name(k, at), computed = a[at], difference = b[at],
          deviation = deviation }
      end
    end
  end
end

-- The column of a Hessian that belongs to one entry, as one array a target.
local function column_of(hessian, targets, sample)
  local direction = {}
  for k, other in ipairs(targets) do
    direction[k] = other.array * 0
    if k == sample.number then direction[k] = with_entry(direction[k], sample.entry, 1) end
  end
  return M.multiply(hessian, direction)
end

-- Compares one energy at the present state, with deviations relative to the largest entries of
-- gradient and Hessian. False if its values and derivatives are all zero: nothing was compared.
local function compare(term, targets, minimizer, worst)
  local function energies() return { core.array { term:compute():sum() } } end
  local function gradients() return { minimizer:gradient() } end
  local function hessian_now() return minimizer:hessian { projection = "none" } end
  local gradient, hessian = gradients(), hessian_now()
  local gradient_scale, hessian_scale = 1e-300, math.max(hessian:norm "max", 1e-300)
  for _, part in ipairs(gradient) do gradient_scale = math.max(gradient_scale, part:max_abs()) end
  if math.max(gradient_scale, hessian_scale) <= 1e-300 and term:compute():max_abs() == 0 then
    return false
  end
  gradient_scale = math.max(gradient_scale, hessian_scale * targets[1].scale)
  local arrays = {}
  for k, target in ipairs(targets) do arrays[k] = target.array end
  local matters = M.split(hessian:diagonal(), arrays)
  for k, part in ipairs(gradient) do matters[k] = matters[k]:abs() + part:abs() end
  for _, sample in ipairs(samples_of(targets, matters)) do
    local target, entry = targets[sample.number], sample.entry
    local step, where = STEP * target.scale, name_of(target.attribute, entry, target.array.size)
    local present = column_of(hessian, targets, sample)
    local kinked
    local function kink()
      if kinked == nil then
        kinked = jumps(target, entry, step, gradient, gradient_scale, gradients)
          or jumps(target, entry, step, present, hessian_scale,
            function() return column_of(hessian_now(), targets, sample) end)
      end
      return kinked
    end
    local slope = { core.array { core.array(gradient[sample.number], 1)[entry + 1] } }
    note(worst, "gradient", slope, difference(target, entry, step, energies), kink, gradient_scale,
      function() return where end)
    note(worst, "Hessian", present, difference(target, entry, step, gradients), kink,
      hessian_scale, function(k, at)
      return where .. " by " .. name_of(targets[k].attribute, at - 1, targets[k].array.size)
    end)
  end
  return true
end

--- A vector in the order of the Hessian's rows, cut into arrays like those given, one a target.
function M.split(vector, arrays)
  local result, at = {}, 0
  for k, array in ipairs(arrays) do
    local length = array.count * array.size
    result[k] = core.array(vector:slice(at + 1, at + length), array.rows, array.cols)
    at = at + length
  end
  return result
end

--- H times one array a target, as one array a target.
function M.multiply(hessian, direction)
  local parts = {}
  for k, array in ipairs(direction) do parts[k] = core.array(array, 1) end
  return M.split(hessian * core.array_join(parts), direction)
end

local function read_targets(attributes)
  local targets = {}
  for i, attribute in ipairs(attributes) do
    local array = attribute:value()
    targets[i] = { attribute = attribute, array = array, scale = scale_of(array) }
  end
  return targets
end

local function disturb(targets, random, amount)
  for _, target in ipairs(targets) do
    local noise = core.array_filled(target.array.count, 0, target.array.rows,
      target.array.cols):map(random)
    target.attribute:update(target.array + amount * target.scale * noise)
  end
end

-- The energy may be undefined at a disturbed state (a logarithm): half the disturbance until it is
-- finite.
local function disturb_until_finite(term, targets)
  local amount = DISTURBANCE
  for _ = 1, 8 do
    disturb(targets, random_sequence(), amount)
    if term:compute():is_finite() then return true end
    amount = amount / 4
  end
  return false
end

local function check_term(scene, term, attributes, tolerance)
  local record = { name = term.name, gradient = 0, hessian = 0, passed = true }
  local minimizer = minimizer_module.new(scene, attributes, { term })
  if term._owner:instances() == 0 then
    record.skipped = "not exercised: it has no instances here"
    return record
  end
  local worst, original = {}, read_targets(attributes)
  if not term:compute():is_finite() then
    record.passed, record.worst = false,
      { { what = "energy", where = term.name, computed = term:compute():sum(), difference = 0 } }
    return record
  end
  local exercised = compare(term, original, minimizer, worst)
  if disturb_until_finite(term, original) then
    exercised = compare(term, read_targets(attributes), minimizer, worst) or exercised
  end
  for _, target in ipairs(original) do target.attribute:update(target.array) end
  if not exercised then
    record.skipped = "not exercised: value and derivatives are zero here"
    return record
  end
  record.gradient = worst.gradient and worst.gradient.deviation or 0
  record.hessian = worst.Hessian and worst.Hessian.deviation or 0
  record.passed = record.gradient <= tolerance and record.hessian <= tolerance
  record.worst = { worst.gradient, worst.Hessian }
  return record
end

--- The unknowns of a scene: its targets, else all data it stores.
function M.unknowns(scene)
  if #scene._targets > 0 then return scene:targets() end
  local ids = {}
  for id, record in pairs(scene._arrays) do
    if record.stored and record.differentiable then ids[#ids + 1] = id end
  end
  table.sort(ids)
  for i, id in ipairs(ids) do ids[i] = scene._arrays[id].attribute end
  return ids
end

--- Checks every energy at the present values and at a disturbed state; the values are put back.
--- Options: tolerance (relative to the largest entry), energies (a list). The report has passed,
--- terms and prints itself.
function M.check(scene, given)
  if not scene_module.is(scene) then
    errors.fail("ARGUMENT", "basin.check: a scene is needed, got a %s", options.type_name(scene))
  end
  local checked = options.check("basin.check", given,
    { tolerance = "positive", energies = "table" })
  local tolerance = checked.tolerance or 1e-6
  local report = setmetatable({ scene = scene.name, passed = true, terms = {},
    tolerance = tolerance }, Report)
  local attributes = M.unknowns(scene)
  local set = {}
  for _, attribute in ipairs(attributes) do set[rawget(attribute, "_array")] = true end
  for _, item in ipairs(checked.energies or scene._energies) do
    local term = energy_module.find(scene, item)
    local record
    if energy_module.depends(term, set) then
      record = check_term(scene, term, attributes, tolerance)
    else
      record = { name = term.name, passed = true, skipped = "depends on no target" }
    end
    report.terms[#report.terms + 1] = record
    report.passed = report.passed and record.passed
  end
  return report
end

return M
