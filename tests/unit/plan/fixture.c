/* See fixture.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/fixture.h"

static const struct {
  unsigned rows, cols;
  uint32_t space;
  basin_array_role role;
  const char *name;
} declarations[ARRAY_HOISTED] = {
    [ARRAY_POSITION] = {3, 1, SPACE_VERTICES, BASIN_ARRAY_DATA, "position"},
    [ARRAY_REST] = {3, 1, SPACE_VERTICES, BASIN_ARRAY_CONSTANT, "rest"},
    [ARRAY_HELD] = {3, 1, SPACE_VERTICES, BASIN_ARRAY_DATA, "held"},
    [ARRAY_MATERIAL] = {2, 1, SPACE_ELEMENTS, BASIN_ARRAY_CONSTANT, "material"},
    [ARRAY_STEP] = {1, 1, SPACE_SCENE, BASIN_ARRAY_CONSTANT, "step"},
    [ARRAY_MATRIX] = {3, 3, SPACE_ELEMENTS, BASIN_ARRAY_DATA, "matrix"},
};

static void check(fixture *f, basin_status status)
{
  if (status != BASIN_OK) fail_msg("%s", basin_error_text(f->context));
}

static double uniform(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* Every element is a perturbed unit simplex somewhere: neither flat nor inverted at rest. */
static void fill(fixture *f)
{
  uint64_t random = 12345;
  for (int id = 0; id < ARRAY_HOISTED; ++id) {
    size_t count = (size_t)declarations[id].rows * declarations[id].cols * VERTICES;
    f->arrays[id] = calloc(count, sizeof(double));
    assert_non_null(f->arrays[id]);
    for (size_t i = 0; i < count; ++i) f->arrays[id][i] = uniform(&random);
  }
  f->arrays[ARRAY_HOISTED] = calloc(ELEMENTS * 64, sizeof(double));
  assert_non_null(f->arrays[ARRAY_HOISTED]);
  for (uint32_t v = 0; v < VERTICES; ++v)
    for (uint32_t i = 0; i < 3; ++i) {
      double corner = v % 4 == i + 1;
      f->arrays[ARRAY_REST][v * 3 + i] = corner + 0.2 * uniform(&random);
      f->arrays[ARRAY_POSITION][v * 3 + i] = corner + 0.3 * uniform(&random);
    }
  for (uint32_t e = 0; e < ELEMENTS; ++e) {
    for (uint32_t k = 0; k < 4; ++k) f->corners[e * 4 + k] = (e * 4 + k) % 8;
    f->arrays[ARRAY_MATERIAL][e * 2] = 10.0 + e;
    f->arrays[ARRAY_MATERIAL][e * 2 + 1] = 20.0 + e;
  }
  f->arrays[ARRAY_STEP][0] = 0.125;
}

int fixture_setup(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->context = test_context(NULL);
  assert_non_null(f->context);
  check(f, basin_graph_create(f->context, &f->graph));
  check(f, basin_graph_declare_space(f->graph, SPACE_SCENE, BASIN_NONE, true, "scene"));
  check(f, basin_graph_declare_space(f->graph, SPACE_MESH, SPACE_SCENE, true, "mesh"));
  check(f, basin_graph_declare_space(f->graph, SPACE_VERTICES, SPACE_MESH, false, "vertices"));
  check(f, basin_graph_declare_space(f->graph, SPACE_ELEMENTS, SPACE_MESH, false, "elements"));
  for (uint32_t id = 0; id < ARRAY_HOISTED; ++id)
    check(f,
          basin_graph_declare_array(f->graph,
                                    id,
                                    declarations[id].space,
                                    declarations[id].rows,
                                    declarations[id].cols,
                                    declarations[id].role,
                                    declarations[id].name));
  check(f,
        basin_graph_declare_connectivity(
            f->graph, CONNECTIVITY_CORNERS, SPACE_ELEMENTS, SPACE_VERTICES, 4, "corners"));
  check(f, basin_backend_create(f->context, "interp", "double", &f->backend));
  fill(f);
  *state = f;
  return 0;
}

