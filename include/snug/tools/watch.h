/* Watching a process tree: its current memory, its peak, and its development over time.
 *
 * Watched processes run unchanged and need no support for it.  The caller drives the sampling, 20
 * times a second if it calls that often; peaks between two samples are known from the kernel's
 * high-water marks (VmHWM).  All memory is allocated when a watch is created, none later.
 *
 * What a figure means.  The kernel tells the resident memory of each process, and the most that it
 * ever was.  Pages that several processes share are counted in each of them; how much that is, is
 * read page by page (PSS) when there is a new maximum, as often as 0.5 % of a core allows.
 *   peak        the best figure: resident memory of all at one moment, a process that passed its
 *               own maximum since the look before with that one, shared pages counted once as far
 * as they are known peak_least  proven: some process, or all of them by PSS, held that much
 *   peak_most   the high-water marks of all that were alive together, shared pages in each
 * For one process alone the three are the same. */
#ifndef SNUG_TOOLS_WATCH_H
#define SNUG_TOOLS_WATCH_H

#include "snug/context.h"
#include "snug/tools/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_watch snug_watch;

typedef struct snug_watch_options {
  size_t struct_size;
  int64_t process;  /* which to watch, with all that descend from it.  0: whatever descends from
                       this process, which becomes the parent of orphans among them and is to wait
                       for them too (Linux: a subreaper) */
  double interval;  /* seconds between two samples; 0: a 20th */
  uint64_t maximum; /* bytes that the tree may hold; 0: any */
  bool no_devices;  /* do not ask for memory on GPUs */
  snug_recorder *recorder; /* takes samples, maxima and who was there; it is the caller's, and is
                              closed behind the last call of the watch.  NULL: none */
} snug_watch_options;

/* Begin to watch. options may be NULL.  Owns: the caller destroys *out with snug_watch_destroy, in
 * the thread that created it.  Fails: E_UNSUPPORTED where there is no /proc, E_ARGUMENT (no such
 * process, an interval that is not in 0.001 .. 3600), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_watch_create(snug_ctx *ctx, const snug_watch_options *options,
                                       snug_watch **out) SNUG_NODISCARD;

/* End a watch; the processes go on.  NULL is allowed. */
SNUG_API void snug_watch_destroy(snug_watch *watch);

/* Take a sample if one is due; returns the seconds until the next one is due (never below 0).  Call
 * it at least that often.  If sampling costs more than 1 % of a core, samples become less frequent.
 */
SNUG_API double snug_watch_look(snug_watch *watch);

/* Report what wait4 returned for a process that ended: the peak resident memory of it or of one
 * that it waited for, in bytes (ru_maxrss).  This covers the time after the last sample. */
SNUG_API void snug_watch_ended(snug_watch *watch, int64_t process, uint64_t most_resident);

/* Send a signal to every known living process of the tree; returns their number. */
SNUG_API size_t snug_watch_signal(snug_watch *watch, int signal);

/* ---- what was seen ---- */

/* The tree at the last look. */
typedef struct snug_watch_now {
  size_t struct_size;
  double seconds;     /* since the watch began */
  uint64_t resident;  /* bytes, shared pages counted once as far as they are known */
  uint64_t peak;      /* so far */
  uint64_t device;    /* bytes on GPUs */
  uint32_t processes; /* alive */
  bool exceeded;      /* the peak is above options.maximum */
} snug_watch_now;

SNUG_API void snug_watch_get(const snug_watch *watch, snug_watch_now *out);

#define SNUG_WATCH_NAME 20
#define SNUG_WATCH_WHO 8
#define SNUG_WATCH_PATH 512
#define SNUG_WATCH_WHY 128

/* A process at the moment of the peak. */
typedef struct snug_watch_process {
  int64_t process;
  uint64_t bytes;             /* what counts for it */
  char name[SNUG_WATCH_NAME]; /* its command, without control characters */
} snug_watch_process;

