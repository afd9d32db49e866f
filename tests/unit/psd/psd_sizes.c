/* The projection compiled for every size, behind one table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "psd_sizes.h"

#ifndef BASIN_WIDTH
#define BASIN_WIDTH (64 / (int)sizeof(basin_scalar))
#endif
typedef basin_scalar real __attribute__((ext_vector_type(BASIN_WIDTH)));

/* Every entry in its own row; constant, as in an emitted kernel. */
static const unsigned short entry_rows[300] = {
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,  18,
    19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,
    38,  39,  40,  41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51,  52,  53,  54,  55,  56,
    57,  58,  59,  60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,  71,  72,  73,  74,  75,
    76,  77,  78,  79,  80,  81,  82,  83,  84,  85,  86,  87,  88,  89,  90,  91,  92,  93,  94,
    95,  96,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113,
    114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132,
    133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151,
    152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170,
    171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189,
    190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208,
    209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227,
    228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246,
    247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265,
    266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284,
    285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299,
};

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
  static void (*const table[])(basin_scalar *, int, int) = {
      project_1,  project_2,  project_3,  project_4,  project_5,  project_6,
      project_7,  project_8,  project_9,  project_10, project_11, project_12,
      project_13, project_14, project_15, project_16, project_17, project_18,
      project_19, project_20, project_21, project_22, project_23, project_24,
  };
  table[n - 1](h, count, mode);
}
