/* Reading relocatable ELF objects.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_OBJECT_H
#define BASIN_SOFTCUDA_OBJECT_H

#include "softcuda.h"

#include <elf.h>

typedef struct softcuda_object {
  const unsigned char *data;
  size_t size;
  const Elf64_Shdr *sections;
  size_t section_count;
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *names;
  size_t names_size;
} softcuda_object;

/* NULL, or what is wrong. `data` is aligned to 8 bytes and is borrowed. */
const char *softcuda_object_read(softcuda_object *object, const unsigned char *data, size_t size);
const char *softcuda_object_name(const softcuda_object *object, const Elf64_Sym *symbol);
/* The relocations of a section of type SHT_RELA. */
const Elf64_Rela *
softcuda_object_relocations(const softcuda_object *object, size_t section, size_t *count);

#endif
