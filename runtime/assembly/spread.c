/* Adding stored local results to the global system, through DOF maps if need be.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/spread.h"
#include "linalg/lanes.h"

#define BLOCK_MAX 12

/* Block sizes are literals in the outermost callers: everything below must be inlined for its loops
 * to unroll. */
#if defined(__GNUC__)
#define FORCED_INLINE static inline __attribute__((always_inline))
#else
#define FORCED_INLINE static inline
#endif

/* Block (a, c), a <= c, of a packed upper triangle of `size` rows. */
FORCED_INLINE void
load_block(const double *hessian, size_t size, size_t a, size_t c, size_t b, double *block)
{
  for (size_t i = 0; i < b; ++i) {
    size_t row = a * b + i;
    const double *packed =
        hessian + row * size - row * (row + 1) / 2; /* packed[column], column >= row */
    if (a == c) {
      for (size_t j = i; j < b; ++j) block[i * b + j] = block[j * b + i] = packed[c * b + j];
    } else {
      for (size_t j = 0; j < b; ++j) block[i * b + j] = packed[c * b + j];
    }
  }
}

FORCED_INLINE void add_block(double *out, const double *block, size_t b, uint32_t word)
{
  if (word & BASIN_SLOT_TWICE) {
    for (size_t i = 0; i < b; ++i)
      for (size_t j = 0; j < b; ++j) out[i * b + j] += block[i * b + j] + block[j * b + i];
  } else if (word & BASIN_SLOT_TRANSPOSED) {
    for (size_t i = 0; i < b; ++i)
      for (size_t j = 0; j < b; ++j) out[i * b + j] += block[j * b + i];
  } else {
    for (size_t i = 0; i < b * b; ++i) out[i] += block[i];
  }
}

FORCED_INLINE bool wanted(const basin_spread *spread, uint32_t word)
{
  uint32_t slot = word & BASIN_SLOT_MASK;
  return word != BASIN_NONE && slot >= spread->slot_begin && slot < spread->slot_end;
}

/* ---- direct terms ---- */

FORCED_INLINE void
gradient_direct(const basin_spread *spread, size_t element, const double *local, size_t b)
{
  size_t nodes = spread->term->local_nodes;
  const uint32_t *rows = spread->term->rows + element * nodes;
  for (size_t a = 0; a < nodes; ++a) {
    if (rows[a] == BASIN_NONE || rows[a] < spread->node_begin || rows[a] >= spread->node_end)
      continue;
    double *out = spread->gradient + (size_t)rows[a] * b;
    for (size_t i = 0; i < b; ++i) out[i] += local[a * b + i];
  }
}

FORCED_INLINE void
hessian_direct(const basin_spread *spread, size_t element, const double *hessian, size_t b)
{
  size_t nodes = spread->term->local_nodes, size = nodes * b;
  const uint32_t *words = spread->term->slots + element * spread->term->local_pairs;
  for (size_t a = 0; a < nodes; ++a)
    for (size_t c = a; c < nodes; ++c, ++words) {
      double block[BLOCK_MAX * BLOCK_MAX];
      if (!wanted(spread, *words)) continue;
      load_block(hessian, size, a, c, b, block);
      add_block(spread->values + (size_t)(*words & BASIN_SLOT_MASK) * b * b, block, b, *words);
    }
}

FORCED_INLINE void spread_direct(const basin_spread *spread,
                                 size_t element,
                                 const double *gradient,
                                 const double *hessian,
                                 size_t b)
{
  if (spread->gradient) gradient_direct(spread, element, gradient, b);
  if (spread->values) hessian_direct(spread, element, hessian, b);
}

void basin__spread_direct(const basin_spread *spread,
                          size_t element,
                          const double *gradient,
                          const double *hessian)
{
  switch (spread->minimizer->layout.block) {
  case 1:
    spread_direct(spread, element, gradient, hessian, 1);
    break;
  case 2:
    spread_direct(spread, element, gradient, hessian, 2);
    break;
  case 3:
    spread_direct(spread, element, gradient, hessian, 3);
    break;
  default:
    spread_direct(spread, element, gradient, hessian, spread->minimizer->layout.block);
    break;
  }
}

