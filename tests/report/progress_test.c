/* What people see: Keras's bar and lines, boxes, bytes. */
#include <stdio.h>
#include <string.h>

#include "lib/test.h"
#include "report/screen.h"

static const char *const names[] = {"accuracy", "loss"};
static const double values[] = {0.8125, 0.0004312};
static const snug_logs logs = {2, names, values};

/* Two epochs of three steps. */
static void play(snug_progress *p, screen *s) {
  p->sink = show;
  p->user = s;
  snug_callback c = SNUG_INIT(snug_callback);
  snug_progress_callback(p, &c);
  ASSERT_TRUE(c.train_begin(c.user, 2, 3));
  for (int64_t epoch = 0; epoch < 2; epoch++) {
    ASSERT_TRUE(c.epoch_begin(c.user, epoch));
    for (int64_t step = 0; step < 3; step++) {
      ASSERT_TRUE(c.batch_end(c.user, step, &logs));
    }
    ASSERT_TRUE(c.epoch_end(c.user, epoch, &logs));
  }
}

TEST(a_line_per_epoch_without_a_terminal) {
  snug_progress p = SNUG_INIT(snug_progress);
  screen s = {.n = 0};
  play(&p, &s);
  ASSERT_HAS(s.text, "Epoch 1/2\n3/3 - 0s - ");
  ASSERT_HAS(s.text, "us/step - accuracy: 0.8125 - loss: 4.3120e-04\nEpoch 2/2\n");
  ASSERT_NULL(strchr(s.text, '\r'));
  ASSERT_NULL(strchr(s.text, '\x1b'));
}

TEST(memory_stands_behind_the_values) {
  const char *with_peak[] = {"loss", SNUG_PEAK_MEMORY};
  snug_progress p = {.struct_size = sizeof p, .memory = true};
  screen s = {.n = 0};
  play(&p, &s);
  ASSERT_HAS(s.text, " - loss: 4.3120e-04 - mem: ");
  ASSERT_HAS(s.text, "MiB\nEpoch 2/2\n");
  snug_callback c = SNUG_INIT(snug_callback);
  snug_progress_callback(&p, &c);
  ASSERT_TRUE(c.epoch_end(c.user, 1, &(snug_logs){2, with_peak, values}));
  ASSERT_NULL(strstr(s.text, SNUG_PEAK_MEMORY));
}

TEST(the_peak_of_the_process_is_a_value_of_an_epoch) {
  double peak = 0.0;
  snug_callback c = SNUG_INIT(snug_callback);
  snug_peak_memory_callback(&peak, &c);
  ASSERT_TRUE(c.epoch_end(c.user, 0, &logs));
  ASSERT_TRUE(c.added == &peak && peak > 1e6);
  ASSERT_EQ_TEXT(c.adds, SNUG_PEAK_MEMORY);
  snug_peak_memory_callback(NULL, &c);
  ASSERT_NULL((void *)c.adds);
}

TEST(a_bar_on_a_terminal) {
  snug_progress p = {.struct_size = sizeof p, .bar = true, .colour = true};
  screen s = {.n = 0};
  play(&p, &s);
  ASSERT_HAS(
      s.text,
      "\r\x1b[1m1/3\x1b[0m \x1b[32m━━━━━━\x1b[0m\x1b[37m━━━━━━━━━━━━━━\x1b[0m \x1b[1m0s\x1b[0m");
  ASSERT_HAS(
      s.text,
      "\r\x1b[1m3/3\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m0s\x1b[0m");
}

TEST(a_line_that_is_too_long_still_ends) {
  enum { MANY = 100 };
  const char *many_names[MANY];
  double many_values[MANY];
  for (int bar = 0; bar < 2; bar++) {
    snug_progress p = {.struct_size = sizeof p, .bar = bar != 0, .sink = show};
    screen s = {.n = 0};
    for (int i = 0; i < MANY; i++) {
      many_names[i] = "a_metric_of_an_output";
      many_values[i] = 0.5;
    }
    p.user = &s;
    snug_callback c = SNUG_INIT(snug_callback);
    snug_progress_callback(&p, &c);
    ASSERT_TRUE(c.train_begin(c.user, 1, 1));
    ASSERT_TRUE(c.epoch_begin(c.user, 0));
    ASSERT_TRUE(c.epoch_end(c.user, 0, &(snug_logs){MANY, many_names, many_values}));
    ASSERT_TRUE(s.n > 1000 && s.text[s.n - 1] == '\n');
  }
}

TEST(a_bar_stays_within_the_terminal) {
  snug_progress p = {.struct_size = sizeof p, .bar = true, .ascii = true, .columns = 60};
  screen s = {.n = 0};
  play(&p, &s);
  const char *begun = strstr(s.text, "\r1/3 ");
  ASSERT_NOT_NULL(begun);
  size_t width = strcspn(begun + 1, "\r\n");
  ASSERT_TRUE(width < 60);
  ASSERT_NOT_NULL(memmem(begun + 1, width, "accuracy: 0.8125", 16)); /* has room */
  ASSERT_NULL(memmem(begun + 1, width, "loss", 4));                  /* has none */
  ASSERT_HAS(strstr(s.text, "\r3/3 "), "loss: 4.3120e-04\n"); /* is not drawn again: all of it */
}

