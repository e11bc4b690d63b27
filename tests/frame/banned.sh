#!/bin/sh
# src/base/banned.h stops what it names (with gcc), and nothing else.
compile() { echo "void f(char *t); void f(char *t) { $1; }" |
  $CC -std=c11 -O2 -Isrc -include base/banned.h -fsyntax-only -w -x c - 2>/dev/null; }

$CC --version | grep -q clang && exit 0
for call in 'malloc(1)' 'calloc(1, 1)' 'realloc(t, 1)' 'free(t)' 'strcpy(t, "x")' 'strcat(t, "x")' \
  'sprintf(t, "x")' 'gets(t)' 'atoi(t)' 'exit(1)' 'abort()' 'printf("x")' 'fprintf(stderr, "x")'; do
  compile "$call" && echo "banned.h lets $call pass" && exit 1
done
compile 'snprintf(t, 2, "x")'
