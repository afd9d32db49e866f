-- Mixed forms: forces, stresses and pressures as unknowns beside displacements.
-- SPDX-License-Identifier: Apache-2.0
return { { "mixed_springs_static", require "groups.mixed.springs" },
  { "mixed_step", require "groups.mixed.step" }, { "mixed_beam", require "groups.mixed.beam" },
  { "mixed_truss", require "groups.mixed.truss" } }
