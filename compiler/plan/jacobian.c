/* Plans of dense local matrices: Jacobians of expressions and mixed second derivatives of energies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

/* What both kinds of plan work on. */
typedef struct local_matrix {
  basin_plan *plan;
  basin_graph *graph;
  basin_analysis analysis;
  basin_roles roles;
  basin_refs roots;     /* scalars of the expression */
  basin_refs rows;      /* mixed: loads of the row unknowns, in local order */
  basin_refs columns;   /* loads of the column unknowns */
  basin_refs variables; /* the distinct loads of both */
  basin_gradient gradient;
  basin_refs entries; /* result, row-major */
  unsigned block;
} local_matrix;

static void local_matrix_fini(local_matrix *m)
{
  basin_context *context = m->plan->context;
  basin__gradient_fini(&m->gradient);
  if (m->analysis.graph) basin__analysis_fini(&m->analysis);
  basin__roles_fini(&m->roles);
  basin__refs_fini(context, &m->roots);
  basin__refs_fini(context, &m->rows);
  basin__refs_fini(context, &m->columns);
  basin__refs_fini(context, &m->variables);
  basin__refs_fini(context, &m->entries);
}

static basin_status lower_roots(local_matrix *m)
{
  unsigned rows, cols;
  basin_expression_shape(m->graph, m->plan->expression, &rows, &cols);
  size_t count = (size_t)rows * cols;
  BASIN_TRY(
      basin__grow(m->plan->context, &m->roots.items, &m->roots.capacity, count, sizeof(basin_ref)));
  m->roots.count = (uint32_t)count;
  return basin__lower(m->graph, m->plan->expression, m->roots.items);
}

static basin_status add_variables(local_matrix *m, const basin_refs *loads)
{
  for (uint32_t i = 0; i < loads->count; ++i) {
    bool known = false;
    for (uint32_t k = 0; k < m->variables.count && !known; ++k)
      known = m->variables.items[k] == loads->items[i];
    if (!known) BASIN_TRY(basin__refs_push(m->plan->context, &m->variables, loads->items[i]));
  }
  return BASIN_OK;
}

static uint32_t variable_number(const local_matrix *m, basin_ref load)
{
  uint32_t i = 0;
  while (m->variables.items[i] != load) ++i;
  return i;
}

/* Local unknowns of one side: descriptions into the plan, loads into `loads`. */
static basin_status list_side(local_matrix *m,
                              const basin_array_id *arrays,
                              size_t array_count,
                              const basin_unknown_access **list,
                              size_t *count,
                              basin_refs *loads)
{
  basin_roles side;
  basin_unknowns wanted = {.outputs = arrays, .output_count = array_count};
  BASIN_TRY(basin__roles_init(&side, m->graph, &wanted));
  basin_unknown_access *unknowns;
  uint32_t local_size;
  basin_status status = basin__list_unknowns(m->plan,
                                             &side,
                                             m->roots.items,
                                             m->roots.count,
                                             arrays,
                                             array_count,
                                             &m->block,
                                             &unknowns,
                                             count,
                                             &local_size);
  basin__roles_fini(&side);
  if (status != BASIN_OK) return status;
  size_t outputs = 0; /* held accesses come last and are not shown */
  while (outputs < *count && unknowns[outputs].output) ++outputs;
  *count = outputs;
  *list = unknowns;
  return basin__unknown_loads(m->plan, unknowns, outputs, m->block, loads);
}

static basin_status start_derivatives(local_matrix *m, const basin_unknowns *differentiable)
{
  BASIN_TRY(basin__roles_init(&m->roles, m->graph, differentiable));
  basin__analysis_init(&m->analysis, m->graph, m->roles.roles, m->roles.count);
  BASIN_TRY(add_variables(m, &m->rows));
  BASIN_TRY(add_variables(m, &m->columns));
  return basin__gradient_init(&m->gradient, &m->analysis, m->variables.items, m->variables.count);
}

static basin_status add_kernel(local_matrix *m, const char *suffix)
{
  basin_kernel_roots kernel = {.stage = BASIN_STAGE_COMPUTE,
                               .suffix = suffix,
                               .inner = m->entries.items,
                               .inner_count = m->entries.count,
                               .local_size = m->columns.count,
                               .block = m->block};
  BASIN_TRY(basin__plan_add_kernel(m->plan, &kernel));
  return basin__plan_arrays(m->plan,
                            m->entries.items,
                            m->entries.count,
                            &m->plan->info.hessian_arrays,
                            &m->plan->info.hessian_array_count);
}

/* Every block x block part is a multiple of the identity. */
static bool is_uniform(const local_matrix *m)
{
  uint32_t n = m->columns.count, b = m->block;
  if (b == 0 || m->roots.count != b || n % b) return false;
  for (uint32_t i = 0; i < b; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      basin_ref entry = m->entries.items[i * n + j];
      if (j % b != i && !basin__is_zero(m->graph, entry)) return false;
      if (j % b == i && entry != m->entries.items[j - i]) return false;
    }
  return true;
}

