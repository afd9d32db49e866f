/* The line of source of an instruction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_SOURCE_H
#define BASIN_SOFTCUDA_SOURCE_H

#include "image.h"

/* " (file.cu:12)", by addr2line if the system has it; "" if it is not known. */
void softcuda_source_line(const softcuda_image *image, const void *code, char *text, size_t size);

#endif
