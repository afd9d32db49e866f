/* Swept boxes of vertices in single precision, rounded outward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact/device/contact_box.h"

enum { CHUNK = 1024 };

static const double operations = 60; /* a vertex */

typedef struct box_task {
  basin_contact *contact;
  const basin__cut *cut;   /* NULL: the whole motion */
  const basin__box *outer; /* NULL: not compared */
  atomic_size_t bad;       /* a vertex that is not finite or too far; SIZE_MAX: none */
  atomic_bool outside;     /* of `outer` */
} box_task;

/* What is added to both ends of a vertex's motion. */
static double reach_of(const box_task *task, size_t v)
{
  const basin_contact *contact = task->contact;
  const basin__cut *cut = task->cut;
  if (contact->box_reach < 0) return 0;
  const double reach =
      contact->box_reach + 0.5 * contact->separation + (contact->reaches ? contact->reaches[v] : 0);
  if (!cut) return reach;
  return reach + cut->more + cut->growth * cut->part * (double)contact->reuse.swept[v];
}

static void box_vertex(box_task *task, size_t v, bool *outside)
{
  basin_contact *contact = task->contact;
  basin__box *box = &contact->boxes[v];
  const double reach = reach_of(task, v), part = task->cut ? task->cut->part : 1;
  double check = 0; /* NaN when an end is not finite */
  box->low[3] = box->high[3] = 0;
  for (size_t k = 0; k < 3; ++k) {
    const double start = contact->box_positions[3 * v + k];
    double end = start, low, high;
    if (contact->box_direction)
      end += part * (contact->box_limit * contact->box_direction[3 * v + k]);
    basin__box_interval(start, end, reach, &low, &high);
    check += 0 * low + 0 * high;
    box->low[k] = basin__float_below(low - contact->center[k]);
    box->high[k] = basin__float_above(high - contact->center[k]);
  }
  if (check != 0) {
    size_t none = SIZE_MAX;
    while (v < none && !atomic_compare_exchange_weak(&task->bad, &none, v)) continue;
  }
  *outside = *outside || (task->outer && !basin__box_holds(&task->outer[v], box));
}

static void boxes_plain(box_task *task, size_t first, size_t end, bool *outside)
{
  for (size_t v = first; v < end; ++v) box_vertex(task, v, outside);
}

/* ---- three coordinates at a time ---- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_AVX2 1
#define TARGET    __attribute__((target("avx2")))

/* basin__float_below of each. */
TARGET static inline __m128 below_avx2(__m256d value)
{
  const __m128 rounded = _mm256_cvtpd_ps(value);
  const __m256d wide = _mm256_cmp_pd(_mm256_cvtps_pd(rounded), value, _CMP_GT_OQ);
  const __m128 low = _mm_castpd_ps(_mm256_castpd256_pd128(wide));
  const __m128 high = _mm_castpd_ps(_mm256_extractf128_pd(wide, 1));
  const __m128i above = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88)); /* -1 or 0 */
  const __m128i bits = _mm_castps_si128(rounded), sign = _mm_srai_epi32(bits, 31);
  const __m128i step = _mm_sub_epi32(_mm_xor_si128(above, sign), sign);
  const __m128 moved = _mm_castsi128_ps(_mm_add_epi32(bits, step));
  const __m128 least = _mm_and_ps(_mm_castsi128_ps(above), _mm_set1_ps(-0x1p-149F));
  const __m128 zero = _mm_cmpeq_ps(rounded, _mm_setzero_ps());
  return _mm_max_ps(_mm_blendv_ps(moved, least, zero), _mm_set1_ps(-BASIN__FLOAT_MAX));
}

