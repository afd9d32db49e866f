/* The structure of a term on a CUDA device: rows of its elements, the nodes they depend on, and the
 * sorted lists of what they add to. SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"
#include <string.h>

static basin_status
fail_large(const basin_minimizer *minimizer, const basin_term *term, uint64_t count)
{
  return BASIN_FAIL(minimizer->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "term %s: its elements couple %llu pairs of nodes, more than 2^30: the matrix "
                    "would be too large",
                    term->name,
                    (unsigned long long)count);
}

/* ---- rows ---- */

static basin_status walk(basin_minimizer *minimizer,
                         basin_term *term,
                         const basin_unknown_access *unknown,
                         size_t column)
{
  size_t number = term->node_maps[column];
  const basin_dof_map *map = minimizer->maps.maps[number];
  basin_walk_task task = {.elements = term->elements,
                          .nodes = map->nodes,
                          .column = (uint32_t)column,
                          .rows = term->device->rows.address};
  if (map->row_count >= BASIN_NONE)
    return BASIN_FAIL(minimizer->context, BASIN_ERROR_RANGE, "term %s: too many rows", term->name);
  if (term->direct) task.entries = basin__cuda_map_table(minimizer, number).entries;
  BASIN_TRY(basin__cuda_path(minimizer, term->space, &unknown->access, &task.way));
  return basin__cuda_simple(
      minimizer, "term_rows.cu", "walk_rows", "", term->elements, (void *[]){&task});
}

static basin_status fill_rows(basin_minimizer *minimizer, basin_term *term)
{
  size_t column = 0;
  BASIN_TRY(basin__buffer_reserve(minimizer->device->cuda,
                                  &term->device->rows,
                                  term->elements * term->local_nodes * sizeof(uint32_t)));
  for (size_t k = 0; k < term->unknown_count; ++k) {
    const basin_unknown_access *unknown = &term->unknowns[k];
    if (!unknown->output) continue;
    BASIN_TRY(walk(minimizer, term, unknown, column));
    column += minimizer->maps.maps[term->node_maps[column]]->nodes;
  }
  return BASIN_OK;
}

/* ---- terms over maps: the nodes behind the rows ---- */

/* The addresses of the maps change when these grow. */
static basin_status send_tables(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_term *own = term->device;
  size_t count = term->local_nodes;
  bool changed = !own->sent;
  if (changed && !(own->sent = basin__calloc(minimizer->context, count, sizeof *own->sent)))
    return BASIN_ERROR_MEMORY;
  for (size_t a = 0; a < count; ++a) {
    basin_dof_table table = basin__cuda_map_table(minimizer, term->node_maps[a]);
    changed = changed || memcmp(&own->sent[a], &table, sizeof table) != 0;
    own->sent[a] = table;
  }
  if (!changed) return BASIN_OK;
  basin_status status =
      basin__cuda_send(minimizer, &own->tables, own->sent, count * sizeof *own->sent);
  if (status != BASIN_OK) memset(own->sent, 0, count * sizeof *own->sent);
  return status;
}

/* Counts, then their sums: where the nodes and pairs of every element begin. */
static basin_status count_nodes(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_term *own = term->device;
  basin_cuda_scratch *scratch = &minimizer->device->scratch;
  uint64_t totals[3];
  size_t bytes = (term->elements + 1) * sizeof(uint32_t);
  BASIN_TRY(basin__buffer_reserve(cuda, &minimizer->device->results, 256 * sizeof(double)));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->node_starts, bytes));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->pair_starts, bytes));
  basin_expand_task task = {.elements = term->elements,
                            .local_nodes = term->local_nodes,
                            .rows = own->rows.address,
                            .tables = own->tables.address,
                            .node_starts = own->node_starts.address,
                            .pair_starts = own->pair_starts.address,
                            .totals = minimizer->device->results.address};
  BASIN_TRY(basin__cuda_zero(cuda, task.totals, sizeof totals));
  BASIN_TRY(basin__cuda_simple(
      minimizer, "term_rows.cu", "count_nodes", "", term->elements, (void *[]){&task}));
  BASIN_TRY(basin__cuda_download(cuda, totals, task.totals, sizeof totals));
  if (totals[1] > BASIN_SLOT_MASK || totals[2] > UINT16_MAX)
    return fail_large(minimizer, term, totals[1]);
  own->node_count = totals[0];
  own->pair_count = totals[1];
  term->expansion = totals[2];
  BASIN_TRY(basin__cuda_scan(cuda, scratch, task.node_starts, term->elements, task.node_starts));
  return basin__cuda_scan(cuda, scratch, task.pair_starts, term->elements, task.pair_starts);
}

