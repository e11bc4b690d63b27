/* Orders in which simple rules place buffers. */
#ifndef SNUG_PLAN_ORDER_H
#define SNUG_PLAN_ORDER_H

#include "plan/pack.h"

typedef enum snug__order {
  SNUG__ORDER_SIZE,   /* large first */
  SNUG__ORDER_LENGTH, /* long-lived first, then large; lives are counted in moments */
  SNUG__ORDER_AREA,   /* size x length, large first */
  SNUG__ORDER_CROWD,  /* those of the fullest moments first, then long-lived */
  SNUG__ORDER_LOWER,  /* early first, then long-lived */
  SNUG__ORDER_UPPER,  /* late end first, then long-lived */
  SNUG__ORDER_BROAD,  /* as AREA, but with lives counted in sections */
  SNUG__ORDER_PEAK,   /* as CROWD, but with lives counted in sections */
  SNUG__ORDER_HINT,   /* low hint first; without one last */
  SNUG__ORDER_COUNT
} snug__order;

/* Fill order with the numbers of the buffers.  Fails: E_MEMORY. */
snug_status snug__order_make(const snug__strip *strip, snug__order kind,
                             int32_t *order) SNUG_NODISCARD;

#endif