static basin_status differentiate_rows(local_matrix *m)
{
  uint32_t n = m->columns.count;
  size_t count = (size_t)m->roots.count * n;
  BASIN_TRY(basin__grow(m->plan->context,
                        &m->entries.items,
                        &m->entries.capacity,
                        count ? count : 1,
                        sizeof(basin_ref)));
  m->entries.count = (uint32_t)count;
  m->plan->info.affine = true;
  for (uint32_t i = 0; i < m->roots.count; ++i) {
    basin_ref *row = m->entries.items + (size_t)i * n;
    BASIN_TRY(basin__gradient(&m->gradient, m->roots.items[i], row));
    for (uint32_t j = 0; j < n; ++j) {
      bool depends;
      BASIN_TRY(basin__depends(&m->analysis, row[j], &depends));
      if (depends) m->plan->info.affine = false;
    }
  }
  return BASIN_OK;
}

static basin_status build_jacobian(local_matrix *m, const basin_unknowns *unknowns)
{
  BASIN_TRY(lower_roots(m));
  m->block = unknowns->block ? unknowns->block : 1;
  BASIN_TRY(list_side(m,
                      unknowns->outputs,
                      unknowns->output_count,
                      &m->plan->info.unknowns,
                      &m->plan->info.unknown_count,
                      &m->columns));
  BASIN_TRY(start_derivatives(m, unknowns));
  BASIN_TRY(differentiate_rows(m));
  m->plan->info.uniform = is_uniform(m);
  return add_kernel(m, "jacobian");
}

static basin_status finish(local_matrix *m, basin_status status, basin_plan **result)
{
  basin_plan *plan = m->plan;
  local_matrix_fini(m);
  if (status == BASIN_OK)
    *result = plan;
  else
    basin_plan_destroy(plan);
  return status;
}

basin_status basin_plan_jacobian(basin_graph *graph,
                                 basin_expression expression,
                                 const char *name,
                                 const basin_unknowns *unknowns,
                                 basin_plan **result)
{
  *result = NULL;
  local_matrix m = {.graph = graph};
  BASIN_TRY(basin__plan_create(graph, expression, name, &m.plan));
  return finish(&m, build_jacobian(&m, unknowns), result);
}

/* entries[i][j] = d (d E / d row i) / d column j. */
static basin_status differentiate_twice(local_matrix *m)
{
  basin_context *context = m->plan->context;
  uint32_t rows = m->rows.count, columns = m->columns.count;
  size_t count = (size_t)rows * columns;
  size_t room = m->variables.count + rows + 1u;
  basin_ref *gradient = basin__alloc(context, room * 2 * sizeof gradient[0]);
  if (!gradient) return BASIN_ERROR_MEMORY;
  basin_ref *parts = gradient + m->variables.count, *column = gradient + room;
  basin_status status = basin__grow(
      context, &m->entries.items, &m->entries.capacity, count ? count : 1, sizeof(basin_ref));
  if (status == BASIN_OK) status = basin__gradient(&m->gradient, m->roots.items[0], gradient);
  for (uint32_t i = 0; i < rows && status == BASIN_OK; ++i)
    parts[i] = gradient[variable_number(m, m->rows.items[i])];
  for (uint32_t j = 0; j < columns && status == BASIN_OK; ++j) {
    status =
        basin__tangents(&m->gradient, variable_number(m, m->columns.items[j]), parts, rows, column);
    for (uint32_t i = 0; i < rows && status == BASIN_OK; ++i)
      m->entries.items[(size_t)i * columns + j] = column[i];
  }
  m->entries.count = (uint32_t)count;
  basin__free(context, gradient, room * 2 * sizeof gradient[0]);
  return status;
}

static basin_status build_mixed(local_matrix *m,
                                const basin_array_id *rows,
                                size_t row_count,
                                const basin_array_id *columns,
                                size_t column_count)
{
  basin_plan_info *info = &m->plan->info;
  m->block = 1;
  BASIN_TRY(lower_roots(m));
  if (m->roots.count != 1)
    return BASIN_FAIL(m->plan->context,
                      BASIN_ERROR_SHAPE,
                      "a mixed derivative needs a scalar, \"%s\" has %u entries",
                      m->plan->name,
                      m->roots.count);
  BASIN_TRY(list_side(m, rows, row_count, &info->unknowns, &info->unknown_count, &m->rows));
  BASIN_TRY(list_side(m, columns, column_count, &info->columns, &info->column_count, &m->columns));
  basin_refs both = {0};
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < row_count && status == BASIN_OK; ++i)
    status = basin__refs_push(m->plan->context, &both, rows[i]);
  for (size_t i = 0; i < column_count && status == BASIN_OK; ++i)
    status = basin__refs_push(m->plan->context, &both, columns[i]);
  basin_unknowns differentiable = {.outputs = both.items, .output_count = both.count};
  if (status == BASIN_OK) status = start_derivatives(m, &differentiable);
  basin__refs_fini(m->plan->context, &both);
  BASIN_TRY(status);
  BASIN_TRY(differentiate_twice(m));
  return add_kernel(m, "mixed");
}

basin_status basin_plan_mixed(basin_graph *graph,
                              basin_expression expression,
                              const char *name,
                              const basin_array_id *rows,
                              size_t row_count,
                              const basin_array_id *columns,
                              size_t column_count,
                              basin_plan **result)
{
  *result = NULL;
  local_matrix m = {.graph = graph};
  BASIN_TRY(basin__plan_create(graph, expression, name, &m.plan));
  return finish(&m, build_mixed(&m, rows, row_count, columns, column_count), result);
}
