/* SPDX-License-Identifier: BSD-2-Clause */
/* The meshes that a URDF file shows, for jounce view: which names the file has, and which of them may be read.
 *
 * A robot's file may come from a stranger, and the page may be passed on. Therefore only regular files are read, and
 * only those that are, after resolving links, in the folder of the robot's file, in its package (a folder with a
 * package.xml, which the robot's file is in, at most three folders up, or which lies beside such a folder), or in a
 * folder that the user names with --meshes. */
#ifndef JN_TOOL_VIEW_MESHES_H
#define JN_TOOL_VIEW_MESHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../options/options.h"

/* The names of the meshes of visuals, each once, sorted: attributes `filename` of robot/link/visual/geometry/mesh, as
 * an XML parser sees them. Text that is not well-formed ends the list. Release with name_list_free(). */
void mesh_names_read(const char *text, size_t length, name_list *names);

typedef enum mesh_state {
  MESH_FOUND,
  MESH_AGAIN,   /* the file of another name: same_as */
  MESH_MISSING, /* no such file */
  MESH_OUTSIDE, /* of the folders that may be read */
  MESH_SPECIAL, /* a pipe, a device, a folder */
  MESH_FORMAT,  /* not STL, OBJ or DAE */
  MESH_STATES
} mesh_state;

typedef struct mesh {
  const char *name; /* as in the robot's file */
  char *path;       /* with all links resolved; NULL: none */
  mesh_state state;
  const char *same_as; /* the name that the page has this file under */
} mesh;

typedef struct mesh_list {
  mesh *meshes;
  int count;
  name_list names;
  char *folder; /* that would have to be allowed for the first mesh outside; NULL: none */
} mesh_list;

/* Looks for the meshes of a text from the file `robot`; folders: those of --meshes. */
void mesh_list_find(mesh_list *list, const char *text, size_t length, const char *robot, const name_list *folders);
void mesh_list_free(mesh_list *list);

/* The file of a mesh that was found; NULL if it is no regular file any more. Does not wait for a writer of a pipe. */
FILE *mesh_open(const mesh *m);

/* How many are in a state; the names of those that are not shown go to stderr, with the remedy. */
int mesh_list_count(const mesh_list *list, mesh_state state);
void mesh_list_tell(const mesh_list *list);

#endif
