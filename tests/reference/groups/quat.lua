-- Rotations by quaternions, and bodies joined by them.
-- SPDX-License-Identifier: Apache-2.0
local rows = require "groups.quat.rows"
local two_bodies = require "groups.quat.two_bodies"
local door = require "groups.quat.door"

return { { "locked_and_hinge_rows", rows }, { "two_body", two_bodies }, { "door", door } }
