/* Links relocatable x86-64 objects in memory. A block's shared memory is the object's thread-local
 * storage, at one place: calls that would look for it become plain addresses. Formats: System V
 * ABI, AMD64 supplement, 4.4 (relocations); Drepper, "ELF Handling For Thread-Local Storage", 4.1.6
 * and 5.5 (the instruction sequences). SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STUB = 16, SLOT = 8, PAGE = 4096 };

typedef struct linker {
  softcuda_object object;
  softcuda_linked *out;
  size_t *offsets;       /* of sections in the mapping; SIZE_MAX: left out */
  size_t *stubs, *slots; /* of symbols; 0: none yet */
  size_t code_end, data, data_end, shared, shared_end;
  size_t stub_top, slot_top;
} linker;

static bool fail(linker *l, const char *why)
{
  if (!l->out->error) l->out->error = why;
  return false;
}

/* ---- layout ---- */

typedef enum part { LEFT_OUT, CODE, DATA, SHARED } part;

static part part_of(const Elf64_Shdr *s)
{
  if (!(s->sh_flags & SHF_ALLOC)) return LEFT_OUT;
  if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS) return LEFT_OUT;
  if (s->sh_flags & SHF_TLS) return SHARED;
  return s->sh_flags & SHF_EXECINSTR ? CODE : DATA;
}

static size_t aligned(size_t at, size_t alignment)
{
  return alignment > 1 ? (at + alignment - 1) / alignment * alignment : at;
}

static size_t place(linker *l, part which, size_t at)
{
  for (size_t i = 0; i < l->object.section_count; i++) {
    const Elf64_Shdr *s = &l->object.sections[i];
    if (part_of(s) != which) continue;
    at = aligned(at, s->sh_addralign);
    l->offsets[i] = at;
    at += s->sh_size;
  }
  return at;
}

static bool lay_out(linker *l)
{
  for (size_t i = 0; i < l->object.section_count; i++) l->offsets[i] = SIZE_MAX;
  l->stub_top = aligned(place(l, CODE, 0), STUB);
  l->code_end = aligned(l->stub_top + l->object.symbol_count * STUB, PAGE);
  l->data = l->code_end;
  l->slot_top = aligned(place(l, DATA, l->data), SLOT);
  l->data_end = l->slot_top + (l->object.symbol_count + 1) * SLOT;
  l->shared = aligned(l->data_end, PAGE);
  l->shared_end = place(l, SHARED, l->shared);
  softcuda_linked *out = l->out;
  out->size = aligned(l->shared_end + 1, PAGE);
  void *at = mmap(NULL, out->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return fail(l, "no memory");
  out->mapping = at;
  out->code = (softcuda_range){(uintptr_t)at, l->code_end};
  out->data = (softcuda_range){(uintptr_t)at + l->data, l->data_end - l->data};
  out->shared = (softcuda_range){(uintptr_t)at + l->shared, l->shared_end - l->shared};
  for (size_t i = 0; i < l->object.section_count; i++) {
    const Elf64_Shdr *s = &l->object.sections[i];
    if (l->offsets[i] != SIZE_MAX && s->sh_type != SHT_NOBITS)
      memcpy(out->mapping + l->offsets[i], l->object.data + s->sh_offset, s->sh_size);
  }
  out->dynamic = (void **)(void *)(out->mapping + l->slot_top); /* the first slot */
  l->slot_top += SLOT;
  return true;
}

/* ---- symbols ---- */

static bool defined(const Elf64_Sym *symbol)
{
  return symbol->st_shndx != SHN_UNDEF;
}

/* Address of a symbol: in the image, or of the executor's services. */
static bool address_of(linker *l, size_t number, uintptr_t *address)
{
  const Elf64_Sym *symbol = &l->object.symbols[number];
  if (defined(symbol)) {
    if (symbol->st_shndx >= l->object.section_count || l->offsets[symbol->st_shndx] == SIZE_MAX)
      return fail(l, "a symbol of a section that is not loaded");
    *address =
        (uintptr_t)l->out->mapping + l->offsets[symbol->st_shndx] + (uintptr_t)symbol->st_value;
    return true;
  }
  const char *name = softcuda_object_name(&l->object, symbol);
  *address = (uintptr_t)softcuda_symbol(name);
  if (*address || ELF64_ST_BIND(symbol->st_info) == STB_WEAK) return true;
  static char text[200];
  snprintf(text, sizeof text, "undefined symbol '%s'", name);
  return fail(l, text);
}

/* A jump to a function that may be far away. */
static bool stub_of(linker *l, size_t number, uintptr_t *address)
{
  if (!l->stubs[number]) {
    static const unsigned char jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b};
    uintptr_t target;
    if (!address_of(l, number, &target)) return false;
    memcpy(l->out->mapping + l->stub_top, jump, sizeof jump);
    memcpy(l->out->mapping + l->stub_top + sizeof jump, &target, sizeof target);
    l->stubs[number] = l->stub_top;
    l->stub_top += STUB;
  }
  *address = (uintptr_t)l->out->mapping + l->stubs[number];
  return true;
}

static bool slot_of(linker *l, size_t number, uintptr_t *address)
{
  if (!l->slots[number]) {
    uintptr_t target;
    if (!address_of(l, number, &target)) return false;
    memcpy(l->out->mapping + l->slot_top, &target, sizeof target);
    l->slots[number] = l->slot_top;
    l->slot_top += SLOT;
  }
  *address = (uintptr_t)l->out->mapping + l->slots[number];
  return true;
}

/* ---- relocations ---- */

