/* Includes SNUG_REAL_FILE once per real dtype: a loop is written once and compiled for each storage
 * type. Inside the file:  T is the storage type, FN(name) the function's name for it, LOAD(p, i)
 * reads an element as double, STORE(p, i, v) rounds a double into one.  (No include guard: that is
 * its purpose.) */
#define SNUG_REAL_JOIN_(a, b) a##_##b
#define SNUG_REAL_JOIN(a, b) SNUG_REAL_JOIN_(a, b)
#define FN(name) SNUG_REAL_JOIN(name, SNUG_REAL_NAME)

#define T float
#define SNUG_REAL_NAME float32
#define LOAD(p, i) ((double)(p)[i])
#define STORE(p, i, v) ((p)[i] = (float)(v))
#include SNUG_REAL_FILE
#undef T
#undef SNUG_REAL_NAME
#undef LOAD
#undef STORE

#define T double
#define SNUG_REAL_NAME float64
#define LOAD(p, i) ((p)[i])
#define STORE(p, i, v) ((p)[i] = (v))
#include SNUG_REAL_FILE
#undef T
#undef SNUG_REAL_NAME
#undef LOAD
#undef STORE

#define T uint16_t
#define SNUG_REAL_NAME float16
#define LOAD(p, i) ((double)snug__half_to_float((p)[i]))
#define STORE(p, i, v) ((p)[i] = snug__double_to_half(v))
#include SNUG_REAL_FILE
#undef T
#undef SNUG_REAL_NAME
#undef LOAD
#undef STORE

#define T uint16_t
#define SNUG_REAL_NAME bfloat16
#define LOAD(p, i) ((double)snug__bfloat_to_float((p)[i]))
#define STORE(p, i, v) ((p)[i] = snug__double_to_bfloat(v))
#include SNUG_REAL_FILE
#undef T
#undef SNUG_REAL_NAME
#undef LOAD
#undef STORE

#undef FN
#undef SNUG_REAL_JOIN
#undef SNUG_REAL_JOIN_
#undef SNUG_REAL_FILE
