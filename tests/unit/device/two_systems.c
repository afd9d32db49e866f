/* The scene that tests run on the CPU and on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "two_systems.h"

double scene_number(size_t i)
{
  return 0.125 + 1.0 / (double)(i + 3) - (double)(i % 7) * 0.3;
}

static basin_status provide(void *user, basin_kernel_request *requests, size_t count)
{
  scene *s = user;
  if (!s->backend) {
    const char *architecture = basin_system_architecture(s->system);
    char name[32] = "interp";
    if (architecture) snprintf(name, sizeof name, "nvrtc:%s", architecture);
    BASIN_TRY(basin_backend_create(s->context, name, "double", &s->backend));
  }
  for (size_t i = 0; i < count; ++i) {
    basin_compile_request wanted = {.plan = requests[i].plan, .stage = requests[i].stage};
    BASIN_TRY(basin_backend_compile(s->backend, &wanted, 1));
    requests[i].kernel = wanted.kernel;
  }
  return BASIN_OK;
}

/* ---- spaces and connectivities ---- */

static basin_status add_space(scene *s,
                              const char *name,
                              basin_space_id parent,
                              bool shared,
                              bool dynamic,
                              size_t count,
                              basin_space_id *id)
{
  basin_space_description description = {
      .name = name, .parent = parent, .shared = shared, .dynamic = dynamic, .count = count};
  BASIN_TRY(basin_system_add_space(s->system, &description, id));
  return basin_graph_declare_space(s->graph, *id, parent, shared, name);
}

static basin_status add_spaces(scene *s)
{
  BASIN_TRY(add_space(s, "scene", BASIN_NONE, true, false, 1, &s->root));
  BASIN_TRY(add_space(s, "points", s->root, false, true, TWO_POINTS, &s->points));
  BASIN_TRY(add_space(s, "more", s->root, false, false, TWO_MORE, &s->more));
  BASIN_TRY(add_space(s, "edges", s->root, false, false, TWO_EDGES, &s->edges));
  basin_space_id members[] = {s->points, s->more};
  BASIN_TRY(basin_system_add_union(s->system, "all", s->root, members, 2, &s->all));
  return basin_graph_declare_space(s->graph, s->all, s->root, false, "all");
}

static basin_status add_connectivities(scene *s)
{
  uint32_t ends[2 * TWO_EDGES], offsets[TWO_POINTS + 1], around[3 * TWO_POINTS], length = 0;
  for (uint32_t i = 0; i < 2 * TWO_EDGES; ++i) ends[i] = i * 37 % TWO_POINTS;
  offsets[0] = 0;
  for (uint32_t i = 0; i < TWO_POINTS; ++i) { /* rows of 0, 1, 2 and 3 entries */
    for (uint32_t k = 0; k < i % 4; ++k) around[length++] = (i * 11 + k * 5) % TWO_EDGES;
    offsets[i + 1] = length;
  }
  BASIN_TRY(basin_system_add_connectivity(s->system, "ends", s->edges, s->points, 2, &s->ends));
  BASIN_TRY(basin_graph_declare_connectivity(s->graph, s->ends, s->edges, s->points, 2, "ends"));
  BASIN_TRY(basin_system_add_connectivity(s->system, "around", s->points, s->edges, 0, &s->around));
  BASIN_TRY(
      basin_graph_declare_connectivity(s->graph, s->around, s->points, s->edges, 0, "around"));
  BASIN_TRY(basin_system_set_connectivity(s->system, s->ends, ends, 2 * TWO_EDGES));
  return basin_system_set_connectivity_rows(
      s->system, s->around, offsets, TWO_POINTS + 1, around, length);
}

/* ---- arrays ---- */

static basin_status declare(scene *s, basin_array_id id, const char *name)
{
  basin_space_id space;
  unsigned rows, cols;
  basin_system_array_shape(s->system, id, &space, &rows, &cols);
  return basin_graph_declare_array(s->graph, id, space, rows, cols, BASIN_ARRAY_DATA, name);
}

static basin_status
add_stored(scene *s, const char *name, basin_space_id space, unsigned rows, basin_array_id *id)
{
  *id = BASIN_NONE;
  BASIN_TRY(basin_system_add_array(s->system, name, space, rows, 1, id));
  BASIN_TRY(declare(s, *id, name));
  double numbers[3 * TWO_POINTS];
  size_t count = basin_system_space_count(s->system, space) * rows;
  for (size_t i = 0; i < count; ++i) numbers[i] = scene_number(i + *id * 1000);
  return basin_system_set_array(s->system, *id, numbers, count);
}

