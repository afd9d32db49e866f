/* Random scenes for the tests of assembly, and their dense reference by the chain rule.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"
#include "../support.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

static basin_space_id space(scene *s, const char *name, size_t count, bool shared, bool dynamic)
{
  basin_space_description description = {
      .name = name, .parent = BASIN_NONE, .shared = shared, .dynamic = dynamic, .count = count};
  basin_space_id id;
  ok(basin_system_add_space(s->system, &description, &id));
  return id;
}

static basin_array_id stored(
    scene *s, const char *name, basin_space_id owner, unsigned rows, unsigned cols, uint64_t *seed)
{
  basin_array_id id = BASIN_NONE;
  ok(basin_system_add_array(s->system, name, owner, rows, cols, &id));
  size_t count = basin_system_space_count(s->system, owner) * rows * cols;
  double *data = calloc(count + 1, sizeof *data);
  for (size_t k = 0; k < count; ++k) data[k] = random_number(seed);
  ok(basin_system_set_array(s->system, id, data, count));
  free(data);
  return id;
}

static basin_connectivity_id
connect(scene *s, basin_space_id from, basin_space_id to, unsigned arity, uint64_t *seed)
{
  basin_connectivity_id id;
  size_t count = basin_system_space_count(s->system, from) * arity;
  uint32_t *indices = calloc(count + 1, sizeof *indices),
           limit = (uint32_t)basin_system_space_count(s->system, to);
  for (size_t k = 0; k < count; ++k) indices[k] = random_below(seed, limit);
  ok(basin_system_add_connectivity(s->system, "connectivity", from, to, arity, &id));
  ok(basin_system_set_connectivity(s->system, id, indices, count));
  free(indices);
  return id;
}

static basin_connectivity_id
connect_rows(scene *s, basin_space_id from, basin_space_id to, uint64_t *seed)
{
  basin_connectivity_id id;
  size_t rows = basin_system_space_count(s->system, from), count = 0;
  uint32_t offsets[64] = {0}, indices[256],
           limit = (uint32_t)basin_system_space_count(s->system, to);
  for (size_t k = 0; k < rows; ++k) {
    uint32_t length = k == 0 ? 0 : 1 + random_below(seed, 5); /* the first row is empty */
    for (uint32_t i = 0; i < length; ++i) indices[count++] = random_below(seed, limit);
    offsets[k + 1] = (uint32_t)count;
  }
  ok(basin_system_add_connectivity(s->system, "rows", from, to, 0, &id));
  ok(basin_system_set_connectivity_rows(s->system, id, offsets, rows + 1, indices, count));
  return id;
}

static polynomial *polynomial_of(scene *s)
{
  polynomial *p = polynomial_new(s->system, s->block);
  s->polynomials[s->polynomial_count++] = p;
  return p;
}

static void join(polynomial *p,
                 basin_array_id array,
                 bool output,
                 basin_connectivity_id connectivity,
                 uint32_t slot)
{
  basin_path_step step = {connectivity, slot};
  polynomial_access(p, array, output, &step, 1);
}

static void term(scene *s,
                 polynomial *p,
                 basin_space_id owner,
                 bool quartic,
                 bool constant,
                 bool dynamic,
                 uint64_t seed)
{
  polynomial_random_energy(p, seed, quartic);
  polynomial_finish(p);
  basin_array_id scale = p->scale;
  basin_term_description description = {.name = "term",
                                        .script = "scene.lua",
                                        .line = (int)s->term_count + 1,
                                        .space = owner,
                                        .plan = &p->plans[POLYNOMIAL_ENERGY],
                                        .value = &p->value,
                                        .gradient = &p->gradient,
                                        .hessian = &p->hessian,
                                        .unknown_count = p->access_count,
                                        .unknowns = p->accesses,
                                        .constant_hessian = constant,
                                        .hessian_array_count = scale != BASIN_NONE,
                                        .hessian_arrays = &scale,
                                        .dynamic = dynamic};
  basin_term_id id;
  ok(basin_minimizer_add_term(s->minimizer, &description, &id));
  s->terms[s->term_count] = p;
  s->term_spaces[s->term_count++] = owner;
}

