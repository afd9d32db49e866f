/* Parallel loops: the context's own threads, or the host's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum {
  SPINS = 64,         /* pauses between two looks at the clock */
  BLOCKS_A_THREAD = 8 /* indices go out in blocks of count / (threads * this), at least one */
};

#define CACHE_LINE 64 /* bytes */

/* Seconds of waiting before a thread goes to sleep. */
#define SPIN_SECONDS 20e-6

/* Scalar operations that take about as long as waking a sleeping thread, some 10 microseconds: half
 * of such a loop is the least that another thread can take over with profit. */
#define WORTHWHILE_OPERATIONS 40000.0

/* The blocks that a thread is to run: from the low half of the word up to the high half. The thread
 * takes them from the front; others, once they have none left, from the back. Loops over the same
 * things give each thread the same ones, whose data are in its cache. */
typedef struct share {
  _Alignas(CACHE_LINE) _Atomic uint64_t blocks;
} share;

/* One loop. Threads join it while it is open; the caller closes it and waits for those that joined.
 */
typedef struct job {
  size_t count, block;
  basin_task_function body;
  void *user;
  unsigned shares;
} job;

typedef struct worker {
  basin_pool *pool;
  pthread_t thread;
  unsigned number;
} worker;

struct basin_pool {
  basin_context *context;
  pthread_mutex_t lock;
  pthread_cond_t work, idle;
  job job;
  bool open, stop;        /* under the lock */
  unsigned sleeping;      /* threads in `work`; under the lock */
  atomic_uint generation; /* counts jobs; changed under the lock */
  atomic_uint active;     /* threads inside the job; changed under the lock */
  bool spins;
  unsigned started, capacity;
  share *shares;    /* of the job, one a thread */
  worker workers[]; /* started of them run; the caller is worker 0 */
};

/* Which task this thread is running, so that nested loops are serial and keep the worker number. */
typedef struct task_frame {
  const basin_context *context;
  unsigned worker;
  const struct task_frame *outer;
} task_frame;

static _Thread_local const task_frame *current_frame;

static const task_frame *find_frame(const basin_context *context)
{
  const task_frame *frame = current_frame;
  while (frame && frame->context != context) frame = frame->outer;
  return frame;
}

unsigned basin__processor_count(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    int count = CPU_COUNT(&set);
    if (count > 0) return (unsigned)count;
  }
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}

unsigned basin__worker_count(const basin_context *context)
{
  const basin_options *options = &context->options;
  return options->parallel ? options->parallel_workers : options->threads;
}

static void pause_briefly(void)
{
  for (int i = 0; i < SPINS; ++i) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
}

/* Waits a short time as long as (*value == mark) is `equal`, if every thread has a processor. */
static void spin(const basin_pool *pool, const atomic_uint *value, unsigned mark, bool equal)
{
  if (!pool->spins) return;
  double end = basin__seconds() + SPIN_SECONDS;
  while ((atomic_load(value) == mark) == equal && basin__seconds() < end) pause_briefly();
}

/* ---- shares of a job ---- */

static uint64_t pack(uint64_t first, uint64_t last)
{
  return first | last << 32;
}

static bool take(share *from, bool front, size_t *block)
{
  uint64_t now = atomic_load_explicit(&from->blocks, memory_order_relaxed);
  for (;;) {
    uint64_t first = now & UINT32_MAX, last = now >> 32;
    if (first >= last) return false;
    uint64_t rest = front ? pack(first + 1, last) : pack(first, last - 1);
    *block = (size_t)(front ? first : last - 1);
    if (atomic_compare_exchange_weak_explicit(
            &from->blocks, &now, rest, memory_order_relaxed, memory_order_relaxed))
      return true;
  }
}

/* The next block for a thread: its own, or one of the threads after it. */
static bool next_block(basin_pool *pool, unsigned number, size_t *block)
{
  unsigned shares = pool->job.shares;
  for (unsigned i = 0; i < shares; ++i)
    if (take(&pool->shares[(number + i) % shares], i == 0, block)) return true;
  return false;
}

static bool work_left(const basin_pool *pool)
{
  for (unsigned i = 0; i < pool->job.shares; ++i) {
    uint64_t blocks = atomic_load_explicit(&pool->shares[i].blocks, memory_order_relaxed);
    if ((blocks & UINT32_MAX) < blocks >> 32) return true;
  }
  return false;
}

static void share_out(basin_pool *pool)
{
  job *work = &pool->job;
  uint64_t blocks = (work->count - 1) / work->block + 1, shares = work->shares;
  for (uint64_t i = 0; i < shares; ++i)
    atomic_store(&pool->shares[i].blocks, pack(blocks * i / shares, blocks * (i + 1) / shares));
}

/* Runs blocks of the job until none is left. */
static void run_blocks(basin_pool *pool, unsigned number)
{
  job *work = &pool->job;
  task_frame frame = {.context = pool->context, .worker = number, .outer = current_frame};
  size_t block;
  current_frame = &frame;
  while (next_block(pool, number, &block)) {
    size_t begin = block * work->block;
    size_t end = work->count - begin < work->block ? work->count : begin + work->block;
    for (size_t i = begin; i < end; ++i) work->body(work->user, i, number);
  }
  current_frame = frame.outer;
}

