/* The projection compiled for every size, behind one table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "psd_sizes.h"

#if PSD_TEST_WARP
/* What a CUDA warp runs, on the CPU. */
#include "warp.h"
#include <tgmath.h>
#define __CUDACC__
#define __device__
#define __shared__      static
#define __forceinline__ inline
#define __noinline__
#define BASIN_CUDA_THREADS warp_lanes
typedef basin_scalar real;
typedef struct warp_task {
  basin_scalar *h;
  int first, count, mode;
} warp_task;
#else
#ifndef BASIN_WIDTH
#define BASIN_WIDTH (64 / (int)sizeof(basin_scalar))
#endif
typedef basin_scalar real __attribute__((ext_vector_type(BASIN_WIDTH)));
#endif

#define PSD_SIZE 1
#include "psd_size.inc"
#define PSD_SIZE 2
#include "psd_size.inc"
#define PSD_SIZE 3
#include "psd_size.inc"
#define PSD_SIZE 4
#include "psd_size.inc"
#define PSD_SIZE 5
#include "psd_size.inc"
#define PSD_SIZE 6
#include "psd_size.inc"
#define PSD_SIZE 7
#include "psd_size.inc"
#define PSD_SIZE 8
#include "psd_size.inc"
#define PSD_SIZE 9
#include "psd_size.inc"
#define PSD_SIZE 10
#include "psd_size.inc"
#define PSD_SIZE 11
#include "psd_size.inc"
#define PSD_SIZE 12
#include "psd_size.inc"
#define PSD_SIZE 13
#include "psd_size.inc"
#define PSD_SIZE 14
#include "psd_size.inc"
#define PSD_SIZE 15
#include "psd_size.inc"
#define PSD_SIZE 16
#include "psd_size.inc"
#define PSD_SIZE 17
#include "psd_size.inc"
#define PSD_SIZE 18
#include "psd_size.inc"
#define PSD_SIZE 19
#include "psd_size.inc"
#define PSD_SIZE 20
#include "psd_size.inc"
#define PSD_SIZE 21
#include "psd_size.inc"
#define PSD_SIZE 22
#include "psd_size.inc"
#define PSD_SIZE 23
#include "psd_size.inc"
#define PSD_SIZE 24
#include "psd_size.inc"

void psd_project(int n, basin_scalar *h, int count, int mode)
{
  static void (*const table[])(basin_scalar *, const unsigned short *, int, int, int) = {
      project_1,  project_2,  project_3,  project_4,  project_5,  project_6,
      project_7,  project_8,  project_9,  project_10, project_11, project_12,
      project_13, project_14, project_15, project_16, project_17, project_18,
      project_19, project_20, project_21, project_22, project_23, project_24,
  };
  unsigned short rows[24 * 25 / 2];
  for (int e = 0; e < n * (n + 1) / 2; e++) rows[e] = (unsigned short)e;
  table[n - 1](h, rows, PSD_TEST_STRIDE, count, mode);
}
