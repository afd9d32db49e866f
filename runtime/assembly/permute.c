/* Element orders: neighbours stand together, so that chunks touch few nodes and few other chunks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/permute.h"
#include <string.h>

static bool
info_allows(const basin_system *system, const basin_term *term, const basin_kernel_info *info)
{
  for (uint32_t k = 0; k < info->connectivity_count; ++k) {
    if (info->connectivities[k] >= system->connectivity_count) return false;
    const basin_connectivity *connectivity = &system->connectivities[info->connectivities[k]];
    if (connectivity->to == term->space || connectivity->arity == 0) return false;
  }
  return true;
}

bool basin__permutation_allowed(const basin_minimizer *minimizer, const basin_term *term)
{
  const basin_kernel_info *gradient = term->gradient.info, *hessian = term->hessian.info;
  return term->direct && gradient && hessian && info_allows(minimizer->system, term, gradient) &&
         info_allows(minimizer->system, term, hessian);
}

/* ---- the order ---- */

/* Elements of every node, and what the search has seen. */
typedef struct search {
  const basin_term *term;
  size_t node_count;
  uint32_t *starts, *elements; /* of a node */
  uint8_t *seen_nodes, *seen_elements;
} search;

static void search_fini(search *s, basin_context *context)
{
  size_t pairs = s->term->elements * s->term->local_nodes;
  basin__free(context, s->starts, s->starts ? (s->node_count + 2) * sizeof *s->starts : 0);
  basin__free(context, s->elements, s->elements ? (pairs + 1) * sizeof *s->elements : 0);
  basin__free(context, s->seen_nodes, s->seen_nodes ? s->node_count + 1 : 0);
  basin__free(context, s->seen_elements, s->seen_elements ? s->term->elements + 1 : 0);
}

static basin_status search_init(search *s, basin_context *context)
{
  const basin_term *term = s->term;
  size_t pairs = term->elements * term->local_nodes;
  s->starts = basin__calloc(context, s->node_count + 2, sizeof *s->starts);
  if (!s->starts) return BASIN_ERROR_MEMORY;
  s->elements = basin__alloc(context, (pairs + 1) * sizeof *s->elements);
  if (!s->elements) return BASIN_ERROR_MEMORY;
  s->seen_nodes = basin__alloc(context, s->node_count + 1);
  if (!s->seen_nodes) return BASIN_ERROR_MEMORY;
  s->seen_elements = basin__alloc(context, term->elements + 1);
  if (!s->seen_elements) return BASIN_ERROR_MEMORY;
  /* Counting sort of (node, element) by node; starts[node + 1] is the fill mark of the node. */
  for (size_t k = 0; k < pairs; ++k)
    if (term->rows[k] != BASIN_NONE) ++s->starts[term->rows[k] + 2];
  for (size_t n = 2; n < s->node_count + 2; ++n) s->starts[n] += s->starts[n - 1];
  for (size_t k = 0; k < pairs; ++k)
    if (term->rows[k] != BASIN_NONE)
      s->elements[s->starts[term->rows[k] + 1]++] = (uint32_t)(k / term->local_nodes);
  return BASIN_OK;
}

/* Appends all unseen elements that share a node with `element`. */
static size_t visit(search *s, size_t element, uint32_t *order, size_t count)
{
  const uint32_t *rows = s->term->rows + element * s->term->local_nodes;
  for (size_t a = 0; a < s->term->local_nodes; ++a) {
    if (rows[a] == BASIN_NONE || s->seen_nodes[rows[a]]) continue;
    s->seen_nodes[rows[a]] = 1;
    for (uint32_t k = s->starts[rows[a]]; k < s->starts[rows[a] + 1]; ++k) {
      uint32_t other = s->elements[k];
      if (s->seen_elements[other]) continue;
      s->seen_elements[other] = 1;
      order[count++] = other;
    }
  }
  return count;
}

/* Breadth first from `start`, then from the first element of every other component. */
static void breadth_first(search *s, size_t start, uint32_t *order)
{
  size_t total = s->term->elements, count = 0, done = 0, next = 0;
  memset(s->seen_nodes, 0, s->node_count + 1);
  memset(s->seen_elements, 0, total + 1);
  for (size_t seed = start; count < total; seed = next) {
    s->seen_elements[seed] = 1;
    order[count++] = (uint32_t)seed;
    while (done < count) count = visit(s, order[done++], order, count);
    while (next < total && s->seen_elements[next]) ++next;
  }
}

static basin_status find_order(basin_minimizer *minimizer, basin_term *term)
{
  search s = {.term = term, .node_count = minimizer->layout.node_count};
  basin_status status = search_init(&s, minimizer->context);
  if (status == BASIN_OK) {
    uint32_t *order = term->permutation.order;
    breadth_first(&s, 0, order);
    breadth_first(&s, order[term->elements - 1], order); /* from a far end: long, thin fronts */
  }
  search_fini(&s, minimizer->context);
  return status;
}

basin_status basin__permutation_apply(basin_minimizer *minimizer, basin_term *term)
{
  basin_permutation *permutation = &term->permutation;
  size_t stride = term->local_nodes, need = term->elements * stride;
  if (term->elements > permutation->order_capacity)
    BASIN_TRY(basin__grow(minimizer->context,
                          &permutation->order,
                          &permutation->order_capacity,
                          term->elements,
                          sizeof *permutation->order));
  if (need > permutation->row_capacity)
    BASIN_TRY(basin__grow(minimizer->context,
                          &permutation->rows,
                          &permutation->row_capacity,
                          need,
                          sizeof *permutation->rows));
  BASIN_TRY(find_order(minimizer, term));
  for (size_t e = 0; e < term->elements; ++e)
    memcpy(permutation->rows + e * stride,
           term->rows + permutation->order[e] * stride,
           stride * sizeof *term->rows);
  basin__permutation_undo(term); /* swaps */
  permutation->active = true;
  for (size_t k = 0; k < permutation->copy_count; ++k) permutation->copies[k].version = 0;
  return BASIN_OK;
}

