/* Which images a folder or a list has, in which order and with which labels. */
#include "image/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/option.h"
#include "lib/fault.h"
#include "lib/test.h"

/* Make a file with its folders; contents are not looked at. */
static void touch(const char *root, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    ASSERT_TRUE(mkdir(path, 0700) == 0 || errno == EEXIST);
    *slash = '/';
  }
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  fclose(f);
}

static const char *make_root(const char *name) {
  const char *root = test_path(name);
  ASSERT_TRUE(mkdir(root, 0700) == 0);
  return root;
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
}

/* All of a list as one text: "cats/1.jpg:0 ...". */
static const char *all(const snug__image_list *l, const char *root, char out[2048]) {
  out[0] = 0;
  for (int64_t i = 0; i < snug__list_count(l); i++) {
    char path[SNUG__PATH_BYTES];
    snug__list_path(l, i, path);
    const char *shown = strncmp(path, root, strlen(root)) == 0 ? path + strlen(root) + 1 : path;
    snprintf(out + strlen(out), 2048 - strlen(out), "%s%s:%d", i ? " " : "", shown,
             snug__list_label(l, i));
  }
  return out;
}

static void make_animals(const char *root) {
  touch(root, "dogs/b.jpg");
  touch(root, "dogs/A.PNG");
  touch(root, "dogs/c.Jpeg");
  touch(root, "dogs/notes.txt");
  touch(root, "dogs/jpg");
  touch(root, "cats/z.gif");
  touch(root, "cats/more/2.bmp");
  touch(root, "cats/more-of-it/3.png");
  touch(root, "cats/more/deep/.hidden.png");
  touch(root, "cats/1.jpg");
  touch(root, ".git/x.jpg");
  touch(root, "loose.jpg");
  touch(root, "birds/readme");
}

TEST(folders_are_classes) {
  snug_ctx *ctx = test_ctx();
  const char *root = make_root("animals");
  char text[2048];
  snug__image_list l;
  make_animals(root);
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_folder(&l, root, true));
  ASSERT_EQ_INT(snug__list_classes(&l), 3);
  ASSERT_EQ_TEXT(snug__list_class(&l, 0), "birds");
  ASSERT_EQ_TEXT(snug__list_class(&l, 2), "dogs");
  ASSERT_EQ_TEXT(all(&l, root, text),
                 "cats/1.jpg:1 cats/z.gif:1 cats/more/2.bmp:1 cats/more-of-it/3.png:1 "
                 "cats/more/deep/.hidden.png:1 dogs/A.PNG:2 dogs/b.jpg:2 dogs/c.Jpeg:2");
  snug__list_release(&l);
}

TEST(a_folder_without_labels) {
  snug_ctx *ctx = test_ctx();
  const char *root = make_root("animals");
  char text[2048], with_slash[1024];
  snug__image_list l;
  make_animals(root);
  snprintf(with_slash, sizeof with_slash, "%s/", root);
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_folder(&l, with_slash, false));
  ASSERT_EQ_INT(snug__list_classes(&l), 0);
  ASSERT_EQ_INT(snug__list_count(&l), 10);
  ASSERT_HAS(all(&l, root, text), "/loose.jpg:0 /.git/x.jpg:0 /cats/1.jpg:0");
  snug__list_release(&l);
}

/* A link to a folder is a class, and further down it is not followed: no walk is endless. */
TEST(links) {
  snug_ctx *ctx = test_ctx();
  const char *root = make_root("links"), *other = make_root("other");
  char path[1024], text[2048];
  snug__image_list l;
  touch(other, "x.jpg");
  touch(root, "a/1.jpg");
  snprintf(path, sizeof path, "%s/b", root);
  ASSERT_EQ_INT(symlink(other, path), 0);
  snprintf(path, sizeof path, "%s/a/again", root);
  ASSERT_EQ_INT(symlink(root, path), 0);
  snprintf(path, sizeof path, "%s/a/link.png", root);
  ASSERT_EQ_INT(symlink("/nowhere", path), 0);
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_folder(&l, root, true));
  ASSERT_EQ_TEXT(all(&l, root, text), "a/1.jpg:0 a/link.png:0 b/x.jpg:1");
  snug__list_release(&l);
}

