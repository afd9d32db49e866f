/* The pattern of the matrix: blocks of each part from its elements, and their union.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/minimizer.h"
#include "linalg/bsr.h"
#include <string.h>

/* ---- pairs of one part: while they are listed, the words of the terms hold their numbers in the
 * list ---- */

#define MEMORY_BITS 12

/* The last pair with each hash: neighbouring elements name many pairs again, which the list then
 * need not hold again. */
typedef struct pair_memory {
  uint64_t key; /* row and column */
  uint32_t number;
} pair_memory;

typedef struct pair_list {
  basin_node_pair *pairs;
  size_t count;
  pair_memory *memory; /* 2^MEMORY_BITS */
} pair_list;

static uint32_t list_pair(pair_list *list, uint32_t row, uint32_t column)
{
  uint64_t key = (uint64_t)row << 32 | column;
  pair_memory *last = list->memory + (key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMORY_BITS));
  if (last->key != key) {
    *last = (pair_memory){key, (uint32_t)list->count};
    list->pairs[list->count++] = (basin_node_pair){row, column};
  }
  return last->number;
}

static void list_pairs(basin_term *term, pair_list *list)
{
  uint32_t *out = term->slots;
  for (size_t e = 0; e < term->elements; ++e) {
    size_t count;
    const uint32_t *nodes = basin__element_nodes(term, e, &count);
    for (size_t a = 0; a < count; ++a)
      for (size_t c = a; c < count; ++c, ++out)
        *out = nodes[a] == BASIN_NONE || nodes[c] == BASIN_NONE
                   ? BASIN_NONE
                   : list_pair(list, nodes[a], nodes[c]);
  }
}

/* Numbers of pairs become slots. Two local nodes of a direct term may be the same node. */
static void take_slots(basin_term *term, const uint32_t *slots)
{
  uint32_t *out = term->slots;
  for (size_t e = 0; e < term->elements; ++e) {
    size_t count;
    const uint32_t *nodes = basin__element_nodes(term, e, &count);
    for (size_t a = 0; a < count; ++a)
      for (size_t c = a; c < count; ++c, ++out) {
        if (*out == BASIN_NONE) continue;
        *out = slots[*out] | (nodes[a] == nodes[c] && a != c ? BASIN_SLOT_TWICE : 0);
      }
  }
}

/* ---- one part ---- */

static uint64_t mix(uint64_t key, uint64_t value)
{
  return basin__hash64(&value, sizeof value, key);
}

static bool belongs(const basin_term *term, int number)
{
  return term->dynamic == (number == BASIN_PART_DYNAMIC) && term->local_nodes > 0;
}

static uint64_t part_key(const basin_minimizer *minimizer, int number, size_t *pair_limit)
{
  uint64_t key = mix(1, minimizer->layout.version);
  *pair_limit = 0;
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    const basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number)) continue;
    key = mix(mix(mix(key, (uintptr_t)term), term->structure), term->elements);
    *pair_limit += term->slot_count;
  }
  return key;
}

static basin_status reserve_slots(basin_minimizer *minimizer, basin_term *term)
{
  if (term->slot_count <= term->slot_capacity) return BASIN_OK;
  return basin__grow(minimizer->context,
                     &term->slots,
                     &term->slot_capacity,
                     term->slot_count,
                     sizeof *term->slots);
}

/* The pairs of all terms of a part, and room for their slots. */
static basin_status gather_pairs(basin_minimizer *minimizer, int number, pair_list *list)
{
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number)) continue;
    BASIN_TRY(reserve_slots(minimizer, term));
    list_pairs(term, list);
  }
  return BASIN_OK;
}

static basin_status hand_out_slots(basin_minimizer *minimizer, int number, const uint32_t *slots)
{
  size_t blocks = basin_bsr_block_count(minimizer->parts[number].matrix);
  if (blocks > BASIN_SLOT_MASK)
    return BASIN_FAIL(
        minimizer->context, BASIN_ERROR_UNSUPPORTED, "the matrix has more than 2^30 blocks");
  for (size_t k = 0; k < basin__minimizer_term_total(minimizer); ++k) {
    basin_term *term = basin__minimizer_term(minimizer, k);
    if (!belongs(term, number)) continue;
    take_slots(term, slots);
    BASIN_TRY(basin__schedule_slots(minimizer, term, blocks));
  }
  return BASIN_OK;
}

