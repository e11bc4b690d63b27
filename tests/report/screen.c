#include "report/screen.h"

#include <string.h>

#include "lib/test.h"

void show(void *user, const char *text, size_t n) {
  screen *s = user;
  ASSERT_TRUE(s->n + n < sizeof s->text);
  memcpy(s->text + s->n, text, n);
  s->n += n;
  s->text[s->n] = '\0';
}
