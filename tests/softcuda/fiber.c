/* Stacks that take turns: the switch itself and a pool of stacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fiber.h"

#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif
#ifdef THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#ifdef ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum { PAGE = 4096 };

struct softcuda_fiber {
  void *saved; /* stack pointer while it is not running */
  unsigned char *stack;
  size_t size, top; /* the stack begins at `top`: not at the same line of a page as others */
  void (*body)(void);
  bool returned;
  softcuda_fiber *next;
#ifdef THREAD_SANITIZER
  void *notes; /* the sanitizer's */
#endif
};

/* Of the thread that executes; a lock is held meanwhile. */
static struct {
  softcuda_fiber *running, *spare;
  void *outside; /* stack pointer of who entered */
  size_t created;
#ifdef THREAD_SANITIZER
  void *notes;
#endif
#ifdef ADDRESS_SANITIZER
  void *fake; /* the sanitizer's own notes about that stack */
  const void *bottom;
  size_t size;
  bool entered; /* from outside, not from another fiber */
#endif
} fibers;

softcuda_range softcuda_fiber_stack;

/* Saves what the System V ABI (AMD64, 3.2.1) lets a callee keep, and changes stacks. */
void softcuda_switch(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden softcuda_switch\n"
        ".globl softcuda_switch\n"
        ".type softcuda_switch, @function\n"
        "softcuda_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size softcuda_switch, . - softcuda_switch\n");

static void arrived_inside(void)
{
#ifdef ADDRESS_SANITIZER
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
  if (fibers.entered) {
    fibers.bottom = bottom;
    fibers.size = size;
  }
  fibers.entered = false;
#endif
}

static void leave(softcuda_fiber *fiber)
{
#ifdef THREAD_SANITIZER
  __tsan_switch_to_fiber(fibers.notes, 0);
#endif
#ifdef ADDRESS_SANITIZER
  void *fake = NULL;
  __sanitizer_start_switch_fiber(&fake, fibers.bottom, fibers.size);
#endif
  softcuda_switch(&fiber->saved, fibers.outside);
  arrived_inside();
}

static void run_body(void)
{
  arrived_inside();
  for (;;) {
    softcuda_fiber *fiber = fibers.running;
    fiber->body();
    fiber->returned = true;
    leave(fiber);
  }
}

uintptr_t softcuda_fiber_restart(const softcuda_fiber *fiber)
{
#ifdef ADDRESS_SANITIZER
  __asan_unpoison_memory_region(fiber->stack, fiber->size);
#endif
  return (uintptr_t)(fiber->stack + fiber->top - sizeof(void *));
}

/* As if softcuda_switch had been called by run_body's caller: six registers and a return address.
 */
static void prepare(softcuda_fiber *fiber)
{
  void **top = (void **)(void *)(fiber->stack + fiber->top);
  void (*entry)(void) = run_body;
#ifdef ADDRESS_SANITIZER
  __asan_unpoison_memory_region(fiber->stack, fiber->size);
#endif
  *--top = NULL;
  *--top = *(void **)(void *)&entry;
  for (int i = 0; i < 6; i++) *--top = NULL;
  fiber->saved = top;
  fiber->returned = false;
}

static softcuda_fiber *create(void)
{
  softcuda_fiber *fiber = calloc(1, sizeof *fiber);
  if (!fiber) return NULL;
  fiber->size = (size_t)softcuda_setting("SOFTCUDA_STACK", 512 << 10) / PAGE * PAGE;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  unsigned char *at = mmap(NULL, fiber->size + PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (at == MAP_FAILED || mprotect(at, PAGE, PROT_NONE) != 0) {
    free(fiber);
    return NULL;
  }
  fiber->stack = at + PAGE;
  fiber->top = fiber->size - fibers.created++ % 32 * 128;
#ifdef THREAD_SANITIZER
  fiber->notes = __tsan_create_fiber(0);
#endif
  prepare(fiber);
  return fiber;
}

softcuda_fiber *softcuda_fiber_take(void (*body)(void))
{
  softcuda_fiber *fiber = fibers.spare;
  if (fiber)
    fibers.spare = fiber->next;
  else
    fiber = create();
  if (fiber) fiber->body = body;
  return fiber;
}

/* One that was left in mid-body starts afresh. */
void softcuda_fiber_give(softcuda_fiber *fiber)
{
  if (!fiber->returned) prepare(fiber);
  fiber->next = fibers.spare;
  fibers.spare = fiber;
}

static void select_fiber(softcuda_fiber *fiber)
{
  fiber->returned = false;
  fibers.running = fiber;
  softcuda_fiber_stack = (softcuda_range){(uintptr_t)fiber->stack, fiber->size};
}

softcuda_fiber *softcuda_fiber_enter(softcuda_fiber *fiber)
{
  select_fiber(fiber);
#ifdef THREAD_SANITIZER
  fibers.notes = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber->notes, 0);
#endif
#ifdef ADDRESS_SANITIZER
  fibers.entered = true;
  __sanitizer_start_switch_fiber(&fibers.fake, fiber->stack, fiber->size);
#endif
  softcuda_switch(&fibers.outside, fiber->saved);
#ifdef ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fibers.fake, NULL, NULL);
#endif
  softcuda_fiber *last = fibers.running;
  fibers.running = NULL;
  return last->returned ? last : NULL;
}

void softcuda_fiber_pause(softcuda_fiber *next)
{
  softcuda_fiber *fiber = fibers.running;
  if (!next) {
    leave(fiber);
    return;
  }
  select_fiber(next);
#ifdef THREAD_SANITIZER
  __tsan_switch_to_fiber(next->notes, 0);
#endif
#ifdef ADDRESS_SANITIZER
  void *fake = NULL;
  __sanitizer_start_switch_fiber(&fake, next->stack, next->size);
#endif
  softcuda_switch(&fiber->saved, next->saved);
  arrived_inside();
}

_Noreturn void softcuda_fiber_abandon(void)
{
  for (;;) leave(fibers.running);
}

softcuda_fiber *softcuda_fiber_running(void)
{
  return fibers.running;
}

bool softcuda_fiber_overflows(const softcuda_fiber *fiber, uintptr_t address)
{
  return address - (uintptr_t)(fiber->stack - PAGE) < PAGE;
}
