/* CHOLMOD, opened at run time: analysis, factorization; solutions are made with panels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cholmod.h"

#include "base/base.h"
#include "panels.h"
#include <string.h>

/* Constants of cholmod.h. */
enum { SIMPLICIAL = 0, AUTOMATIC = 1 };
enum { NATURAL = 0, GIVEN = 1, AMD = 2, METIS = 3 };
enum { ITYPE_LONG = 2, PATTERN = 0, REAL = 1, LOWER = -1 };
enum { STATUS_NOT_POSITIVE = 1, STATUS_OUT_OF_MEMORY = -2, STATUS_TOO_LARGE = -3 };
enum { SMALL_GRAPH = 4000 };     /* nodes below which a second ordering is not worth its time */
enum { SMALL_FACTOR = 4000000 }; /* entries below which OpenMP's threads cost more than they do */

struct basin__cholmod {
  basin_context *context;
  basin_dl *library;
#define SYMBOL(required, type, name, arguments) type(*name) arguments;
#include "cholmod.def"
#undef SYMBOL
  void *common; /* cholmod_common */
  bool started, definite;
  basin__cholmod_factor *factor;
  basin__panels panels; /* of the factor, if `taken` */
  bool taken;
};

static int get(const basin__cholmod *c, size_t offset)
{
  int value;
  memcpy(&value, (const char *)c->common + offset, sizeof value);
  return value;
}

static void set(basin__cholmod *c, size_t offset, int value)
{
  memcpy((char *)c->common + offset, &value, sizeof value);
}

static void set_ordering(basin__cholmod *c, size_t method, int ordering)
{
  set(c,
      BASIN__CHOLMOD_METHOD + method * BASIN__CHOLMOD_METHOD_SIZE + BASIN__CHOLMOD_METHOD_ORDERING,
      ordering);
}

/* ---- opening ---- */

