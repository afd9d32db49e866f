-- Element energies, assembly of two elements, contact pairs, one step of a mixed objective.
-- SPDX-License-Identifier: Apache-2.0
return {
  { "solids_", require "groups.elements.solids" },
  { "two_tets", require "groups.elements.two_tets" },
  { "membranes", require "groups.elements.membranes" },
  { "dihedral_bending", require "groups.elements.dihedral_bending" },
  { "affine_body", require "groups.elements.affine_body" },
  { "contact_pairs", require "groups.elements.contact_pairs" },
  { "mixed_newton_step", require "groups.elements.mixed_newton_step" },
}