/* A computed array with its map; `identity` makes the Jacobian blocks multiples of the identity. */
static basin_array_id mapped(scene *s,
                             polynomial *p,
                             basin_space_id owner,
                             unsigned rows,
                             unsigned cols,
                             bool quadratic,
                             bool identity,
                             uint64_t seed)
{
  basin_array_id id = BASIN_NONE;
  polynomial_random_map(p, seed, rows, cols, quadratic);
  if (identity)
    for (size_t m = 0; m < p->outputs; ++m)
      for (size_t i = 0; i < p->size; ++i)
        p->L[m * p->size + i] = i % s->block == m ? 0.25 + (double)(i / s->block) : 0;
  if (quadratic) ok(basin_system_add_array(s->system, "weight", owner, rows, cols, &p->weight));
  polynomial_finish(p);
  basin_computed_description computed = {.name = "computed",
                                         .space = owner,
                                         .rows = rows,
                                         .cols = cols,
                                         .plan = &p->plans[POLYNOMIAL_COMPUTE],
                                         .info = &p->compute};
  ok(basin_system_add_computed(s->system, &computed, &id));
  basin_map_description map = {.plan = &p->plans[POLYNOMIAL_JACOBIAN],
                               .info = &p->jacobian,
                               .unknown_count = p->access_count,
                               .unknowns = p->accesses,
                               .affine = !quadratic,
                               .uniform = identity,
                               .curvature_plan = quadratic ? &p->plans[POLYNOMIAL_CURVATURE] : NULL,
                               .curvature_hessian = quadratic ? &p->curvature : NULL,
                               .curvature_weight = p->weight};
  ok(basin_system_set_map(s->system, id, &map));
  return id;
}

/* Spaces and arrays that several features use. */
typedef struct world {
  basin_space_id shared, vertices, bodies, held, all;
  basin_array_id s, x, A, t, k, u;
  uint64_t seed;
} world;

static basin_array_id children(scene *s,
                               world *w,
                               const char *name,
                               size_t count,
                               bool quadratic,
                               bool identity,
                               basin_space_id *owner)
{
  *owner = space(s, name, count, false, false);
  basin_connectivity_id body = connect(s, *owner, w->bodies, 1, &w->seed);
  polynomial *p = polynomial_of(s);
  join(p, w->A, true, body, 0);
  join(p, w->t, true, body, 0);
  if (!identity)
    join(p,
         w->k,
         false,
         connect(s, *owner, w->held, 1, &w->seed),
         0); /* held data, not affine together with A and t */
  return mapped(s, p, *owner, s->block, 1, quadratic, identity, w->seed++);
}

static void build_union(scene *s, world *w, unsigned features)
{
  basin_space_id first[3] = {w->vertices}, second[4] = {w->held}, inner;
  basin_array_id one[3] = {w->x}, two[4] = {w->k}, u;
  size_t members = 2;
  one[1] = children(s, w, "children", 7, false, false, &first[1]);
  one[2] = children(s, w, "affine", 5, false, true, &first[2]);
  ok(basin_system_add_union(s->system, "inner", BASIN_NONE, first, 3, &inner));
  u = BASIN_NONE;
  ok(basin_system_add_union_array(s->system, "inner", inner, one, 3, &u));
  second[1] = inner;
  two[1] = u;
  if (features & SCENE_CURVED) {
    two[2] = children(s, w, "curved", 4, true, false, &second[2]);
    basin_space_id groups = space(s, "inner groups", 3, false, false);
    basin_connectivity_id rows = connect_rows(s, groups, inner, &w->seed), to;
    basin_array_id mean = BASIN_NONE;
    ok(basin_system_add_reduction(s->system, "inner mean", rows, u, true, &mean));
    second[3] = space(s, "followers", 3, false, false);
    to = connect(s, second[3], groups, 1, &w->seed);
    polynomial *p = polynomial_of(s);
    join(p, mean, true, to, 0);
    two[3] = mapped(s, p, second[3], s->block, 1, true, false, w->seed++);
    members = 4;
  }
  ok(basin_system_add_union(s->system, "all", BASIN_NONE, second, members, &w->all));
  w->u = BASIN_NONE;
  ok(basin_system_add_union_array(s->system, "all", w->all, two, members, &w->u));
}

