/* The runtime's own device texts, embedded by the build, and what one of them includes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_TEXTS_H
#define BASIN_DEVICE_CUDA_TEXTS_H

#include "base/nvrtc.h"

typedef struct basin_cuda_text {
  const char *name, *text;
} basin_cuda_text;

/* All *.cu, *.cuh and shared texts, sorted by path; the last has no name. */
extern const basin_cuda_text basin__cuda_texts[];

enum { BASIN_CUDA_TEXT_MAX = 32 }; /* texts that one text needs, itself among them */

/* The text and all that it includes by file name, directly or not, each once: itself first. Returns
 * their number; INTERNAL for a text that is not there. */
basin_status basin__cuda_text_files(basin_context *context,
                                    const char *name,
                                    basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX],
                                    size_t *count);

#endif
