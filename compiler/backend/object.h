/* Loads one relocatable x86-64 ELF object into memory: all that a compiled kernel needs, without
 * LLVM. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_OBJECT_H
#define BASIN_BACKEND_OBJECT_H

#include "base/base.h"

typedef struct basin_object basin_object;

/* The address of a function that the object calls but does not contain; NULL if there is none of
 * that name. */
typedef void (*basin_code)(void);
typedef basin_code (*basin_resolve_function)(void *user, const char *name);

/* Maps the code and constants of `data` and links them. The bytes may be released afterwards.
 * Errors: FORMAT for bytes that are no such object, NAME for an unknown function, MEMORY. Never
 * trusts an offset of the file. */
basin_status basin__object_load(basin_context *context,
                                const void *data,
                                size_t size,
                                basin_resolve_function resolve,
                                void *user,
                                basin_object **object);
/* The address of a global function of the object; NULL if absent. */
basin_code basin__object_function(const basin_object *object, const char *name);
size_t basin__object_size(const basin_object *object); /* bytes of code and constants */
void basin__object_unload(basin_object *object);

#endif