/* ---- terms over maps: row a of the element depends on node v by W_v, so g_v += W_v^T g_a and H_vw
 * += W_v^T H_ac W_w ---- */

/* out = W^T block. */
FORCED_INLINE void
multiply_left(const basin_virtual_node *node, const double *block, size_t b, double *out)
{
  if (!node->full) {
    double weight = node->weight ? *node->weight : 1;
    for (size_t i = 0; i < b * b; ++i) out[i] = weight * block[i];
    return;
  }
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) {
      double sum = 0;
      for (size_t k = 0; k < b; ++k) sum += node->weight[k * b + i] * block[k * b + j];
      out[i * b + j] = sum;
    }
}

/* out = block W. */
FORCED_INLINE void
multiply_right(const basin_virtual_node *node, const double *block, size_t b, double *out)
{
  if (!node->full) {
    double weight = node->weight ? *node->weight : 1;
    for (size_t i = 0; i < b * b; ++i) out[i] = block[i] * weight;
    return;
  }
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) {
      double sum = 0;
      for (size_t k = 0; k < b; ++k) sum += block[i * b + k] * node->weight[k * b + j];
      out[i * b + j] = sum;
    }
}

FORCED_INLINE void gradient_mapped(const basin_spread *spread,
                                   const basin_virtual_node *node,
                                   const double *local,
                                   size_t b)
{
  double *out = spread->gradient + (size_t)node->node * b;
  if (node->node < spread->node_begin || node->node >= spread->node_end) return;
  for (size_t i = 0; i < b; ++i) {
    double sum = 0;
    if (node->full)
      for (size_t k = 0; k < b; ++k) sum += node->weight[k * b + i] * local[k];
    else
      sum = (node->weight ? *node->weight : 1) * local[i];
    out[i] += sum;
  }
}

/* The word of nodes p and q of an element of `count` nodes, for a block whose rows are those of p.
 */
FORCED_INLINE uint32_t pair_word(const uint32_t *words, size_t count, size_t p, size_t q)
{
  return p <= q ? words[p * (2 * count - p - 1) / 2 + q]
                : words[q * (2 * count - q - 1) / 2 + p] ^ BASIN_SLOT_TRANSPOSED;
}

/* W_v^T H_ac for an entry v of row a, and its transpose. */
typedef struct left_product {
  double block[BLOCK_MAX * BLOCK_MAX], turned[BLOCK_MAX * BLOCK_MAX];
} left_product;

FORCED_INLINE void make_left(const basin_virtual_node *v,
                             const double *hessian,
                             size_t size,
                             size_t c,
                             size_t b,
                             left_product *left)
{
  double block[BLOCK_MAX * BLOCK_MAX];
  load_block(hessian, size, v->local, c, b, block);
  multiply_left(v, block, b, left->block);
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) left->turned[j * b + i] = left->block[i * b + j];
}

/* out += block * weight, entry by entry. */
FORCED_INLINE void add_multiple(double *out, const double *block, double weight, size_t count)
{
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    basin__lanes sum, factor;
    BASIN__LANES_LOAD(sum, out + i);
    BASIN__LANES_LOAD(factor, block + i);
    sum += factor * weight;
    BASIN__LANES_STORE(out + i, sum);
  }
  for (; i < count; ++i) out[i] += block[i] * weight;
}

/* add_block of the product with a number. */
FORCED_INLINE void
add_scaled(double *out, const left_product *left, double weight, size_t b, uint32_t word)
{
  if (word & BASIN_SLOT_TWICE)
    for (size_t i = 0; i < b * b; ++i) out[i] += left->block[i] * weight + left->turned[i] * weight;
  else
    add_multiple(out, word & BASIN_SLOT_TRANSPOSED ? left->turned : left->block, weight, b * b);
}

