-- What contact does around a step: detection, the step filter, friction, moving bodies.
-- SPDX-License-Identifier: Apache-2.0
local adaptive = require "basin.std.contact.adaptive"
local friction_list = require "basin.std.contact.friction_list"
local judge = require "basin.std.contact.judge"
local legal = require "basin.std.contact.legal"
local moving = require "basin.std.contact.moving"
local semi_implicit = require "basin.std.contact.semi_implicit"
local summary = require "basin.std.contact.summary"
local M = {}

local Contact = { __name = "basin.std.contact" }
Contact.__index = Contact
M.Contact = Contact

---Pairs of the present positions by kind, their total and smallest_distance.
function Contact:counts()
  self:refresh()
  return self.detector:counts()
end

---The smallest distance of all surfaces that may touch, and the pair.
function Contact:smallest_distance() return self.detector:smallest_distance() end

---Finds the pairs of the present positions.
function Contact:refresh() return self.detector:detect { distance = self.reach } end

local function begin_step(self, state)
  local moved = self.moving:rewind(state)
  if not self.left or (self.position:compute() - self.left):max_abs() > 0 then legal.check(self) end
  self.renewed, self.relagged = 0, 0
  self.next_step = state.step + 1
  adaptive.begin_step(self)
  if self.lagged then semi_implicit.lag(self, true) end
  if self.friction then friction_list.lag(self, true) end
  if moved then self.moving:advance(state, self.filter) end
end

local function solved(self, state, report)
  local again = judge.judge(self, report)
  if self.friction and self.renewed < self.friction_iterations and report.converged then
    self.renewed = self.renewed + 1
    friction_list.lag(self, false)
    again = true
  end
  return again and state.step == self.next_step - 1
end

---Follows the steps of the contact's scene.
function M.attach(self, given)
  self.moving = moving.new(given.bodies, self.detector, self.position, self.mesh,
    self.activation)
  summary.init(self)
  legal.check(self)
  self.left = self.position:compute()
  self:refresh()
  local filter = self.detector:filter { slackness = given.slackness, rule = given.step_rule,
    distance = self.reach }
  self.filter = filter
  self.scene:add_step_hook {
    name = self.name, filters = { filter }, planes = self.planes,
    begin_step = function(state) begin_step(self, state) end,
    refresh = function() self:refresh() end,
    solved = function(state, report) return solved(self, state, report) end,
    end_step = function(state)
      self.moving:finish(state.step)
      self.left = self.position:compute()
      summary.add_step(self)
    end,
    report = function() return summary.text(self) end,
    costs = function() return summary.costs(self) end,
  }
end

return M
