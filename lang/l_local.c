/* Jacobians and mixed derivatives as sparse matrices: runs a plan's kernel and places its dense
 * local matrices. SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"
#include "system.h"

#include "base/base.h"

#include <string.h>

#define NO_BASE SIZE_MAX

/* Where one access of the local matrix goes. */
typedef struct placed_access {
  const basin_unknown_access *access;
  const uint32_t *indices[BASIN_PATH_MAX];
  size_t lengths[BASIN_PATH_MAX]; /* of the indices */
  size_t arity[BASIN_PATH_MAX];
  size_t instances; /* of the array */
  size_t base;      /* index of entry 0 of instance 0, or NO_BASE */
  bool shared;
} placed_access;

/* One side (rows or columns) of the matrix. count 0: the side is the element's own `width` entries.
 */
typedef struct side {
  placed_access *accesses;
  size_t count, width, total;
} side;

/* ---- running the kernel ---- */

/* Pushes a userdata with output_size numbers for each of `count` elements. */
static const double *run_kernel(lua_State *L, basin_l_system *self, basin_plan *plan, size_t count)
{
  const basin_kernel_info *info = basin_plan_kernel(plan, BASIN_STAGE_COMPUTE);
  double *output = lua_newuserdatauv(L, (count * info->output_size + 1) * sizeof *output, 0);
  basin__check(L, self->context, basin_system_compute(self->system, plan, info, count, output));
  return output;
}

/* ---- placing ---- */

