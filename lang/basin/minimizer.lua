-- Minimizers: unknowns, the energies that depend on them, one linear system; and solvers with a
-- factorization that is kept.
-- SPDX-License-Identifier: Apache-2.0
local attribute_class = require "basin.attribute"
local energy_module = require "basin.energy"
local errors = require "basin.errors"
local hold = require "basin.hold"
local map = require "basin.map"
local options = require "basin.options"

local M = {}

local methods = {}
local Minimizer = { __name = "basin.minimizer" }

function Minimizer.__index(_, key)
  local method = methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("minimizer", key, methods)
  end
  return nil
end

function Minimizer.__tostring(self)
  local names = {}
  for i, target in ipairs(self._targets) do names[i] = target:full_name() end
  return ("minimizer of %s"):format(table.concat(names, ", "))
end

--- Checks a list of data attributes that are to be unknowns.
function M.check_targets(scene, list, where)
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    errors.fail_hint("ARGUMENT", "scene:add_minimize_target { position }",
      "%s: a list of data attributes is needed, got a %s", where, options.type_name(list))
  end
  for i, item in ipairs(list) do
    if not attribute_class.is(item) then
      errors.fail("ARGUMENT", "%s: entry %d is a %s, not an attribute", where, i,
        options.type_name(item))
    end
    if item._scene ~= scene then
      errors.fail("OWNER", "%s: '%s' belongs to another scene", where, item:full_name())
    end
    if item:kind() == "constant" then
      errors.fail_hint("ARGUMENT", "add it with add_attribute instead of add_constant",
        "%s: '%s' is a constant and cannot be an unknown", where, item:full_name())
    end
    if item:kind() ~= "data" then
      errors.fail_hint("ARGUMENT", "name the data attributes that it is computed from",
        "%s: '%s' is computed (%s) and cannot be an unknown", where, item:full_name(), item:kind())
    end
    for k = 1, i - 1 do
      if list[k] == item then
        errors.fail("NAME", "%s: '%s' is named twice", where, item:full_name())
      end
    end
  end
  return list
end

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

-- Numbers a node: the largest that divides all vectors and all columns of matrices, of the targets
-- and of what is computed from them on the way to an energy.
local function block_of(scene, ids, set, energies)
  local block = 0
  local function visit(id) block = gcd(map.node_size(scene, id), block) end
  for _, id in ipairs(ids) do visit(id) end
  for _, item in ipairs(energies) do energy_module.each_array(item, set, visit) end
  return block
end

