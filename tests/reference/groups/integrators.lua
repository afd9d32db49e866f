-- Explicit integration and force accumulation.
-- SPDX-License-Identifier: Apache-2.0
return {
  { "force_accumulation", require "groups.integrators.forces" },
  { "symplectic_euler_mask", require "groups.integrators.mask" },
  { "gradient_descent", require "groups.integrators.descent" },
  { "verlet", require "groups.integrators.verlet" },
}
