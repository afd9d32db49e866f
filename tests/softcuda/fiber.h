/* Stacks that take turns on one thread of the system (x86-64).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_FIBER_H
#define BASIN_SOFTCUDA_FIBER_H

#include "softcuda.h"

typedef struct softcuda_fiber softcuda_fiber;

/* A fiber at rest that will call `body` when entered, over and over: each return of the body ends
 * one turn. NULL: out of memory. Fibers are kept for reuse. */
softcuda_fiber *softcuda_fiber_take(void (*body)(void));
void softcuda_fiber_give(softcuda_fiber *fiber);
/* Runs a fiber, and those that it hands over to, until one pauses or its body returns: that one
 * then, else NULL. */
softcuda_fiber *softcuda_fiber_enter(softcuda_fiber *fiber);
/* The running fiber rests, and another one goes on; NULL: back to who entered. */
void softcuda_fiber_pause(softcuda_fiber *next);
/* The same, never to be entered again: its stack starts afresh. */
_Noreturn void softcuda_fiber_abandon(void);
/* NULL outside. */
softcuda_fiber *softcuda_fiber_running(void);
/* The stack of the running fiber, or of the last one that ran. */
extern softcuda_range softcuda_fiber_stack;
/* Whether an address is in the closed page below the stack. */
bool softcuda_fiber_overflows(const softcuda_fiber *fiber, uintptr_t address);
/* Where a function can start on this stack if what is on it is not needed any more. */
uintptr_t softcuda_fiber_restart(const softcuda_fiber *fiber);

#endif
