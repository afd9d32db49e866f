/* A device text with its definitions, ready to be compiled.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_CUDA_SOURCE_H
#define BASIN_DEVICE_CUDA_SOURCE_H

#include "device/cuda/state.h"
#include "device/cuda/texts.h"

typedef struct basin_cuda_source {
  const char *name, *definitions; /* for errors: "file:entry" */
  basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX];
  size_t file_count;
  basin_key key; /* of text, definitions and what the device is compiled for */
} basin_cuda_source;

/* `source` borrows the strings. */
basin_status basin__cuda_source_init(basin_cuda *cuda,
                                     const char *file,
                                     const char *name,
                                     const char *definitions,
                                     basin_cuda_source *source);
/* Again, after the device's architecture has changed. */
basin_status basin__cuda_source_key(basin_cuda *cuda, basin_cuda_source *source);
/* May be called from several threads. */
basin_status basin__cuda_source_compile(const basin_cuda *cuda,
                                        const basin_cuda_source *source,
                                        basin_nvrtc_code *code);

/* What basin__cuda_prepare has compiled and nobody has asked for yet; NULL if there is no such
 * thing. The caller releases the node. */
basin_cuda_prepared *basin__cuda_take_prepared(basin_cuda *cuda, const basin_key *key);
void basin__cuda_prepared_release(basin_cuda *cuda, basin_cuda_prepared *prepared);

#endif
