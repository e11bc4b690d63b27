/* snug pack: snug_pack on a CSV file. */
#include <stdlib.h>

#include "csv_pack.h"
#include "json.h"

typedef struct pack_command {
  const char *input, *output; /* output NULL: standard output */
  snug_pack_options options;
  cli_common common;
  bool force;
  csv_problem problem;
  snug_ctx *ctx;
  cli_room room;
  int64_t *offsets;
  snug_pack_result result;
} pack_command;

static int read_problem(pack_command *c) {
  snug_status status = snug_ctx_create(NULL, &c->ctx);
  if (status) {
    return cli_fail(CLI_FAILURE, "pack: %s", snug_status_text(status));
  }
  c->room = cli_room_find(c->ctx);
  return csv_problem_read(&c->problem, c->input, &c->room);
}

static int solve(pack_command *c) {
  size_t bytes = (c->problem.n ? c->problem.n : 1) * sizeof *c->offsets;
  int code = cli_room_check(&c->room, c->input, bytes);
  if (code) {
    return code;
  }
  c->offsets = malloc(bytes);
  if (!c->offsets) {
    return cli_fail(CLI_NO_FIT, "%s: no memory for %zu buffers", c->input, c->problem.n);
  }
  snug_status status =
      snug_pack(c->ctx, c->problem.items, c->problem.n, &c->options, c->offsets, &c->result);
  bool has_no_room = status == SNUG_E_LIMIT || status == SNUG_E_MEMORY;
  return status ? cli_fail(has_no_room ? CLI_NO_FIT : CLI_FAILURE, "%s: %s", c->input,
                           cli_message(c->ctx))
                : CLI_OK;
}

