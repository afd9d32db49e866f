/* The C face of the one C++ file: Clang in process, text in, object code out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_CLANG_SHIM_H
#define BASIN_BACKEND_CLANG_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct or function here does: a module of another build is refused. */
#define BASIN_SHIM_ABI 1

typedef struct basin_shim_file {
  const char *name, *text; /* text is terminated */
} basin_shim_file;

typedef enum basin_shim_form {
  BASIN_SHIM_OBJECT, /* a relocatable ELF file */
  BASIN_SHIM_LLVM,
  BASIN_SHIM_ASSEMBLY
} basin_shim_form;

/* One translation unit. The files are all that the compiler sees; files[0] is the main one. */
typedef struct basin_shim_request {
  const basin_shim_file *files;
  size_t file_count;
  const char *const
      *arguments; /* of the compiler proper (clang -cc1), without triple, input and output */
  size_t argument_count;
  basin_shim_form form;
} basin_shim_request;

typedef struct basin_shim_result {
  char *data; /* NULL if compilation failed; terminated, the terminator is not counted */
  size_t size;
  char *diagnostics; /* what the compiler said; "" if nothing; NULL when memory ran out */
} basin_shim_result;

/* All functions may be called from any thread, and at the same time. */
#define BASIN_SHIM_FUNCTIONS(X)                                                     \
  X(int, basin_shim_abi, (void))                                                    \
  X(const char *, basin_shim_version, (void))  /* of LLVM, "19.1.7" */              \
  X(const char *, basin_shim_host_cpu, (void)) /* LLVM's name for this processor */ \
  X(void, basin_shim_compile, (const basin_shim_request *, basin_shim_result *))    \
  X(void, basin_shim_release, (basin_shim_result *))

#define X(type, name, parameters) __attribute__((visibility("default"))) type name parameters;
BASIN_SHIM_FUNCTIONS(X)
#undef X

#ifdef __cplusplus
}
#endif
#endif
