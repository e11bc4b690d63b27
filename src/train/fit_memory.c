#include "train/fit_memory.h"

#include "base/bytes.h"
#include "base/heap.h"
#include "base/number.h"
#include "base/process.h"
#include "base/room.h"
#include "base/store.h"
#include "base/thread.h"
#include "train/lower.h"

/* What files that are opened and written later add to what the kernel keeps for the process. */
#define KERNEL_BYTES_LATER ((128u << 10) + SNUG__ON_THE_WAY_BYTES)

/* Pages of libraries that come with the first step although they were rehearsed, and the ends of
 * pages. */
#define RESERVE_BYTES (UINT64_C(320) << 10)

#define PAGE_BYTES 4096u
#define BYTES_PER_TABLE (2u << 20) /* that one page of a page table maps */

/* ---- what Snug allocates ---- */

/* What a commit takes, in the order in which it does. */
#define MOST_PIECES 3
static size_t commit_pieces(const snug__fit *f, size_t bytes[MOST_PIECES]) {
  const snug__session *s = &f->session;
  bytes[0] = s->has_state ? (size_t)snug__training_cost(f->model) : 0;
  bytes[1] = (size_t)snug__block_cost(s->block_bytes);
  bytes[2] = s->file_bytes ? (size_t)snug__store_cost() : 0;
  return MOST_PIECES;
}

/* Bytes of a commit that will be cut from what was preallocated: they are, and come back. */
static uint64_t from_prealloc(const snug__fit *f) {
  snug__prealloc *prealloc = &f->model->ctx->prealloc;
  size_t bytes[MOST_PIECES];
  void *piece[MOST_PIECES];
  uint64_t sum = 0;
  size_t n = commit_pieces(f, bytes);
  for (size_t i = 0; i < n; i++) {
    piece[i] = bytes[i] ? snug__prealloc_take(prealloc, bytes[i]) : NULL;
    sum += piece[i] ? bytes[i] : 0;
  }
  while (n > 0) {
    if (piece[--n]) {
      snug__prealloc_give(prealloc, piece[n], bytes[n]);
    }
  }
  return sum;
}

/* Scratch of this fit is of calls that have not ended, such as the search for a way: it is given
 * back before the commit. */
static uint64_t passing_bytes(const snug__fit *f) {
  return f->model->ctx->account.current[SNUG__MEM_SCRATCH] - f->scratch;
}

/* What will be held after the commit. */
static uint64_t committed_bytes(const snug__fit *f) {
  uint64_t kept = f->model->ctx->account.total - passing_bytes(f);
  return kept + (uint64_t)snug__session_cost(&f->session);
}

static uint64_t idle_after(const snug__fit *f) {
  return f->model->ctx->prealloc.idle - from_prealloc(f);
}

/* What is alive at the peak: what is held now and what commit takes, or what making it took, if
 * more. */
static snug_status fill_planned(snug__fit *f, snug_memory_report *r) {
  SNUG_TRY(snug__alive_find(&f->alive, &f->session));
  const snug__run *run = f->alive.run;
  const snug__peak *peak = &f->alive.peak;
  uint64_t so_far = f->scope.peak;
  uint64_t committed = committed_bytes(f);
  *r = (snug_memory_report){.struct_size = sizeof(snug_memory_report),
                            .weights = f->model->weights_bytes,
                            .gradients = (uint64_t)peak->by_class[SNUG__CLASS_GRADIENTS],
                            .optimizer = f->model->training->state_bytes,
                            .activations = (uint64_t)peak->by_class[SNUG__CLASS_ACTIVATIONS],
                            .scratch = (uint64_t)peak->by_class[SNUG__CLASS_SCRATCH],
                            .data = (uint64_t)peak->by_class[SNUG__CLASS_DATA] +
                                    f->model->ctx->account.current[SNUG__MEM_DATA],
                            .callbacks = f->model->ctx->account.current[SNUG__MEM_CALLBACKS],
                            .block = (uint64_t)f->session.block_bytes,
                            .load = (uint64_t)(run->program->plan->load + run->base),
                            .line = f->options.memory,
                            .idle = idle_after(f)};
  r->planned = so_far > committed ? so_far : committed;
  r->runtime = r->planned - r->weights - r->gradients - r->optimizer - r->activations - r->scratch -
               r->data - r->callbacks;
  return SNUG_OK;
}

/* ---- the process around it ---- */

/* Make resident what a run will want of the runtime, and give back what planning left. */
static void settle(snug__fit *f) {
  const snug__run *run = NULL;
  snug__workers_start(f->model->ctx->threads);
  for (size_t i = 0; (run = snug__session_run_at(&f->session, i)); i++) {
    if (run->program) {
      snug__program_touch(run->program);
    }
  }
  snug__heap_trim();
}