static basin_status expand(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_term *own = term->device;
  BASIN_TRY(send_tables(minimizer, term));
  BASIN_TRY(count_nodes(minimizer, term));
  BASIN_TRY(
      basin__buffer_reserve(cuda, &own->nodes, own->node_count * BASIN_VIRTUAL_NODE_BYTES + 8));
  BASIN_TRY(basin__buffer_reserve(cuda, &own->pairs, own->pair_count * 2 * sizeof(uint32_t) + 8));
  basin_expand_task nodes = {.elements = term->elements,
                             .local_nodes = term->local_nodes,
                             .rows = own->rows.address,
                             .tables = own->tables.address,
                             .node_starts = own->node_starts.address,
                             .nodes = own->nodes.address};
  BASIN_TRY(basin__cuda_simple(
      minimizer, "term_rows.cu", "expand_nodes", "", term->elements, (void *[]){&nodes}));
  basin_pair_task pairs = {.elements = term->elements,
                           .count = own->pair_count,
                           .node_starts = own->node_starts.address,
                           .pair_starts = own->pair_starts.address,
                           .pairs = own->pairs.address};
  return basin__cuda_simple(
      minimizer, "term_rows.cu", "expand_pairs", "", own->pair_count, (void *[]){&pairs});
}

/* ---- what the elements add to ---- */

/* Pairs of local nodes in the order of the kernel's slots. */
static basin_status send_local_pairs(basin_minimizer *minimizer, basin_term *term)
{
  size_t bytes = term->local_pairs * sizeof(uint32_t), count = 0;
  if (term->device->local.size >= bytes) return BASIN_OK;
  uint32_t *pairs = basin__alloc(minimizer->context, bytes);
  if (!pairs) return BASIN_ERROR_MEMORY;
  for (uint32_t a = 0; a < term->local_nodes; ++a)
    for (uint32_t c = a; c < term->local_nodes; ++c) pairs[count++] = a << 16 | c;
  basin_status status = basin__cuda_send(minimizer, &term->device->local, pairs, bytes);
  basin__free(minimizer->context, pairs, bytes);
  return status;
}

static size_t pair_total(const basin_term *term)
{
  return term->direct ? term->elements * term->local_pairs : term->device->pair_count;
}

static basin_emit_task emit_task(const basin_minimizer *minimizer, const basin_term *term)
{
  const basin_cuda_term *own = term->device;
  return (basin_emit_task){.elements = term->elements,
                           .local_nodes = term->local_nodes,
                           .local_pairs = term->local_pairs,
                           .bits = basin__bits_of(minimizer->layout.node_count + 1),
                           .batch = (uint32_t)own->batch,
                           .block = minimizer->layout.block,
                           .staged = basin__cuda_staged(minimizer, term),
                           .rows = own->rows.address,
                           .local = own->local.address,
                           .nodes = own->nodes.address,
                           .pairs = own->pairs.address,
                           .keys = minimizer->device->keys.address};
}

static basin_status
emit(basin_minimizer *minimizer, const char *entry, size_t count, basin_emit_task *task)
{
  task->count = count;
  return basin__cuda_simple(minimizer, "contributions.cu", entry, "", count, (void *[]){task});
}

/* One list: `count` contributions with places of `bits` bits. */
static basin_status sort_list(basin_minimizer *minimizer,
                              basin_term *term,
                              const char *entry,
                              size_t count,
                              unsigned bits,
                              basin_cuda_list *list)
{
  basin_cuda_minimizer *device = minimizer->device;
  if (count > BASIN_SLOT_MASK) return fail_large(minimizer, term, count);
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->keys, count * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(device->cuda, &list->words, count * sizeof(uint32_t)));
  basin_emit_task task = emit_task(minimizer, term);
  task.words = list->words.address;
  BASIN_TRY(emit(minimizer, entry, count, &task));
  return basin__cuda_list_build(minimizer, term->name, term->device->batches, count, bits, list);
}