int fixture_teardown(void **state)
{
  fixture *f = *state;
  for (int id = 0; id < ARRAY_COUNT; ++id) free(f->arrays[id]);
  basin_backend_destroy(f->backend);
  basin_graph_destroy(f->graph);
  basin_context_destroy(f->context);
  free(f);
  return 0;
}

ex literal(fixture *f, double value)
{
  ex e = 0;
  check(f, basin_expression_constant(f->graph, value, &e));
  return e;
}

ex array(fixture *f, basin_array_id id)
{
  ex e = 0;
  check(f, basin_expression_array(f->graph, id, &e));
  return e;
}

ex gather(fixture *f, basin_array_id id)
{
  ex e = 0;
  check(f, basin_expression_join(f->graph, CONNECTIVITY_CORNERS, array(f, id), &e));
  return e;
}

static ex apply(fixture *f,
                const char *name,
                const ex *arguments,
                size_t count,
                const int *integers,
                size_t integer_count)
{
  ex e = 0;
  check(f, basin_expression_apply(f->graph, name, arguments, count, integers, integer_count, &e));
  return e;
}

ex op1(fixture *f, const char *name, ex a)
{
  return apply(f, name, &a, 1, NULL, 0);
}

ex op2(fixture *f, const char *name, ex a, ex b)
{
  return apply(f, name, (ex[]){a, b}, 2, NULL, 0);
}

ex op3(fixture *f, const char *name, ex a, ex b, ex c)
{
  return apply(f, name, (ex[]){a, b, c}, 3, NULL, 0);
}

ex row(fixture *f, ex a, int i)
{
  return apply(f, "row", &a, 1, &i, 1);
}

ex entry(fixture *f, ex a, int i)
{
  return apply(f, "entry", &a, 1, &i, 1);
}

ex edges(fixture *f, ex corners)
{
  ex columns[3];
  for (int k = 0; k < 3; ++k)
    columns[k] = op2(f, "sub", row(f, corners, k + 1), row(f, corners, 0));
  return apply(f, "columns", columns, 3, NULL, 0);
}

ex neo_hookean(fixture *f)
{
  ex rest = edges(f, gather(f, ARRAY_REST));
  ex F = op2(f, "mul", edges(f, gather(f, ARRAY_POSITION)), op1(f, "inverse", rest));
  ex material = array(f, ARRAY_MATERIAL);
  ex mu = entry(f, material, 0), lambda = entry(f, material, 1);
  ex alpha = op2(f, "add", literal(f, 1), op2(f, "div", mu, lambda));
  ex stretch = op2(f, "sub", op1(f, "squared_norm", F), literal(f, 3));
  ex volume = op2(f, "sub", op1(f, "det", F), alpha);
  ex psi = op2(
      f,
      "add",
      op2(f, "mul", op2(f, "div", mu, literal(f, 2)), stretch),
      op2(f, "mul", op2(f, "div", lambda, literal(f, 2)), op2(f, "pow", volume, literal(f, 2))));
  return op2(f, "mul", op2(f, "div", op1(f, "det", rest), literal(f, 6)), psi);
}

ex spring(fixture *f)
{
  ex x = gather(f, ARRAY_POSITION), X = gather(f, ARRAY_REST);
  ex length = op1(f, "norm", op2(f, "sub", row(f, x, 1), row(f, x, 0)));
  ex rest = op1(f, "norm", op2(f, "sub", row(f, X, 1), row(f, X, 0)));
  return op2(f, "mul", literal(f, 500), op2(f, "pow", op2(f, "sub", length, rest), literal(f, 2)));
}

ex hinge(fixture *f)
{
  ex x = gather(f, ARRAY_POSITION);
  ex e = op2(f, "sub", row(f, x, 1), row(f, x, 0)), a = op2(f, "sub", row(f, x, 2), row(f, x, 0));
  ex b = op2(f, "sub", row(f, x, 3), row(f, x, 0));
  ex n1 = op2(f, "cross", e, a), n2 = op2(f, "cross", b, e);
  ex s = op2(f, "mul", op1(f, "norm", e), op2(f, "dot", n1, b)), c = op2(f, "dot", n1, n2);
  ex lengths = op2(f, "mul", op1(f, "norm", n1), op1(f, "norm", n2));
  ex angle =
      op2(f, "mul", literal(f, -2), op1(f, "atan", op2(f, "div", s, op2(f, "add", lengths, c))));
  ex rest_angle = entry(f, array(f, ARRAY_MATERIAL), 1);
  return op2(f,
             "mul",
             literal(f, 0.01),
             op2(f,
                 "pow",
                 op2(f, "sub", angle, op2(f, "div", rest_angle, literal(f, 50))),
                 literal(f, 2)));
}

