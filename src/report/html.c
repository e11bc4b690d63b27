#include "report/html.h"

#include <string.h>

#define SCROLLS_FROM 16 /* rows */

void snug__html_heading(const snug__out *o, const char *text) {
  snug__out_format(o, "<h2>%s</h2>\n", text);
}

static void put_head(const snug__out *o, const char *text, size_t n, bool is_first) {
  snug__out_format(o, "<th scope=\"col\"%s>", is_first ? " class=\"how\"" : "");
  snug_quote(o->sink, o->user, SNUG_QUOTE_HTML, text, n);
  snug__out_text(o, "</th>");
}

void snug__html_table(const snug__out *o, const char *caption, const char *heads, size_t rows,
                      const snug_view *values) {
  const char *name = NULL;
  if (rows >= SCROLLS_FROM || values) { /* and so it must be in reach of the keyboard */
    snug__out_format(o, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
                     caption);
  } else {
    snug__out_text(o, "<div class=\"wide\">\n");
  }
  snug__out_format(o, "<table>\n<caption>%s</caption>\n<thead><tr>", caption);
  for (const char *at = heads; *at;) {
    size_t n = strcspn(at, "|");
    put_head(o, at, n, at == heads);
    at += n + (at[n] == '|');
  }
  for (size_t i = 0; values && (name = snug__view_value_name(values, i)); i++) {
    put_head(o, name, strlen(name), false);
  }
  snug__out_text(o, "</tr></thead>\n<tbody>\n");
}

void snug__html_table_end(const snug__out *o) { snug__out_text(o, "</tbody>\n</table>\n</div>\n"); }

void snug__html_bytes(const snug__out *o, uint64_t bytes) {
  char text[SNUG_BYTES_TEXT];
  snug__html_cell(o, bytes ? snug_bytes_text(bytes, text) : "");
}

void snug__html_cell(const snug__out *o, const char *text) {
  snug__out_text(o, "<td>");
  snug__out_quoted(o, SNUG_QUOTE_HTML, text);
  snug__out_text(o, "</td>");
}

void snug__html_row(const snug__out *o, const char *name, const char *none) {
  snug__out_text(o, "<tr><th scope=\"row\">");
  snug__out_quoted(o, SNUG_QUOTE_HTML, *name ? name : none);
  snug__out_text(o, "</th>");
}

void snug__html_row_end(const snug__out *o) { snug__out_text(o, "</tr>\n"); }

void snug__html_tile(const snug__out *o, const char *name, const char *text) {
  snug__out_format(o, "<div><dt>%s</dt><dd>", name);
  snug__out_quoted(o, SNUG_QUOTE_HTML, text);
  snug__out_text(o, "</dd></div>\n");
}

void snug__html_judgements(const snug_view *v, const snug__out *o) {
  if (!v->judgements.n) {
    return;
  }
  snug__html_heading(o, "Rules");
  snug__out_text(o, "<ul>\n");
  for (size_t i = 0; i < v->judgements.n; i++) {
    const snug__judgement *j = snug__view_judgement(v, i);
    snug__line line = {.n = 0};
    snug__judgement_text(v, j, SNUG_QUOTE_HTML, &line);
    snug__out_format(o, "<li class=\"%s\">", j->holds ? "good" : "bad");
    snug__out_text(o, line.text);
    snug__out_text(o, "</li>\n");
  }
  snug__out_text(o, "</ul>\n");
}

void snug__html_footer(const snug__out *o) {
  snug__out_format(o, "<footer>Made by snug %s. This page loads nothing.</footer>\n",
                   snug_version());
}
