-- Energy terms: callable modules, and materials, which are terms with their parameters.
-- SPDX-License-Identifier: Apache-2.0
--
-- A term is one file that returns define { ... } of a table with
--   name       the file's name
--   doc        one sentence
--   stencil    what it reads of an element, in order: { { "F", "deformation gradient, d x d" } }
--   params     its parameters after the stencil, in order: { { "mu", "shear modulus, Pa" } }
--   energy     function(stencil..., params...) -> scalar expression
--   reference  where the formula comes from
--   checks     states, values by name, where derivatives are compared with differences
-- and optionally
--   material   function(options) -> parameter values by name, from engineering constants
--   singular   states where differences fail (kinks, vanishing derivatives): all must be finite
--   constants  names of the stencil that are no unknowns: { F_last = true }
--   rotates    false: a rotation costs energy
--   positive   true: defined for positive determinants only
--   of_distance  true: of barriers, a function of the distance, else of its square
-- and functions of other names, which are what the term offers besides.
local errors = require "basin.errors"
local parameters = require "basin.std.parameters"
local M = {}

local Term = { __name = "basin.std.term" }
Term.__index = Term

local Material = { __name = "basin.std.material" }
Material.__index = Material

local function names_of(list)
  local names = {}
  for i, entry in ipairs(list) do names[i] = entry[1] end
  return names
end

local known_fields <const> = { name = "string", doc = "string", stencil = "table",
  params = "table", energy = "function", reference = "string", checks = "table",
  material = "function", singular = "table", constants = "table", rotates = "boolean",
  positive = "boolean", of_distance = "boolean" }

-- What a material misses: its first parameter without a value, or all of them.
local function fail_missing(term, options, i)
  if term.material and next(options) == nil then
    errors.fail("ARGUMENT", "%s needs 'young' and 'poisson', or '%s'", term.name,
      table.concat(names_of(term.params), "' and '"))
  end
  errors.fail("ARGUMENT", "%s needs '%s' (%s)", term.name, term.params[i][1], term.params[i][2])
end

-- The parameters of a material table: by name, and as a list in the term's order.
local function bind(term, options)
  local values = term.material and term.material(options) or options
  local names = names_of(term.params)
  local known, list = {}, {}
  for i, name in ipairs(names) do
    known[name], list[i] = true, values[name]
    if values[name] == nil then fail_missing(term, options, i) end
  end
  for key in pairs(values) do
    if not known[key] then
      errors.fail_hint("NAME", errors.suggestion(key, names),
        "%s: unknown parameter '%s'; valid are %s", term.name, tostring(key),
        table.concat(names, ", "))
    end
  end
  return list
end

---term { young = 1e5, poisson = 0.3 } is a material, term(F, mu, lambda) an energy.
function Term:__call(first, ...)
  if type(first) == "table" and getmetatable(first) == nil and select("#", ...) == 0 then
    return setmetatable({ term = self, values = bind(self, first) }, Material)
  end
  local wanted, given = #self.stencil + #self.params, select("#", ...) + 1
  if given ~= wanted then
    errors.fail_hint("ARGUMENT", self:signature(), "%s needs %d arguments, got %d", self.name,
      wanted, given)
  end
  return self.energy(first, ...)
end

---"spring(x, rest, stiffness)"
function Term:signature()
  local names = names_of(self.stencil)
  return ("%s(%s)"):format(self.name,
    table.concat(table.move(names_of(self.params), 1, #self.params, #names + 1, names), ", "))
end

function Term:__tostring() return ("%s: %s"):format(self:signature(), self.doc) end

---The energy of a material at a stencil.
function Material:energy(...)
  local arguments = table.pack(...)
  for _, value in ipairs(self.values) do
    arguments.n = arguments.n + 1
    arguments[arguments.n] = value
  end
  return self.term.energy(table.unpack(arguments, 1, arguments.n))
end

---The same material with its numbers as constants of a mesh of a scene.
function Material:stored(mesh)
  local values = {}
  for i, name in ipairs(names_of(self.term.params)) do
    values[i] = parameters.store(mesh, name, self.values[i])
  end
  return setmetatable({ term = self.term, values = values }, Material)
end

function Material:__tostring()
  local parts = {}
  for i, name in ipairs(names_of(self.term.params)) do
    parts[i] = ("%s = %s"):format(name, tostring(self.values[i]))
  end
  return ("%s { %s }"):format(self.term.name, table.concat(parts, ", "))
end

-- Functions of other names are what the term offers besides.
local function check_field(term, key, value)
  local wanted = known_fields[key]
  local hint = not wanted and errors.suggestion(key, errors.sorted_keys(known_fields))
  if not wanted and (hint or type(value) ~= "function") then
    errors.fail_hint("NAME", hint, "term %s: unknown field '%s'; valid are %s",
      tostring(term.name), tostring(key), table.concat(errors.sorted_keys(known_fields), ", "))
  elseif wanted and type(value) ~= wanted then
    errors.fail("ARGUMENT", "term %s: the field '%s' must be a %s, got a %s",
      tostring(term.name), key, wanted, type(value))
  end
end

---Makes the table of a term callable.
function M.define(term)
  for _, key in ipairs { "name", "doc", "stencil", "params", "energy", "reference", "checks" } do
    if term[key] == nil then errors.fail("ARGUMENT", "a term needs the field '%s'", key) end
  end
  for key, value in pairs(term) do check_field(term, key, value) end
  return setmetatable(term, Term)
end

function M.is_term(value) return getmetatable(value) == Term end

function M.is_material(value) return getmetatable(value) == Material end

return M
