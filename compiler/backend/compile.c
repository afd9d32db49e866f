/* The public functions that compile kernels of plans.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "plan/plan.h"

static basin_status find_program(basin_backend *backend,
                                 const basin_plan *plan,
                                 basin_stage stage,
                                 const basin_kernel_program **program)
{
  static const char *const names[BASIN_STAGE_COUNT] = {"compute", "value", "gradient", "Hessian"};
  *program = (unsigned)stage < BASIN_STAGE_COUNT ? basin__plan_program(plan, stage) : NULL;
  if (*program) return BASIN_OK;
  return BASIN_FAIL(backend->context,
                    BASIN_ERROR_ARGUMENT,
                    "the plan has no %s kernel",
                    (unsigned)stage < BASIN_STAGE_COUNT ? names[stage] : "such");
}

basin_status
basin_backend_compile(basin_backend *backend, basin_compile_request *requests, size_t count)
{
  basin_backend_job *jobs = basin__calloc(backend->context, count + 1, sizeof *jobs);
  if (!jobs) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < count && status == BASIN_OK; i++)
    status = find_program(backend, requests[i].plan, requests[i].stage, &jobs[i].program);
  if (status == BASIN_OK) status = basin__backend_compile(backend, jobs, count);
  for (size_t i = 0; i < count && status == BASIN_OK; i++) requests[i].kernel = jobs[i].kernel;
  basin__free(backend->context, jobs, (count + 1) * sizeof *jobs);
  return status;
}

basin_status basin_backend_text(basin_backend *backend,
                                const basin_plan *plan,
                                basin_stage stage,
                                const char *form,
                                char **text)
{
  const basin_kernel_program *program;
  *text = NULL;
  BASIN_TRY(find_program(backend, plan, stage, &program));
  return basin__backend_text(backend, program, form, text);
}
