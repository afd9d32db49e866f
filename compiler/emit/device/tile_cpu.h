/* Tiles of elements on the CPU: which element a lane holds, energies and their sum, rows of
 * results. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_TILE_CPU_H
#define BASIN_DEVICE_TILE_CPU_H

/* Elements at .. at + count - 1. Lanes beyond repeat the last element, so that nothing out of range
 * is read. */
typedef struct basin_tile {
  basin_index index;
  basin_size at, count;
} basin_tile;

BASIN_INLINE basin_words basin_lanes(void)
{
  basin_words lanes;
  for (basin_word l = 0; l < BASIN_WIDTH; l++) lanes[l] = l;
  return lanes;
}

BASIN_INLINE basin_tile basin_tile_at(basin_size at, basin_size end)
{
  basin_tile tile;
  tile.at = at;
  tile.count = end - at < BASIN_WIDTH ? end - at : BASIN_WIDTH;
  tile.index.vector =
      (basin_word)at +
      __builtin_elementwise_min(basin_lanes(), (basin_words)((basin_word)tile.count - 1));
  return tile;
}

BASIN_INLINE basin_part basin_wide_part(basin_wide value, int part)
{
  union {
    basin_wide wide;
    basin_part parts[BASIN_PARTS];
  } u;
  u.wide = value;
  return u.parts[part];
}

BASIN_INLINE basin_part basin_part_of(real value, int part)
{
  return basin_wide_part(__builtin_convertvector(value, basin_wide), part);
}

/* PART vectors become the rows of a square matrix's transpose, in place. */
BASIN_INLINE void basin_transpose(basin_part *v)
{
#if BASIN_PART == 8
  basin_part a[8], b[8];
  for (int k = 0; k < 8; k += 2) {
    a[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int i = 0; i < 2; i++) {
      b[k + i] = __builtin_shufflevector(a[k + i], a[k + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[k + i + 2] = __builtin_shufflevector(a[k + i], a[k + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif BASIN_PART == 4
  const basin_part a = BASIN_EVEN(v[0], v[1]), b = BASIN_ODD(v[0], v[1]);
  const basin_part c = BASIN_EVEN(v[2], v[3]), d = BASIN_ODD(v[2], v[3]);
  v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  const basin_part a = BASIN_EVEN(v[0], v[1]), b = BASIN_ODD(v[0], v[1]);
  v[0] = a;
  v[1] = b;
#endif
}

/* Numbers first .. first + PART - 1 of the lanes of one part become PART rows, `stride` doubles
 * apart. */
BASIN_INLINE void
basin_put_rows(double *rows, basin_size stride, const basin_part *values, basin_size lanes)
{
  basin_part v[BASIN_PART];
  for (int k = 0; k < BASIN_PART; k++) v[k] = values[k];
  basin_transpose(v);
  if (lanes >= BASIN_PART) {
    BASIN_UNROLL for (basin_size l = 0; l < BASIN_PART; l++) *
        (basin_part_unaligned *)(rows + l * stride) = v[l];
  } else {
    BASIN_UNROLL for (basin_size l = 0; l < BASIN_PART; l++) if (l < lanes) *
        (basin_part_unaligned *)(rows + l * stride) = v[l];
  }
}

/* Number k of element l, values[k] of lane l, goes to rows[l * size + k]; elements 0 .. count - 1,
 * k < size. */
BASIN_NOINLINE void
basin_store_rows(double *rows, basin_size size, const real *values, basin_size count)
{
  for (basin_size p = 0; p * BASIN_PART < count; p++) {
    double *part_rows = rows + p * BASIN_PART * size;
    const basin_size lanes =
        count - p * BASIN_PART < BASIN_PART ? count - p * BASIN_PART : BASIN_PART;
    basin_size k = 0;
    for (; k + BASIN_PART <= size; k += BASIN_PART) {
      basin_part v[BASIN_PART];
      for (int i = 0; i < BASIN_PART; i++) v[i] = basin_part_of(values[k + (basin_size)i], (int)p);
      basin_put_rows(part_rows + k, size, v, lanes);
    }
    for (; k < size; k++) {
      const basin_part v = basin_part_of(values[k], (int)p);
      BASIN_UNROLL for (basin_size l = 0; l < BASIN_PART; l++) if (l < lanes)
          part_rows[l * size + k] = v[l];
    }
  }
}

/* ---- energies: summed in eight interleaved parts, by element number, so that the bits of the sum
 * do not depend on the width ---- */
#define BASIN_SUM_PARTS (8 / BASIN_PART)

typedef struct basin_energy {
  basin_part sums[BASIN_SUM_PARTS];
} basin_energy;

BASIN_INLINE basin_energy basin_energy_begin(void)
{
  basin_energy energy;
  for (int i = 0; i < BASIN_SUM_PARTS; i++) energy.sums[i] = (basin_part)0;
  return energy;
}

BASIN_INLINE void
basin_energy_add(basin_energy *energy, const basin_args *args, const basin_tile *tile, real value)
{
  const basin_size at = tile->at - args->begin;
  typedef long basin_longs __attribute__((ext_vector_type(BASIN_WIDTH)));
  const basin_longs inside =
      __builtin_convertvector(basin_lanes(), basin_longs) < (long)tile->count;
  const basin_wide wide = inside ? __builtin_convertvector(value, basin_wide) : (basin_wide)0;
  for (basin_size p = 0; p < BASIN_PARTS; p++) {
    const basin_size first = at + p * BASIN_PART;
    const basin_part v = basin_wide_part(wide, (int)p);
    energy->sums[first / BASIN_PART % BASIN_SUM_PARTS] += v;
    if (!args->energy) continue;
    if (tile->count == BASIN_WIDTH) {
      *(basin_part_unaligned *)(args->energy + first) = v;
    } else {
      BASIN_UNROLL for (basin_size l = 0; l < BASIN_PART; l++) if (p * BASIN_PART + l < tile->count)
          args->energy[first + l] = v[l];
    }
  }
}

BASIN_INLINE void basin_energy_end(const basin_energy *energy, const basin_args *args)
{
  const double *s = (const double *)energy->sums;
  if (args->energy_sum)
    *args->energy_sum += ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

#endif
