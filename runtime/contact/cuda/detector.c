/* Creating and destroying detectors on a CUDA device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/work.h"

#include <string.h>

static const struct {
  const char *file, *entry;
} kernels[BASIN_CONTACT_KERNEL_COUNT] = {
#define X(name, file) {file, "contact_" #name},
    BASIN_CONTACT_KERNEL_LIST(X)
#undef X
};

_Static_assert((int)BASIN__CUDA_SETS == (int)BASIN__SET_COUNT &&
                   (int)BASIN__CUDA_PASSES == (int)BASIN__PASS_COUNT &&
                   (int)BASIN__CUDA_KINDS == (int)BASIN_CONTACT_KIND_COUNT &&
                   (int)BASIN__CUDA_LEVELS == (int)BASIN__TREE_LEVELS,
               "device texts count as the host does");
_Static_assert(sizeof(basin_contact_plane) == 4 * sizeof(double), "planes are four numbers");

basin_address basin__carve(basin_address *next, size_t bytes)
{
  const basin_address at = *next;
  *next += (bytes + 255) / 256 * 256;
  return at;
}

/* ---- layout ---- */

static size_t padded(size_t count)
{
  return (count + BASIN__TREE_WIDTH - 1) / BASIN__TREE_WIDTH * BASIN__TREE_WIDTH;
}

static void lay_out_set(basin_cuda_contact *made, unsigned number, basin_address *next)
{
  const basin__set *from = &made->host->sets[number];
  basin_cuda_set *set = &made->sets[number];
  *set = (basin_cuda_set){.arity = from->arity,
                          .count = (unsigned)from->count,
                          .padded = (unsigned)padded(from->count),
                          .number = number};
  size_t nodes = from->count, total = 0;
  while (nodes > 1 || set->levels == 0) {
    nodes = (nodes + BASIN__TREE_WIDTH - 1) / BASIN__TREE_WIDTH;
    set->level_start[set->levels] = (unsigned)total;
    set->level_count[set->levels++] = (unsigned)nodes;
    total += nodes;
  }
  set->items = basin__carve(next, from->count * from->arity * sizeof(uint32_t));
  set->tags = basin__carve(next, from->count * sizeof(uint32_t));
  set->order = basin__carve(next, set->padded * sizeof(uint32_t));
  set->corners = basin__carve(next, set->padded * from->arity * sizeof(uint32_t));
  set->nodes = basin__carve(next, total * sizeof(basin_cuda_node));
}

/* Addresses of everything from `next` on; returns the end. */
static basin_address lay_out(basin_cuda_contact *made, basin_address next)
{
  const basin_contact *host = made->host;
  const size_t vertices = host->vertex_count, bodies = host->body_count;
  size_t most = 0;
  made->rules = (basin_cuda_rules){
      .body_count = bodies, .plane_count = host->plane_count, .separation = host->separation};
  made->device_status = basin__carve(&next, sizeof made->status);
  made->frame = basin__carve(&next, sizeof(basin_cuda_frame));
  made->boxes = basin__carve(&next, vertices * 6 * sizeof(float));
  made->outer = basin__carve(&next, vertices * 6 * sizeof(float));
  if (host->bodies) made->rules.bodies = basin__carve(&next, vertices * sizeof(uint32_t));
  if (host->table) made->rules.table = basin__carve(&next, bodies * bodies);
  if (host->plane_bodies) made->rules.plane_bodies = basin__carve(&next, bodies);
  if (host->offsets) made->rules.offsets = basin__carve(&next, bodies * sizeof(double));
  if (host->reaches) made->rules.reaches = basin__carve(&next, vertices * sizeof(double));
  if (host->planes)
    made->rules.planes = basin__carve(&next, host->plane_count * 4 * sizeof(double));
  if (host->rest_lengths)
    made->rules.rest_lengths = basin__carve(&next, host->sets[BASIN__EDGES].count * sizeof(double));
  for (unsigned i = 0; i < BASIN__SET_COUNT; ++i) {
    lay_out_set(made, i, &next);
    most = host->sets[i].count > most ? host->sets[i].count : most;
  }
  made->keys = basin__carve(&next, most * sizeof(uint32_t));
  static const basin__set_name queries[] = {
      BASIN__LONE_POINTS, BASIN__LONE_POINTS, BASIN__POINTS, BASIN__EDGES};
  static const basin__set_name partners[] = {
      BASIN__LONE_POINTS, BASIN__LONE_EDGES, BASIN__TRIANGLES, BASIN__EDGES};
  for (unsigned pass = 0; pass < BASIN__PASS_COUNT; ++pass) {
    made->sides.a[pass] = made->sets[queries[pass]].items;
    made->sides.b[pass] = made->sets[partners[pass]].items;
  }
  return next;
}