static void add_plain(scene *s, world *w)
{
  basin_space_id elements = space(s, "elements", 11, false, false);
  basin_connectivity_id to = connect(s, elements, w->vertices, 3, &w->seed),
                        held = connect(s, elements, w->held, 2, &w->seed);
  polynomial *p = polynomial_of(s);
  join(p, w->x, true, to, 0);
  join(p, w->k, true, held, 0); /* with rows, but no target of this minimizer */
  join(p, w->x, true, to, 1);
  join(p, w->k, false, held, 1);
  polynomial_access(p, w->s, true, NULL, 0);
  join(p, w->x, true, to, 2);
  p->scale = s->scale = stored(s, "scale", elements, 1, 1, &w->seed);
  term(s, p, elements, true, false, false, w->seed++);
  p = polynomial_of(s);
  polynomial_access(p, w->A, true, NULL, 0);
  polynomial_access(p, w->t, true, NULL, 0);
  p->scale = stored(s, "body scale", w->bodies, 1, 1, &w->seed);
  term(s, p, w->bodies, false, true, false, w->seed++);
}

static void add_contacts(scene *s, world *w, bool dynamic)
{
  s->contacts = space(s, "contacts", 8, false, dynamic);
  s->contact_vertices = connect(s, s->contacts, w->all, 4, &w->seed);
  polynomial *p = polynomial_of(s);
  for (uint32_t k = 0; k < 4; ++k) join(p, w->u, true, s->contact_vertices, k);
  term(s, p, s->contacts, true, false, dynamic, w->seed++);
}

static void add_reductions(scene *s, world *w)
{
  basin_space_id groups = space(s, "groups", 4, false, false);
  basin_connectivity_id rows = connect_rows(s, groups, w->all, &w->seed),
                        fixed = connect(s, groups, w->vertices, 3, &w->seed);
  basin_array_id mean = BASIN_NONE, sum = BASIN_NONE;
  ok(basin_system_add_reduction(s->system, "mean", rows, w->u, true, &mean));
  ok(basin_system_add_reduction(s->system, "sum", fixed, w->x, false, &sum));
  polynomial *p = polynomial_of(s);
  polynomial_access(p, mean, true, NULL, 0);
  polynomial_access(p, sum, true, NULL, 0);
  join(p, w->x, true, fixed, 1);
  term(s, p, groups, true, false, false, w->seed++);
}

static void add_dynamic(scene *s, world *w)
{
  basin_space_id pairs = space(s, "pairs", 6, false, true);
  basin_connectivity_id ends = connect(s, pairs, w->vertices, 2, &w->seed);
  polynomial *p = polynomial_of(s);
  join(p, w->x, true, ends, 0);
  join(p, w->x, true, ends, 1);
  term(s, p, pairs, false, true, false, w->seed++);
}

void scene_init(
    scene *s, void *allocator, unsigned threads, unsigned block, unsigned features, uint64_t seed)
{
  memset(s, 0, sizeof *s);
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  options.threads = threads;
  if (allocator) {
    options.allocate = failing_allocate;
    options.allocate_user = allocator;
  }
  s->context = basin_context_create(&options);
  assert_non_null(s->context);
  s->block = block;
  ok(basin_system_create(s->context, polynomial_provider, &s->provider_calls, &s->system));
  world w = {.seed = seed * 1000 + block};
  w.shared = space(s, "scene", 0, true, false);
  w.vertices = space(s, "vertices", 9, false, false);
  w.bodies = space(s, "bodies", 3, false, false);
  w.held = space(s, "held", 4, false, false);
  w.s = stored(s, "s", w.shared, block, 1, &w.seed);
  w.x = stored(s, "x", w.vertices, block, 1, &w.seed);
  w.A = stored(s, "A", w.bodies, block, block, &w.seed);
  w.t = stored(s, "t", w.bodies, block, 1, &w.seed);
  w.k = stored(s, "k", w.held, block, 1, &w.seed);
  s->targets[0] = w.A, s->targets[1] = w.x, s->targets[2] = w.t, s->targets[3] = w.s;
  s->target_count = 4;
  if (features & (SCENE_UNION | SCENE_CURVED)) build_union(s, &w, features);
  ok(basin_minimizer_create(s->system, s->targets, s->target_count, block, &s->minimizer));
  if (features & SCENE_PLAIN) add_plain(s, &w);
  if (features & (SCENE_UNION | SCENE_CURVED)) add_contacts(s, &w, features & SCENE_DYNAMIC);
  if (features & SCENE_REDUCTION) add_reductions(s, &w);
  if (features & SCENE_DYNAMIC) add_dynamic(s, &w);
  s->unknowns = basin_minimizer_node_count(s->minimizer) * block;
}