/* Whole pages of two pieces of memory: the block and the state.  What was preallocated is resident.
 */
static uint64_t commit_pages(const snug__fit *f) {
  uint64_t taken = (uint64_t)snug__session_cost(&f->session) - from_prealloc(f);
  return (taken / PAGE_BYTES + 4) * PAGE_BYTES;
}

static uint64_t tables_of(const snug__fit *f, const snug__process *now, uint64_t added) {
  const snug__training *t = f->model->training;
  uint64_t files = (f->session.file_bytes ? 1u : 0u) + (t->slots_bytes && !t->store ? 1u : 0u);
  uint64_t later = files * SNUG__STORE_THREADS * SNUG__KERNEL_BYTES_PER_THREAD;
  return now->tables + (added / BYTES_PER_TABLE + 2) * PAGE_BYTES + snug__process_kernel(now) +
         later + KERNEL_BYTES_LATER;
}

uint64_t snug__fit_bare_process(const snug_memory_report *r) {
  return r->process - (r->reserve > RESERVE_BYTES ? r->reserve - RESERVE_BYTES : 0);
}

/* What a line leaves of the margin. */
static uint64_t margin_under(uint64_t line, uint64_t process) {
  bool is_short = line >= process && line - process < SNUG__MARGIN_BYTES;
  return is_short ? line - process : SNUG__MARGIN_BYTES;
}

/* What is left for the caller: the memory of a step is gone when the fit has ended. */
static uint64_t for_caller(const snug__fit *f, const snug_memory_report *r) {
  uint64_t during = f->options.caller_memory;
  uint64_t after = f->options.caller_memory_after;
  return after > r->block && after - r->block > during ? after - r->block : during;
}

/* Either what will be resident is the most, or what was while all this was made: a fit that follows
 * a plan makes it once more, and comes to a little more or less. */
static void fill_process(const snug__fit *f, const snug__process *now, snug_memory_report *r) {
  uint64_t added = commit_pages(f);
  uint64_t passing = passing_bytes(f);
  uint64_t later = now->resident + added;
  later -= passing < now->resident ? passing : 0; /* else none of it is resident */
  uint64_t resident = later > now->peak ? later : now->peak;
  r->code = now->file + now->shared;
  r->reserve = RESERVE_BYTES;
  r->caller = for_caller(f, r);
  r->tables = tables_of(f, now, resident - now->resident);
  uint64_t known = r->planned + r->code + r->idle;
  r->outside = resident > known ? resident - known : 0;
  r->process = known + r->outside + r->tables + r->reserve + r->caller;
  uint64_t margin = margin_under(r->line, r->process);
  r->reserve += margin;
  r->process += margin;
}

/* What a session of its own will add to the process: an evaluation or a prediction. */
snug_status snug__session_check_room(const snug__session *s, const char *what, int64_t batch) {
  snug_ctx *ctx = s->model->ctx;
  char may[SNUG__NUMBER_BYTES];
  char need[SNUG__NUMBER_BYTES];
  snug__process now;
  if (!ctx->available || !snug__process_read("", &now)) {
    return SNUG_OK;
  }
  uint64_t added = (uint64_t)snug__session_cost(s);
  uint64_t bytes = now.resident + added + now.tables + added / BYTES_PER_TABLE * PAGE_BYTES;
  return bytes + RESERVE_BYTES <= ctx->available
             ? SNUG_OK
             : snug__fail(ctx, SNUG_E_LIMIT,
                          "%s: the process needs %s (%llu bytes) at batch %lld and may hold %s "
                          "(%llu); a smaller batch needs less",
                          what, snug__print_bytes(bytes + RESERVE_BYTES, need),
                          (unsigned long long)(bytes + RESERVE_BYTES), (long long)batch,
                          snug__print_bytes(ctx->available, may),
                          (unsigned long long)ctx->available);
}

snug_status snug__fit_memory(snug__fit *f, snug_memory_report *r) {
  snug__process now;
  SNUG_TRY(fill_planned(f, r));
  settle(f);
  if (snug__process_read("", &now)) {
    snug__process_ask_groups("", &now);
    fill_process(f, &now, r);
  }
  return SNUG_OK;
}

void snug__fit_forget(const snug_model *m) {
  const snug__device *device = snug__model_device(m);
  if (device->forget) {
    device->forget();
  }
  snug__heap_trim();
}

void snug__fit_count_process(const snug__fit *f) {
  if (!f->outer && !f->model->ctx->whole_process) {
    snug__process_reset_peak();
  }
}

uint64_t snug__fit_process_peak(void) {
  snug__process now;
  snug__process_read("", &now);
  return now.peak;
}