/* ---- filling ---- */

static basin_status put(basin_cuda_contact *made, basin_address to, const void *from, size_t size)
{
  return to && size > 0 ? basin__cuda_upload(made->cuda, to, from, size) : BASIN_OK;
}

static basin_status upload(basin_cuda_contact *made)
{
  const basin_contact *host = made->host;
  const basin_cuda_rules *rules = &made->rules;
  const size_t bodies = host->body_count;
  BASIN_TRY(put(made, rules->bodies, host->bodies, host->vertex_count * sizeof(uint32_t)));
  BASIN_TRY(put(made, rules->table, host->table, bodies * bodies));
  BASIN_TRY(put(made, rules->plane_bodies, host->plane_bodies, bodies));
  BASIN_TRY(put(made, rules->offsets, host->offsets, bodies * sizeof(double)));
  BASIN_TRY(put(made, rules->reaches, host->reaches, host->vertex_count * sizeof(double)));
  BASIN_TRY(put(made, rules->planes, host->planes, host->plane_count * sizeof *host->planes));
  BASIN_TRY(put(made,
                rules->rest_lengths,
                host->rest_lengths,
                host->sets[BASIN__EDGES].count * sizeof(double)));
  for (unsigned i = 0; i < BASIN__SET_COUNT; ++i) {
    const basin__set *set = &host->sets[i];
    const size_t words = set->count * sizeof(uint32_t);
    BASIN_TRY(put(made, made->sets[i].items, set->items, words * set->arity));
    BASIN_TRY(put(made, made->sets[i].tags, set->tags, words));
  }
  return BASIN_OK;
}

/* Their texts are compiled side by side. */
static basin_status load_kernels(basin_cuda_contact *made)
{
  basin_cuda_wanted wanted[BASIN_CONTACT_KERNEL_COUNT];
  for (unsigned k = 0; k < BASIN_CONTACT_KERNEL_COUNT; ++k)
    wanted[k] = (basin_cuda_wanted){kernels[k].file, ""};
  BASIN_TRY(basin__cuda_prepare(made->cuda, wanted, BASIN_CONTACT_KERNEL_COUNT));
  for (unsigned k = 0; k < BASIN_CONTACT_KERNEL_COUNT; ++k)
    BASIN_TRY(
        basin__cuda_kernel(made->cuda, kernels[k].file, kernels[k].entry, "", &made->kernels[k]));
  return BASIN_OK;
}

static basin_status fill(basin_cuda_contact *made)
{
  const basin_contact *host = made->host;
  if (host->plane_count >= (size_t)1 << 30)
    return BASIN_FAIL(
        made->context, BASIN_ERROR_UNSUPPORTED, "contact: more than 2^30 planes on a device");
  for (size_t b = 0; host->offsets && b < host->body_count; ++b)
    made->most_separation = fmax(made->most_separation, 2 * host->offsets[b]);
  made->most_separation += host->separation;
  BASIN_TRY(load_kernels(made));
  BASIN_TRY(basin__buffer_reserve(made->cuda, &made->data, lay_out(made, 0)));
  lay_out(made, made->data.address);
  for (unsigned i = 0; i < BASIN__SET_COUNT; ++i) made->stale[i] = true;
  made->least_squared = HUGE_VAL;
  made->reuse.patience = 1;
  return upload(made);
}

basin_status basin__cuda_contact_create(basin_cuda *cuda,
                                        const basin_contact *contact,
                                        basin_cuda_contact **made)
{
  *made = NULL;
  basin_context *context = contact->context;
  basin_cuda_contact *fresh = basin__calloc(context, 1, sizeof *fresh);
  if (!fresh) return BASIN_ERROR_MEMORY;
  fresh->cuda = cuda;
  fresh->context = context;
  fresh->host = contact;
  const basin_status status = fill(fresh);
  if (status != BASIN_OK) {
    basin__cuda_contact_destroy(fresh);
    return status;
  }
  *made = fresh;
  return BASIN_OK;
}