void scene_fini(scene *s)
{
  basin_minimizer_destroy(s->minimizer);
  basin_system_destroy(s->system);
  basin_context_destroy(s->context);
  for (size_t k = 0; k < s->polynomial_count; ++k) free(s->polynomials[k]);
}

void scene_move(scene *s, uint64_t seed)
{
  for (size_t k = 0; k < s->target_count; ++k) {
    basin_span span;
    ok(basin_system_array(s->system, s->targets[k], &span));
    double *data = basin_system_array_data(s->system, s->targets[k]);
    for (size_t i = 0; i < span.count * span.size; ++i) data[i] = random_number(&seed);
    basin_system_touch(s->system, s->targets[k]);
  }
}

void scene_read(scene *s, double *x)
{
  for (size_t k = 0; k < s->target_count; ++k)
    basin_minimizer_from_array(
        s->minimizer, k, basin_system_array_data(s->system, s->targets[k]), x);
}

void scene_matrix(const scene *s, double *dense)
{
  const basin_bsr *matrix = basin_minimizer_matrix(s->minimizer);
  const size_t *starts = basin_bsr_row_starts(matrix);
  const uint32_t *columns = basin_bsr_columns(matrix);
  const double *values = basin_bsr_values_const(matrix);
  size_t b = basin_bsr_block_size(matrix), n = basin_bsr_size(matrix);
  memset(dense, 0, n * n * sizeof *dense);
  for (size_t row = 0; row < basin_bsr_node_count(matrix); ++row)
    for (size_t slot = starts[row]; slot < starts[row + 1]; ++slot)
      for (size_t i = 0; i < b; ++i)
        for (size_t j = 0; j < b; ++j) {
          size_t r = row * b + i, c = columns[slot] * b + j;
          dense[r * n + c] = dense[c * n + r] = values[slot * b * b + i * b + j];
        }
}

/* ---- the reference: values and dense Jacobians of arrays ---- */

/* values: count * size entries in the array's order; jacobian: as many rows of n. */
typedef struct dense_array {
  size_t count, size;
  double *values, *jacobian;
} dense_array;

static dense_array dense_new(const scene *s, const basin_array *array)
{
  dense_array d = {.count = s->system->spaces[array->space].count, .size = array->size};
  d.values = calloc(d.count * d.size + 1, sizeof *d.values);
  d.jacobian = calloc(d.count * d.size * s->unknowns + 1, sizeof *d.jacobian);
  return d;
}

static void dense_free(dense_array *d)
{
  free(d->values);
  free(d->jacobian);
}

static dense_array evaluate(const scene *s, basin_array_id id);