/* For atomic additions: which blocks there are. */
static basin_status find_places(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_minimizer *device = minimizer->device;
  size_t count = pair_total(term);
  if (count > BASIN_SLOT_MASK) return fail_large(minimizer, term, count);
  BASIN_TRY(basin__buffer_reserve(device->cuda, &device->keys, count * sizeof(uint64_t)));
  basin_emit_task task = emit_task(minimizer, term);
  task.batch = (uint32_t)term->elements;
  BASIN_TRY(
      emit(minimizer, term->direct ? "emit_pairs_direct" : "emit_pairs_mapped", count, &task));
  return basin__cuda_list_places(
      minimizer, term->name, count, 2 * task.bits, &term->device->hessian);
}

basin_status basin__cuda_term_slots(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_minimizer *device = minimizer->device;
  const basin_cuda_part *part =
      &device->parts[term->dynamic ? BASIN_PART_DYNAMIC : BASIN_PART_STATIC];
  basin_cuda_list *list = &term->device->hessian;
  size_t count = pair_total(term);
  BASIN_TRY(basin__buffer_reserve(device->cuda, &list->words, count * sizeof(uint32_t)));
  basin_emit_task task = emit_task(minimizer, term);
  task.words = list->words.address;
  task.unique = part->unique.address;
  task.unique_count = part->upper_count;
  return emit(minimizer, term->direct ? "find_words_direct" : "find_words_mapped", count, &task);
}

/* Local results of a batch have a limited size. */
static void choose_batch(const basin_minimizer *minimizer, basin_term *term)
{
  size_t local = (size_t)term->local_nodes * minimizer->layout.block;
  size_t element = (local + local * (local + 1) / 2) * sizeof(double);
  size_t batch = element > 0 ? minimizer->device->batch_bytes / element : 1;
  if (batch > term->elements) batch = term->elements;
  if (batch < 1) batch = 1;
  term->device->batch = batch;
  term->device->batches = (term->elements + batch - 1) / batch;
}

static basin_status make_lists(basin_minimizer *minimizer, basin_term *term)
{
  basin_cuda_term *own = term->device;
  unsigned bits = basin__bits_of(minimizer->layout.node_count + 1);
  bool direct = term->direct;
  size_t nodes = direct ? term->elements * term->local_nodes : own->node_count;
  choose_batch(minimizer, term);
  if (direct) BASIN_TRY(send_local_pairs(minimizer, term));
  if (minimizer->device->atomic) return find_places(minimizer, term);
  BASIN_TRY(sort_list(minimizer,
                      term,
                      direct ? "emit_nodes_direct" : "emit_nodes_mapped",
                      nodes,
                      bits,
                      &own->gradient));
  return sort_list(minimizer,
                   term,
                   direct ? "emit_pairs_direct" : "emit_pairs_mapped",
                   pair_total(term),
                   2 * bits,
                   &own->hessian);
}

static basin_status restructure(basin_minimizer *minimizer, basin_term *term)
{
  size_t need;
  term->elements =
      basin__term_waiting(minimizer, term) ? 0 : minimizer->system->spaces[term->space].count;
  term->device->number = ++minimizer->device->structures;
  term->device->gradient.run_count = term->device->hessian.run_count = 0;
  if (__builtin_mul_overflow(term->elements, term->local_nodes, &need) || need >= BASIN_NONE)
    return BASIN_FAIL(minimizer->context, BASIN_ERROR_MEMORY, "term %s is too large", term->name);
  if (term->elements == 0) return BASIN_OK;
  BASIN_TRY(fill_rows(minimizer, term));
  if (!term->direct) BASIN_TRY(expand(minimizer, term));
  return make_lists(minimizer, term);
}

basin_status basin__cuda_term_structure(basin_minimizer *minimizer, basin_term *term)
{
  if (term->local_nodes == 0) return BASIN_OK;
  if (!term->device) {
    term->device = basin__calloc(minimizer->context, 1, sizeof *term->device);
    if (!term->device) return BASIN_ERROR_MEMORY;
  }
  uint64_t version = basin__term_structure_version(minimizer, term);
  if (term->device->structure == version) {
    /* Weights of curved maps change without the structure, and their memory may move. */
    return term->direct || term->elements == 0 ? BASIN_OK : send_tables(minimizer, term);
  }
  term->device->structure = 0;
  BASIN_TRY(restructure(minimizer, term));
  term->device->structure = basin__term_waiting(minimizer, term) ? 0 : version;
  return BASIN_OK;
}