static void list_fini(basin_cuda_contact *contact, basin_cuda_candidate_list *list)
{
  for (int pass = 0; pass < BASIN__CUDA_PASSES; ++pass)
    basin__buffer_release(contact->cuda, &list->memory[pass]);
}

void basin__cuda_contact_destroy(basin_cuda_contact *contact)
{
  if (!contact) return;
  basin_cuda *cuda = contact->cuda;
  list_fini(contact, &contact->candidates);
  list_fini(contact, &contact->kept);
  list_fini(contact, &contact->reuse.list);
  basin__contact_lists_fini(contact);
  basin_buffer *buffers[] = {&contact->scratch.memory,
                             &contact->data,
                             &contact->work,
                             &contact->found,
                             &contact->stacks,
                             &contact->swept};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
    basin__buffer_release(cuda, buffers[i]);
  basin__free(contact->context, contact, sizeof *contact);
}

/* ---- looking ---- */

basin_cuda *basin__cuda_contact_device(const basin_cuda_contact *contact)
{
  return contact->cuda;
}

const basin_contact *basin__cuda_contact_host(const basin_cuda_contact *contact)
{
  return contact->host;
}

size_t basin__cuda_contact_memory(const basin_cuda_contact *contact)
{
  size_t sum = contact->scratch.memory.size + contact->data.size + contact->work.size +
               contact->found.size + contact->stacks.size + contact->swept.size +
               contact->lists[0].memory.size + contact->lists[1].memory.size;
  for (int pass = 0; pass < BASIN__CUDA_PASSES; ++pass)
    sum += contact->candidates.memory[pass].size + contact->kept.memory[pass].size +
           contact->reuse.list.memory[pass].size;
  return sum;
}

basin_contact_statistics basin__cuda_contact_statistics(const basin_cuda_contact *contact)
{
  basin_contact_statistics statistics = contact->statistics;
  statistics.size = sizeof statistics;
  return statistics;
}

/* ---- launching ---- */

static basin_status launch(basin_cuda_contact *contact,
                           basin_contact_kernel_name name,
                           size_t blocks,
                           void **parameters)
{
  const basin_cuda_launch how = {.kernel = contact->kernels[name],
                                 .blocks = (unsigned)blocks,
                                 .threads = BASIN_CUDA_THREADS,
                                 .subject = "contact"};
  return basin__cuda_launch(contact->cuda, &how, parameters);
}

basin_status basin__contact_launch(basin_cuda_contact *contact,
                                   basin_contact_kernel_name kernel,
                                   size_t items,
                                   void **parameters)
{
  return launch(contact, kernel, basin__cuda_blocks(items, BASIN_CUDA_THREADS), parameters);
}

basin_status basin__contact_launch_few(basin_cuda_contact *contact,
                                       basin_contact_kernel_name kernel,
                                       size_t items,
                                       void **parameters)
{
  const size_t most = 8 * (size_t)basin__cuda_information(contact->cuda)->multiprocessors;
  const size_t blocks = (items + BASIN_CUDA_THREADS - 1) / BASIN_CUDA_THREADS;
  return launch(contact, kernel, blocks < most || most == 0 ? blocks : most, parameters);
}

basin_status basin__contact_fetch(basin_cuda_contact *contact, const basin_cuda_motion *motion)
{
  BASIN_TRY(basin__cuda_download(
      contact->cuda, &contact->status, contact->device_status, sizeof contact->status));
  const uint32_t bad = contact->status.bad;
  if (bad == UINT32_MAX || !motion) return BASIN_OK;
  double x[3];
  BASIN_TRY(basin__cuda_download(
      contact->cuda, x, motion->positions + 3 * (size_t)bad * sizeof(double), sizeof x));
  return basin__contact_fail_position(contact->context, bad, x);
}

void basin__contact_read_keys(const basin_cuda_status *status,
                              basin_contact_kind *kind,
                              uint32_t v[4])
{
  *kind = (basin_contact_kind)(status->keys[0] >> 32);
  v[0] = (uint32_t)status->keys[0];
  v[1] = (uint32_t)(status->keys[1] >> 32);
  v[2] = (uint32_t)status->keys[1];
  v[3] = (uint32_t)status->keys[2];
}
