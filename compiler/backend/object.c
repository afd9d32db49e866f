/* Loads relocatable x86-64 ELF objects: sections are laid out in one mapping, calls that leave it
 * go through stubs. Formats: System V ABI, AMD64 supplement, sections 4.4 (relocations) and the
 * generic ELF specification. SPDX-License-Identifier: Apache-2.0 */
#include "backend/object.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STUB_SIZE 16u /* jmp *2(%rip), two bytes of padding, the address */

struct basin_object {
  basin_context *context;
  unsigned char *image; /* code, constants and stubs: read and execute once linked */
  size_t size, mapped;
  char *entry_name; /* the one global function */
  size_t entry;
};

/* The file while it is being loaded. */
typedef struct loader {
  basin_context *context;
  const unsigned char *data;
  size_t size;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  size_t *offsets; /* of each section in the image; SIZE_MAX = not loaded */
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *names;
  size_t names_size;
  unsigned char *image;
  size_t image_size, stubs, stub_count, stub_limit;
} loader;

static basin_status malformed(const loader *l, const char *what)
{
  return BASIN_FAIL(l->context, BASIN_ERROR_FORMAT, "compiled kernel: %s", what);
}

static bool inside(size_t offset, size_t length, size_t size)
{
  return offset <= size && length <= size - offset;
}

static basin_status read_header(loader *l)
{
  l->header = (const Elf64_Ehdr *)(const void *)l->data;
  if (l->size < sizeof *l->header || memcmp(l->header->e_ident, ELFMAG, SELFMAG) != 0)
    return malformed(l, "not an ELF file");
  if (l->header->e_ident[EI_CLASS] != ELFCLASS64 || l->header->e_machine != EM_X86_64 ||
      l->header->e_type != ET_REL)
    return malformed(l, "not a relocatable x86-64 object");
  if (l->header->e_shentsize != sizeof(Elf64_Shdr) || l->header->e_shoff % 8 != 0 ||
      !inside(l->header->e_shoff, (size_t)l->header->e_shnum * sizeof(Elf64_Shdr), l->size))
    return malformed(l, "section table out of range");
  l->sections = (const Elf64_Shdr *)(const void *)(l->data + l->header->e_shoff);
  for (size_t i = 0; i < l->header->e_shnum; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
        !inside(s->sh_offset, s->sh_size, l->size))
      return malformed(l, "section out of range");
    if (s->sh_flags & SHF_ALLOC && s->sh_flags & (SHF_WRITE | SHF_TLS))
      return malformed(l, "writable data in a kernel");
  }
  return BASIN_OK;
}

static basin_status read_symbols(loader *l)
{
  for (size_t i = 0; i < l->header->e_shnum; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    if (s->sh_type != SHT_SYMTAB) continue;
    if (s->sh_link >= l->header->e_shnum || s->sh_offset % 8 != 0)
      return malformed(l, "symbol table out of range");
    const Elf64_Shdr *names = &l->sections[s->sh_link];
    l->symbols = (const Elf64_Sym *)(const void *)(l->data + s->sh_offset);
    l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
    l->names = (const char *)l->data + names->sh_offset;
    l->names_size = names->sh_size;
    if (names->sh_type != SHT_STRTAB || !l->names_size || l->names[l->names_size - 1])
      return malformed(l, "symbol names are not terminated");
    return BASIN_OK;
  }
  return malformed(l, "no symbol table");
}

/* Gives each loaded section its place; constants and code share one mapping of pages. */
static basin_status lay_out(loader *l)
{
  size_t at = 0;
  for (size_t i = 0; i < l->header->e_shnum; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    l->offsets[i] = SIZE_MAX;
    if (!(s->sh_flags & SHF_ALLOC) || s->sh_type != SHT_PROGBITS) continue;
    size_t align = s->sh_addralign ? (size_t)s->sh_addralign : 1;
    if (align > 4096 || (align & (align - 1))) return malformed(l, "alignment out of range");
    at = (at + align - 1) & ~(align - 1);
    l->offsets[i] = at;
    at += s->sh_size;
  }
  l->stubs = (at + STUB_SIZE - 1) & ~(size_t)(STUB_SIZE - 1);
  for (size_t i = 0; i < l->symbol_count; i++) l->stub_limit += l->symbols[i].st_shndx == SHN_UNDEF;
  l->image_size = l->stubs + l->stub_limit * STUB_SIZE;
  if (!at || l->image_size > (size_t)1 << 30) return malformed(l, "no code, or too much");
  return BASIN_OK;
}