static basin_status resolve(basin__cholmod *c)
{
  void *symbol;
#define SYMBOL(required, type, name, arguments)   \
  symbol = basin__dl_symbol(c->library, #name);   \
  if (symbol == NULL && required) {               \
    return BASIN_FAIL(c->context,                 \
                      BASIN_ERROR_UNSUPPORTED,    \
                      "%s has no function %s",    \
                      basin__dl_path(c->library), \
                      #name);                     \
  }                                               \
  memcpy(&c->name, &symbol, sizeof symbol);
#include "cholmod.def"
#undef SYMBOL
  return BASIN_OK;
}

/* True if the settings that CHOLMOD just made are found where they are looked for. */
static bool layout_understood(const basin__cholmod *c)
{
  size_t second =
      BASIN__CHOLMOD_METHOD + BASIN__CHOLMOD_METHOD_SIZE + BASIN__CHOLMOD_METHOD_ORDERING;
  return get(c, BASIN__CHOLMOD_SUPERNODAL) == AUTOMATIC && get(c, BASIN__CHOLMOD_FINAL_ASIS) == 1 &&
         get(c, BASIN__CHOLMOD_FINAL_LL) == 0 && get(c, BASIN__CHOLMOD_PRINT) == 3 &&
         get(c, BASIN__CHOLMOD_METHOD_COUNT) == 0 &&
         get(c, BASIN__CHOLMOD_METHOD + BASIN__CHOLMOD_METHOD_ORDERING) == GIVEN &&
         get(c, second) == AMD && get(c, BASIN__CHOLMOD_POSTORDER) == 1 &&
         get(c, BASIN__CHOLMOD_ITYPE) == ITYPE_LONG && get(c, BASIN__CHOLMOD_STATUS) == 0;
}

static basin_status start(basin__cholmod *c)
{
  static const char *const names[] = {
      "libcholmod.so.5", "libcholmod.so.4", "libcholmod.so.3", NULL};
  int version[3] = {0, 0, 0};
  basin_strbuf reason;
  basin__strbuf_init(&reason, c->context);
  c->library = basin__dl_open(c->context, "CHOLMOD", names, &reason);
  basin_status status = BASIN_OK;
  if (c->library == NULL) {
    status = BASIN_FAIL(
        c->context,
        BASIN_ERROR_MISSING_LIBRARY,
        "CHOLMOD is needed to factorize this matrix; install the Debian package libcholmod3 (%s)",
        basin__strbuf_text(&reason));
  }
  basin__strbuf_fini(&reason);
  BASIN_TRY(status);
  BASIN_TRY(resolve(c));
  c->common = basin__calloc(c->context, 1, BASIN__CHOLMOD_COMMON_ROOM);
  if (c->common == NULL) return BASIN_ERROR_MEMORY;
  c->cholmod_version(version);
  c->started = c->cholmod_l_start(c->common) != 0;
  if (!c->started || !layout_understood(c)) {
    return BASIN_FAIL(c->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "CHOLMOD %d.%d.%d (%s) is a version that Basin does not know",
                      version[0],
                      version[1],
                      version[2],
                      basin__dl_path(c->library));
  }
  set(c, BASIN__CHOLMOD_PRINT, 0);
  set(c, BASIN__CHOLMOD_QUICK_RETURN, 1);
  return BASIN_OK;
}

basin_status basin__cholmod_create(basin_context *context, basin__cholmod **result)
{
  *result = NULL;
  basin__cholmod *c = basin__calloc(context, 1, sizeof *c);
  if (c == NULL) return BASIN_ERROR_MEMORY;
  c->context = c->panels.context = context;
  basin_status status = start(c);
  if (status != BASIN_OK) {
    basin__cholmod_destroy(c);
    return status;
  }
  *result = c;
  return BASIN_OK;
}

static void release(basin__cholmod *c)
{
  if (c->factor != NULL) c->cholmod_l_free_factor(&c->factor, c->common);
  c->taken = false;
}

void basin__cholmod_destroy(basin__cholmod *c)
{
  if (c == NULL) return;
  if (c->started) {
    release(c);
    c->cholmod_l_finish(c->common);
  }
  basin__panels_fini(&c->panels);
  basin__free(c->context, c->common, BASIN__CHOLMOD_COMMON_ROOM);
  if (c->library != NULL) basin__dl_close(c->library);
  basin__free(c->context, c, sizeof *c);
}

/* ---- work ---- */

static basin_status failure(const basin__cholmod *c, const char *what)
{
  int status = get(c, BASIN__CHOLMOD_STATUS);
  if (status == STATUS_OUT_OF_MEMORY)
    return BASIN_FAIL(c->context, BASIN_ERROR_MEMORY, "CHOLMOD ran out of memory in its %s", what);
  if (status == STATUS_TOO_LARGE)
    return BASIN_FAIL(
        c->context, BASIN_ERROR_UNSUPPORTED, "the matrix is too large for CHOLMOD's %s", what);
  return BASIN_FAIL(
      c->context, BASIN_ERROR_INTERNAL, "CHOLMOD's %s failed with status %d", what, status);
}

static basin__cholmod_sparse wrap(size_t size, int64_t *starts, int64_t *rows, double *values)
{
  return (basin__cholmod_sparse){.rows = size,
                                 .columns = size,
                                 .room = (size_t)starts[size],
                                 .p = starts,
                                 .i = rows,
                                 .x = values,
                                 .stype = LOWER,
                                 .itype = ITYPE_LONG,
                                 .xtype = values != NULL ? REAL : PATTERN,
                                 .sorted = 1,
                                 .packed = 1};
}

static void choose_orderings(basin__cholmod *c, basin_ordering ordering, size_t graph_size)
{
  set(c, BASIN__CHOLMOD_METHOD_COUNT, 1);
  set(c, BASIN__CHOLMOD_POSTORDER, ordering != BASIN_ORDERING_NATURAL);
  set_ordering(c,
               0,
               ordering == BASIN_ORDERING_NATURAL ? NATURAL
               : ordering == BASIN_ORDERING_METIS ? METIS
                                                  : AMD);
  set_ordering(c, 1, METIS);
  if (ordering == BASIN_ORDERING_BEST && graph_size > SMALL_GRAPH)
    set(c, BASIN__CHOLMOD_METHOD_COUNT, 2);
}

/* Orders nodes, then keeps the unknowns of a node together: the graph is smaller by the square of
 * the block size. */
static basin_status
analyze_nodes(basin__cholmod *c, const basin__symmetric *m, basin_ordering ordering)
{
  size_t b = m->block_size, nodes = m->size / b;
  basin__cholmod_sparse graph = wrap(nodes, m->node_starts, m->node_rows, NULL);
  choose_orderings(c, ordering, nodes);
  basin__cholmod_factor *node_factor = c->cholmod_l_analyze(&graph, c->common);
  if (node_factor == NULL) return failure(c, "ordering");
  int64_t *permutation = basin__alloc(c->context, (m->size + 1) * sizeof *permutation);
  int chosen = node_factor->ordering;
  if (permutation != NULL) {
    const int64_t *order = node_factor->permutation;
    for (size_t i = 0; i < m->size; i++)
      permutation[i] = order[i / b] * (int64_t)b + (int64_t)(i % b);
    basin__cholmod_sparse a = wrap(m->size, m->starts, m->rows, m->values);
    set(c, BASIN__CHOLMOD_METHOD_COUNT, 1);
    set_ordering(c, 0, GIVEN);
    c->factor = c->cholmod_l_analyze_p(&a, permutation, NULL, 0, c->common);
    if (c->factor != NULL) c->factor->ordering = chosen;
  }
  c->cholmod_l_free_factor(&node_factor, c->common);
  if (permutation == NULL) return BASIN_ERROR_MEMORY;
  basin__free(c->context, permutation, (m->size + 1) * sizeof *permutation);
  return c->factor != NULL ? BASIN_OK : failure(c, "analysis");
}

basin_status basin__cholmod_analyze(basin__cholmod *c,
                                    const basin__symmetric *m,
                                    bool definite,
                                    basin_ordering ordering)
{
  release(c);
  c->definite = definite;
  set(c, BASIN__CHOLMOD_SUPERNODAL, definite ? AUTOMATIC : SIMPLICIAL);
  set(c, BASIN__CHOLMOD_FINAL_LL, definite);
  if (m->node_starts != NULL && ordering != BASIN_ORDERING_NATURAL)
    return analyze_nodes(c, m, ordering);
  basin__cholmod_sparse a = wrap(m->size, m->starts, m->rows, m->values);
  choose_orderings(c, ordering, m->size);
  c->factor = c->cholmod_l_analyze(&a, c->common);
  return c->factor != NULL ? BASIN_OK : failure(c, "analysis");
}

/* CHOLMOD asks OpenMP for four threads at every supernode, which spin between them. Of a small
 * factor the calling thread makes all by itself; the setting is the thread's own and is put back.
 */
static bool factorize(basin__cholmod *c, basin__cholmod_sparse *a)
{
  bool alone = c->factor->x_size < SMALL_FACTOR && c->omp_get_max_active_levels != NULL &&
               c->omp_set_max_active_levels != NULL;
  int levels = alone ? c->omp_get_max_active_levels() : 0;
  if (alone) c->omp_set_max_active_levels(0);
  bool done = c->cholmod_l_factorize(a, c->factor, c->common) != 0;
  if (alone) c->omp_set_max_active_levels(levels);
  return done;
}

basin_status
basin__cholmod_factorize(basin__cholmod *c, const basin__symmetric *m, size_t *bad_unknown)
{
  basin__cholmod_sparse a = wrap(m->size, m->starts, m->rows, m->values);
  *bad_unknown = SIZE_MAX;
  c->taken = false;
  if (!factorize(c, &a) && get(c, BASIN__CHOLMOD_STATUS) != STATUS_NOT_POSITIVE) {
    return failure(c, "factorization");
  }
  if (c->factor->minor >= m->size) return BASIN_OK;
  const int64_t *permutation = c->factor->permutation;
  *bad_unknown = (size_t)permutation[c->factor->minor];
  return c->definite ? BASIN_ERROR_INDEFINITE : BASIN_ERROR_SINGULAR;
}

basin_status
basin__cholmod_solve(basin__cholmod *c, size_t copies, size_t columns, const double *b, double *x)
{
  if (!c->taken) BASIN_TRY(basin__panels_take(&c->panels, c->factor));
  c->taken = true;
  basin__panels_solve(&c->panels, copies, columns, b, x);
  return BASIN_OK;
}

static size_t count_negative(const basin__cholmod_factor *l)
{
  size_t negative = 0;
  const int64_t *starts = l->p;
  const double *values = l->x;
  for (size_t j = 0; j < l->n; j++) negative += values[starts[j]] < 0;
  return negative;
}

/* Each column of n entries is updated with n^2 multiplications and additions in all. */
static double operations_of(const basin__cholmod_factor *l)
{
  double sum = 0;
  const int64_t *counts = l->column_count;
  for (size_t j = 0; counts != NULL && j < l->n; j++) sum += (double)counts[j] * (double)counts[j];
  return sum;
}

void basin__cholmod_describe(const basin__cholmod *c, basin_factor_info *info)
{
  const basin__cholmod_factor *l = c->factor;
  info->library = "CHOLMOD";
  info->algorithm = l->is_super ? "supernodal" : "simplicial";
  info->ordering = l->ordering == AMD       ? "AMD"
                   : l->ordering == METIS   ? "METIS"
                   : l->ordering == NATURAL ? "natural"
                                            : "other";
  info->entries = (double)(l->is_super ? l->x_size : l->room);
  info->operations = operations_of(l);
  info->negative_pivots =
      !c->definite && !l->is_super && !l->is_ll && l->x != NULL ? count_negative(l) : 0;
}
