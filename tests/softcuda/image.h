/* Images: what the compiler's output looks like, and images ready to run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_IMAGE_H
#define BASIN_SOFTCUDA_IMAGE_H

#include "abi.h"
#include "fault.h"

#define SOFTCUDA_MAGIC           "\177SOFTCUDA image\n"
#define SOFTCUDA_PTX_START       "//\n// Software CUDA\n//\n.softcuda "
#define SOFTCUDA_SHARED_MAX      (48u << 10)  /* bytes of a block, and ... */
#define SOFTCUDA_SHARED_MOST     (227u << 10) /* ... with the kernel's consent */
#define SOFTCUDA_PARAMETERS_MOST 4096u        /* bytes, of a launch */

/* The head of a device image; a relocatable ELF object follows. */
typedef struct softcuda_head {
  char magic[16];
  char build[24];      /* of the prelude and the compiler's arguments */
  unsigned capability; /* 90 for sm_90 */
  unsigned reserved;
  unsigned long long size; /* of the object */
} softcuda_head;

/* What tells images of this software CUDA from those of another: the same for compiler and driver.
 */
SOFTCUDA_API const char *softcuda_build(void);

/* ---- an object, linked ---- */
typedef struct softcuda_linked {
  unsigned char *mapping;
  size_t size;
  softcuda_range code, data, shared; /* static shared memory, one after another */
  size_t *offsets;                   /* of the object's sections in the mapping */
  void **dynamic;                    /* where the image looks for its dynamic shared memory */
  const softcuda_entry *entries;
  const char *error;
} softcuda_linked;
/* False and `error` set if the object cannot be used. */
bool softcuda_link(const unsigned char *object, size_t size, softcuda_linked *linked);
void softcuda_unlink(softcuda_linked *linked);
/* Whether an object has a function of this very name, not one that C++ has made longer. */
SOFTCUDA_API bool
softcuda_object_function(const unsigned char *object, size_t size, const char *name);
/* Bytes of static shared memory that the function `name` of an object and all that it calls use. */
SOFTCUDA_API size_t softcuda_object_shared(const unsigned char *object,
                                           size_t size,
                                           const char *name);

struct softcuda_image {
  unsigned capability;
  softcuda_linked linked;
  unsigned char *object;
  size_t object_size;
};

#endif