/* ---- refusals ---- */

snug_status snug__fit_check_limit(const snug__fit *f, const snug_memory_report *r) {
  uint64_t limit = f->model->ctx->account.limit;
  uint64_t held = committed_bytes(f) + r->idle;
  uint64_t needed = held > r->planned ? held : r->planned;
  if (!limit || needed <= limit) {
    return SNUG_OK;
  }
  return snug__fail(f->model->ctx, SNUG_E_LIMIT,
                    "fit: needs %llu bytes and the limit is %llu: %llu are the step at batch %lld, "
                    "%llu weights and %llu "
                    "optimizer; a smaller batch needs less",
                    (unsigned long long)needed, (unsigned long long)limit,
                    (unsigned long long)r->block, (long long)f->train.batch,
                    (unsigned long long)r->weights, (unsigned long long)r->optimizer);
}

/* A part of the process, and how it is called in a message. */
typedef struct holder {
  const char *what;
  uint64_t bytes;
} holder;

/* The largest first; there are a handful. */
static void sort_holders(holder *h, size_t n) {
  for (size_t i = 1; i < n; i++) {
    holder one = h[i];
    size_t k = i;
    for (; k > 0 && h[k - 1].bytes < one.bytes; k--) {
      h[k] = h[k - 1];
    }
    h[k] = one;
  }
}

#define MOST_NAMED 3

/* "40.1 MiB the step, 12.0 MiB code and libraries, 8.6 MiB weights" */
static void name_holders(const snug_memory_report *r, char *out, size_t bytes) {
  holder h[] = {{"the step", r->block},
                {"weights", r->weights},
                {"optimizer", r->optimizer},
                {"data", r->data},
                {"callbacks", r->callbacks},
                {"code and libraries", r->code},
                {"the process outside of Snug", r->outside},
                {"the caller's callbacks", r->caller}};
  char text[SNUG__NUMBER_BYTES];
  size_t used = 0;
  sort_holders(h, SNUG_COUNT(h));
  out[0] = '\0';
  for (size_t i = 0; i < MOST_NAMED && h[i].bytes && used < bytes; i++) {
    used += (size_t)snprintf(out + used, bytes - used, "%s%s %s", i ? ", " : "",
                             snug__print_bytes(h[i].bytes, text), h[i].what);
  }
}

static snug_status refuse_unlined(const snug__fit *f, const snug_memory_report *r, uint64_t least,
                                  const char *holders) {
  uint64_t available = f->model->ctx->available;
  char may[SNUG__NUMBER_BYTES];
  char need[SNUG__NUMBER_BYTES];
  char less[SNUG__NUMBER_BYTES];
  return snug__fail(f->model->ctx, SNUG_E_LIMIT,
                    "fit: the process may hold %s (%llu bytes) and needs %s (%llu) at batch %lld, "
                    "most of it %s; the least line that would do is %s (%llu)",
                    snug__print_bytes(available, may), (unsigned long long)available,
                    snug__print_bytes(r->process, need), (unsigned long long)r->process,
                    (long long)f->train.batch, holders, snug__print_bytes(least, less),
                    (unsigned long long)least);
}

snug_status snug__fit_refuse(const snug__fit *f, const snug_memory_report *r, uint64_t least) {
  char line[SNUG__NUMBER_BYTES];
  char need[SNUG__NUMBER_BYTES];
  char holders[256];
  name_holders(r, holders, sizeof holders);
  if (!r->line) {
    return refuse_unlined(f, r, least, holders);
  }
  return snug__fail(f->model->ctx, SNUG_E_LIMIT,
                    "fit: the line is %s (%llu bytes), and %s (%llu) is the least that would do at "
                    "batch %lld; the largest part is %s",
                    snug__print_bytes(r->line, line), (unsigned long long)r->line,
                    snug__print_bytes(least, need), (unsigned long long)least,
                    (long long)f->train.batch, holders);
}

snug_status snug__fit_committed(const snug__fit *f, snug_status s) {
  const snug_memory_report *r = &f->history->memory;
  snug__process now;
  snug_available room = SNUG_INIT(snug_available);
  char held[SNUG__NUMBER_BYTES];
  char may[SNUG__NUMBER_BYTES];
  char holders[256];
  if (s != SNUG_E_MEMORY || !snug__process_read("", &now) || !snug__room_find("", &room)) {
    return s;
  }
  name_holders(r, holders, sizeof holders);
  return snug__fail_within(
      f->model->ctx, s,
      "fit: the system refused memory; the process holds %s and may hold %s (%s), the fit is %s",
      snug__print_bytes(now.resident, held), snug__print_bytes(room.bytes, may), room.who, holders);
}