static const char *symbol_name(const loader *l, const Elf64_Sym *symbol)
{
  return symbol->st_name < l->names_size ? l->names + symbol->st_name : "";
}

/* Offset in the image of a stub that jumps to the function `name`; stubs of one name are not
 * shared. */
static basin_status
make_stub(loader *l, const char *name, basin_resolve_function resolve, void *user, size_t *offset)
{
  basin_code function = resolve(user, name);
  if (!function)
    return BASIN_FAIL(
        l->context, BASIN_ERROR_NAME, "compiled kernel calls unknown function '%s'", name);
  static const unsigned char jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x0f, 0x0b};
  *offset = l->stubs + STUB_SIZE * l->stub_count++;
  memcpy(l->image + *offset, jump, sizeof jump);
  memcpy(l->image + *offset + sizeof jump, &function, sizeof function);
  return BASIN_OK;
}

/* The place of a symbol in the image. `stubs` remembers those of functions outside. */
static basin_status locate(loader *l,
                           size_t number,
                           size_t *stubs,
                           basin_resolve_function resolve,
                           void *user,
                           size_t *offset)
{
  if (number >= l->symbol_count) return malformed(l, "symbol out of range");
  const Elf64_Sym *symbol = &l->symbols[number];
  if (symbol->st_shndx == SHN_UNDEF) {
    if (stubs[number] == SIZE_MAX)
      BASIN_TRY(make_stub(l, symbol_name(l, symbol), resolve, user, &stubs[number]));
    *offset = stubs[number];
    return BASIN_OK;
  }
  if (symbol->st_shndx >= l->header->e_shnum || l->offsets[symbol->st_shndx] == SIZE_MAX ||
      symbol->st_value > l->sections[symbol->st_shndx].sh_size)
    return malformed(l, "symbol in a section that is not loaded");
  *offset = l->offsets[symbol->st_shndx] + symbol->st_value;
  return BASIN_OK;
}

static basin_status apply(loader *l, size_t place, size_t room, const Elf64_Rela *r, size_t target)
{
  uint32_t type = ELF64_R_TYPE(r->r_info);
  uint64_t value = (uint64_t)(uintptr_t)(l->image + target) + (uint64_t)r->r_addend;
  if (type == R_X86_64_64 && room >= 8) {
    memcpy(l->image + place, &value, 8);
    return BASIN_OK;
  }
  if ((type == R_X86_64_PC32 || type == R_X86_64_PLT32) && room >= 4) {
    int64_t distance = (int64_t)target + r->r_addend - (int64_t)place;
    int32_t narrow = (int32_t)distance;
    if (narrow != distance) return malformed(l, "distance out of range");
    memcpy(l->image + place, &narrow, 4);
    return BASIN_OK;
  }
  return BASIN_FAIL(l->context, BASIN_ERROR_FORMAT, "compiled kernel: relocation of type %u", type);
}

static basin_status relocate_section(
    loader *l, const Elf64_Shdr *table, size_t *stubs, basin_resolve_function resolve, void *user)
{
  if (table->sh_info >= l->header->e_shnum || table->sh_offset % 8 != 0)
    return malformed(l, "relocations out of range");
  if (l->offsets[table->sh_info] == SIZE_MAX) return BASIN_OK;
  const Elf64_Shdr *section = &l->sections[table->sh_info];
  const Elf64_Rela *entries = (const Elf64_Rela *)(const void *)(l->data + table->sh_offset);
  for (size_t i = 0; i < table->sh_size / sizeof *entries; i++) {
    size_t target = 0;
    if (entries[i].r_offset >= section->sh_size) return malformed(l, "relocation out of range");
    BASIN_TRY(locate(l, ELF64_R_SYM(entries[i].r_info), stubs, resolve, user, &target));
    BASIN_TRY(apply(l,
                    l->offsets[table->sh_info] + entries[i].r_offset,
                    section->sh_size - entries[i].r_offset,
                    &entries[i],
                    target));
  }
  return BASIN_OK;
}