FORCED_INLINE void add_right(
    double *out, const left_product *left, const basin_virtual_node *w, size_t b, uint32_t word)
{
  double block[BLOCK_MAX * BLOCK_MAX];
  if (!w->full) {
    add_scaled(out, left, w->weight ? *w->weight : 1, b, word);
    return;
  }
  multiply_right(w, left->block, b, block);
  add_block(out, block, b, word);
}

/* Entries come row after row: the product of a local block with the entry on its left serves all
 * entries of the block's column. */
FORCED_INLINE void hessian_mapped(const basin_spread *spread,
                                  const basin_virtual_node *entries,
                                  size_t count,
                                  size_t element,
                                  const double *hessian,
                                  size_t b)
{
  const basin_term *term = spread->term;
  const basin_element_start *starts = term->starts + element;
  const uint32_t *words = term->slots + starts[0].slot;
  size_t size = term->local_nodes * b, nodes = starts[1].node - starts[0].node;
  for (size_t v = 0; v < count; ++v) {
    left_product left;
    size_t made = SIZE_MAX; /* the row whose block is in `left` */
    for (size_t w = v; w < count; ++w) {
      uint32_t word = pair_word(words, nodes, entries[v].place, entries[w].place);
      if (!wanted(spread, word)) continue;
      if (made != entries[w].local) {
        made = entries[w].local;
        make_left(&entries[v], hessian, size, made, b, &left);
      }
      if (v != w && entries[v].place == entries[w].place) word |= BASIN_SLOT_TWICE;
      double *out = spread->values + (size_t)(word & BASIN_SLOT_MASK) * b * b;
      add_right(out, &left, &entries[w], b, word);
    }
  }
}

/* The usual blocks in wider registers, where the machine has them: the same bits. */
#if BASIN__HAVE_AVX2
BASIN__TARGET_AVX2 static void hessian_mapped_3_avx2(const basin_spread *spread,
                                                     const basin_virtual_node *entries,
                                                     size_t count,
                                                     size_t element,
                                                     const double *hessian)
{
  hessian_mapped(spread, entries, count, element, hessian, 3);
}
#endif

static void hessian_mapped_3(const basin_spread *spread,
                             const basin_virtual_node *entries,
                             size_t count,
                             size_t element,
                             const double *hessian)
{
#if BASIN__HAVE_AVX2
  if (__builtin_cpu_supports("avx2")) {
    hessian_mapped_3_avx2(spread, entries, count, element, hessian);
    return;
  }
#endif
  hessian_mapped(spread, entries, count, element, hessian, 3);
}

void basin__spread_mapped(const basin_spread *spread,
                          size_t element,
                          const double *gradient,
                          const double *hessian,
                          basin_virtual_node *nodes)
{
  size_t b = spread->minimizer->layout.block;
  size_t count = basin__term_expand(spread->minimizer, spread->term, element, nodes);
  for (size_t v = 0; v < count && spread->gradient; ++v)
    gradient_mapped(spread, &nodes[v], gradient + nodes[v].local * b, b);
  if (!spread->values) return;
  if (b == 3)
    hessian_mapped_3(spread, nodes, count, element, hessian);
  else if (b == 2)
    hessian_mapped(spread, nodes, count, element, hessian, 2);
  else
    hessian_mapped(spread, nodes, count, element, hessian, b);
}

void basin__spread_adjoint(const basin_spread *spread, size_t element, const double *gradient)
{
  const basin_term *term = spread->term;
  size_t b = spread->minimizer->layout.block;
  const uint32_t *rows = term->rows + element * term->local_nodes;
  for (size_t a = 0; a < term->local_nodes; ++a) {
    const basin_dof_map *map = spread->minimizer->maps.maps[term->node_maps[a]];
    if (!map->curved) continue;
    for (size_t i = 0; i < b; ++i) map->adjoint[rows[a] * b + i] += gradient[a * b + i];
  }
}
