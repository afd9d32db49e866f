-- Scenes and their meshes: the root of the object model, computed values, energies, targets.
-- SPDX-License-Identifier: Apache-2.0
local config = require "basin.config"
local core = require "basin.core"
local derivative = require "basin.derivative"
local device = require "basin.device"
local energy = require "basin.energy"
local errors = require "basin.errors"
local expression = require "basin.expression"
local minimizer = require "basin.minimizer"
local options = require "basin.options"
local owner = require "basin.owner"
local primitive = require "basin.primitive"
local session = require "basin.session"

local M = {}

-- ---- meshes of a scene ----

local mesh_methods = {}
local Mesh = owner.class("basin.scene_mesh", mesh_methods)

function mesh_methods.full_name(self)
  return self.name
end

function mesh_methods._describe(self)
  return ("mesh %s: %s"):format(self.name, table.concat(self:names(), ", "))
end

--- Adds an index space of count instances; dynamic ones may be resized and empty.
function mesh_methods.add_primitive(self, name, count, given)
  owner.check_name(self, name, "add_primitive")
  local where = ("add_primitive('%s')"):format(name)
  local checked = options.check(where, given, { dynamic = "boolean" })
  local number = math.tointeger(count)
  if not number or number < 0 then
    errors.fail("ARGUMENT", "%s: a count is a whole number from 0, got %s", where, tostring(count))
  end
  if number == 0 and not checked.dynamic then
    errors.fail_hint("LENGTH",
      "primitives that may become empty are added with { dynamic = true }",
      "%s: a primitive needs at least one instance", where)
  end
  return owner.enter(self, name, primitive.new(self, name, number, checked.dynamic or false))
end

--- Stacks primitives and unions, of this mesh or others, into one index space.
function mesh_methods.add_primitive_union(self, name, members)
  owner.check_name(self, name, "add_primitive_union")
  return owner.enter(self, name, primitive.new_union(self, name, members))
end

-- ---- scenes ----

local methods = {}
local Scene = owner.class("basin.scene", methods)

function methods.full_name(_)
  return ""
end

