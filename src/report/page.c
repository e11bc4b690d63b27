/* The head and the end of a page, and its looks.  There is no script: what can be asked of a point
 * is shown by its style when it is pointed at or has the focus. */
#include "report/out.h"

/* Nothing may be loaded, from anywhere; the style stands in the page itself. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/* The eight are told apart by all, also by who sees no red, no green or no blue, and from the
 * paper: tests/report/colours_test.c. */
static const char colours[] =
    ":root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--rule:#d9dee5;--back:#fff;"
    "--tile:#f4f6f9;--good:#1a7f37;--bad:#b42318;--limit:#1c2430;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#2bab33;--c3:#5d27f0;--c4:#160052;--c5:#977392;--c6:#0098ff;"
    "--c7:#473052}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a3adba;--rule:#39424e;"
    "--back:#14181e;--tile:#1e242c;--good:#4cc46f;--bad:#ff8478;--limit:#e6e9ee;"
    "--c0:#6cb0f5;--c1:#f08a3c;--c2:#4beaa7;--c3:#d15bb2;--c4:#f8fc6d;--c5:#c7bfcc;--c6:#757eed;"
    "--c7:#b87d65}}\n";

static const char layout[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
    "color:var(--ink);background:var(--back)}\n"
    "h1{font-size:1.5em;line-height:1.25;margin:0 0 .2em;overflow-wrap:anywhere}"
    "p.lead{font-size:1.1em;margin:0 0 .5em;overflow-wrap:anywhere}"
    "h2{font-size:1.1em;margin:2em 0 "
    ".5em}p.sub{color:var(--soft);margin:.3em 0 0;overflow-wrap:anywhere}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11em,1fr));gap:.7em;"
    "margin:1.2em 0}.tiles div{background:var(--tile);border-radius:6px;padding:.6em .8em}"
    ".tiles dt{color:var(--soft);font-size:.85em}.tiles dd{margin:0;font-weight:600}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3em}"
    "td,th{text-align:right;padding:.2em .8em;border-bottom:1px solid var(--rule);"
    "font-weight:400}thead th{color:var(--soft);white-space:nowrap}"
    "td{white-space:nowrap}td.how,th.how,tbody th{text-align:left;overflow-wrap:anywhere}"
    "td.how{width:100%;white-space:normal}tbody th{min-width:7em}"
    "tr.chosen{background:var(--tile)}\n"
    ".wide{overflow-x:auto}.scroll{max-height:30em;overflow:auto}.scroll:focus-visible,summary:"
    "focus-visible{"
    "outline:2px solid var(--c0);outline-offset:2px}summary{cursor:pointer}\n"
    "footer{margin:3em 0 1em;color:var(--soft);font-size:.85em}\n"
    ".by-run{table-layout:fixed}.by-run td,.by-run "
    "th{white-space:normal;overflow-wrap:anywhere;vertical-align:top}"
    ".by-run thead th:first-child{width:8em}.by-run tbody th{min-width:0}.texts "
    "td{text-align:left;font-size:.9em}"
    ".texts thead th{text-align:left}\n"
    ".bars{display:grid;grid-template-columns:minmax(5em,15em) 1fr minmax(9em,auto);gap:.35em .8em;"
    "align-items:center}.bars .of{text-align:right;overflow-wrap:anywhere}"
    ".bars .track{position:relative;height:1.5em;display:block}"
    ".bars .bar{position:absolute;left:0;top:0;bottom:0;border-radius:2px;background:currentColor}"
    ".bars .limit{position:absolute;top:-.15em;bottom:-.15em;width:0;"
    "border-left:2px dashed var(--limit)}.bars+p{margin-top:.6em}.bars small,td "
    "small{color:var(--soft)}\n"
    "@media print{.scroll{max-height:none}}\n";

static const char pictures[] =
    "svg{width:100%;height:auto;font-size:13px;fill:var(--soft);overflow:visible}\n"
    ".grid{stroke:var(--rule)}.curve{fill:none;stroke:var(--c0);stroke-width:2}"
    ".point{fill:var(--c0)}.chosen{fill:var(--good)}.line{stroke:var(--limit);stroke-width:2;"
    "stroke-dasharray:5 4}.mark{stroke:var(--rule);stroke-dasharray:2 3}"
    ".faded{opacity:.45}\n"
    ".area{fill:var(--c0);opacity:.15;stroke:none}.phase1{fill:var(--c2);opacity:.18}"
    ".phase2{fill:var(--c1);opacity:.3}\n"
    ".pt circle{fill:var(--c0);stroke:var(--back);stroke-width:1.5}.pt.peak circle{fill:var(--bad)}"
    ".pt.target circle{fill:var(--c3)}.pt text{display:none;fill:var(--ink);paint-order:stroke;"
    "stroke:var(--back);stroke-width:4px}.pt:hover text,.pt:focus text{display:block}"
    ".pt:focus{outline:none}.pt:focus circle{stroke:var(--ink);stroke-width:2.5}\n"
    ".legend{list-style:none;padding:0;margin:.4em 0;display:flex;flex-wrap:wrap;gap:.3em 1.2em;"
    "color:var(--soft)}.legend "
    "i,.key{display:inline-block;width:1.4em;height:.25em;margin-right:.5em;"
    "vertical-align:middle;background:currentColor}.legend svg,th svg{width:2.2em;height:.7em;"
    "margin-right:.5em;vertical-align:middle}.legend "
    "i.box,.key{height:.8em}.faint{opacity:.4}\n";

/* A colour for each of several curves, bars or parts, and a pattern so that nobody needs colours to
 * tell curves apart. */
static void put_series(const snug__out *o) {
  static const char *const dashes[] = {"none", "8 3", "2 3", "9 3 2 3"};
  for (int i = 0; i < 8; i++) {
    snug__out_format(o, ".s%d{fill:none;stroke:var(--c%d);stroke-width:2;stroke-dasharray:%s}", i,
                     i, dashes[i % 4]);
    snug__out_format(o, ".f%d{fill:var(--c%d)}.t%d{color:var(--c%d)}\n", i, i, i, i);
  }
}

void snug_page_begin(snug_sink *sink, void *user, const char *title) {
  snug__out o = {sink, user};
  if (!sink) {
    return;
  }
  snug__out_format(&o,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>",
                   policy);
  snug__out_quoted(&o, SNUG_QUOTE_HTML, title);
  snug__out_text(&o, "</title>\n<style>\n");
  snug__out_text(&o, colours);
  snug__out_text(&o, layout);
  snug__out_text(&o, pictures);
  put_series(&o);
  snug__out_text(&o, "</style>\n</head>\n<body>\n");
}

void snug_page_end(snug_sink *sink, void *user) {
  snug__out o = {sink, user};
  if (sink) {
    snug__out_text(&o, "</body>\n</html>\n");
  }
}