/* ---- threads ---- */

static void *worker_main(void *argument)
{
  worker *self = argument;
  basin_pool *pool = self->pool;
  unsigned seen = 0;
  for (;;) {
    spin(pool, &pool->generation, seen, true);
    pthread_mutex_lock(&pool->lock);
    ++pool->sleeping;
    while (!pool->stop && atomic_load(&pool->generation) == seen)
      pthread_cond_wait(&pool->work, &pool->lock);
    --pool->sleeping;
    seen = atomic_load(&pool->generation);
    bool stop = pool->stop;
    bool join = !stop && pool->open && work_left(pool);
    if (join) atomic_fetch_add(&pool->active, 1);
    pthread_mutex_unlock(&pool->lock);
    if (stop) return NULL;
    if (!join) continue;
    run_blocks(pool, self->number);
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&pool->active, 1) == 1) pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
  }
}

static size_t pool_size(unsigned capacity)
{
  return sizeof(basin_pool) + capacity * sizeof(worker);
}

/* Starts the threads with all signals blocked: signals are for the host's own threads. */
static void start_threads(basin_pool *pool)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 0; i < pool->capacity; ++i) {
    worker *w = &pool->workers[i];
    *w = (worker){.pool = pool, .number = i + 1};
    if (pthread_create(&w->thread, NULL, worker_main, w) != 0) break;
    ++pool->started;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pool->started < pool->capacity)
    basin__log(pool->context,
               BASIN_LOG_WARN,
               "only %u of %u threads could be started",
               pool->started + 1,
               pool->capacity + 1);
}

/* The pool, made on first use; NULL if there is no memory for it (loops then run serially). */
static basin_pool *get_pool(basin_context *context)
{
  if (context->pool) return context->pool;
  unsigned threads = context->options.threads;
  basin_pool *pool = basin__calloc(context, 1, pool_size(threads - 1));
  if (!pool) {
    basin__error_clear(context);
    return NULL;
  }
  pool->shares = basin__alloc_aligned(context, threads * sizeof *pool->shares);
  if (!pool->shares) {
    basin__free(context, pool, pool_size(threads - 1));
    basin__error_clear(context);
    return NULL;
  }
  pool->context = context;
  pool->capacity = threads - 1;
  pool->spins = threads <= basin__processor_count();
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->idle, NULL);
  context->pool = pool;
  start_threads(pool);
  return pool;
}

void basin__pool_destroy(basin_context *context, basin_pool *pool)
{
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  atomic_fetch_add(&pool->generation, 1);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->started; ++i) pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  basin__free_aligned(context, pool->shares, (pool->capacity + 1) * sizeof *pool->shares);
  basin__free(context, pool, pool_size(pool->capacity));
}

static void run_pool(basin_pool *pool, size_t count, basin_task_function body, void *user)
{
  unsigned shares = pool->started + 1;
  size_t block = count / ((size_t)BLOCKS_A_THREAD * shares);
  pthread_mutex_lock(&pool->lock);
  pool->job = (job){
      .count = count, .block = block ? block : 1, .body = body, .user = user, .shares = shares};
  share_out(pool);
  pool->open = true;
  atomic_fetch_add(&pool->generation, 1);
  if (pool->sleeping) pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);

  run_blocks(pool, 0);

  /* Threads that have not joined by now find the job closed; nobody waits for them. */
  pthread_mutex_lock(&pool->lock);
  pool->open = false;
  pthread_mutex_unlock(&pool->lock);
  spin(pool, &pool->active, 0, false);
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&pool->active) > 0) pthread_cond_wait(&pool->idle, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

/* ---- the host's threads ---- */

typedef struct host_job {
  const basin_context *context;
  basin_task_function body;
  void *user;
} host_job;

static void run_host_task(void *argument, size_t index, unsigned number)
{
  const host_job *work = argument;
  BASIN_ASSERT(number < work->context->options.parallel_workers);
  task_frame frame = {.context = work->context, .worker = number, .outer = current_frame};
  current_frame = &frame;
  work->body(work->user, index, number);
  current_frame = frame.outer;
}

void basin__parallel(basin_context *context, size_t count, basin_task_function body, void *user)
{
  const task_frame *outer = find_frame(context);
  unsigned number = outer ? outer->worker : 0;
  const basin_options *options = &context->options;
  basin_pool *pool = NULL;
  if (!outer && count > 1 && options->parallel) {
    host_job work = {.context = context, .body = body, .user = user};
    options->parallel(options->parallel_user, count, run_host_task, &work);
    return;
  }
  if (!outer && count > 1 && options->threads > 1) pool = get_pool(context);
  if (pool && pool->started > 0) {
    run_pool(pool, count, body, user);
    return;
  }
  for (size_t i = 0; i < count; ++i) body(user, i, number);
}

bool basin__parallel_worthwhile(double operations)
{
  return operations >= WORTHWHILE_OPERATIONS;
}

void basin__parallel_work(
    basin_context *context, size_t count, double operations, basin_task_function body, void *user)
{
  if (basin__parallel_worthwhile(operations)) {
    basin__parallel(context, count, body, user);
    return;
  }
  const task_frame *outer = find_frame(context);
  for (size_t i = 0; i < count; ++i) body(user, i, outer ? outer->worker : 0);
}
