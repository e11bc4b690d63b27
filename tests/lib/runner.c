/* main of every test executable: collect, select, hand to cmocka, check memory after each. */
#include "lib/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/registry.h"
#include "lib/far.h"

#define MAX_CONTEXTS 16

static struct test_entry *entries;
static const struct test_entry *current;
static char current_name[256];
static test_guard guard;
static snug_ctx *contexts[MAX_CONTEXTS];

void test_register(struct test_entry *entry) {
  entry->next = entries;
  entries = entry;
}

/* "<file>.<name>", with the folder and "_test.c" taken off the file. */
static void name_of(const struct test_entry *e, char *out, size_t bytes) {
  const char *slash = strrchr(e->file, '/');
  const char *stem = slash ? slash + 1 : e->file;
  const char *end = strstr(stem, "_test.c");
  int n = end ? (int)(end - stem) : (int)strcspn(stem, ".");
  snprintf(out, bytes, "%.*s.%s", n, stem, e->name);
}

const char *test_current_name(void) { return current_name; }
test_guard *test_current_guard(void) { return &guard; }
const snug_allocator *test_allocator(void) { return &guard.allocator; }

void test_fail(const char *file, int line, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  print_error("%s:%d: %s\n", file, line, text);
  _fail(file, line);
  abort(); /* not reached: _fail leaves the test */
}

void test_skip(const char *reason) {
  print_message("             skipped: %s\n", reason);
  skip();
  abort(); /* not reached */
}

static snug_ctx **free_slot(void) {
  for (int i = 0; i < MAX_CONTEXTS; i++) {
    if (!contexts[i]) {
      return &contexts[i];
    }
  }
  test_fail(__FILE__, __LINE__, "more than %d contexts in one test", MAX_CONTEXTS);
}

snug_ctx *test_ctx_with(const snug_options *options) {
  static const snug_options defaults = SNUG_INIT(snug_options);
  snug_options o = options ? *options : defaults;
  snug_ctx **slot = free_slot();
  o.allocator = o.allocator ? o.allocator : &guard.allocator;
  o.device = o.device ? o.device : getenv("SNUG_TEST_DEVICE");
  snug_status status = snug_ctx_create(&o, slot);
  if (status) {
    test_fail(__FILE__, __LINE__, "no context: %s", snug_status_text(status));
  }
  return *slot;
}

snug_ctx *test_ctx(void) { return test_ctx_with(NULL); }

/* Who still holds what: a leak is found faster when it has a name. */
static void print_held(const snug_ctx *ctx) {
  for (size_t i = 0; i < snug_memory_names(ctx); i++) {
    snug_memory_entry entry = SNUG_INIT(snug_memory_entry);
    snug_memory_entry_get(ctx, i, &entry);
    if (entry.current && strcmp(entry.name, "context") != 0) {
      print_error("             still held: %llu bytes of %s\n", (unsigned long long)entry.current,
                  entry.name);
    }
  }
}

void test_ctx_end(snug_ctx *ctx) {
  for (int i = 0; ctx && i < MAX_CONTEXTS; i++) {
    if (contexts[i] == ctx) {
      contexts[i] = NULL;
      print_held(ctx);
      snug_ctx_destroy(ctx);
      return;
    }
  }
}

static int set_up(void **state) {
  current = *state;
  name_of(current, current_name, sizeof current_name);
  test_guard_init(&guard);
  memset(contexts, 0, sizeof contexts);
  test_random_forget();
  return 0;
}

static void run_current(void **state) {
  (void)state;
  current->body();
  for (int i = 0; i < MAX_CONTEXTS; i++) {
    test_ctx_end(contexts[i]);
  }
  if (*test_guard_finish(&guard)) {
    test_fail(current->file, current->line, "%s", guard.problem);
  }
}

/* A test that failed was left by a jump: what it held is dropped without a word. */
static int tear_down(void **state) {
  (void)state;
  test_guard_drop(&guard);
  test_path_forget();
  return 0;
}

static struct CMUnitTest as_cmocka(struct test_entry *e) {
  return (struct CMUnitTest){e->name, run_current, set_up, tear_down, e};
}

int test_run_entry(struct test_entry *entry) {
  const struct CMUnitTest test = as_cmocka(entry);
  return _cmocka_run_group_tests("one", &test, 1, NULL, NULL);
}

static bool is_wanted(const struct test_entry *e, int argc, char **argv) {
  char name[256];
  name_of(e, name, sizeof name);
  for (int i = 1; i < argc; i++) {
    size_t n = strlen(argv[i]);
    if (strncmp(name, argv[i], n) == 0 && (name[n] == 0 || name[n] == '.')) {
      return true;
    }
  }
  return argc < 2;
}

static int by_place(const void *a, const void *b) {
  const struct test_entry *p = ((const struct CMUnitTest *)a)->initial_state;
  const struct test_entry *q = ((const struct CMUnitTest *)b)->initial_state;
  int by_file = strcmp(p->file, q->file);
  return by_file ? by_file : p->line - q->line;
}

static size_t collect(struct CMUnitTest *out, int argc, char **argv) {
  size_t n = 0;
  for (struct test_entry *e = entries; e; e = e->next) {
    if (is_wanted(e, argc, argv)) {
      out[n++] = as_cmocka(e);
    }
  }
  qsort(out, n, sizeof *out, by_place);
  return n;
}

static int list(const struct CMUnitTest *tests, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char name[256];
    name_of(tests[i].initial_state, name, sizeof name);
    printf("%s\n", name);
  }
  return 0;
}

int main(int argc, char **argv) {
  bool only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
  size_t n_all = 0;
  for (struct test_entry *e = entries; e; e = e->next) {
    n_all++;
  }
  struct CMUnitTest *tests = calloc(n_all + 1, sizeof *tests);
  if (!tests) {
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  snug__device_add(&test_far);
  setenv("SNUG_CACHE", "", 0); /* tests leave the user's alone */
  size_t n = collect(tests, only_list ? 1 : argc, argv);
  if (n == 0) {
    fprintf(stderr, "there is no such test; --list shows them\n");
  }
  int failed = n == 0      ? 1
               : only_list ? list(tests, n)
                           : _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
  free(tests);
  return failed ? 1 : 0;
}