static bool put_distance(linker *l, unsigned char *at, uintptr_t target, int64_t addend)
{
  int64_t distance = (int64_t)(target - (uintptr_t)at) + addend;
  int32_t narrow = (int32_t)distance;
  if (narrow != distance) return fail(l, "a distance out of range");
  memcpy(at, &narrow, sizeof narrow);
  return true;
}

/* The call that asks for the storage of one variable (16 bytes) or of the object (12 bytes) becomes
 * an instruction that loads its address, and one that does nothing. */
static bool relax(linker *l, unsigned char *at, size_t number, bool general)
{
  static const unsigned char nop9[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
  static const unsigned char nop5[] = {0x0f, 0x1f, 0x44, 0, 0};
  unsigned char *start = general ? at - 4 : at - 3;
  const Elf64_Sym *symbol = &l->object.symbols[number];
  uintptr_t target = l->out->shared.start;
  bool load = false;
  if (general && !defined(symbol)) {
    target = (uintptr_t)l->out->dynamic;
    load = true;
  } else if (general && !address_of(l, number, &target)) {
    return false;
  }
  start[0] = 0x48; /* mov or lea distance(%rip), %rax */
  start[1] = load ? 0x8b : 0x8d;
  start[2] = 0x05;
  if (!put_distance(l, start + 3, target, -4)) return false;
  memcpy(start + 7, general ? nop9 : nop5, general ? sizeof nop9 : sizeof nop5);
  return true;
}

static bool apply(linker *l, unsigned char *at, const Elf64_Rela *r)
{
  size_t number = ELF64_R_SYM(r->r_info);
  uintptr_t target;
  if (number >= l->object.symbol_count) return fail(l, "a symbol out of range");
  switch (ELF64_R_TYPE(r->r_info)) {
  case R_X86_64_64:
    if (!address_of(l, number, &target)) return false;
    target += (uintptr_t)r->r_addend;
    memcpy(at, &target, sizeof target);
    return true;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (defined(&l->object.symbols[number]) ? !address_of(l, number, &target)
                                            : !stub_of(l, number, &target))
      return false;
    return put_distance(l, at, target, r->r_addend);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return slot_of(l, number, &target) && put_distance(l, at, target, r->r_addend);
  case R_X86_64_TLSGD:
    return relax(l, at, number, true);
  case R_X86_64_TLSLD:
    return relax(l, at, number, false);
  case R_X86_64_DTPOFF32: {
    if (!address_of(l, number, &target)) return false;
    int32_t offset = (int32_t)((int64_t)(target - l->out->shared.start) + r->r_addend);
    memcpy(at, &offset, sizeof offset);
    return true;
  }
  default:
    return fail(l, "a relocation of a kind that is not known");
  }
}

/* Calls of __tls_get_addr are written over together with the instruction before them. */
static bool is_storage_call(const linker *l, const Elf64_Rela *r)
{
  size_t number = ELF64_R_SYM(r->r_info);
  return ELF64_R_TYPE(r->r_info) == R_X86_64_PLT32 && number < l->object.symbol_count &&
         strcmp(softcuda_object_name(&l->object, &l->object.symbols[number]), "__tls_get_addr") ==
             0;
}

static bool relocate(linker *l)
{
  for (size_t i = 0; i < l->object.section_count; i++) {
    const Elf64_Shdr *s = &l->object.sections[i];
    if (s->sh_type != SHT_RELA || s->sh_info >= l->object.section_count ||
        l->offsets[s->sh_info] == SIZE_MAX)
      continue;
    size_t count;
    const Elf64_Rela *table = softcuda_object_relocations(&l->object, i, &count);
    unsigned char *base = l->out->mapping + l->offsets[s->sh_info];
    for (size_t r = 0; r < count; r++) {
      if (table[r].r_offset >= l->object.sections[s->sh_info].sh_size)
        return fail(l, "a relocation out of range");
      if (is_storage_call(l, &table[r])) continue;
      if (!apply(l, base + table[r].r_offset, &table[r])) return false;
    }
  }
  return true;
}

static bool find_entries(linker *l)
{
  for (size_t i = 0; i < l->object.symbol_count; i++) {
    const char *name = softcuda_object_name(&l->object, &l->object.symbols[i]);
    if (strcmp(name, "softcuda_entries") != 0) continue;
    uintptr_t address;
    if (!address_of(l, i, &address)) return false;
    l->out->entries = (const softcuda_entry *)address;
    return true;
  }
  return fail(l, "no table of entries");
}

bool softcuda_link(const unsigned char *data, size_t size, softcuda_linked *linked)
{
  linker l = {.out = linked};
  *linked = (softcuda_linked){0};
  linked->error = softcuda_object_read(&l.object, data, size);
  if (linked->error) return false;
  l.offsets = calloc(l.object.section_count, sizeof *l.offsets);
  l.stubs = calloc(l.object.symbol_count, sizeof *l.stubs);
  l.slots = calloc(l.object.symbol_count, sizeof *l.slots);
  bool done = l.offsets && l.stubs && l.slots ? lay_out(&l) && relocate(&l) && find_entries(&l)
                                              : fail(&l, "no memory");
  linked->offsets = l.offsets;
  free(l.stubs);
  free(l.slots);
  if (done) {
    mprotect(linked->mapping, l.code_end, PROT_READ | PROT_EXEC);
  } else {
    const char *error = linked->error;
    softcuda_unlink(linked);
    linked->error = error;
  }
  return done;
}

void softcuda_unlink(softcuda_linked *linked)
{
  if (linked->mapping) munmap(linked->mapping, linked->size);
  free(linked->offsets);
  *linked = (softcuda_linked){0};
}
