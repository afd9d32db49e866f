-- Explicit smoothing: umbrella passes, and pairs of passes that keep the volume.
-- SPDX-License-Identifier: Apache-2.0
local options = require "basin.options"

---std.smooth.passes(points, umbrella, options): p + lambda U p in place of p, once or more. With
---a second step mu below -lambda a low-pass filter that keeps long waves: 1/lambda + 1/mu is the
---frequency that stays. Source: Taubin, A Signal Processing Approach to Fair Surface Design,
---SIGGRAPH 1995, section 3. Options:
---  lambda  the step, 0.5
---  mu  a second step after each
---  passes  how many, 1
---  each  function(pass, points), may return other points
return function(points, umbrella, given)
  local checked = options.check("std.smooth.passes", given, { lambda = "number", mu = "number",
    passes = "whole", each = "function" })
  local p = require("basin").array.from(points)
  local lambda = checked.lambda or 0.5
  for pass = 1, checked.passes or 1 do
    p = p + umbrella * p * lambda
    if checked.mu then p = p + umbrella * p * checked.mu end
    if checked.each then p = checked.each(pass, p) or p end
  end
  return p
end
