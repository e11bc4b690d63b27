/* Put before every source file of the library except base/heap.c: a use of what bypasses the
 * account, writes without a bound, prints, or ends the caller's process does not compile.
 *
 * The functions are declared again as unavailable, so members of the same name (such as
 * snug_allocator.realloc) stay free.  gcc alone does this to functions that headers define inline;
 * one compiler that refuses is enough. */
#ifndef SNUG_BASE_BANNED_H
#define SNUG_BASE_BANNED_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <mm_malloc.h> /* part of immintrin.h, with a use of malloc of its own */
#endif

#if defined(__has_attribute) && !defined(__clang__)
#if __has_attribute(unavailable)
#define SNUG__BANNED(instead) __attribute__((unavailable(instead)))
#endif
#endif

#ifdef SNUG__BANNED
#define SNUG__BANNED_MEMORY SNUG__BANNED("memory is taken through base/account.h")
void *malloc(size_t bytes) SNUG__BANNED_MEMORY;
void *calloc(size_t n, size_t bytes) SNUG__BANNED_MEMORY;
void *realloc(void *ptr, size_t bytes) SNUG__BANNED_MEMORY;
void free(void *ptr) SNUG__BANNED_MEMORY;
void *aligned_alloc(size_t align, size_t bytes) SNUG__BANNED_MEMORY;

#define SNUG__BANNED_TEXT SNUG__BANNED("use snprintf, memcpy or base/text.h")
char *strcpy(char *dst, const char *src) SNUG__BANNED_TEXT;
char *strcat(char *dst, const char *src) SNUG__BANNED_TEXT;
int sprintf(char *dst, const char *format, ...) SNUG__BANNED_TEXT;
int vsprintf(char *dst, const char *format, va_list args) SNUG__BANNED_TEXT;
char *gets(char *dst) SNUG__BANNED_TEXT;

#define SNUG__BANNED_NUMBER SNUG__BANNED("use strtoll or strtod, which report errors")
int atoi(const char *text) SNUG__BANNED_NUMBER;
long atol(const char *text) SNUG__BANNED_NUMBER;
double atof(const char *text) SNUG__BANNED_NUMBER;

#define SNUG__BANNED_END SNUG__BANNED("the library returns a status, it never prints or exits")
void exit(int code) SNUG__BANNED_END;
void abort(void) SNUG__BANNED_END;
int printf(const char *format, ...) SNUG__BANNED_END;
int fprintf(FILE *file, const char *format, ...) SNUG__BANNED_END;
int puts(const char *text) SNUG__BANNED_END;
#endif

#endif
