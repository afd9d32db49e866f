-- The standard library: energy terms, bodies and constraints. Modules are loaded when first used.
-- SPDX-License-Identifier: Apache-2.0
local errors = require "basin.errors"

-- Folder by folder, the modules of each.
local contents = {
  elastic = {
    "arap", "deformation", "fixed_corotated", "linear", "neo_hookean", "spring",
    "st_venant_kirchhoff", "stable_neo_hookean", "stable_neo_hookean_log",
  },
  shell = { "baraff_witkin", "hinge", "hinge_bending", "stvk_membrane" },
  body = {
    "affine", "affine_inertia", "cloth", "determinant", "fixed", "orthogonality", "rigid", "rope",
    "soft",
  },
  motion = { "gravity", "inertia" },
  constraint = { "attach", "fix", "pin", "target" },
  joint = { "ball", "coincidence", "hinge", "limit", "rail", "slider", "weld" },
  contact = {
    "adhesion", "adhesive_friction", "anisotropic_friction", "barrier", "cubic_barrier", "friction",
    "log_barrier", "pair", "plane", "plane_barrier", "plane_friction", "smoothed_friction",
    "squared_distance", "squared_log_barrier", "stiffness", "two_stage_barrier",
  },
  damping = { "drag", "rayleigh" },
  material = { "lame" },
  smooth = { "cotangent", "fairing", "graph", "passes" },
  rig = { "leak", "linear", "local_global", "modes" },
  rotation = { "hinge", "locked", "quaternion" },
  integrate = {
    "fast_projection", "ivts", "ivts_gs", "pbd", "proj2", "proj2_half", "rattle", "rigid", "sap",
    "shake", "symplectic_euler", "verlet", "vts", "xpbd",
  },
}

local function folder(name, modules)
  local known = {}
  for _, module in ipairs(modules) do known[module] = ("basin.std.%s.%s"):format(name, module) end
  return setmetatable({}, {
    __index = function(self, key)
      local path = known[key]
      if not path then errors.unknown_field("std." .. name, key, known) end
      local module = require(path)
      rawset(self, key, module)
      return module
    end,
    __pairs = function(self)
      for key in pairs(known) do local _ = self[key] end
      return next, self, nil
    end,
  })
end

local M = {}
for name, modules in pairs(contents) do M[name] = folder(name, modules) end

return setmetatable(M, {
  __index = function(_, key) errors.unknown_field("standard library", key, contents) end,
})
