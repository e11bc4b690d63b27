/* Status codes: every function that can fail returns one; 0 is success, failures are negative.
 * The message of a failure (the layer, the values, a remedy) is kept in the context:
 * snug_message(ctx).  On failure outputs are NULL or untouched, inputs are unchanged, and there is
 * nothing to release.
 *
 * NULL for a required object is E_ARGUMENT; without a context there is no message.  Functions that
 * return no status return an empty value for a NULL object: 0, "", NaN, all zero. */
#ifndef SNUG_STATUS_H
#define SNUG_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SNUG_API __attribute__((visibility("default")))
#define SNUG_NODISCARD __attribute__((warn_unused_result))
#define SNUG_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SNUG_API
#define SNUG_NODISCARD
#define SNUG_PRINTF(f, a)
#endif

/* The one list of codes: name, value, text. */
#define SNUG_STATUS_LIST(X)                      \
  X(OK, 0, "ok")                                 \
  X(E_MEMORY, -1, "out of memory")               \
  X(E_ARGUMENT, -2, "invalid argument")          \
  X(E_SHAPE, -3, "shapes do not fit")            \
  X(E_DTYPE, -4, "dtypes do not fit")            \
  X(E_OVERFLOW, -5, "too large")                 \
  X(E_DATA, -6, "bad data")                      \
  X(E_STATE, -7, "not possible at this moment")  \
  X(E_FORMAT, -8, "malformed text or file")      \
  X(E_IO, -9, "input or output failed")          \
  X(E_LIMIT, -10, "does not fit into the limit") \
  X(E_UNSUPPORTED, -11, "not supported")         \
  X(E_STOPPED, -12, "stopped by the caller")     \
  X(E_INTERNAL, -13, "internal error")

typedef enum snug_status {
#define SNUG_STATUS_ENUM(name, value, text) SNUG_##name = value,
  SNUG_STATUS_LIST(SNUG_STATUS_ENUM)
#undef SNUG_STATUS_ENUM
} snug_status;

/* The text of a code; never NULL, also for codes that do not exist. */
SNUG_API const char *snug_status_text(snug_status status);

#ifdef __cplusplus
}
#endif
#endif