static basin_status relocate(loader *l, basin_resolve_function resolve, void *user)
{
  size_t *stubs = basin__alloc(l->context, (l->symbol_count + 1) * sizeof *stubs);
  if (!stubs) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < l->symbol_count; i++) stubs[i] = SIZE_MAX;
  basin_status status = BASIN_OK;
  for (size_t i = 0; i < l->header->e_shnum && status == BASIN_OK; i++) {
    if (l->sections[i].sh_type == SHT_RELA)
      status = relocate_section(l, &l->sections[i], stubs, resolve, user);
    else if (l->sections[i].sh_type == SHT_REL)
      status = malformed(l, "relocations without addends");
  }
  basin__free(l->context, stubs, (l->symbol_count + 1) * sizeof *stubs);
  return status;
}

/* Remembers the first global function: a kernel has one. */
static basin_status keep_entry(const loader *l, basin_object *object)
{
  for (size_t i = 0; i < l->symbol_count; i++) {
    const Elf64_Sym *s = &l->symbols[i];
    if (ELF64_ST_BIND(s->st_info) != STB_GLOBAL || ELF64_ST_TYPE(s->st_info) != STT_FUNC ||
        s->st_shndx >= l->header->e_shnum || l->offsets[s->st_shndx] == SIZE_MAX ||
        s->st_value >= l->sections[s->st_shndx].sh_size)
      continue;
    object->entry = l->offsets[s->st_shndx] + s->st_value;
    object->entry_name = basin__strdup(l->context, symbol_name(l, s));
    return object->entry_name ? BASIN_OK : BASIN_ERROR_MEMORY;
  }
  return malformed(l, "no function");
}

static basin_status
link_image(loader *l, basin_resolve_function resolve, void *user, basin_object *object)
{
  BASIN_TRY(lay_out(l));
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t mapped = (l->image_size + page - 1) / page * page;
  void *image = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED)
    return BASIN_FAIL(
        l->context, BASIN_ERROR_MEMORY, "no memory for a kernel of %zu bytes", mapped);
  object->image = l->image = image;
  object->mapped = mapped;
  object->size = l->image_size;
  for (size_t i = 0; i < l->header->e_shnum; i++)
    if (l->offsets[i] != SIZE_MAX)
      memcpy(l->image + l->offsets[i], l->data + l->sections[i].sh_offset, l->sections[i].sh_size);
  BASIN_TRY(relocate(l, resolve, user));
  BASIN_TRY(keep_entry(l, object));
  if (mprotect(image, mapped, PROT_READ | PROT_EXEC) != 0)
    return BASIN_FAIL(l->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "the system does not allow executing compiled kernels");
  return BASIN_OK;
}

basin_status basin__object_load(basin_context *context,
                                const void *data,
                                size_t size,
                                basin_resolve_function resolve,
                                void *user,
                                basin_object **object)
{
  loader l = {.context = context, .data = data, .size = size};
  *object = NULL;
  BASIN_TRY(read_header(&l));
  BASIN_TRY(read_symbols(&l));
  size_t table = ((size_t)l.header->e_shnum + 1) * sizeof *l.offsets;
  l.offsets = basin__alloc(context, table);
  basin_object *result = basin__calloc(context, 1, sizeof *result);
  basin_status status = BASIN_ERROR_MEMORY;
  if (result) result->context = context;
  if (l.offsets && result) status = link_image(&l, resolve, user, result);
  if (l.offsets) basin__free(context, l.offsets, table);
  if (status != BASIN_OK) {
    basin__object_unload(result);
    return status;
  }
  *object = result;
  return BASIN_OK;
}

basin_code basin__object_function(const basin_object *object, const char *name)
{
  if (strcmp(object->entry_name, name) != 0) return NULL;
  /* POSIX keeps object and function pointers of one size; C has no conversion between them. */
  const unsigned char *address = object->image + object->entry;
  basin_code function = NULL;
  memcpy(&function, &address, sizeof function);
  return function;
}

size_t basin__object_size(const basin_object *object)
{
  return object->size;
}

void basin__object_unload(basin_object *object)
{
  if (!object) return;
  if (object->image) munmap(object->image, object->mapped);
  if (object->entry_name) basin__strfree(object->context, object->entry_name);
  basin__free(object->context, object, sizeof *object);
}