/* How resident memory went on. */
typedef enum snug_watch_shape {
  SNUG_WATCH_SHORT,   /* too short to tell */
  SNUG_WATCH_FLAT,    /* no more at the end than after the start */
  SNUG_WATCH_GROWING, /* steadily, all along */
  SNUG_WATCH_STEPPED, /* by jumps, and flat between them */
  SNUG_WATCH_VARYING, /* up and down, without a direction */
  SNUG_WATCH_RISING /* up, but for too short a time or not steadily: the start of a program as well
                       as a leak */
} snug_watch_shape;

/* The memory control group that a process of the tree was in; of those around it, the one that
 * has the least limit.  Figures are SNUG_WATCH_UNTOLD where the system does not tell. */
#define SNUG_WATCH_UNTOLD UINT64_MAX
typedef struct snug_watch_group {
  char path[SNUG_WATCH_PATH]; /* "": there is none */
  uint64_t limit;             /* UNTOLD: none */
  uint64_t peak;              /* of the whole group, others in it included */
  bool peak_is_new;           /* it was reached since the watch began */
  uint64_t kills;             /* by the kernel for memory, since the watch began */
  uint64_t cache; /* the most page cache in it that was seen: files that were read or written, which
                     the kernel gives back when it needs room */
} snug_watch_group;

/* Why the processes held more than their group may, and were not killed for it. */
typedef enum snug_watch_above {
  SNUG_WATCH_NOT_ABOVE,
  SNUG_WATCH_ABOVE_SHARED, /* processes share pages: the group counts each once, the peak in every
                              process as long as it is not known which they are */
  SNUG_WATCH_ABOVE_FILES,  /* pages of files: the group that reads them first is charged */
  SNUG_WATCH_ABOVE_SWAP,   /* what is in swap does not count for the limit */
  SNUG_WATCH_ABOVE_OTHERS  /* memory that was taken in another group */
} snug_watch_above;

typedef struct snug_watch_report {
  size_t struct_size;
  double seconds; /* watched */
  uint64_t samples;
  double cost; /* seconds of processor time that looking took */

  uint64_t peak; /* bytes; see above.  0: not known, all had ended before they could be looked at,
                    or when no more than the beginning of their programs was seen */
  uint64_t peak_least, peak_most;
  double peak_at; /* seconds since the watch began, an interval exact */
  snug_watch_process who[SNUG_WATCH_WHO];
  uint32_t n_who;          /* the largest at the peak */
  uint32_t peak_processes; /* alive then */
  uint64_t peak_others;    /* bytes of those that are not in `who` */

  bool has_split; /* the parts of the PSS, read when there was a new maximum */
  double split_at;
  uint64_t anonymous, file, shared;
  uint64_t file_resident; /* pages of files as the peak counts them: of a process alone also what
                             others share */
  uint64_t swap;          /* and beside them, in swap */

  uint64_t processes;      /* seen in all */
  uint32_t most_processes; /* at one time */
  uint32_t left;           /* still alive */
  uint64_t unsplit;        /* processes whose pages may not be read: another user's */
  uint64_t untold;         /* processes that could not be followed: they are too many, or hidden */

  snug_watch_shape shape;
  double shape_from;  /* seconds: where the start ends and what is judged begins */
  uint64_t low, high; /* the least and the most from there on */
  double per_minute;  /* bytes; of GROWING */
  double period;      /* seconds after which the curve repeats; 0: none can be told */
  uint32_t steps;     /* of STEPPED */
  double last_step_at;
  uint64_t step_bytes; /* of all steps together */

  uint32_t devices;                /* GPUs that tell; 0: none does, and */
  char device_why[SNUG_WATCH_WHY]; /* this is why ("": all is told) */
  uint64_t device, device_peak;    /* bytes on all of them, at the last look and at the most */
  double device_peak_at;

  snug_watch_group group;
  snug_watch_above above; /* why the peak is above group.limit */
  uint64_t above_bytes;   /* by how much */
  uint64_t machine_kills; /* the same on this machine; UNTOLD where it does not tell */

  snug_status recorded; /* the first failure to record, with its message in the context; the rest
                           of the run is not in the recording */
} snug_watch_report;

/* What was seen so far.  `out` is all zero of a watch that is NULL. */
SNUG_API void snug_watch_report_get(const snug_watch *watch, snug_watch_report *out);

#ifdef __cplusplus
}
#endif
#endif
