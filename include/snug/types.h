/* Element types and shapes. */
#ifndef SNUG_TYPES_H
#define SNUG_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "snug/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNUG_MAX_RANK 6
#define SNUG_PATH_BYTES 4096

/* The one list of element types: name, text, bytes. */
#define SNUG_DTYPE_LIST(X)   \
  X(FLOAT32, "float32", 4)   \
  X(FLOAT64, "float64", 8)   \
  X(FLOAT16, "float16", 2)   \
  X(BFLOAT16, "bfloat16", 2) \
  X(INT8, "int8", 1)         \
  X(INT32, "int32", 4)       \
  X(INT64, "int64", 8)       \
  X(UINT8, "uint8", 1)       \
  X(BOOL, "bool", 1)

typedef enum snug_dtype {
  SNUG_NO_DTYPE = 0,
#define SNUG_DTYPE_ENUM(name, text, bytes) SNUG_##name,
  SNUG_DTYPE_LIST(SNUG_DTYPE_ENUM)
#undef SNUG_DTYPE_ENUM
      SNUG_DTYPE_COUNT
} snug_dtype;

/* Bytes of one element and its name; 0 and "none" for an invalid dtype. */
SNUG_API size_t snug_dtype_bytes(snug_dtype dtype);
SNUG_API const char *snug_dtype_text(snug_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