/* u of an element of `p` and its dense Jacobian, in local order. */
static void gather(const scene *s,
                   const polynomial *p,
                   size_t element,
                   const dense_array *inputs,
                   double *u,
                   double *J)
{
  size_t n = s->unknowns, row = 0;
  for (size_t k = 0; k < p->access_count; ++k) {
    const basin_unknown_access *access = &p->accesses[k];
    const basin_array *array = s->system->arrays[access->access.array];
    size_t instance = element;
    for (uint32_t i = 0; i < access->access.step_count; ++i) {
      const basin_connectivity *connectivity =
          &s->system->connectivities[access->access.steps[i].connectivity];
      instance =
          connectivity->indices[instance * connectivity->arity + access->access.steps[i].slot];
    }
    if (s->system->spaces[array->space].shared) instance = 0;
    for (size_t i = 0; i < access->size; ++i, ++row) {
      size_t node = i / p->block,
             at = access->rows == p->block ? i % p->block * access->cols + node : i;
      u[row] = inputs[k].values[instance * array->size + at];
      for (size_t c = 0; c < n; ++c)
        J[row * n + c] =
            access->output ? inputs[k].jacobian[(instance * array->size + at) * n + c] : 0;
    }
  }
}

static void inputs_of(const scene *s, const polynomial *p, dense_array *inputs)
{
  for (size_t k = 0; k < p->access_count; ++k) inputs[k] = evaluate(s, p->accesses[k].access.array);
}

static void evaluate_target(const scene *s, size_t number, dense_array *d)
{
  size_t n = s->unknowns;
  double *order = calloc(d->count * d->size + 1, sizeof *order),
         *vector = calloc(n, sizeof *vector);
  for (size_t k = 0; k < d->count * d->size; ++k) order[k] = (double)(k + 1);
  basin_minimizer_from_array(s->minimizer, number, order, vector);
  for (size_t c = 0; c < n; ++c)
    if (vector[c] > 0) d->jacobian[((size_t)vector[c] - 1) * n + c] = 1;
  free(order);
  free(vector);
}

static void evaluate_computed(const scene *s, const basin_array *array, dense_array *d)
{
  const polynomial *p = ((const polynomial_plan *)array->kernel.plan)->owner;
  size_t n = s->unknowns;
  dense_array inputs[POLYNOMIAL_ACCESSES];
  double u[POLYNOMIAL_LOCAL], local[12 * POLYNOMIAL_LOCAL],
      *J = calloc(POLYNOMIAL_LOCAL * n, sizeof *J);
  inputs_of(s, p, inputs);
  for (size_t e = 0; e < d->count; ++e) {
    gather(s, p, e, inputs, u, J);
    polynomial_map(p, u, d->values + e * d->size, local);
    for (size_t m = 0; m < d->size; ++m)
      for (size_t i = 0; i < p->size; ++i)
        for (size_t c = 0; c < n; ++c)
          d->jacobian[(e * d->size + m) * n + c] += local[m * p->size + i] * J[i * n + c];
  }
  for (size_t k = 0; k < p->access_count; ++k) dense_free(&inputs[k]);
  free(J);
}

static void add_rows(
    const scene *s, dense_array *d, size_t to, const dense_array *from, size_t row, double weight)
{
  size_t n = s->unknowns;
  for (size_t i = 0; i < d->size; ++i) {
    d->values[to * d->size + i] += weight * from->values[row * d->size + i];
    for (size_t c = 0; c < n; ++c)
      d->jacobian[(to * d->size + i) * n + c] +=
          weight * from->jacobian[(row * d->size + i) * n + c];
  }
}

static void evaluate_union(const scene *s, const basin_array *array, dense_array *d)
{
  size_t to = 0;
  for (size_t k = 0; k < array->member_count; ++k) {
    dense_array member = evaluate(s, array->members[k]);
    for (size_t i = 0; i < member.count; ++i) add_rows(s, d, to++, &member, i, 1);
    dense_free(&member);
  }
}

static void evaluate_reduction(const scene *s, const basin_array *array, dense_array *d)
{
  const basin_connectivity *rows = &s->system->connectivities[array->connectivity];
  dense_array source = evaluate(s, array->source);
  for (size_t i = 0; i < d->count; ++i) {
    size_t first = rows->arity ? i * rows->arity : rows->offsets[i],
           last = rows->arity ? first + rows->arity : rows->offsets[i + 1];
    for (size_t k = first; k < last; ++k)
      add_rows(s, d, i, &source, rows->indices[k], array->mean ? 1 / (double)(last - first) : 1);
  }
  dense_free(&source);
}

