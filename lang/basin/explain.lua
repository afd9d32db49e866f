-- scene:explain: what the compiler found in each energy.
-- SPDX-License-Identifier: Apache-2.0
local check = require "basin.check"
local energy_module = require "basin.energy"
local errors = require "basin.errors"
local minimizer_module = require "basin.minimizer"
local scene_module = require "basin.scene"

local M = {}

local function indent(text)
  return "  " .. text:gsub("%s+$", ""):gsub("\n", "\n  ")
end

-- The minimizer whose plans are explained: that of the scene, or one of all its data while it has
-- no targets.
local function minimizer_of(scene)
  if #scene._targets > 0 then return scene:main_minimizer() end
  local attributes = check.unknowns(scene)
  if #attributes == 0 then errors.fail("STATE", "explain: the scene has no data attributes") end
  return minimizer_module.new(scene, attributes)
end

local function find_term(minimizer, term)
  for _, item in ipairs(minimizer._terms) do
    if item.energy == term then return item end
  end
  errors.fail("STATE", "explain: energy '%s' depends on no target", term.name)
end

local function hash_of(plan)
  local ok, hash = pcall(plan.hash, plan, "hessian")
  if not ok then return "not compiled here: " .. tostring(hash):match("[^\n]*") end
  return hash == "" and "interpreted" or hash
end

local function explain_term(item)
  local term, info = item.energy, item.plan:info()
  local lines = {
    ("energy %s (%s)"):format(term.name, term._added),
    ("  on %s: %d instances; %d inner variables; Hessian %s"):format(term._owner:full_name(),
      term._owner:instances(),
      info.inner_size, info.constant_hessian and "constant" or "depends on the unknowns"),
    ("  projection %s%s%s"):format(term.projection, info.convex_proven
      and " (not needed: positive semidefinite by construction)" or "",
      term.enabled and "" or "; switched off"),
    indent(item.plan:explain()),
    "  kernel " .. hash_of(item.plan),
  }
  return table.concat(lines, "\n")
end

local function sparsity_of(minimizer)
  local hessian = minimizer:hessian()
  local form = "system: %d unknowns in %d nodes of %d, %d entries in the Hessian (%.1f a row)"
  return form:format(hessian.rows, minimizer._core:node_count(), minimizer._block, hessian.count,
    hessian.count / math.max(1, hessian.rows))
end

-- The stages of a plan are the compiler's; an error lists them and those of the back end.
local function dump_stage(plan, stage)
  local ok, text = pcall(plan.dump, plan, stage)
  if ok then return text end
  if errors.is_error(text) and text.code == "NAME" then
    text.message = text.message .. ", kernel, llvm, asm, cuda, sm_90 (or another architecture)"
  end
  error(text, 0)
end

--- An account of one energy, or of all and of the whole system: inner variables, operations, kernel
--- sizes, projection, sparsity.
function scene_module.methods.explain(scene, name)
  local minimizer = minimizer_of(scene)
  if name ~= nil then return explain_term(find_term(minimizer, energy_module.find(scene, name))) end
  local parts = {}
  for i, item in ipairs(minimizer._terms) do parts[i] = explain_term(item) end
  parts[#parts + 1] = sparsity_of(minimizer)
  return table.concat(parts, "\n")
end

local texts <const> = { kernel = true, llvm = true, asm = true, cuda = true }

-- Stages that each kernel has for itself.
local function of_kernel(stage)
  return texts[stage] or type(stage) == "string" and stage:find("^sm_%d+%l?$") ~= nil
end

-- The energies to dump: one by name, or all.
local function chosen_terms(scene, minimizer, name)
  if name ~= nil then return { find_term(minimizer, energy_module.find(scene, name)) } end
  return minimizer._terms
end

--- The text of one energy, or of all, at a stage: "ir", "scalar", "hoist", "frontier", "gradient",
--- "hessian", "waist" and "map_out" of the compiler; "kernel" (the emitted text), "llvm", "asm" and
--- "cuda" of one of its kernels, "value", "gradient", "hessian" (the default) or "compute" (what is
--- computed once from constants); an architecture, "sm_90": registers, stack and spills there.
function scene_module.methods.dump(scene, stage, name, kernel)
  if kernel and not of_kernel(stage) then
    errors.fail_hint("ARGUMENT", "kernels have the stages kernel, llvm, asm, cuda and sm_90",
      "dump: stage '%s' is the same for all kernels of an energy", tostring(stage))
  end
  kernel = kernel or "hessian"
  local terms, parts = chosen_terms(scene, minimizer_of(scene), name), {}
  for _, item in ipairs(terms) do
    local heading = #terms > 1 and ("== %s ==\n"):format(item.energy.name) or ""
    if not of_kernel(stage) then
      parts[#parts + 1] = heading .. dump_stage(item.plan, stage)
    elseif item.plan:kernel(kernel) then
      parts[#parts + 1] = heading .. item.plan:text(kernel, stage)
    end
  end
  if #parts == 0 then
    errors.fail("STATE", "dump: %s has no %s kernel", name and "energy '" .. name .. "'"
      or "no energy", kernel)
  end
  return table.concat(parts, "\n")
end

return M
