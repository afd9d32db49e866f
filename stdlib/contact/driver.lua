-- What contact does around a step: detection, the step filter, friction, moving bodies.
-- SPDX-License-Identifier: Apache-2.0
local basin = require "basin"
local legal = require "basin.std.contact.legal"
local primitives = require "basin.std.contact.primitives"
local moving = require "basin.std.contact.moving"
local start = require "basin.std.contact.start"
local summary = require "basin.std.contact.summary"
local M = {}

local Contact = { __name = "basin.std.contact" }
Contact.__index = Contact

---Pairs of the present positions by kind, their total and smallest_distance.
function Contact:counts()
  self:refresh()
  return self.detector:counts()
end

---The smallest distance of all surfaces that may touch, and the pair.
function Contact:smallest_distance() return self.detector:smallest_distance() end

---Finds the pairs of the present positions.
function Contact:refresh() return self.detector:detect { distance = self.reach } end

-- Renews normal forces, contact directions and, at the start of a step, where slip is counted from.
local function lag(self)
  local positions = self.position:compute()
  self.start = self.start or positions
  self.detector:detect { positions = positions, distance = self.reach }
  self.detector._core:fill_friction(self.scene._system, self.friction.space,
    self.friction.connectivity, self.friction.arrays, positions, self.start, self.tables)
end

function Contact:_begin_step(state)
  local moved = self.moving:rewind(state.step ~= self.next_step)
  if not self.checked then legal.check(self) end
  self.checked, self.renewed = true, 0
  self.next_step = state.step + 1
  if self.friction then
    self.start = nil
    lag(self)
  end
  if moved then self.moving:advance(state.minimize) end
end

function Contact:_solved(state, report)
  local again = summary.judge(self, report)
  if self.friction and self.renewed < self.friction_iterations and report.converged then
    self.renewed = self.renewed + 1
    lag(self)
    again = true
  end
  return again and state.step == self.next_step - 1
end

local function add_hook(self, filter)
  self.scene:add_step_hook {
    name = self.name, filters = { filter }, planes = self.planes,
    begin_step = function(state) self:_begin_step(state) end,
    refresh = function() self:refresh() end,
    solved = function(state, report) return self:_solved(state, report) end,
    end_step = function()
      self.moving:finish()
      summary.add_step(self)
    end,
    report = function() return summary.text(self) end,
  }
end

---Makes the contact of a scene in one of its meshes.
function M.new(scene, mesh, rules, given)
  local owners = {}
  for i, body in ipairs(given.bodies) do owners[i] = body.vertices end
  local self = setmetatable({ scene = scene, mesh = mesh, name = mesh.name, rules = rules,
    reach = given.distance, thickness = given.thickness or 0,
    friction_iterations = given.friction_iterations or 0, adaptive = given.adaptive,
    planes = given.planes, next_step = 1 }, Contact)
  self.vertices = mesh:add_primitive_union("vertices", owners)
  self.position = self.vertices:add_attribute("position")
  self.distance = mesh:add_constant("distance", { value = given.distance })
  self.stiffness = mesh:add_constant("stiffness", { value = given.stiffness })
  self.pairs = primitives.add_pairs(self, given)
  self.detector = basin.contact.detector(start.surface(self, given))
  self.tables = { weight = basin.array.from(rules.weight), fixed = basin.array.from(rules.fixed),
    moving = basin.array.from(rules.moving) }
  self.detector._tables = { weight = self.tables.weight }
  local most, blended = start.friction(rules)
  if most > 0 then
    self.friction = primitives.add_friction(self, given, given.slip or 1e-3, blended)
  end
  self.moving = moving.new(given.bodies, self.detector, self.position)
  summary.init(self, given)
  legal.check(self)
  self:refresh()
  add_hook(self, self.detector:filter { slackness = given.slackness })
  return self
end

return M
