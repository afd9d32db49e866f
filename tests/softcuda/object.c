/* Reads relocatable ELF objects and finds out which functions use how much shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "object.h"
#include "image.h"

#include <stdlib.h>
#include <string.h>

static bool inside(size_t offset, size_t length, size_t size)
{
  return offset <= size && length <= size - offset;
}

static const char *read_symbols(softcuda_object *o)
{
  for (size_t i = 0; i < o->section_count; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    if (s->sh_type != SHT_SYMTAB) continue;
    if (s->sh_link >= o->section_count || s->sh_offset % 8) return "symbols out of range";
    const Elf64_Shdr *names = &o->sections[s->sh_link];
    o->symbols = (const Elf64_Sym *)(const void *)(o->data + s->sh_offset);
    o->symbol_count = s->sh_size / sizeof *o->symbols;
    o->names = (const char *)o->data + names->sh_offset;
    o->names_size = names->sh_size;
    if (!o->names_size || o->names[o->names_size - 1]) return "names are not terminated";
    return NULL;
  }
  return "no symbols";
}

const char *softcuda_object_read(softcuda_object *o, const unsigned char *data, size_t size)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)data;
  *o = (softcuda_object){.data = data, .size = size};
  if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_type != ET_REL || header->e_machine != EM_X86_64)
    return "not a relocatable object";
  if (header->e_shoff % 8 || header->e_shentsize != sizeof(Elf64_Shdr) ||
      !inside(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr), size))
    return "sections out of range";
  o->sections = (const Elf64_Shdr *)(const void *)(data + header->e_shoff);
  o->section_count = header->e_shnum;
  for (size_t i = 0; i < o->section_count; i++)
    if (o->sections[i].sh_type != SHT_NOBITS &&
        !inside(o->sections[i].sh_offset, o->sections[i].sh_size, size))
      return "a section out of range";
  return read_symbols(o);
}

const char *softcuda_object_name(const softcuda_object *o, const Elf64_Sym *symbol)
{
  return symbol->st_name < o->names_size ? o->names + symbol->st_name : "";
}

const Elf64_Rela *
softcuda_object_relocations(const softcuda_object *o, size_t section, size_t *count)
{
  const Elf64_Shdr *s = &o->sections[section];
  *count = s->sh_offset % 8 ? 0 : s->sh_size / sizeof(Elf64_Rela);
  return (const Elf64_Rela *)(const void *)(o->data + s->sh_offset);
}

bool softcuda_object_function(const unsigned char *data, size_t size, const char *name)
{
  softcuda_object object;
  if (softcuda_object_read(&object, data, size)) return false;
  for (size_t i = 0; i < object.symbol_count; i++)
    if (object.symbols[i].st_shndx != SHN_UNDEF &&
        ELF64_ST_TYPE(object.symbols[i].st_info) == STT_FUNC &&
        strcmp(softcuda_object_name(&object, &object.symbols[i]), name) == 0)
      return true;
  return false;
}

/* ---- shared memory: functions have sections of their own, so references are between sections ----
 */

typedef struct search {
  const softcuda_object *object;
  bool *seen_sections, *seen_symbols;
  size_t total;
} search;

static void follow_section(search *s, size_t section);

static void follow_symbol(search *s, size_t number)
{
  if (number >= s->object->symbol_count || s->seen_symbols[number]) return;
  const Elf64_Sym *symbol = &s->object->symbols[number];
  s->seen_symbols[number] = true;
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= s->object->section_count) return;
  if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
    s->total = (s->total + 15) / 16 * 16 + symbol->st_size;
  else if (s->object->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR)
    follow_section(s, symbol->st_shndx);
}

static void follow_section(search *s, size_t section)
{
  if (s->seen_sections[section]) return;
  s->seen_sections[section] = true;
  for (size_t i = 0; i < s->object->section_count; i++) {
    const Elf64_Shdr *table = &s->object->sections[i];
    if (table->sh_type != SHT_RELA || table->sh_info != section) continue;
    size_t count;
    const Elf64_Rela *r = softcuda_object_relocations(s->object, i, &count);
    for (size_t k = 0; k < count; k++) /* a base for all storage is not a use of one variable */
      if (ELF64_R_TYPE(r[k].r_info) != R_X86_64_TLSLD) follow_symbol(s, ELF64_R_SYM(r[k].r_info));
  }
}

size_t softcuda_object_shared(const unsigned char *data, size_t size, const char *name)
{
  softcuda_object object;
  if (softcuda_object_read(&object, data, size)) return 0;
  search s = {.object = &object};
  s.seen_sections = calloc(object.section_count + 1, 1);
  s.seen_symbols = calloc(object.symbol_count + 1, 1);
  for (size_t i = 0; s.seen_sections && s.seen_symbols && i < object.symbol_count; i++)
    if (strcmp(softcuda_object_name(&object, &object.symbols[i]), name) == 0) follow_symbol(&s, i);
  free(s.seen_sections);
  free(s.seen_symbols);
  return s.total;
}
