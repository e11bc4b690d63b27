/* What the library says in words of C, in words of the command. */
#include <string.h>

#include "cli.h"

/* A message names what a program would set, "MEMBER of STRUCT" or a function; here it is an option.
 */
static const struct {
  const char *in_c, *option;
} words[] = {
    {"replan of snug_fit_options", "--replan"},
    {"memory of snug_load_options", "--memory"},
    {"x of snug_load_options", "--input-shape"},
    {"no_compile of snug_load_options", "with --optimizer and --loss it is left out"},
    {"optimizer and loss of snug_compile_options", "--optimizer and --loss"},
    {"optimizer of snug_compile_options", "--optimizer"},
    {"loss of snug_compile_options", "--loss"},
    {"loss_weights of snug_compile_options", "--loss-weights"},
    {"metrics of snug_compile_options", "--metrics"},
    {"snug_model_compile", "--optimizer and --loss"},
    {"skip_bad of snug_image_options", "--on-error skip"},
    {"augment of snug_image_options", "--augment"},
    {"replace of snug_fit_record", "--force"},
    {"replace of snug_view_tensorboard", "--force"},
};

const char *cli_in_options(const char *message, char out[CLI_MESSAGE_BYTES]) {
  size_t n = 0;
  while (*message && n + 1 < CLI_MESSAGE_BYTES) {
    size_t i = 0;
    while (i < sizeof words / sizeof *words &&
           strncmp(message, words[i].in_c, strlen(words[i].in_c)) != 0) {
      i++;
    }
    if (i == sizeof words / sizeof *words) {
      out[n++] = *message++;
      continue;
    }
    n += (size_t)snprintf(out + n, CLI_MESSAGE_BYTES - n, "%s", words[i].option);
    n = n < CLI_MESSAGE_BYTES ? n : CLI_MESSAGE_BYTES - 1;
    message += strlen(words[i].in_c);
  }
  out[n] = '\0';
  return out;
}

const char *cli_message(const snug_ctx *ctx) {
  static char text[CLI_MESSAGE_BYTES];
  return cli_in_options(snug_message(ctx), text);
}