ex point_triangle(fixture *f)
{
  ex x = gather(f, ARRAY_POSITION);
  ex p = op2(f, "sub", row(f, x, 0), row(f, x, 1));
  ex n = op2(f,
             "cross",
             op2(f, "sub", row(f, x, 2), row(f, x, 1)),
             op2(f, "sub", row(f, x, 3), row(f, x, 1)));
  ex D =
      op2(f, "div", op2(f, "pow", op2(f, "dot", p, n), literal(f, 2)), op1(f, "squared_norm", n));
  ex near = literal(f, 4);
  ex value = op2(f,
                 "mul",
                 op2(f, "pow", op2(f, "sub", D, near), literal(f, 2)),
                 op1(f, "log", op2(f, "div", D, near)));
  return op3(
      f, "where", op2(f, "lt", D, near), op2(f, "mul", literal(f, -1e3), value), literal(f, 0));
}

basin_plan *energy_plan(fixture *f, ex e, bool project_unknowns, bool hoist)
{
  static const basin_array_id targets[] = {ARRAY_POSITION, ARRAY_MATRIX};
  basin_energy_request request = {.expression = e,
                                  .name = "energy",
                                  .unknowns = {.outputs = targets, .output_count = 2, .block = 3},
                                  .project_unknowns = project_unknowns,
                                  .hoist = hoist,
                                  .hoisted_array = ARRAY_HOISTED + f->hoisted_count++};
  basin_plan *plan = NULL;
  check(f, basin_plan_energy(f->graph, &request, &plan));
  return plan;
}

static void call(fixture *f, const basin_plan *plan, basin_stage stage, basin_kernel_args *args)
{
  basin_compile_request request = {.plan = plan, .stage = stage};
  check(f, basin_backend_compile(f->backend, &request, 1));
  const basin_kernel_info *info = basin_plan_kernel(plan, stage);
  const double *arrays[ARRAY_COUNT];
  const uint32_t *indices[1] = {f->corners};
  for (uint32_t k = 0; k < info->array_count; ++k) {
    uint32_t id = info->arrays[k];
    arrays[k] = f->arrays[id < ARRAY_HOISTED ? id : ARRAY_HOISTED];
  }
  args->arrays = arrays;
  args->indices = indices;
  args->end = ELEMENTS;
  args->scratch = aligned_alloc(64, (request.kernel.scratch_size + 127) / 64 * 64);
  assert_non_null(args->scratch);
  request.kernel.function(args, request.kernel.self);
  free(args->scratch);
}

void run(fixture *f,
         const basin_plan *plan,
         basin_stage stage,
         basin_projection projection,
         double *energy,
         double *gradient,
         double *hessian)
{
  basin_kernel_args args = {.energy = energy,
                            .local_gradient = gradient,
                            .local_hessian = hessian,
                            .projection = projection};
  call(f, plan, stage, &args);
}

void run_compute(fixture *f, const basin_plan *plan, double *output)
{
  basin_kernel_args args = {.output = output};
  call(f, plan, BASIN_STAGE_COMPUTE, &args);
}

double *unknown(fixture *f, const basin_plan_info *info, unsigned block, uint32_t e, uint32_t i)
{
  const basin_unknown_access *u = info->unknowns;
  while (i >= u->first + u->size) ++u;
  uint32_t local = i - u->first, instance = e;
  for (uint32_t k = 0; k < u->access.step_count; ++k)
    instance = f->corners[instance * 4 + u->access.steps[k].slot];
  if (u->rows == block && u->cols > 1) local = local % block * u->cols + local / block;
  return &f->arrays[u->access.array][instance * u->size + local];
}
