/* Device memory: one reserved range of addresses, handed out page by page and never twice, closed
 * to the host, filled with a pattern where nothing was written. SPDX-License-Identifier: Apache-2.0
 */
#include "memory.h"
#include "device/cuda/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE     SOFTCUDA_PAGE
#define RESERVED SOFTCUDA_RESERVED
#define HUGE     (2ull << 20) /* permissions change by huge pages, which is much faster */
#define PAGES    (RESERVED / PAGE)
#define GUARD    256u /* bytes looked at on both sides of an allocation */

typedef struct pinned {
  unsigned char *memory;
  size_t size;
  struct pinned *next;
} pinned;

static struct {
  unsigned char *base;
  size_t top;       /* bytes handed out so far */
  uint32_t *owners; /* of each page: 1 + index of the allocation */
  softcuda_allocation *allocations;
  size_t count, capacity;
  size_t used[SOFTCUDA_DEVICES_MAX];
  int open;         /* depth of softcuda_memory_open */
  size_t protected; /* bytes from the base on that ... */
  int protection;   /* ... may be touched so; none at first, and none behind them */
  pinned *pinned;
} memory;

softcuda_pages softcuda_memory_pages;

static bool reserve(void)
{
  if (memory.base) return true;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  unsigned char *base = mmap(NULL, RESERVED + HUGE, PROT_NONE, flags, -1, 0);
  void *owners = mmap(NULL, PAGES * sizeof(uint32_t), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (base == MAP_FAILED || owners == MAP_FAILED) return false;
  memory.owners = owners;
  memory.base = base + (HUGE - (uintptr_t)base % HUGE) % HUGE;
  madvise(memory.base, RESERVED, MADV_HUGEPAGE);
  softcuda_memory_pages.base = (uintptr_t)memory.base;
  softcuda_memory_pages.owners = owners;
  return true;
}

static unsigned char *pointer(unsigned long long address)
{
  return memory.base + (address - (uintptr_t)memory.base);
}

static void poison(unsigned char *at, size_t bytes)
{
  const uint32_t word = SOFTCUDA_POISON;
  for (size_t i = 0; i < bytes; i += sizeof word)
    memcpy(at + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
}

/* ---- opening and closing ---- */

/* Only where something changes: the system takes long for it. */
static bool protect(int protection)
{
  size_t size = (memory.top + HUGE - 1) / HUGE * HUGE;
  if (size == memory.protected && protection == memory.protection) return true;
  if (mprotect(memory.base, size, protection) != 0) return false;
  memory.protected = size;
  memory.protection = protection;
  return true;
}

void softcuda_memory_open(void)
{
  if (memory.open++ == 0) protect(PROT_READ | PROT_WRITE);
}

void softcuda_memory_close(void)
{
  if (--memory.open == 0 && !softcuda_setting("SOFTCUDA_OPEN", 0)) protect(PROT_NONE);
}

/* ---- allocations ---- */

static bool grow(void)
{
  if (memory.count < memory.capacity) return true;
  size_t capacity = memory.capacity ? 2 * memory.capacity : 256;
  softcuda_allocation *grown = realloc(memory.allocations, capacity * sizeof *grown);
  if (!grown) return false;
  memory.allocations = softcuda_memory_pages.allocations = grown;
  memory.capacity = capacity;
  return true;
}

/* One page before and one behind stay without an owner. */
int softcuda_allocate(int device, size_t bytes, unsigned long long *address)
{
  size_t limit = softcuda_memory_limit();
  if (!reserve() || !grow()) return BASIN_CU_OUT_OF_MEMORY;
  if (bytes > limit || memory.used[device] > limit - bytes) return BASIN_CU_OUT_OF_MEMORY;
  size_t pages = (bytes + PAGE - 1) / PAGE;
  if ((pages + 2) * PAGE > RESERVED - memory.top) {
    softcuda_log("the range of addresses is used up");
    return BASIN_CU_OUT_OF_MEMORY;
  }
  size_t first = memory.top / PAGE + 1;
  memory.top += (pages + 2) * PAGE;
  unsigned char *at = memory.base + first * PAGE;
  if (!protect(PROT_READ | PROT_WRITE)) return BASIN_CU_OUT_OF_MEMORY;
  poison(at - GUARD, bytes + 2 * GUARD);
  if (!memory.open && !softcuda_setting("SOFTCUDA_OPEN", 0)) protect(PROT_NONE);
  memory.allocations[memory.count++] = (softcuda_allocation){(uintptr_t)at, bytes, device, true};
  for (size_t i = 0; i < pages; i++) memory.owners[first + i] = (uint32_t)memory.count;
  memory.used[device] += bytes;
  *address = (uintptr_t)at;
  return BASIN_CU_SUCCESS;
}

bool softcuda_is_device_address(unsigned long long address)
{
  return memory.base && address - (uintptr_t)memory.base < RESERVED;
}

static softcuda_allocation *owner(unsigned long long address)
{
  uint32_t number = memory.owners[(address - (uintptr_t)memory.base) / PAGE];
  return number ? &memory.allocations[number - 1] : NULL;
}

const softcuda_allocation *softcuda_find(unsigned long long address, size_t bytes, int device)
{
  if (!softcuda_is_device_address(address)) return NULL;
  const softcuda_allocation *a = owner(address);
  if (!a || !a->live || (device >= 0 && a->device != device)) return NULL;
  size_t offset = address - a->address;
  return offset <= a->size && bytes <= a->size - offset ? a : NULL;
}

const softcuda_allocation *softcuda_nearest(unsigned long long address)
{
  const softcuda_allocation *found = NULL;
  for (size_t i = 0; i < memory.count; i++)
    if (memory.allocations[i].address <= address) found = &memory.allocations[i];
  return found;
}

static bool intact(const unsigned char *at)
{
  unsigned char expected[GUARD];
  poison(expected, sizeof expected);
  return memcmp(at, expected, sizeof expected) == 0;
}

/* The bytes behind continue the pattern that starts at the allocation. */
static bool intact_behind(const softcuda_allocation *a)
{
  const uint32_t word = SOFTCUDA_POISON;
  unsigned char expected[GUARD + sizeof word];
  poison(expected, sizeof expected);
  return memcmp(pointer(a->address + a->size), expected + a->size % sizeof word, GUARD) == 0;
}

static int check_guard(const softcuda_allocation *a)
{
  const char *side = NULL;
  if (!intact(pointer(a->address) - GUARD))
    side = "before";
  else if (!intact_behind(a))
    side = "behind";
  if (!side) return BASIN_CU_SUCCESS;
  softcuda_log(
      "something was written %s the allocation of %llu bytes at 0x%llx", side, a->size, a->address);
  return BASIN_CU_ILLEGAL_ADDRESS;
}

int softcuda_check_guards(int device)
{
  int result = BASIN_CU_SUCCESS;
  softcuda_memory_open();
  for (size_t i = 0; i < memory.count && !result; i++)
    if (memory.allocations[i].live && memory.allocations[i].device == device)
      result = check_guard(&memory.allocations[i]);
  softcuda_memory_close();
  return result;
}

static void release(softcuda_allocation *a)
{
  size_t pages = (a->size + PAGE - 1) / PAGE;
  a->live = false;
  memory.used[a->device] -= a->size;
  if (a->size >= HUGE) madvise(pointer(a->address) - PAGE, (pages + 2) * PAGE, MADV_DONTNEED);
}

int softcuda_free(int device, unsigned long long address)
{
  if (!softcuda_is_device_address(address)) return BASIN_CU_INVALID_VALUE;
  softcuda_allocation *a = owner(address);
  if (!a || !a->live || a->address != address || a->device != device) return BASIN_CU_INVALID_VALUE;
  release(a);
  return BASIN_CU_SUCCESS;
}

void softcuda_free_all(int device)
{
  for (size_t i = 0; i < memory.count; i++)
    if (memory.allocations[i].live && memory.allocations[i].device == device)
      release(&memory.allocations[i]);
}

size_t softcuda_memory_used(int device)
{
  return memory.used[device];
}

size_t softcuda_memory_limit(void)
{
  return (size_t)softcuda_setting("SOFTCUDA_MEMORY", 8ll << 30);
}

/* ---- host memory that devices may touch ---- */

int softcuda_host_allocate(size_t bytes, void **result)
{
  pinned *p = calloc(1, sizeof *p);
  unsigned char *at = calloc(1, bytes ? bytes : 1);
  if (!p || !at) {
    free(p);
    free(at);
    return BASIN_CU_OUT_OF_MEMORY;
  }
  *p = (pinned){at, bytes, memory.pinned};
  memory.pinned = p;
  *result = at;
  return BASIN_CU_SUCCESS;
}

int softcuda_host_free(void *at)
{
  for (pinned **link = &memory.pinned; *link; link = &(*link)->next)
    if ((*link)->memory == at) {
      pinned *p = *link;
      *link = p->next;
      free(p->memory);
      free(p);
      return BASIN_CU_SUCCESS;
    }
  return BASIN_CU_INVALID_VALUE;
}

bool softcuda_is_pinned(const void *at, size_t bytes)
{
  for (const pinned *p = memory.pinned; p; p = p->next) {
    size_t offset = (size_t)((uintptr_t)at - (uintptr_t)p->memory);
    if (offset <= p->size && bytes <= p->size - offset) return true;
  }
  return false;
}