static basin_status
add_computed(scene *s, const char *name, basin_expression expression, basin_array_id *id)
{
  basin_plan *plan;
  BASIN_TRY(basin_plan_compute(s->graph, expression, name, &plan));
  s->plans[s->plan_count++] = plan;
  unsigned rows, cols;
  basin_expression_shape(s->graph, expression, &rows, &cols);
  basin_computed_description description = {.name = name,
                                            .space = basin_expression_owner(s->graph, expression),
                                            .rows = rows,
                                            .cols = cols,
                                            .plan = plan,
                                            .info = basin_plan_kernel(plan, BASIN_STAGE_COMPUTE)};
  *id = BASIN_NONE;
  BASIN_TRY(basin_system_add_computed(s->system, &description, id));
  return declare(s, *id, name);
}

static basin_status
apply(scene *s, const char *op, basin_expression a, basin_expression b, basin_expression *result)
{
  basin_expression arguments[] = {a, b};
  return basin_expression_apply(s->graph, op, arguments, b ? 2 : 1, NULL, 0, result);
}

/* scaled = weight * x; length: of an edge, squared; chain = length * length + weight. */
static basin_status add_expressions(scene *s)
{
  basin_expression x, weight, e, f;
  BASIN_TRY(basin_expression_array(s->graph, s->x, &x));
  BASIN_TRY(basin_expression_array(s->graph, s->weight, &weight));
  BASIN_TRY(apply(s, "mul", weight, x, &e));
  BASIN_TRY(add_computed(s, "scaled", e, &s->scaled));
  BASIN_TRY(basin_expression_join(s->graph, s->ends, x, &e));
  BASIN_TRY(apply(s, "dot", e, e, &e));
  BASIN_TRY(apply(s, "sqrt", e, 0, &e));
  BASIN_TRY(add_computed(s, "length", e, &s->length));
  BASIN_TRY(basin_expression_array(s->graph, s->length, &e));
  BASIN_TRY(apply(s, "mul", e, e, &f));
  BASIN_TRY(apply(s, "add", f, weight, &f));
  return add_computed(s, "chain", f, &s->chain);
}

static basin_status add_reduction(scene *s,
                                  const char *name,
                                  basin_connectivity_id rows,
                                  basin_array_id source,
                                  bool mean,
                                  basin_array_id *id)
{
  *id = BASIN_NONE;
  return basin_system_add_reduction(s->system, name, rows, source, mean, id);
}

static basin_status build(scene *s, const char *device)
{
  BASIN_TRY(basin_graph_create(s->context, &s->graph));
  BASIN_TRY(basin_system_create(s->context, provide, s, &s->system));
  BASIN_TRY(basin_system_set_device(s->system, device));
  BASIN_TRY(add_spaces(s));
  BASIN_TRY(add_connectivities(s));
  BASIN_TRY(add_stored(s, "x", s->points, 3, &s->x));
  BASIN_TRY(add_stored(s, "y", s->more, 3, &s->y));
  BASIN_TRY(add_stored(s, "weight", s->root, 1, &s->weight));
  basin_array_id members[] = {s->x, s->y};
  s->joined = BASIN_NONE;
  BASIN_TRY(basin_system_add_union_array(s->system, "joined", s->all, members, 2, &s->joined));
  BASIN_TRY(add_expressions(s));
  BASIN_TRY(add_reduction(s, "sum", s->ends, s->scaled, false, &s->sum));
  BASIN_TRY(add_reduction(s, "mean", s->ends, s->x, true, &s->mean));
  BASIN_TRY(add_reduction(s, "gathered", s->around, s->chain, false, &s->gathered));
  return add_reduction(s, "averaged", s->around, s->sum, true, &s->averaged);
}

basin_status scene_init(scene *s, basin_context *context, const char *device)
{
  *s = (scene){.context = context};
  return build(s, device);
}

void scene_fini(scene *s)
{
  basin_system_destroy(s->system);
  for (size_t i = 0; i < s->plan_count; ++i) basin_plan_destroy(s->plans[i]);
  basin_backend_destroy(s->backend);
  basin_graph_destroy(s->graph);
}

void scene_arrays(const scene *s, basin_array_id arrays[SCENE_ARRAYS])
{
  const basin_array_id all[SCENE_ARRAYS] = {s->x,
                                            s->y,
                                            s->weight,
                                            s->joined,
                                            s->length,
                                            s->scaled,
                                            s->chain,
                                            s->sum,
                                            s->mean,
                                            s->gathered,
                                            s->averaged};
  memcpy(arrays, all, sizeof all);
}
