/* Solutions with a Cholesky factor that is kept: panels of up to four columns with the same rows,
 * and up to four right-hand sides at once. CHOLMOD's own solution calls the BLAS for every
 * supernode, with far too few right-hand sides to be worth a call.
 * SPDX-License-Identifier: Apache-2.0 */
#include "panels.h"

#include "base/base.h"
#include "lanes.h"
#include <string.h>

enum { SIDES = 4, WIDEST = 4 };

/* ---- substitution ---- */

/* Numbers of two and of four right-hand sides, in the memory of doubles. */
typedef double two __attribute__((vector_size(16), may_alias));
typedef double four __attribute__((vector_size(32), may_alias));

#define BASIN__KERNEL_TARGET
#define BASIN__KERNEL(name) name##_two
#define BASIN__SIDES        two
#include "panels.inc"
#undef BASIN__KERNEL
#undef BASIN__SIDES
#define BASIN__KERNEL(name) name##_four
#define BASIN__SIDES        four
#include "panels.inc"
#undef BASIN__KERNEL
#undef BASIN__SIDES
#define BASIN__KERNEL(name) name##_one
#define BASIN__SIDES        double
#define BASIN__ONE_SIDE
#include "panels.inc"
#undef BASIN__KERNEL
#undef BASIN__KERNEL_TARGET

#if BASIN__HAVE_AVX2
#define BASIN__KERNEL_TARGET BASIN__TARGET_AVX2
#define BASIN__KERNEL(name)  name##_one_avx2
#include "panels.inc"
#undef BASIN__KERNEL
#undef BASIN__SIDES
#undef BASIN__ONE_SIDE
#define BASIN__KERNEL(name) name##_four_avx2
#define BASIN__SIDES        four
#include "panels.inc"
#endif

basin__substitute_function basin__substitute_variant(size_t sides, unsigned variant)
{
#if BASIN__HAVE_AVX2
  if (variant == 1 && __builtin_cpu_supports("avx2"))
    return sides == 1 ? substitute_one_avx2 : sides == 2 ? substitute_two : substitute_four_avx2;
#endif
  if (variant != 0) return NULL;
  return sides == 1 ? substitute_one : sides == 2 ? substitute_two : substitute_four;
}

static void substitute(const basin__panels *l, size_t sides)
{
  basin__substitute_function wide = basin__substitute_variant(sides, 1);
  if (wide == NULL) wide = basin__substitute_variant(sides, 0);
  wide(l);
}

/* `count` right-hand sides side by side in `sides` places; the rest is zero. */
static void
load(const basin__panels *l, size_t count, size_t sides, size_t stride, const double *const *from)
{
  for (size_t i = 0; i < l->size; i++) {
    size_t at = (size_t)l->permutation[i] * stride;
    double *to = l->work + i * sides;
    for (size_t k = 0; k < count; k++) to[k] = from[k][at];
    for (size_t k = count; k < sides; k++) to[k] = 0;
  }
}

static void
store(const basin__panels *l, size_t count, size_t sides, size_t stride, double *const *to)
{
  for (size_t i = 0; i < l->size; i++) {
    size_t at = (size_t)l->permutation[i] * stride;
    const double *from = l->work + i * sides;
    for (size_t k = 0; k < count; k++) to[k][at] = from[k];
  }
}

void basin__panels_solve(
    const basin__panels *l, size_t copies, size_t columns, const double *b, double *x)
{
  for (size_t done = 0; done < copies * columns; done += SIDES) {
    size_t left = copies * columns - done, count = left < SIDES ? left : SIDES;
    size_t sides = count == 3 ? SIDES : count;
    const double *from[SIDES] = {NULL};
    double *to[SIDES] = {NULL};
    for (size_t k = 0; k < count; k++) {
      size_t side = done + k, start = side / copies * l->size * copies + side % copies;
      from[k] = b + start;
      to[k] = x + start;
    }
    load(l, count, sides, copies, from);
    substitute(l, sides);
    store(l, count, sides, copies, to);
  }
}

/* ---- panels ---- */