-- The energies of a list (objects or names) that depend on a set of arrays; with `strict` all must.
local function choose_energies(scene, list, set, strict)
  local chosen = {}
  for _, item in ipairs(list) do
    local energy = energy_module.find(scene, item)
    if energy_module.depends(energy, set) then
      chosen[#chosen + 1] = energy
    elseif strict then
      errors.fail { code = "ARGUMENT", script = energy._script, line = energy._line,
        expression = energy._expression:text(),
        hint = "add one of the data attributes it reads to the targets",
        message = ("energy '%s' depends on no minimization target"):format(energy.name) }
    end
  end
  return chosen
end

--- Makes a minimizer. `energies`: a list of energies or names, or nil for all that depend on the
--- targets. `strict`: an energy that depends on none of the targets is an error.
function M.new(scene, targets, energies, strict)
  M.check_targets(scene, targets, "minimizer")
  local self = { _scene = scene, _targets = table.move(targets, 1, #targets, 1, {}), _terms = {},
    _ids = {}, _set = {}, _held = {} }
  for i, target in ipairs(targets) do
    self._ids[i] = rawget(target, "_array")
    self._set[self._ids[i]] = true
  end
  local chosen = choose_energies(scene, energies or scene._energies, self._set, energies or strict)
  self._block = block_of(scene, self._ids, self._set, chosen)
  self._core = scene._system:minimizer(self._ids, self._block)
  setmetatable(self, Minimizer)
  for _, energy in ipairs(chosen) do self:_add(energy) end
  return self
end

function methods._add(self, energy)
  local plan = energy_module.plan(energy, self._set, self._block)
  local id = self._core:add_term(plan, energy.name, energy.projection, energy._dynamic,
    energy._script, energy._line)
  self._terms[#self._terms + 1] = { energy = energy, id = id, plan = plan, enabled = true }
end

-- Hands the switches of the energies and what is held on.
local function synchronize(self)
  if #self._terms == 0 then errors.fail("STATE", "there is no energy to minimize") end
  for _, term in ipairs(self._terms) do
    if term.enabled ~= term.energy.enabled then
      self._core:enable(term.id, term.energy.enabled)
      term.enabled = term.energy.enabled
    end
  end
  for i, target in ipairs(self._targets) do
    if (self._held[i] or 0) ~= hold.version(target) then
      local numbers, version = hold.numbers(target)
      self._core:hold(i, numbers)
      self._held[i] = version
    end
  end
  return self._core
end
methods._synchronize = synchronize

--- The energies of this minimizer, in order.
function methods.energies(self)
  local list = {}
  for i, term in ipairs(self._terms) do list[i] = term.energy end
  return list
end

--- The unknowns, in order.
function methods.targets(self)
  return table.move(self._targets, 1, #self._targets, 1, {})
end

--- Whether the Hessian of every enabled energy is constant: it contains no unknown.
function methods.is_constant(self)
  for _, term in ipairs(self._terms) do
    if term.energy.enabled and not term.plan:info().constant_hessian then return false end
  end
  return true
end

--- The sum of all enabled energies over all instances.
function methods.compute_total_energy(self)
  return (synchronize(self):energy(#self._terms))
end

--- The total and a table of energy by name.
function methods.energy_of_terms(self)
  local total, parts = synchronize(self):energy(#self._terms)
  local by_name = {}
  for _, term in ipairs(self._terms) do by_name[term.energy.name] = parts[term.id + 1] end
  return total, by_name
end

--- The gradient: one array for each target; of all entries, held or not. {drop_held = true}: as
--- minimizing sees it, zero where entries are held.
function methods.gradient(self, given)
  local checked = options.check("gradient", given, { drop_held = "boolean" })
  local minimizer = synchronize(self)
  minimizer:assemble(false, "adaptive", not checked.drop_held)
  return table.unpack(minimizer:gradient())
end

--- The Hessian as a sparse matrix; {projection = "none"} overrides that of every energy. Rows are
--- the entries of the targets, one target after the other, each in the order of its array: instance
--- by instance, row after row. {drop_held = true}: as minimizing sees it: after the projection,
--- rows and columns of held entries are those of the identity.
function methods.hessian(self, given)
  local checked = options.check("hessian", given,
    { projection = { "none", "clamp", "abs", "adaptive" }, drop_held = "boolean" })
  local minimizer = synchronize(self)
  minimizer:assemble(true, checked.projection or "adaptive", not checked.drop_held)
  local matrix, order = minimizer:matrix(), minimizer:order()
  return order and matrix:select(order, order) or matrix
end

local solve_spec = { tolerance = "positive", max_iterations = "integer",
  solver = { "auto", "direct", "pcg", "minres" }, warm_start = "boolean",
  preconditioner = { "auto", "block_jacobi", "schwarz" }, single_precision = "boolean" }
M.solve_spec = solve_spec

local function unpack_with(list, last)
  list[#list + 1] = last
  return table.unpack(list)
end

--- One linear solve H d = g at the present values: a direction for each target (the step is minus
--- the direction) and a table of what happened.
function methods.minimize_energy(self, given)
  local checked = options.check("minimize_energy", given, solve_spec)
  local minimizer = synchronize(self)
  minimizer:assemble(true, "adaptive")
  local directions, report = minimizer:solve(checked)
  return unpack_with(directions, report)
end

-- ---- solvers ----

local solver_methods = {}
local Solver = { __name = "basin.solver" }

function Solver.__index(self, key)
  if key == "constant" then return self._minimizer:is_constant() end
  if key == "factorizations" then return self._report and self._report.factorizations or 0 end
  if key == "report" then return rawget(self, "_report") end
  local method = solver_methods[key]
  if method ~= nil then return method end
  if type(key) == "string" and key:sub(1, 1) ~= "_" then
    errors.unknown_field("solver", key, solver_methods,
      { constant = true, factorizations = true, report = true })
  end
  return nil
end

function Solver.__tostring(self)
  return ("solver '%s', %s Hessian, %d factorizations"):format(self._options.solver, self.constant
    and "constant" or "changing", self.factorizations)
end

--- Gradient and solve at the present values: a direction for each target. A constant Hessian is
--- assembled and factorized once.
function solver_methods.solve(self)
  local minimizer = synchronize(self._minimizer)
  minimizer:assemble(true, "adaptive")
  local directions, report = minimizer:solve(self._options)
  rawset(self, "_report", report)
  if not report.converged then
    errors.fail("NOT_CONVERGED", "the linear solve did not converge: %s after %d iterations",
      report.status, report.iterations)
  end
  return table.unpack(directions)
end

--- A solver that is used again and again: {method = "auto", "direct", "pcg" or "minres",
--- tolerance =, max_iterations =}. Fields: constant (whether the compiler found the Hessian
--- constant), factorizations, report (of the last solve).
function methods.solver(self, given)
  local checked = options.check("solver", given,
    { method = { "auto", "direct", "pcg", "minres" }, tolerance = "positive",
      max_iterations = "integer" })
  checked.solver, checked.method = checked.method or "auto", nil
  return setmetatable({ _minimizer = self, _options = checked }, Solver)
end

M.methods, M.solver_methods = methods, solver_methods

function M.is(value)
  return getmetatable(value) == Minimizer
end

return M
