-- The contact of a scene: its rules, vertices, pairs, detector and friction.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local driver = require "basin.std.contact.driver"
local first_stiffness = require "basin.std.contact.first_stiffness"
local friction_list = require "basin.std.contact.friction_list"
local judge = require "basin.std.contact.judge"
local primitives = require "basin.std.contact.primitives"
local rules_module = require "basin.std.contact.rules"
local semi_implicit = require "basin.std.contact.semi_implicit"
local start = require "basin.std.contact.start"
local M = {}

local function rule_of(given)
  if type(given.stiffness) == "string" then return given.stiffness end
  return given.adaptive and "growing" or "fixed"
end

-- Fields that scripts may use: scene, mesh, bodies, vertices, position, pairs, detector, distance,
-- stiffness, reach, thickness, planes. The others belong to the files of this folder.
local function fields(scene, given, stiffness)
  return { scene = scene, bodies = given.bodies, form = given.form, rule = rule_of(given),
    activation = given.distance, thickness = given.thickness or 0, planes = given.planes,
    reach = math.max(given.distance, given.adhesion and given.adhesion.range or 0),
    friction_iterations = given.friction_iterations or 0, first_stiffness = stiffness,
    next_step = 1, own = {}, barriers = {} }
end

---Makes the contact of a scene in a mesh of this name, from checked options.
function M.new(where, scene, name, given)
  local stiffness = first_stiffness.of(where, given)
  local rules, owners = rules_module.new(where, given,
    type(given.stiffness) ~= "string" and stiffness or nil), {}
  local self = setmetatable(fields(scene, given, stiffness), driver.Contact)
  local mesh = scene:add_mesh(name)
  self.mesh, self.name, self.rules = mesh, name, rules
  for i, body in ipairs(given.bodies) do owners[i] = body.vertices end
  self.vertices = mesh:add_primitive_union("vertices", owners)
  self.position = self.vertices:add_attribute("position")
  self.distance = mesh:add_constant("distance", { value = given.distance })
  self.stiffness = mesh:add_constant("stiffness", { value = stiffness })
  self.memory = judge.memory(mesh)
  if self.rule == "semi_implicit" then semi_implicit.prepare(self) end
  self.pairs = primitives.add_pairs(self, given)
  self.detector = basin.contact.detector(start.surface(self, given))
  friction_list.add(self, where, given)
  driver.attach(self, given)
  return self
end

return M