static void clear(basin__panels *l)
{
  basin__free(l->context, l->panels, (l->size + 1) * sizeof *l->panels);
  basin__free(l->context, l->scale, (l->size + 1) * sizeof *l->scale);
  basin__free(l->context, l->middle, (l->size + 1) * sizeof *l->middle);
  basin__free_aligned(l->context, l->work, SIDES * (l->size + 1) * sizeof *l->work);
  *l = (basin__panels){.context = l->context};
}

void basin__panels_fini(basin__panels *l)
{
  clear(l);
}

/* At most one panel a column. */
static basin_status reserve(basin__panels *l, size_t size)
{
  if (l->panels != NULL && l->size == size) return BASIN_OK;
  clear(l);
  l->size = size;
  l->panels = basin__alloc(l->context, (size + 1) * sizeof *l->panels);
  if (l->panels != NULL) l->scale = basin__alloc(l->context, (size + 1) * sizeof *l->scale);
  if (l->scale != NULL) l->middle = basin__alloc(l->context, (size + 1) * sizeof *l->middle);
  if (l->middle != NULL)
    l->work = basin__alloc_aligned(l->context, SIDES * (size + 1) * sizeof *l->work);
  if (l->work != NULL) return BASIN_OK;
  clear(l);
  return BASIN_ERROR_MEMORY;
}

static unsigned panel_width(size_t columns)
{
  return columns >= WIDEST ? WIDEST : columns >= 2 ? 2 : 1;
}

static void
add_panel(basin__panels *l, size_t first, unsigned width, const int64_t *rows, size_t count)
{
  l->panels[l->count++] =
      (basin__panel){.first = (uint32_t)first, .width = width, .rows = rows, .count = count};
}

static void take_supernodes(basin__panels *l, const basin__cholmod_factor *f)
{
  const int64_t *super = f->super, *pi = f->pi, *px = f->px, *s = f->s;
  const double *x = f->x;
  for (size_t k = 0; k < f->supernodes; k++) {
    size_t first = (size_t)super[k], wide = (size_t)(super[k + 1] - super[k]);
    size_t tall = (size_t)(pi[k + 1] - pi[k]);
    for (size_t done = 0; done < wide;) {
      unsigned width = panel_width(wide - done);
      add_panel(l, first + done, width, s + pi[k] + done + width, tall - done - width);
      basin__panel *p = &l->panels[l->count - 1];
      for (unsigned c = 0; c < width; c++)
        p->columns[c] = x + (size_t)px[k] + (done + c) * tall + done + c;
      done += width;
    }
  }
}

/* Whether column j + 1 has the rows of column j but for j. */
static bool same_rows(const basin__cholmod_factor *f, size_t j)
{
  const int64_t *p = f->p, *i = f->i, *nz = f->nz;
  return j + 1 < f->n && nz[j] == nz[j + 1] + 1 &&
         memcmp(i + p[j] + 1, i + p[j + 1], (size_t)nz[j + 1] * sizeof *i) == 0;
}

static void take_columns(basin__panels *l, const basin__cholmod_factor *f)
{
  const int64_t *p = f->p, *i = f->i, *nz = f->nz;
  const double *x = f->x;
  for (size_t j = 0; j < f->n;) {
    size_t alike = 1;
    while (alike < WIDEST && same_rows(f, j + alike - 1)) alike++;
    unsigned width = panel_width(alike);
    size_t last = j + width - 1;
    add_panel(l, j, width, i + p[last] + 1, (size_t)nz[last] - 1);
    for (unsigned c = 0; c < width; c++) l->panels[l->count - 1].columns[c] = x + p[j + c];
    j += width;
  }
}

basin_status basin__panels_take(basin__panels *l, const basin__cholmod_factor *f)
{
  BASIN_TRY(reserve(l, f->n));
  l->count = 0;
  l->permutation = f->permutation;
  if (f->is_super) {
    take_supernodes(l, f);
  } else {
    take_columns(l, f);
  }
  for (size_t k = 0; k < l->count; k++) {
    const basin__panel *p = &l->panels[k];
    for (unsigned c = 0; c < p->width; c++) {
      double inverse = 1 / p->columns[c][0];
      l->scale[p->first + c] = f->is_ll ? inverse : 1;
      l->middle[p->first + c] = f->is_ll ? 1 : inverse;
    }
  }
  return BASIN_OK;
}
