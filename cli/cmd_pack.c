/* snug pack: snug_pack on a CSV file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv_pack.h"

typedef struct pack_command {
  const char *input, *output; /* output NULL: standard output */
  snug_pack_options options;
  bool force, json, quiet, has_capacity;
  csv_problem problem;
  int64_t *offsets;
  snug_pack_result result;
} pack_command;

static const char help[] =
    "snug pack: give buffers with lifespans their offsets in one block of memory\n\n"
    "Examples:\n"
    "  snug pack problem.csv                             the least height; CSV to stdout\n"
    "  snug pack problem.csv --capacity 2GiB -o out.csv  is there a packing within 2 GiB?\n"
    "  snug pack problem.csv --json                      the answer as JSON\n\n"
    "The file has a header and the columns id, lower, upper, size (in any order; lifespans are\n"
    "half-open: lower <= t < upper) and may have alignment and hint; other columns pass through.\n"
    "The answer has the same lines and a column offset.  \"-\" reads standard input.\n\n"
    "Options:\n"
    "  --capacity BYTES   stop as soon as the height is at most this (4096, 2GiB, 2G, 2GB)\n"
    "  --timeout SECONDS  stop searching after this time; without it, after a fixed amount of\n"
    "                     work, so that the answer depends on the input alone\n"
    "  --work UNITS       another amount of work than the default\n"
    "  -o, --output FILE  write the CSV there; it appears complete or not at all\n"
    "  -f, --force        replace FILE if it exists\n"
    "  --json             print the verdict (and, without -o, the offsets) as JSON\n"
    "  -q, --quiet        no verdict\n"
    "  -h, --help         this text\n\n"
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 no packing within the capacity was found (none is\n"
    "written then).\n";

static int bad_value(const char *option, const char *value, const char *wanted) {
  return cli_fail(CLI_USAGE, "pack: %s is \"%s\"; %s is needed", option, value, wanted);
}

/* One option or operand; 0, or the exit code of a bad one. */
static int parse_one(pack_command *c, cli_args *a) {
  const char *operand;
  if (cli_option(a, NULL, "--capacity")) {
    c->has_capacity = true;
    return cli_parse_bytes(a->value, &c->options.capacity) && c->options.capacity > 0
               ? CLI_OK
               : bad_value("--capacity", a->value, "a number of bytes such as 4096 or 2GiB");
  }
  if (cli_option(a, NULL, "--timeout")) {
    return cli_parse_seconds(a->value, &c->options.timeout_s)
               ? CLI_OK
               : bad_value("--timeout", a->value, "a number of seconds above 0");
  }
  if (cli_option(a, NULL, "--work")) {
    return cli_parse_count(a->value, &c->options.work) && c->options.work > 0
               ? CLI_OK
               : bad_value("--work", a->value, "a whole number above 0");
  }
  if (cli_option(a, "-o", "--output")) {
    c->output = a->value;
  } else if (cli_flag(a, "-f", "--force")) {
    c->force = true;
  } else if (cli_flag(a, NULL, "--json")) {
    c->json = true;
  } else if (cli_flag(a, "-q", "--quiet")) {
    c->quiet = true;
  } else if (!c->input && !a->is_missing && (operand = cli_operand(a)) != NULL) {
    c->input = operand;
  } else {
    return cli_args_bad(a);
  }
  return CLI_OK;
}

static int parse(pack_command *c, cli_args *a) {
  while (a->at < a->n) {
    int code = parse_one(c, a);
    if (code) {
      return code;
    }
  }
  if (!c->input || !*c->input) {
    return cli_fail(CLI_USAGE, "pack: which file? See snug pack --help");
  }
  if (c->output && !*c->output) {
    return bad_value("--output", c->output, "the name of a file");
  }
  return c->output ? cli_file_check(c->output, c->force) : CLI_OK;
}

static int solve(pack_command *c) {
  snug_ctx *ctx = NULL;
  c->offsets = malloc((c->problem.n ? c->problem.n : 1) * sizeof *c->offsets);
  if (!c->offsets || snug_ctx_create(NULL, &ctx)) {
    return cli_fail(CLI_FAILURE, "pack: no memory for %zu buffers", c->problem.n);
  }
  snug_status status =
      snug_pack(ctx, c->problem.items, c->problem.n, &c->options, c->offsets, &c->result);
  int code = status ? cli_fail(CLI_FAILURE, "%s: %s", c->input, snug_message(ctx)) : CLI_OK;
  snug_ctx_destroy(ctx);
  return code;
}

static bool fits(const pack_command *c) {
  return !c->has_capacity || c->result.height <= c->options.capacity;
}

static void print_quality(const snug_pack_result *r, FILE *out) {
  double above = r->load ? 100.0 * (double)(r->height - r->load) / (double)r->load : 0.0;
  if (r->proven) {
    fprintf(out, "proven: nothing lower exists\n");
  } else {
    fprintf(out, "not proven: %lld bytes (%.3f %%) above the load\n",
            (long long)(r->height - r->load), above);
  }
}

/* "96 bytes", "2048 bytes (2.00 KiB)" */
static void print_bytes(int64_t bytes, FILE *out) {
  char text[24];
  fprintf(out, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
  if (bytes >= 1024) {
    fprintf(out, " (%s)", cli_bytes_text(bytes, text, sizeof text));
  }
}

static void print_verdict(const pack_command *c, FILE *out) {
  const snug_pack_result *r = &c->result;
  fprintf(out, "buffers   %zu\nload      ", c->problem.n);
  print_bytes(r->load, out);
  fputs("\nheight    ", out);
  print_bytes(r->height, out);
  fputs(", ", out);
  print_quality(r, out);
  if (c->has_capacity) {
    int64_t over = r->height - c->options.capacity;
    fputs("capacity  ", out);
    print_bytes(c->options.capacity, out);
    fputs(over <= 0 ? ": fits, free: " : ": does not fit, too high by ", out);
    print_bytes(over <= 0 ? -over : over, out);
    fprintf(out, "%s\n", r->bound > c->options.capacity ? "; no packing fits" : "");
  }
}

static void print_json_offsets(const pack_command *c, FILE *out) {
  fputs(",\"offsets\":[", out);
  for (size_t i = 0; i < c->problem.n; i++) {
    csv_slice id = csv_problem_id(&c->problem, i);
    fputs(i ? ",\n{\"id\":" : "\n{\"id\":", out);
    cli_json_text(out, id.text, id.n);
    fprintf(out, ",\"offset\":%lld}", (long long)c->offsets[i]);
  }
  fputs("]", out);
}

static void print_json(const pack_command *c, FILE *out) {
  const snug_pack_result *r = &c->result;
  fprintf(out,
          "{\"buffers\":%zu,\"load\":%lld,\"height\":%lld,\"bound\":%lld,\"proven\":%s,"
          "\"work\":%lld",
          c->problem.n, (long long)r->load, (long long)r->height, (long long)r->bound,
          r->proven ? "true" : "false", (long long)r->work_done);
  if (c->has_capacity) {
    fprintf(out, ",\"capacity\":%lld", (long long)c->options.capacity);
  }
  fprintf(out, ",\"fits\":%s", fits(c) ? "true" : "false");
  if (!c->output && fits(c)) {
    print_json_offsets(c, out);
  }
  fputs("}\n", out);
}

static int write_output(const pack_command *c) {
  cli_file file;
  int code = cli_file_begin(&file, c->output, c->force);
  if (code) {
    return code;
  }
  csv_problem_write(&c->problem, c->offsets, file.stream);
  return cli_file_end(&file);
}

/* The CSV is the result where it goes to stdout, and the verdict then a remark. */
static int report(const pack_command *c) {
  bool csv_to_stdout = !c->output && !c->json && fits(c);
  if (c->output && fits(c)) {
    int code = write_output(c);
    if (code) {
      return code;
    }
  }
  if (csv_to_stdout) {
    csv_problem_write(&c->problem, c->offsets, stdout);
  }
  if (c->json) {
    print_json(c, stdout);
  } else if (!c->quiet) {
    print_verdict(c, csv_to_stdout ? stderr : stdout);
  }
  if (fflush(stdout) || ferror(stdout)) {
    return cli_fail(CLI_FAILURE, "standard output: %s", strerror(errno));
  }
  return fits(c) ? CLI_OK : CLI_NO_FIT;
}

int cli_pack(int n_args, char **args) {
  pack_command c = {.options = SNUG_PACK_OPTIONS_DEFAULT};
  cli_args a = {.verb = "pack", .n = n_args, .args = args};
  for (int i = 0; i < n_args; i++) {
    if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
      fputs(help, stdout);
      return CLI_OK;
    }
  }
  int code = parse(&c, &a);
  code = code ? code : csv_problem_read(&c.problem, c.input);
  code = code ? code : solve(&c);
  code = code ? code : report(&c);
  csv_problem_release(&c.problem);
  free(c.offsets);
  return code;
}
