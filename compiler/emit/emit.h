/* Prints a kernel program as readable text of the dialect, the one form that Clang and NVRTC
 * compile. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_EMIT_H
#define BASIN_EMIT_H

#include "base/base.h"
#include "plan/program.h"

/* Appends the text of one kernel: the same bytes for the same program, whatever the machine.
 * Errors: UNSUPPORTED for a program no text can express (a path through a connectivity of variable
 * arity), MEMORY. */
basin_status
basin__emit(basin_context *context, const basin_kernel_program *program, basin_strbuf *text);

/* Blocks of the inner Hessian that are projected by themselves, and the rows of one. */
uint32_t basin__emit_block_count(const basin_kernel_program *program);
uint32_t basin__emit_block_size(const basin_kernel_program *program, uint32_t block);

/* Blocks of more rows than this are projected on the CPU by a function basin_project_<size>, whose
 * text is this: it is compiled once for all kernels. */
enum { BASIN_PROJECTION_INLINE = 3 };
basin_status basin__emit_projection(uint32_t size, basin_strbuf *text);

/* Bytes of scratch that a CPU kernel of that many numbers of `scalar_size` bytes a tile needs from
 * its caller. */
size_t basin__emit_scratch_size(const basin_kernel_program *program, size_t scalar_size);

typedef enum basin_dialect { BASIN_DIALECT_CPU, BASIN_DIALECT_CUDA } basin_dialect;

typedef struct basin_dialect_file {
  const char *name, *text;
} basin_dialect_file;

enum { BASIN_DIALECT_FILES = 32 };

/* The headers that emitted text includes, under the names it includes them by: the number of files
 * filled in. */
size_t basin__dialect_files(basin_dialect dialect, basin_dialect_file files[BASIN_DIALECT_FILES]);

/* Appends the text of one kernel with those headers in place of the includes: a source file that
 * needs no other. Errors as basin__emit. */
basin_status basin__emit_source(basin_context *context,
                                const basin_kernel_program *program,
                                basin_dialect dialect,
                                basin_strbuf *text);

#endif