TEST(folders_that_are_refused) {
  snug_ctx *ctx = test_ctx();
  const char *root = make_root("flat");
  snug__image_list l;
  snug__list_init(&l, ctx);
  ASSERT_STATUS(ctx, snug__list_folder(&l, test_path("none"), true), SNUG_E_IO,
                "none: cannot be read: No such");
  touch(root, "1.jpg");
  ASSERT_STATUS(ctx, snug__list_folder(&l, root, true), SNUG_E_DATA,
                "has no folders in it; images are in a folder per class");
  touch(root, "empty/readme");
  ASSERT_STATUS(ctx, snug__list_folder(&l, root, true), SNUG_E_DATA, "there are no images in it");
  ASSERT_EQ_INT(snug__list_count(&l), 0);
  ASSERT_OK(ctx, snug__list_folder(&l, root, false));
  snug__list_release(&l);
}

TEST(a_file_costs_its_name_and_little_more) {
  snug_ctx *ctx = test_ctx();
  const char *root = make_root("many");
  snug__image_list l;
  for (int i = 0; i < 2000; i++) {
    char name[64];
    snprintf(name, sizeof name, "class/image_%05d.jpg", i * 7919 % 2000);
    touch(root, name);
  }
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_folder(&l, root, true));
  ASSERT_EQ_INT(snug__list_count(&l), 2000);
  for (int64_t i = 0; i < 2000; i++) {
    char path[SNUG__PATH_BYTES], end[64];
    snprintf(end, sizeof end, "/class/image_%05d.jpg", (int)i);
    snug__list_path(&l, i, path);
    ASSERT_HAS(path, end);
  }
  ASSERT_TRUE(l.texts.n + l.files.n * l.files.element <= 2000 * (16 + 8) + 1024);
  snug__list_release(&l);
}

/* ---- shuffle and split: numbers of numpy.random.RandomState(seed).shuffle(list(range(n))) ---- */

static void add_numbers(snug_ctx *ctx, snug__image_list *l, int n) {
  uint32_t folder;
  ASSERT_OK(ctx, snug__list_add_folder(l, "", 0, &folder));
  ASSERT_OK(ctx, snug__list_add_text(l, "", &l->root));
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    ASSERT_OK(ctx, snug__list_add_file(l, folder, name));
  }
}

static int number_at(const snug__image_list *l, int64_t i) {
  char path[SNUG__PATH_BYTES];
  snug__list_path(l, i, path);
  return (int)strtol(path, NULL, 10);
}

TEST(shuffles_are_numpys) {
  static const struct {
    uint32_t seed;
    int order[12];
  } cases[] = {{UINT32_C(0), {6, 11, 4, 10, 2, 8, 1, 7, 9, 3, 0, 5}},
               {UINT32_C(123), {5, 0, 4, 9, 8, 7, 10, 3, 1, 6, 11, 2}},
               {UINT32_C(4294967295), {11, 8, 5, 9, 1, 10, 6, 0, 4, 7, 2, 3}}};
  snug_ctx *ctx = test_ctx();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    snug__image_list l;
    snug__list_init(&l, ctx);
    add_numbers(ctx, &l, 12);
    snug__list_shuffle(&l, cases[k].seed);
    for (int i = 0; i < 12; i++) {
      ASSERT_EQ_INT(number_at(&l, i), cases[k].order[i]);
    }
    snug__list_release(&l);
  }
}

TEST(long_shuffles_are_numpys) {
  snug_ctx *ctx = test_ctx();
  snug__image_list l;
  uint64_t sum = 0;
  snug__list_init(&l, ctx);
  add_numbers(ctx, &l, 70000);
  snug__list_shuffle(&l, 7);
  for (int i = 0; i < 70000; i++) {
    sum = sum * 31 + (uint64_t)number_at(&l, i);
  }
  ASSERT_EQ_UINT(sum, UINT64_C(3719007850616390510));
  snug__list_release(&l);
}

TEST(subsets) {
  snug_ctx *ctx = test_ctx();
  snug__image_list l;
  int64_t first, n;
  snug__list_init(&l, ctx);
  add_numbers(ctx, &l, 13);
  ASSERT_OK(ctx, snug__list_subset(&l, 0.25, SNUG__TRAINING, &first, &n));
  ASSERT_EQ_INT(first, 0);
  ASSERT_EQ_INT(n, 10);
  ASSERT_OK(ctx, snug__list_subset(&l, 0.25, SNUG__VALIDATION, &first, &n));
  ASSERT_EQ_INT(first, 10);
  ASSERT_EQ_INT(n, 3);
  ASSERT_OK(ctx, snug__list_subset(&l, 0.0, SNUG__SUBSET_ALL, &first, &n));
  ASSERT_EQ_INT(n, 13);
  ASSERT_STATUS(ctx, snug__list_subset(&l, 1.0, SNUG__TRAINING, &first, &n), SNUG_E_ARGUMENT,
                "is 1; it must lie between 0 and 1");
  ASSERT_STATUS(ctx, snug__list_subset(&l, 0.01, SNUG__TRAINING, &first, &n), SNUG_E_DATA,
                "leaves none for validation");
  snug__list_release(&l);
}