static void place_steps(lua_State *L, basin_l_system *self, placed_access *placed, int arities)
{
  const basin_access *access = &placed->access->access;
  for (uint32_t s = 0; s < access->step_count; ++s) {
    const uint32_t *offsets;
    placed->indices[s] = basin_system_connectivity(
        self->system, access->steps[s].connectivity, &placed->lengths[s], &offsets);
    lua_rawgeti(L, arities, (lua_Integer)access->steps[s].connectivity);
    placed->arity[s] = (size_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
}

/* `bases`: array id to index or nothing, `arities`: connectivity id to arity. Leaves the list on
 * the stack. */
static side make_side(lua_State *L,
                      basin_l_system *self,
                      const basin_unknown_access *unknowns,
                      size_t count,
                      int bases,
                      int arities,
                      size_t total)
{
  side result = {.count = count, .total = total};
  result.accesses = lua_newuserdatauv(L, (count + 1) * sizeof *result.accesses, 0);
  for (size_t i = 0; i < count; ++i) {
    placed_access *placed = &result.accesses[i];
    placed->access = &unknowns[i];
    place_steps(L, self, placed, arities);
    bool listed = lua_rawgeti(L, bases, (lua_Integer)unknowns[i].access.array) != LUA_TNIL;
    placed->base = listed ? (size_t)lua_tointeger(L, -1) : NO_BASE;
    lua_pop(L, 1);
    basin_space_id space;
    unsigned rows, cols;
    basin_system_array_shape(self->system, unknowns[i].access.array, &space, &rows, &cols);
    placed->instances = basin_system_space_count(self->system, space);
    placed->shared = unknowns[i].access.step_count == 0 && placed->instances == 1;
    if (unknowns[i].output) result.width += unknowns[i].size;
  }
  return result;
}

/* Global index of entry 0 of the access at an element, or NO_BASE. The kernel may not have read the
 * indices: a derivative that is constant needs none. */
static size_t locate(lua_State *L, const placed_access *placed, size_t element)
{
  const basin_access *access = &placed->access->access;
  size_t instance = placed->shared ? 0 : element;
  bool known = true;
  for (uint32_t s = 0; known && s < access->step_count; ++s) {
    size_t at = instance * placed->arity[s] + access->steps[s].slot;
    known = at < placed->lengths[s];
    if (known) instance = placed->indices[s][at];
  }
  if (!known || instance >= placed->instances)
    basin__throw(
        L,
        BASIN_ERROR_STATE,
        "update connectivities after their primitives were resized",
        "a connectivity that the derivative goes through has no indices, or too large ones");
  return placed->base == NO_BASE ? NO_BASE : placed->base + instance * placed->access->size;
}

/* Global indices of the local entries of one side at an element. */
static void fill_indices(lua_State *L, const side *self, size_t element, size_t *out)
{
  if (self->count == 0) {
    for (size_t k = 0; k < self->width; ++k) out[k] = element * self->width + k;
    return;
  }
  for (size_t i = 0; i < self->count; ++i) {
    const placed_access *placed = &self->accesses[i];
    if (!placed->access->output) continue;
    size_t base = locate(L, placed, element);
    for (size_t k = 0; k < placed->access->size; ++k) *out++ = base == NO_BASE ? NO_BASE : base + k;
  }
}

/* Pushes the matrix of the dense local blocks, row-major, of all elements. */
static int
push_matrix(lua_State *L, size_t count, const double *values, const side *rows, const side *columns)
{
  size_t block = rows->width * columns->width, total = 0;
  size_t *row = lua_newuserdatauv(L, (count * block * 2 + 1) * sizeof *row, 0),
         *column = row + count * block;
  double *kept = lua_newuserdatauv(L, (count * block + 1) * sizeof *kept, 0);
  size_t *local = lua_newuserdatauv(L, (rows->width + columns->width + 1) * sizeof *local, 0);
  for (size_t e = 0; e < count; ++e) {
    fill_indices(L, rows, e, local);
    fill_indices(L, columns, e, local + rows->width);
    for (size_t i = 0; i < block; ++i) {
      size_t r = local[i / columns->width], c = local[rows->width + i % columns->width];
      if (r == NO_BASE || c == NO_BASE) continue;
      row[total] = r;
      column[total] = c;
      kept[total++] = values[e * block + i];
    }
  }
  basin_l_matrix *box = basin__matrix_new(L, 0);
  basin__check(
      L,
      box->context,
      basin_csr_create(
          box->context, rows->total, columns->total, total, row, column, kept, &box->matrix));
  return 1;
}

/* system:assemble_jacobian(plan, entries an instance, instances, bases, arities, total columns) */
static int system_assemble_jacobian(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_plan *plan = basin__check_plan(L, 2);
  const basin_plan_info *info = basin_plan_get_info(plan);
  size_t width = basin__check_size(L, 3), count = basin__check_size(L, 4);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 6, LUA_TTABLE);
  const double *values = run_kernel(L, self, plan, count);
  side rows = {.width = width, .total = width * count};
  side columns =
      make_side(L, self, info->unknowns, info->unknown_count, 5, 6, basin__check_size(L, 7));
  return push_matrix(L, count, values, &rows, &columns);
}

/* system:assemble_mixed(plan, instances, row bases, total rows, column bases, total columns,
 * arities) */
static int system_assemble_mixed(lua_State *L)
{
  basin_l_system *self = basin__check_system(L, 1);
  basin_plan *plan = basin__check_plan(L, 2);
  const basin_plan_info *info = basin_plan_get_info(plan);
  size_t count = basin__check_size(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 6, LUA_TTABLE);
  luaL_checktype(L, 8, LUA_TTABLE);
  const double *values = run_kernel(L, self, plan, count);
  side rows =
      make_side(L, self, info->unknowns, info->unknown_count, 4, 8, basin__check_size(L, 5));
  side columns =
      make_side(L, self, info->columns, info->column_count, 6, 8, basin__check_size(L, 7));
  return push_matrix(L, count, values, &rows, &columns);
}

static const luaL_Reg local_methods[] = {{"assemble_jacobian", system_assemble_jacobian},
                                         {"assemble_mixed", system_assemble_mixed},
                                         {NULL, NULL}};

void basin__open_local(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_SYSTEM);
  lua_getfield(L, -1, "methods");
  basin__functions(L, local_methods);
  lua_pop(L, 2);
}