/* As box_vertex. False if an end is not finite or the start too far. Reads one number too many. */
TARGET static inline bool box_avx2(const box_task *task, size_t v, bool *outside)
{
  const basin_contact *contact = task->contact;
  const __m256d sign = _mm256_set1_pd(-0.0), huge = _mm256_set1_pd(HUGE_VAL);
  const __m256d start = _mm256_loadu_pd(contact->box_positions + 3 * v);
  __m256d end = start;
  if (contact->box_direction) {
    const __m256d direction = _mm256_loadu_pd(contact->box_direction + 3 * v);
    const __m256d motion = _mm256_mul_pd(_mm256_set1_pd(contact->box_limit), direction);
    const double part = task->cut ? task->cut->part : 1;
    end = _mm256_add_pd(start, _mm256_mul_pd(_mm256_set1_pd(part), motion));
  }
  const __m256d near = _mm256_cmp_pd(
      _mm256_andnot_pd(sign, start), _mm256_set1_pd(BASIN__LARGEST_POSITION), _CMP_LT_OQ);
  const __m256d finite = _mm256_cmp_pd(_mm256_andnot_pd(sign, end), huge, _CMP_LT_OQ);
  if ((_mm256_movemask_pd(_mm256_and_pd(near, finite)) & 7) != 7) return false;
  const double more = reach_of(task, v);
  __m256d low = _mm256_min_pd(start, end), high = _mm256_max_pd(start, end);
  if (more > 0) {
    const __m256d reach = _mm256_set1_pd(more);
    const __m256d size = _mm256_max_pd(_mm256_andnot_pd(sign, low), _mm256_andnot_pd(sign, high));
    const __m256d rounding = _mm256_mul_pd(_mm256_set1_pd(0x1p-50), _mm256_add_pd(size, reach));
    const __m256d grown = _mm256_add_pd(reach, rounding);
    low = _mm256_sub_pd(low, grown);
    high = _mm256_add_pd(high, grown);
  }
  const __m256d center =
      _mm256_set_pd(0, contact->center[2], contact->center[1], contact->center[0]);
  const __m128 last = _mm_castsi128_ps(_mm_set_epi32(0, -1, -1, -1)), minus = _mm_set1_ps(-0.0F);
  const __m256d opposite = _mm256_xor_pd(sign, _mm256_sub_pd(high, center));
  const __m128 below = _mm_and_ps(last, below_avx2(_mm256_sub_pd(low, center)));
  const __m128 above = _mm_and_ps(last, _mm_xor_ps(minus, below_avx2(opposite)));
  _mm_store_ps(contact->boxes[v].low, below);
  _mm_store_ps(contact->boxes[v].high, above);
  if (!task->outer) return true;
  const basin__box *outer = &task->outer[v];
  const __m128 first = _mm_cmple_ps(_mm_load_ps(outer->low), below);
  const __m128 second = _mm_cmple_ps(above, _mm_load_ps(outer->high));
  *outside = *outside || (_mm_movemask_ps(_mm_and_ps(first, second)) & 7) != 7;
  return true;
}

TARGET static void boxes_avx2(box_task *task, size_t first, size_t end, bool *outside)
{
  for (size_t v = first; v < end; ++v)
    if (v + 1 == task->contact->vertex_count || !box_avx2(task, v, outside))
      box_vertex(task, v, outside);
}
#else
#define HAVE_AVX2 0
#endif

static void box_chunk(void *user, size_t chunk, unsigned worker)
{
  (void)worker;
  box_task *task = user;
  bool outside = false;
  const size_t count = task->contact->vertex_count, first = chunk * CHUNK;
  const size_t end = first + CHUNK < count ? first + CHUNK : count;
#if HAVE_AVX2
  if (task->contact->wide)
    boxes_avx2(task, first, end, &outside);
  else
#endif
    boxes_plain(task, first, end, &outside);
  if (outside) atomic_store_explicit(&task->outside, true, memory_order_relaxed);
}

bool basin__boxes_wide(void)
{
#if HAVE_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

/* A common translation costs single precision its digits: it is taken away when it is large. */
static void choose_center(basin_contact *contact, const double *positions)
{
  const size_t count = contact->vertex_count;
  for (size_t k = 0; k < 3; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t v = 0; v < count; ++v) {
      const double value = positions[3 * v + k];
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    contact->center[k] = basin__box_center(low, high);
  }
}

basin_status basin__contact_boxes(basin_contact *contact,
                                  const double *positions,
                                  const double *direction,
                                  double limit,
                                  double reach,
                                  const basin__cut *cut,
                                  const basin__box *outer,
                                  bool *inside)
{
  box_task task = {.contact = contact, .cut = cut, .outer = outer};
  const size_t count = contact->vertex_count;
  contact->box_positions = positions;
  contact->box_direction = direction;
  contact->box_limit = limit;
  contact->box_reach = reach;
  atomic_init(&task.bad, SIZE_MAX);
  atomic_init(&task.outside, false);
  if (!outer) choose_center(contact, positions);
  basin__parallel_work(
      contact->context, (count + CHUNK - 1) / CHUNK, (double)count * operations, box_chunk, &task);
  const size_t bad = atomic_load(&task.bad);
  if (bad != SIZE_MAX)
    return basin__contact_fail_position(contact->context, bad, positions + 3 * bad);
  if (inside) *inside = outer && !atomic_load(&task.outside);
  return BASIN_OK;
}

void basin__contact_refit(basin_contact *contact, const basin__box *boxes)
{
  for (int i = 0; i < BASIN__SET_COUNT; ++i)
    basin__tree_update(contact->context, &contact->sets[i].tree, boxes, false);
}
