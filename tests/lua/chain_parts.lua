-- What the scenes of points that depend on other unknowns have in common.
-- SPDX-License-Identifier: Apache-2.0
local M = {}

--- Three free points; more may follow.
M.free = { { 0, 0.1, 0 }, { 1, 0.3, -0.2 }, { 0.5, 1, 0.4 } }

--- Two affine bodies, `A` and `t`, and three points of theirs, which were at `X`: the primitive of
--- the points, A, t, X, the primitive of the bodies.
function M.affine(mesh)
  local bodies = mesh:add_primitive("bodies", 2)
  local A = bodies:add_attribute("A", { rows = 3, cols = 3,
    value = { { { 1, 0.1, 0 }, { 0, 1, 0.3 }, { 0.2, 0, 1 } },
              { { 0.8, 0, 0.2 }, { 0.1, 1.1, 0 }, { 0, -0.3, 0.9 } } } })
  local t = bodies:add_attribute("t", { rows = 3, value = { { 0, 1, 0.5 }, { 2, 0, 1 } } })
  local affine = mesh:add_primitive("affine", 3)
  local body_of = affine:add_connectivity("body_of", bodies, { 0, 1, 1 }, 1)
  local X = affine:add_constant("rest",
    { rows = 3, value = { { 1, 0, 0.2 }, { 0, 1, 2 }, { -1, 0.5, 0 } } })
  affine:add_attribute("position", body_of:gather(A) * X + body_of:gather(t))
  return affine, A, t, X, bodies
end

return M