/* ---- lists ---- */

TEST(lists_with_numbers) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("list.txt");
  char text[2048], root[1024];
  snug__image_list l;
  snprintf(root, sizeof root, "%.*s", (int)(strrchr(path, '/') - path), path);
  write_text(path, "# images\r\n a.jpg 2\r\n\r\nsome folder/b c.png\t 0\n/abs/d.jpg 02");
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_read(&l, path));
  ASSERT_EQ_TEXT(all(&l, root, text), "a.jpg:2 some folder/b c.png:0 /abs/d.jpg:2");
  ASSERT_EQ_INT(snug__list_classes(&l), 3);
  ASSERT_EQ_TEXT(snug__list_class(&l, 1), "1");
  snug__list_release(&l);
}

TEST(lists_with_names) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("list.txt");
  char text[2048], root[1024];
  snug__image_list l;
  snprintf(root, sizeof root, "%.*s", (int)(strrchr(path, '/') - path), path);
  write_text(path, "a.jpg dog\nb.jpg cat\nc.jpg 7\nd.jpg dog\n");
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_read(&l, path));
  ASSERT_EQ_TEXT(all(&l, root, text), "a.jpg:2 b.jpg:1 c.jpg:0 d.jpg:2");
  ASSERT_EQ_TEXT(snug__list_class(&l, 0), "7");
  ASSERT_EQ_TEXT(snug__list_class(&l, 2), "dog");
  snug__list_release(&l);
}

TEST(lists_that_are_refused) {
  static const struct {
    const char *text;
    snug_status code;
    const char *part;
  } cases[] = {{"", SNUG_E_DATA, "there are no images in the list"},
               {"# nothing\n\n", SNUG_E_DATA, "there are no images in the list"},
               {"a.jpg 1\nb.jpg\n", SNUG_E_DATA, "list.txt:2: 'b.jpg' has no label"},
               {"a.jpg 1\n\nb.jpg -1\n", SNUG_E_DATA, "list.txt:3: the label -1 is not in 0 to"},
               {"a.jpg 1048576\n", SNUG_E_DATA, "list.txt:1: the label 1048576 is not in"}};
  snug_ctx *ctx = test_ctx();
  snug__image_list l;
  snug__list_init(&l, ctx);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_text(test_path("list.txt"), cases[i].text);
    ASSERT_STATUS(ctx, snug__list_read(&l, test_path("list.txt")), cases[i].code, cases[i].part);
    ASSERT_EQ_INT(snug__list_count(&l), 0);
  }
  ASSERT_STATUS(ctx, snug__list_read(&l, test_path("none.txt")), SNUG_E_IO, "cannot be opened");
  snug__list_release(&l);
}

/* ---- labels ---- */

TEST(labels_in_their_modes) {
  snug_ctx *ctx = test_ctx();
  snug__image_list l;
  float floats[3] = {9, 9, 9};
  int32_t number = -1;
  write_text(test_path("list.txt"), "a.jpg 1\nb.jpg 0\n");
  snug__list_init(&l, ctx);
  ASSERT_OK(ctx, snug__list_read(&l, test_path("list.txt")));
  for (int mode = SNUG__LABEL_INFERRED; mode <= SNUG__LABEL_NONE; mode++) {
    ASSERT_OK(ctx, snug__label_check(&l, (snug__label_mode)mode));
  }
  snug__label_write(&l, 0, SNUG__LABEL_NONE, NULL);
  snug__label_write(&l, 0, SNUG__LABEL_INT, &number);
  ASSERT_EQ_INT(number, 1);
  snug__label_write(&l, 1, SNUG__LABEL_INFERRED, &number);
  ASSERT_EQ_INT(number, 0);
  snug__label_write(&l, 0, SNUG__LABEL_BINARY, floats);
  ASSERT_EQ_BYTES(floats, ((float[]){1, 9, 9}), sizeof floats);
  snug__label_write(&l, 0, SNUG__LABEL_CATEGORICAL, floats);
  ASSERT_EQ_BYTES(floats, ((float[]){0, 1, 9}), sizeof floats);
  snug__list_release(&l);
  write_text(test_path("list.txt"), "a.jpg 2\n");
  ASSERT_OK(ctx, snug__list_read(&l, test_path("list.txt")));
  ASSERT_STATUS(ctx, snug__label_check(&l, SNUG__LABEL_BINARY), SNUG_E_DATA,
                "binary is for two classes; there are 3");
  snug__list_release(&l);
  ASSERT_STATUS(ctx, snug__label_check(&l, SNUG__LABEL_INT), SNUG_E_DATA, "there are no classes");
}