function methods._describe(self)
  return ("scene '%s': meshes %s; %d energies"):format(self.name, table.concat(self:names(), ", "),
    #self._energies)
end

-- `named`: by an option of the scene; else the context's options or the environment said so.
local function check_device(word, named)
  if device.is(word) then return end
  local source = named and "the device" or word == core.env "DEVICE"
    and "the environment's BASIN_DEVICE" or "the device of the context's options"
  errors.fail_hint("ARGUMENT", device.suggestion(word), "%s must be one of %s; got '%s'", source,
    device.list(), word)
end

--- Makes a scene. Options: device ("auto", "cpu", "cpu:interp", "cuda", "cuda:N"), precision
--- ("double", "float"), threads, deterministic (true; false: on a CUDA device sums may have any
--- order, which changes the last digits from run to run).
function M.new(name, given)
  if type(name) ~= "string" then
    errors.fail("ARGUMENT", "basin.scene: a name is needed, got a %s", options.type_name(name))
  end
  local checked = options.check("basin.scene", given, { device = device.words,
    precision = { "double", "float" }, threads = "count", deterministic = "boolean" })
  local context = checked.threads and core.context { threads = checked.threads } or core.context()
  config.warn_of_variables(context)
  local own = context:device()
  local word = checked.device or session.option("device") or (own ~= "auto" and own)
    or core.env "DEVICE" or "auto"
  check_device(word, checked.device or session.option("device"))
  local precision = checked.precision or session.option("precision") or "double"
  if word == "cpu:interp" and precision == "float" then
    context:log("warn", "cpu:interp computes in double: precision \"float\" changes nothing")
  end
  local system = core.system(context, word, precision, checked.deterministic ~= false)
  local space = system:add_space(name, name, nil, true, false, 1)
  local self = owner.fields(nil, nil, name, space)
  self._scene = self
  self._system, self._context = system, context
  self._spaces, self._connectivities = { [space] = self }, {}
  self._arrays, self._computed = {}, {}
  self._energies, self._targets = {}, {}
  self._minimizers = setmetatable({}, { __mode = "k" })
  setmetatable(self, Scene)
  session.enter_scene(self)
  return self
end

function M.is(value)
  return getmetatable(value) == Scene
end

--- Adds a mesh: a group of primitives.
function methods.add_mesh(self, name)
  owner.check_name(self, name, "add_mesh")
  local space = self._system:add_space(name, name, self._space, true, false, 1)
  local mesh = setmetatable(owner.fields(self, self, name, space), Mesh)
  self._spaces[space] = mesh
  return owner.enter(self, name, mesh)
end

-- ---- arrays behind expressions ----

--- What the scene knows of an array: {attribute, differentiable, stored, members = ids, source =
--- id, expression = node}.
function methods._register_array(self, id, record)
  self._arrays[id] = record
end

--- Ids of the differentiable arrays that an expression reads, ascending.
function methods._data_of(self, ref)
  local result = {}
  for _, id in ipairs(self._system:arrays(ref)) do
    local record = self._arrays[id]
    if record and record.differentiable then result[#result + 1] = id end
  end
  return result
end

--- The array that holds an expression's values: its own for stored data, else a computed one, made
--- once.
function methods._array_of(self, value)
  local known = rawget(value, "_array")
  if known then return known end
  local ref = expression.ref(value, self)
  if self._computed[ref] then return self._computed[ref] end
  local own = value:owner()
  if not own then
    errors.fail("STATE", "a literal has no instances to compute: %s", value:text())
  end
  local name = own:_child_name(rawget(value, "_name") or "computed_" .. ref)
  local plan = self._system:plan_compute(ref, name)
  local id = self._system:add_computed(name, own._space, value.rows, value.cols, plan)
  self._computed[ref] = id
  self:_register_array(id, { attribute = rawget(value, "_name") and value or nil, expression = ref,
    name = name, plan = plan, space = own._space, rows = value.rows, cols = value.cols,
    differentiable = #self:_data_of(ref) > 0 })
  return id
end

function methods._compute(self, value)
  return self._system:get(self:_array_of(value))
end

--- sum or mean over a connectivity, as an expression of the connectivity's own primitive.
function methods._add_reduction(self, connectivity, source, mean)
  local array = self:_array_of(source)
  local key = ("%d:%d:%s"):format(connectivity._id, array, mean)
  self._reductions = rawget(self, "_reductions") or {}
  local known = self._reductions[key]
  if known then return known end
  local name = ("%s_%s_%d"):format(mean and "mean" or "sum", connectivity._name, array)
  local differentiable = self._arrays[array].differentiable
  local id = self._system:add_reduction(name, connectivity._from:_child_name(name),
    connectivity._id, array, mean, differentiable)
  self:_register_array(id, { differentiable = differentiable, source = array, members = { array },
    connectivity = connectivity._id, mean = mean, name = name, rows = source.rows,
    cols = source.cols })
  local result = expression.new(self, self._system:read(id))
  rawset(result, "_array", id)
  self._reductions[key] = result
  return result
end

-- ---- energies ----

--- Adds a scalar expression of a primitive (or mesh, or scene) to the energy. Options: projection
--- ("abs" by default, "clamp", "none",
--- "adaptive"), project ("inner" or "unknowns"), targets, name, dynamic.
function methods.add_energy(self, value, given)
  return energy.add(self, value, given)
end

--- The energy of that name; the last part of the name is enough where it is unambiguous.
function methods.energy(self, name)
  return energy.find(self, name)
end

--- All energies, in the order they were added.
function methods.energies(self)
  return table.move(self._energies, 1, #self._energies, 1, {})
end

--- Adds unknowns of the minimization: data attributes.
function methods.add_minimize_target(self, list)
  for _, attribute in ipairs(minimizer.check_targets(self, list, "add_minimize_target")) do
    for _, known in ipairs(self._targets) do
      if known == attribute then
        errors.fail("NAME", "add_minimize_target: '%s' is a target already", attribute:full_name())
      end
    end
    self._targets[#self._targets + 1] = attribute
  end
  self._main = nil
end

--- The unknowns, in the order they were added.
function methods.targets(self)
  return table.move(self._targets, 1, #self._targets, 1, {})
end

--- A minimizer of its own: {targets = {…}, energies = {…}}; without energies all that depend on the
--- targets.
function methods.minimizer(self, given)
  local checked = options.check("scene:minimizer", given,
    { targets = "table", energies = "table" }, { "targets" })
  return minimizer.new(self, checked.targets, checked.energies)
end

--- The minimizer of add_minimize_target's unknowns and all energies.
function methods.main_minimizer(self)
  local main = rawget(self, "_main")
  if not main then
    if #self._targets == 0 then
      errors.fail_hint("STATE", "scene:add_minimize_target { position }",
        "the scene has no minimization target")
    end
    main = minimizer.new(self, self._targets, nil, true)
    self._main = main
  end
  return main
end

local function forward(name)
  methods[name] = function(self, ...) return self:main_minimizer()[name](self:main_minimizer(),
    ...) end
end
for _, name in ipairs { "minimize_energy", "compute_total_energy", "energy_of_terms", "gradient",
  "hessian", "solver" } do
  forward(name)
end

--- d2E / d rows d columns of one energy as a sparse matrix; rows and columns are lists of
--- attributes, columns may be constants.
function methods.mixed_derivative(self, term, rows, columns)
  return derivative.mixed_derivative(self, energy.expression_of(self, term), rows, columns)
end

--- {compiled, from_disk, from_memory, seconds}: kernels so far, and the time to compile them.
function methods.kernel_statistics(self)
  local compiled, from_disk, from_memory, seconds = self._system:statistics()
  return { compiled = compiled, from_disk = from_disk, from_memory = from_memory,
    seconds = seconds }
end

--- The product of two matrices on the scene's device: by cuSPARSE on a CUDA device, which pays
--- where it takes many operations an entry.
function methods.multiply(self, a, b)
  return self._system:multiply(a, b)
end

--- The device in words.
function methods.device(self)
  return self._system:describe()
end

M.methods, M.mesh_methods = methods, mesh_methods

return M
