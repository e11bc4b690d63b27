/* Calls on files, made to fail: of those on a folder, or on files in it, one fails, or one and all
 * later ones.
 *
 * Opening counts if it may write or opens a folder; so do writing (where the disk is full, half is
 * written first), reading from an open file, cutting, reserving, bringing to disk, permissions,
 * renaming, linking, making and removing, locking and closing. */
#ifndef SNUG_TESTS_CALLBACKS_FILE_FAULTS_H
#define SNUG_TESTS_CALLBACKS_FILE_FAULTS_H

#include <stdbool.h>

/* The folder: an absolute path without links.  at: the number of the call, from 1; 0: none. */
void file_faults_begin(const char *folder, long at, int error, bool later);

/* A file system that has not all calls: those of a text fail always ("link", "place": a renaming
 * that replaces nothing). */
void file_faults_lack(const char *folder, const char *calls, int error);

/* Returns the calls that were made; *failed (may be NULL): the name of the one that failed, "-" if
 * none did. */
long file_faults_end(const char **failed);

#endif