static dense_array evaluate(const scene *s, basin_array_id id)
{
  const basin_array *array = s->system->arrays[id];
  dense_array d = dense_new(s, array);
  if (array->kind == BASIN_ARRAY_STORED) {
    memcpy(d.values, array->data, d.count * d.size * sizeof *d.values);
    for (size_t k = 0; k < s->target_count; ++k)
      if (s->targets[k] == id) evaluate_target(s, k, &d);
  }
  if (array->kind == BASIN_ARRAY_COMPUTED) evaluate_computed(s, array, &d);
  if (array->kind == BASIN_ARRAY_UNION) evaluate_union(s, array, &d);
  if (array->kind == BASIN_ARRAY_REDUCTION) evaluate_reduction(s, array, &d);
  return d;
}

static double
add_term(const scene *s, const polynomial *p, size_t count, double *gradient, double *hessian)
{
  size_t n = s->unknowns, m = p->size;
  dense_array inputs[POLYNOMIAL_ACCESSES];
  double u[POLYNOMIAL_LOCAL], g[POLYNOMIAL_LOCAL], H[POLYNOMIAL_LOCAL * POLYNOMIAL_LOCAL],
      energy = 0;
  double *J = calloc(POLYNOMIAL_LOCAL * n, sizeof *J),
         *HJ = calloc(POLYNOMIAL_LOCAL * n, sizeof *HJ);
  inputs_of(s, p, inputs);
  for (size_t e = 0; e < count; ++e) {
    double scale = p->scale == BASIN_NONE ? 1 : s->system->arrays[p->scale]->data[e];
    gather(s, p, e, inputs, u, J);
    energy += polynomial_energy(p, scale, u, g, H);
    for (size_t i = 0; i < m; ++i)
      for (size_t c = 0; c < n; ++c) gradient[c] += g[i] * J[i * n + c];
    if (!hessian) continue;
    memset(HJ, 0, m * n * sizeof *HJ);
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < m; ++j)
        for (size_t c = 0; c < n; ++c) HJ[i * n + c] += H[i * m + j] * J[j * n + c];
    for (size_t i = 0; i < m; ++i)
      for (size_t r = 0; r < n; ++r)
        for (size_t c = 0; c < n && J[i * n + r] != 0; ++c)
          hessian[r * n + c] += J[i * n + r] * HJ[i * n + c];
  }
  for (size_t k = 0; k < p->access_count; ++k) dense_free(&inputs[k]);
  free(J);
  free(HJ);
  return energy;
}

double scene_reference(scene *s, const double *x, double *gradient, double *hessian)
{
  double energy = 0;
  for (size_t k = 0; k < s->target_count; ++k) {
    basin_minimizer_to_array(s->minimizer, k, x, basin_system_array_data(s->system, s->targets[k]));
    basin_system_touch(s->system, s->targets[k]);
  }
  memset(gradient, 0, s->unknowns * sizeof *gradient);
  if (hessian) memset(hessian, 0, s->unknowns * s->unknowns * sizeof *hessian);
  for (size_t k = 0; k < s->term_count; ++k)
    energy +=
        add_term(s, s->terms[k], s->system->spaces[s->term_spaces[k]].count, gradient, hessian);
  return energy;
}

void scene_differences(scene *s, const double *x, double *hessian)
{
  size_t n = s->unknowns;
  double h = 1e-4, *moved = calloc(n, sizeof *moved), *up = calloc(n, sizeof *up),
         *down = calloc(n, sizeof *down);
  for (size_t c = 0; c < n; ++c) {
    memcpy(moved, x, n * sizeof *moved);
    moved[c] = x[c] + h;
    (void)scene_reference(s, moved, up, NULL);
    moved[c] = x[c] - h;
    (void)scene_reference(s, moved, down, NULL);
    for (size_t r = 0; r < n; ++r) hessian[r * n + c] = (up[r] - down[r]) / (2 * h);
  }
  (void)scene_reference(s, x, up, NULL);
  free(moved);
  free(up);
  free(down);
}