TEST(words_of_options) {
  snug_ctx *ctx = test_ctx();
  int32_t height = 0, width = 0, mode = -1;
  double scale = 0.0, offset = 1.0;
  ASSERT_OK(ctx, snug__option_size(ctx, "--image-size", "224x320", &height, &width));
  ASSERT_EQ_INT(height, 224);
  ASSERT_EQ_INT(width, 320);
  ASSERT_OK(ctx, snug__option_size(ctx, "--image-size", "96", &height, &width));
  ASSERT_EQ_INT(width, 96);
  ASSERT_STATUS(ctx, snug__option_size(ctx, "--image-size", "0x5", &height, &width),
                SNUG_E_ARGUMENT, "--image-size: '0x5' is not a size");
  ASSERT_STATUS(ctx, snug__option_size(ctx, "--image-size", "224x", &height, &width),
                SNUG_E_ARGUMENT, "HEIGHTxWIDTH");
  ASSERT_STATUS(ctx, snug__option_size(ctx, "--image-size", "9x99999", &height, &width),
                SNUG_E_ARGUMENT, "1 to 16384");
  ASSERT_OK(ctx, snug__option_scale(ctx, "--rescale", "1/255", &scale, &offset));
  ASSERT_NEAR(scale, 1.0 / 255.0, 0);
  ASSERT_NEAR(offset, 0.0, 0);
  ASSERT_OK(ctx, snug__option_scale(ctx, "--rescale", "1/127.5,-1", &scale, &offset));
  ASSERT_NEAR(scale, 1.0 / 127.5, 0);
  ASSERT_NEAR(offset, -1.0, 0);
  ASSERT_STATUS(ctx, snug__option_scale(ctx, "--rescale", "1,", &scale, &offset), SNUG_E_ARGUMENT,
                "'1,' is neither");
  ASSERT_OK(ctx, snug__option_scale(ctx, "--rescale", "0.5", &scale, &offset));
  ASSERT_NEAR(scale, 0.5, 0);
  ASSERT_STATUS(ctx, snug__option_scale(ctx, "--rescale", "1/0", &scale, &offset), SNUG_E_ARGUMENT,
                "'1/0' is neither");
  ASSERT_STATUS(ctx, snug__option_scale(ctx, "--rescale", "1/255x", &scale, &offset),
                SNUG_E_ARGUMENT, "fraction as 1/255");
  ASSERT_OK(ctx, snug__option_choice(ctx, "--labels", "binary", snug__label_names, &mode));
  ASSERT_EQ_INT(mode, SNUG__LABEL_BINARY);
  ASSERT_STATUS(ctx, snug__option_choice(ctx, "--labels", "all", snug__label_names, &mode),
                SNUG_E_ARGUMENT,
                "--labels: 'all' is not one of inferred, int, categorical, binary, none");
}

/* ---- memory that is refused ---- */

typedef struct places {
  const char *root, *list;
} places;

static snug_status list_all(snug_ctx *ctx, void *arg) {
  const places *at = arg;
  snug__image_list l;
  snug__list_init(&l, ctx);
  snug_status s = snug__list_folder(&l, at->root, true);
  snug__list_release(&l);
  s = s ? s : snug__list_read(&l, at->list);
  snug__list_release(&l);
  return s;
}

TEST(memory_faults) {
  places at = {make_root("animals"), test_path("list.txt")};
  make_animals(at.root);
  write_text(at.list, "a.jpg dog\nb.jpg cat\nc.jpg 7\nd.jpg dog\n");
  test_fault_sweep(list_all, &at);
}
