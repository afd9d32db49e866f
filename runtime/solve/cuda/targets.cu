/* The targets' values as one node-major vector, and back; unknowns that no energy sees. A thread an
 * entry.
 * SPDX-License-Identifier: Apache-2.0 */
typedef unsigned word;
typedef unsigned long long size;

typedef struct target_task {
  size count, present; /* instances that the vector knows; that the array has */
  size first, stride;  /* node j of instance i is first + i * stride + j */
  word rows, cols, nodes, block;
  double *data, *vector;
} target_task;

/* In 32 bits where that will do. */
static __device__ __forceinline__ size quotient(size t, word d)
{
  return t >> 32 ? t / d : (word)t / d;
}

static __device__ __forceinline__ size place_in_array(const target_task &task, size at)
{
  const word width = task.nodes * task.block, q = (word)(at - quotient(at, width) * width);
  const word node = q / task.block, i = q % task.block;
  return at - q + (task.rows == task.block ? i * task.cols + node : q);
}

static __device__ __forceinline__ size place_in_vector(const target_task &task, size at)
{
  const word width = task.nodes * task.block;
  const size instance = quotient(at, width);
  return (task.first + instance * task.stride) * task.block + (at - instance * width);
}

extern "C" __global__ void read_target(const target_task task)
{
  const size at = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < task.count * task.nodes * task.block)
    task.vector[place_in_vector(task, at)] = task.data[place_in_array(task, at)];
}

extern "C" __global__ void write_target(const target_task task)
{
  const size at = (size)blockIdx.x * blockDim.x + threadIdx.x, width = task.nodes * task.block;
  if (at < task.count * width)
    task.data[place_in_array(task, at)] = task.vector[place_in_vector(task, at)];
  else if (at < task.present * width)
    task.data[at] = 0;
}

/* Entries of a diagonal become 1 where they and those of the gradient are zero, else 0. */
extern "C" __global__ void mark_empty(size count, const double *gradient, double *diagonal)
{
  const size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) diagonal[i] = diagonal[i] == 0 && gradient[i] == 0;
}