void basin__permutation_undo(basin_term *term)
{
  basin_permutation *permutation = &term->permutation;
  uint32_t *rows = term->rows;
  size_t capacity = term->row_capacity;
  term->rows = permutation->rows;
  term->row_capacity = permutation->row_capacity;
  permutation->rows = rows;
  permutation->row_capacity = capacity;
  permutation->active = false;
}

void basin__permutation_fini(basin_minimizer *minimizer, basin_permutation *permutation)
{
  basin_context *context = minimizer->context;
  for (size_t k = 0; k < permutation->copy_count; ++k)
    basin__free_aligned(context, permutation->copies[k].data, permutation->copies[k].capacity);
  basin__free(
      context, permutation->copies, permutation->copy_capacity * sizeof *permutation->copies);
  basin__free(context, permutation->order, permutation->order_capacity * sizeof(uint32_t));
  basin__free(context, permutation->rows, permutation->row_capacity * sizeof(uint32_t));
  memset(permutation, 0, sizeof *permutation);
}

/* ---- copies of the elements' data ---- */

static basin_status find_copy(basin_minimizer *minimizer,
                              basin_permutation *permutation,
                              uint32_t id,
                              bool connectivity,
                              basin_permuted_copy **copy)
{
  for (size_t k = 0; k < permutation->copy_count; ++k) {
    *copy = &permutation->copies[k];
    if ((*copy)->id == id && (*copy)->connectivity == connectivity) return BASIN_OK;
  }
  BASIN_TRY(basin__grow(minimizer->context,
                        &permutation->copies,
                        &permutation->copy_capacity,
                        permutation->copy_count + 1,
                        sizeof *permutation->copies));
  *copy = &permutation->copies[permutation->copy_count++];
  **copy = (basin_permuted_copy){.id = id, .connectivity = connectivity};
  return BASIN_OK;
}

typedef struct copy_task {
  const uint32_t *order;
  const char *from;
  char *to;
  size_t item, count;
} copy_task;

enum { COPY_CHUNK = 4096 };

static void copy_chunk(void *user, size_t index, unsigned worker)
{
  const copy_task *task = user;
  size_t begin = index * COPY_CHUNK,
         end = begin + COPY_CHUNK < task->count ? begin + COPY_CHUNK : task->count;
  (void)worker;
  for (size_t e = begin; e < end; ++e)
    memcpy(task->to + e * task->item, task->from + task->order[e] * task->item, task->item);
}

/* `item` bytes an element; `version` is that of the data. */
static basin_status renew(basin_minimizer *minimizer,
                          const basin_term *term,
                          basin_permuted_copy *copy,
                          const void *from,
                          size_t item,
                          uint64_t version)
{
  size_t need = term->elements * item;
  if (copy->version == version) return BASIN_OK;
  if (need > copy->capacity) {
    void *fresh = basin__alloc_aligned(minimizer->context, need);
    if (!fresh) return BASIN_ERROR_MEMORY;
    basin__free_aligned(minimizer->context, copy->data, copy->capacity);
    copy->data = fresh;
    copy->capacity = need;
  }
  copy_task task = {term->permutation.order, from, copy->data, item, term->elements};
  basin__parallel_work(minimizer->context,
                       (task.count + COPY_CHUNK - 1) / COPY_CHUNK,
                       (double)task.count * (double)item / sizeof(double),
                       copy_chunk,
                       &task);
  copy->version = version;
  return BASIN_OK;
}

static basin_status
bind_array(basin_minimizer *minimizer, basin_term *term, basin_array_id id, const double **data)
{
  const basin_array *array = minimizer->system->arrays[id];
  basin_permuted_copy *copy;
  uint64_t version;
  if (array->space != term->space) return BASIN_OK;
  BASIN_TRY(basin__array_refresh(minimizer->system, id, &version));
  BASIN_TRY(find_copy(minimizer, &term->permutation, id, false, &copy));
  BASIN_TRY(renew(minimizer, term, copy, array->data, array->size * sizeof(double), version));
  *data = copy->data;
  return BASIN_OK;
}

static basin_status bind_connectivity(basin_minimizer *minimizer,
                                      basin_term *term,
                                      basin_connectivity_id id,
                                      const uint32_t **indices)
{
  const basin_connectivity *connectivity = &minimizer->system->connectivities[id];
  basin_permuted_copy *copy;
  size_t item = connectivity->arity * sizeof(uint32_t);
  if (connectivity->from != term->space) return BASIN_OK;
  BASIN_TRY(find_copy(minimizer, &term->permutation, id, true, &copy));
  BASIN_TRY(renew(minimizer, term, copy, connectivity->indices, item, connectivity->version));
  *indices = copy->data;
  return BASIN_OK;
}

basin_status
basin__permutation_bind(basin_minimizer *minimizer, basin_term *term, const basin_kernel_info *info)
{
  if (!term->permutation.active) return BASIN_OK;
  for (uint32_t k = 0; k < info->array_count; ++k)
    BASIN_TRY(bind_array(minimizer, term, info->arrays[k], &term->binding.arrays[k]));
  for (uint32_t k = 0; k < info->connectivity_count; ++k)
    BASIN_TRY(
        bind_connectivity(minimizer, term, info->connectivities[k], &term->binding.indices[k]));
  return BASIN_OK;
}