static bool fits(const pack_command *c) {
  return !c->options.capacity || c->result.height <= c->options.capacity;
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

/* "96 bytes", "2048 bytes (2.0 KiB)" */
static void print_bytes(int64_t bytes, FILE *out) {
  char text[SNUG_BYTES_TEXT];
  fprintf(out, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
  if (bytes >= 1024) {
    fprintf(out, " (%s)", snug_bytes_text((uint64_t)bytes, text));
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
  if (c->options.capacity) {
    int64_t over = r->height - c->options.capacity;
    fputs("capacity  ", out);
    print_bytes(c->options.capacity, out);
    fputs(over <= 0 ? ": fits, free: " : ": does not fit, too high by ", out);
    print_bytes(over <= 0 ? -over : over, out);
    fprintf(out, "%s\n", r->bound > c->options.capacity ? "; no packing fits" : "");
  }
}

static void print_json_offsets(const pack_command *c, json *j) {
  json_array(j, "offsets");
  for (size_t i = 0; i < c->problem.n; i++) {
    csv_slice id = csv_problem_id(&c->problem, i);
    json_object(j, NULL);
    json_text_n(j, "id", id.text, id.n);
    json_int(j, "offset", c->offsets[i]);
    json_end(j);
  }
  json_end(j);
}

static void print_json(const pack_command *c, FILE *out) {
  const snug_pack_result *r = &c->result;
  json j = json_begin(out);
  json_int(&j, "buffers", (int64_t)c->problem.n);
  json_int(&j, "load", r->load);
  json_int(&j, "height", r->height);
  json_int(&j, "bound", r->bound);
  json_bool(&j, "proven", r->proven);
  json_int(&j, "work", r->work_done);
  if (c->options.capacity) {
    json_int(&j, "capacity", c->options.capacity);
  }
  json_bool(&j, "fits", fits(c));
  if (!c->output && fits(c)) {
    print_json_offsets(c, &j);
  }
  json_finish(&j);
}

static int write_output(const pack_command *c) {
  cli_file file;
  int code = cli_file_begin(&file, c->ctx, c->output, c->force);
  if (code) {
    return code;
  }
  csv_problem_write(&c->problem, c->offsets, file.stream);
  return cli_file_end(&file);
}

/* The CSV is the result where it goes to stdout, and the verdict then a remark. */
static int report(const pack_command *c) {
  bool csv_to_stdout = !c->output && !c->common.json && fits(c);
  if (c->output && fits(c)) {
    int code = write_output(c);
    if (code) {
      return code;
    }
  }
  if (csv_to_stdout) {
    csv_problem_write(&c->problem, c->offsets, stdout);
  }
  if (c->common.json) {
    print_json(c, stdout);
  } else if (!c->common.quiet) {
    print_verdict(c, csv_to_stdout ? stderr : stdout);
  }
  return cli_finish(fits(c) ? CLI_OK : CLI_NO_FIT);
}

static int run(const cli_verb *verb, int n_args, char **args) {
  pack_command c = {.options = SNUG_INIT(snug_pack_options), .result = SNUG_INIT(snug_pack_result)};
  int code = cli_parse(verb, n_args, args, &c);
  code = code || !c.output ? code : cli_file_check(c.output, c.force);
  code = code ? code : read_problem(&c);
  code = code ? code : solve(&c);
  code = code ? code : report(&c);
  snug_ctx_destroy(c.ctx);
  csv_problem_release(&c.problem);
  free(c.offsets);
  return code;
}

static const cli_example examples[] = {
    {"snug pack problem.csv", "the least height; CSV to stdout"},
    {"snug pack problem.csv --capacity 2GiB -o out.csv", "is there a packing within 2 GiB?"},
    {"snug pack problem.csv --json", "the answer as JSON"},
};

static const cli_option options[] = {
    {"capacity", 0, CLI_BYTES, "BYTES", NULL, "Options", offsetof(pack_command, options.capacity),
     "stop as soon as the height is at most this (4096, 2GiB, 2G, 2GB). If no such packing is "
     "found, nothing is written and the exit code is 3"},
    {"timeout", 0, CLI_SECONDS, "SECONDS", NULL, NULL, offsetof(pack_command, options.timeout_s),
     "stop the search after this time; default: after a fixed amount of work, so that the answer "
     "depends only on the input"},
    {"work", 0, CLI_AT_LEAST_1, "UNITS", NULL, NULL, offsetof(pack_command, options.work),
     "amount of search work"},
    {"output", 'o', CLI_FILE, "FILE", "csv", NULL, offsetof(pack_command, output),
     "write the CSV to FILE, which appears complete or not at all"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, offsetof(pack_command, force),
     "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(pack_command),
};

const cli_verb cli_verb_pack = {
    .name = "pack",
    .summary = "place buffers with lifetimes in one block of memory",
    .operand = {"FILE", "the problem as CSV; \"-\" is standard input", "csv", true, false,
                offsetof(pack_command, input)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "The file has a header and the columns id, lower, upper, size (in any order; lifetimes are "
        "half-open: lower <= t < upper), and optionally alignment (the offset is a multiple of it) "
        "and hint (an offset to try first). Other columns are copied.\n"
        "The answer has the same lines and a column offset. Buffers that are alive at the same "
        "time do not overlap, and the block is as small as the search found. An independent check "
        "verifies every answer.\n"
        "The verdict has the load (the largest sum of sizes alive at one moment, a lower bound for "
        "every packing), the height that was reached, and whether a lower one is proven "
        "impossible. It goes to standard error if the CSV goes to standard output, and to standard "
        "output otherwise.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits =
        "3\tno packing within the capacity was found, or the problem needs more memory than this "
        "process may use\n",
    .shown =
        "$ cat problem.csv\n"
        "id,lower,upper,size\n"
        "a,0,4,64\n"
        "b,2,6,32\n"
        "c,4,8,64\n"
        "$ snug pack problem.csv --capacity 96 -o placed.csv\n"
        "buffers   3\n"
        "load      96 bytes\n"
        "height    96 bytes, proven: nothing lower exists\n"
        "capacity  96 bytes: fits, free: 0 bytes\n",
    .run = run,
};
