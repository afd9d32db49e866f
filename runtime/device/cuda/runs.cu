/* Runs of equal neighbours in sorted keys. SPDX-License-Identifier: Apache-2.0 */
#include "blocks.cuh"

typedef unsigned long long key;

/* 1 where a run begins. */
extern "C" __global__ void run_begins(const key *keys, size count, word *begins)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) begins[i] = i == 0 || keys[i] != keys[i - 1];
}

/* `before`: the exclusive sum of `begins`, count + 1 words. */
extern "C" __global__ void
run_heads(const word *before, size count, word *heads, word *numbers, word *runs)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    word number = before[i + 1] - 1;
    if (before[i] == number) heads[number] = (word)i;
    if (numbers) numbers[i] = number;
  }
  if (i == 0) {
    heads[before[count]] = (word)count;
    *runs = before[count];
  }
}