static basin_status
make_matrix(basin_minimizer *minimizer, int number, const pair_list *list, uint32_t *slots)
{
  basin_part *part = &minimizer->parts[number];
  basin_bsr_destroy(part->matrix);
  part->matrix = NULL;
  part->pair_count = list->count;
  /* The dynamic part is never a matrix of its own. */
  bool summand = number == BASIN_PART_DYNAMIC;
  BASIN_TRY((summand ? basin__bsr_create_summand
                     : basin_bsr_create)(minimizer->context,
                                         (uint32_t)minimizer->layout.node_count,
                                         minimizer->layout.block,
                                         list->count,
                                         list->pairs,
                                         slots,
                                         &part->matrix));
  return hand_out_slots(minimizer, number, slots);
}

/* From at most `limit` pairs. */
static basin_status rebuild_part(basin_minimizer *minimizer, int number, size_t limit)
{
  basin_context *context = minimizer->context;
  size_t pair_bytes = (limit + 1) * sizeof(basin_node_pair),
         memory_bytes = ((size_t)1 << MEMORY_BITS) * sizeof(pair_memory), slot_bytes = 0;
  pair_list list = {.pairs = basin__alloc(context, pair_bytes),
                    .memory = basin__alloc(context, memory_bytes)};
  uint32_t *slots = NULL;
  basin_status status = list.pairs && list.memory ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    memset(list.memory, 0xff, memory_bytes); /* no pair has this key */
    status = gather_pairs(minimizer, number, &list);
  }
  if (status == BASIN_OK) {
    slot_bytes = (list.count + 1) * sizeof *slots;
    slots = basin__alloc(context, slot_bytes);
    status = slots ? make_matrix(minimizer, number, &list, slots) : BASIN_ERROR_MEMORY;
  }
  basin__free(context, list.pairs, pair_bytes);
  basin__free(context, list.memory, memory_bytes);
  basin__free(context, slots, slot_bytes);
  return status;
}

static basin_status update_part(basin_minimizer *minimizer, int number)
{
  basin_part *part = &minimizer->parts[number];
  size_t limit;
  uint64_t key = part_key(minimizer, number, &limit);
  if (part->matrix && part->key == key) return BASIN_OK;
  if (minimizer->matrix == part->matrix) {
    minimizer->matrix = NULL;
    minimizer->has_matrix = false;
  }
  part->key = part->constant_key = 0;
  basin_status status = rebuild_part(minimizer, number, limit);
  if (status == BASIN_OK) part->key = key;
  return status;
}

/* ---- both parts ---- */

static basin_status reserve_merge(basin_minimizer *minimizer, basin_part *part)
{
  size_t need = basin_bsr_block_count(part->matrix);
  if (need <= part->merge_capacity) return BASIN_OK;
  return basin__grow(
      minimizer->context, &part->merge, &part->merge_capacity, need, sizeof *part->merge);
}

static basin_status update_merged(basin_minimizer *minimizer)
{
  basin_part *fixed = &minimizer->parts[BASIN_PART_STATIC],
             *moving = &minimizer->parts[BASIN_PART_DYNAMIC];
  uint64_t key = moving->pair_count == 0
                     ? 0
                     : mix(basin_bsr_pattern(fixed->matrix), basin_bsr_pattern(moving->matrix));
  if (key == minimizer->merged_key && (key == 0 || minimizer->merged)) return BASIN_OK;
  if (minimizer->matrix == minimizer->merged) {
    minimizer->matrix = NULL;
    minimizer->has_matrix = false;
  }
  minimizer->merged_key = 0;
  minimizer->values_key = 0;
  if (key == 0) {
    basin_bsr_destroy(minimizer->merged);
    minimizer->merged = NULL;
    return BASIN_OK;
  }
  BASIN_TRY(reserve_merge(minimizer, fixed));
  BASIN_TRY(reserve_merge(minimizer, moving));
  BASIN_TRY(basin__bsr_remerge(
      fixed->matrix, moving->matrix, fixed->merge, moving->merge, &minimizer->merged));
  minimizer->merged_key = key;
  return BASIN_OK;
}

basin_status basin__pattern_update(basin_minimizer *minimizer)
{
  BASIN_TRY(update_part(minimizer, BASIN_PART_STATIC));
  double start = basin__seconds();
  BASIN_TRY(update_part(minimizer, BASIN_PART_DYNAMIC));
  BASIN_TRY(update_merged(minimizer));
  minimizer->seconds_pairs += basin__seconds() - start;
  return BASIN_OK;
}

void basin__pattern_fini(basin_minimizer *minimizer)
{
  for (int k = 0; k < BASIN_PART_COUNT; ++k) {
    basin_part *part = &minimizer->parts[k];
    basin_bsr_destroy(part->matrix);
    basin__free(
        minimizer->context, part->constant, part->constant_capacity * sizeof *part->constant);
    basin__free(minimizer->context, part->merge, part->merge_capacity * sizeof *part->merge);
  }
  basin_bsr_destroy(minimizer->merged);
}
