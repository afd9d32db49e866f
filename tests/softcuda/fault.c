/* Signals that a kernel raises become errors of its launch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"
#include "block.h"
#include "device/cuda/driver.h"
#include "memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNALS = 5, HANDLER_STACK = 64 << 10 };
static const int numbers[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

static struct {
  struct sigaction before[SIGNALS];
  stack_t stack_before;
  void *stack;
  int number;
  uintptr_t address, code; /* what was touched, and by which instruction */
} fault;

/* Runs on the fiber's stack, which holds nothing of use any more. */
_Noreturn static void landed(void)
{
  const softcuda_fiber *fiber = softcuda_fiber_running();
  unsigned long long address = fault.address;
  softcuda_set_stop_place((const void *)fault.code);
  if (fault.number == SIGFPE)
    softcuda_stop(BASIN_CU_LAUNCH_FAILED, "an integer division by zero or its like");
  if (fault.number == SIGILL)
    softcuda_stop(BASIN_CU_LAUNCH_FAILED, "an instruction that the compiler put for 'unreachable'");
  if (fault.number == SIGALRM)
    softcuda_stop(BASIN_CU_LAUNCH_TIMEOUT, "it does not end within SOFTCUDA_TIMEOUT seconds");
  if (softcuda_fiber_overflows(fiber, fault.address))
    softcuda_stop(BASIN_CU_LAUNCH_FAILED, "the stack overflows; SOFTCUDA_STACK makes it larger");
  softcuda_stop(BASIN_CU_ILLEGAL_ADDRESS, "access to 0x%llx, where nothing is", address);
}

static void handle(int number, siginfo_t *info, void *user)
{
  const softcuda_fiber *fiber = softcuda_fiber_running();
  ucontext_t *context = user;
  if (!fiber && number == SIGALRM) { /* between two threads */
    alarm(1);
    return;
  }
  if (!fiber) { /* not ours: let it happen again without us */
    for (int i = 0; i < SIGNALS; i++)
      if (numbers[i] == number) sigaction(number, &fault.before[i], NULL);
    return;
  }
  void (*target)(void) = landed;
  fault.number = number;
  fault.address = (uintptr_t)info->si_addr;
  fault.code = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  memcpy(&context->uc_mcontext.gregs[REG_RIP], &target, sizeof target);
  context->uc_mcontext.gregs[REG_RSP] = (greg_t)softcuda_fiber_restart(fiber);
}

void softcuda_faults_catch(void)
{
  if (!fault.stack) fault.stack = malloc(HANDLER_STACK);
  stack_t stack = {.ss_sp = fault.stack, .ss_size = HANDLER_STACK};
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaltstack(&stack, &fault.stack_before);
  for (int i = 0; i < SIGNALS; i++) sigaction(numbers[i], &action, &fault.before[i]);
  alarm((unsigned)softcuda_setting("SOFTCUDA_TIMEOUT", 0));
}

void softcuda_faults_release(void)
{
  alarm(0);
  for (int i = 0; i < SIGNALS; i++) sigaction(numbers[i], &fault.before[i], NULL);
  sigaltstack(&fault.stack_before, NULL);
}