TEST(plain_characters_where_asked) {
  snug_progress p = {.struct_size = sizeof p, .bar = true, .ascii = true};
  screen s = {.n = 0};
  play(&p, &s);
  ASSERT_HAS(s.text, "3/3 ==================== 0s");
  for (size_t i = 0; i < s.n; i++) {
    ASSERT_TRUE((unsigned char)s.text[i] < 0x80);
  }
}

TEST(bytes_read_well) {
  char out[SNUG_BYTES_TEXT];
  ASSERT_EQ_TEXT(snug_bytes_text(0, out), "0 B");
  ASSERT_EQ_TEXT(snug_bytes_text(812, out), "812 B");
  ASSERT_EQ_TEXT(snug_bytes_text(1023, out), "1023 B");
  ASSERT_EQ_TEXT(snug_bytes_text(1536, out), "1.5 KiB");
  ASSERT_EQ_TEXT(snug_bytes_text(102399, out), "100 KiB");
  ASSERT_EQ_TEXT(snug_bytes_text(1048575, out), "1.0 MiB");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_C(3) << 30, out), "3.00 GiB");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_MAX, out), "16.0 EiB");
}

TEST(what_is_told_is_enough) {
  char out[SNUG_BYTES_TEXT];
  ASSERT_EQ_TEXT(snug_bytes_text(1024, out), "1.0 KiB");
  ASSERT_EQ_TEXT(snug_bytes_text(1537, out), "1.6 KiB");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_C(1023) << 20, out), "1023 MiB");
  ASSERT_EQ_TEXT(snug_bytes_text((UINT64_C(118) << 20) + 1, out), "119 MiB");
  ASSERT_EQ_TEXT(snug_bytes_text((UINT64_C(1) << 20) - 1, out), "1.0 MiB");
  ASSERT_EQ_TEXT(snug_bytes_text((UINT64_C(1023) << 20) + 1, out), "1.00 GiB");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_C(2730627072), out), "2.55 GiB");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_C(9999) << 20, out), "9.77 GiB");
}

TEST(parts_come_largest_first) {
  snug_memory_report r = {
      .struct_size = sizeof r, .weights = 2048, .activations = 1 << 20, .runtime = 10};
  char out[256];
  snug_memory_text(&r, true, out, sizeof out);
  ASSERT_EQ_TEXT(out, "activations 1.0 MiB, weights 2.0 KiB, runtime 10 B");
  snug_memory_text(&r, false, out, 12);
  ASSERT_EQ_TEXT(out, "activations");
}

TEST(boxes_have_straight_walls) {
  const snug_box_row rows[] = {{"a", "short"}, {"longer", "ü is one column"}};
  screen s = {.n = 0};
  snug_box(show, &s, false, 0, "title", rows, 2);
  ASSERT_EQ_TEXT(s.text,
                 "╭─ title ─────────────────╮\n"
                 "│ a       short           │\n"
                 "│ longer  ü is one column │\n"
                 "╰─────────────────────────╯\n");
  screen plain = {.n = 0};
  snug_box(show, &plain, true, 0, "a title that is longer than all of the rows", rows, 1);
  ASSERT_HAS(plain.text, "+- a title that is longer than all of the rows -+\n| a  short");
}

/* Nothing is lost where it is narrow: texts go on below, at dots, then at blanks, then in words. */
TEST(boxes_stay_within_the_terminal) {
  const snug_box_row rows[] = {{"who", "python 1.2 GiB · worker 300 MiB · and 3 more"},
                               {"run", "python train.py --epochs 100 --model resnet"},
                               {"what", "killed for memory (SIGKILL; the limit is 9 M)"},
                               {"name", "a_name_of_one_word_that_has_no_blank_at_all"}};
  screen s = {.n = 0};
  snug_box(show, &s, false, 40, "killed by the kernel · peak 598 MiB of 600 MiB", rows, 4);
  ASSERT_EQ_TEXT(s.text,
                 "╭─ killed by the kernel ─────────────╮\n"
                 "│ peak 598 MiB of 600 MiB            │\n"
                 "│ who   python 1.2 GiB               │\n"
                 "│       worker 300 MiB · and 3 more  │\n"
                 "│ run   python train.py --epochs 100 │\n"
                 "│       --model resnet               │\n"
                 "│ what  killed for memory            │\n"
                 "│       (SIGKILL; the limit is 9 M)  │\n"
                 "│ name  a_name_of_one_word_that_has_ │\n"
                 "│       no_blank_at_all              │\n"
                 "╰────────────────────────────────────╯\n");
}
