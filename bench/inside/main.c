#include <stdio.h>
#include <string.h>

#include "inside/inside.h"

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*show)(const bench_options *o);
  } table[] = {
    {"--profile", show_profile},
    {"--predict", show_prediction},
    {"--peak", show_peak},
    {"--path", show_path},
#if SNUG_HAS_ONEDNN
    {"--op", show_ops},
    {"--alone", show_alone},
#endif
  };
  for (size_t i = 0; argc > 1 && i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(argv[1], table[i].name) == 0) {
      bench_options o = bench_options_read(argc - 1, argv + 1);
      table[i].show(&o);
      return 0;
    }
  }
  fputs(
      "usage: inside --profile|--predict|--peak|--path --model NAME [options]\n"
      "       inside --op|--alone --model NAME [options]      in a build with oneDNN\n",
      stderr);
  return 2;
}
