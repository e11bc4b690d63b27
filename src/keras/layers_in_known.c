/* Which classes of Keras there are here, and which keys say nothing: tables. */
#include <stdio.h>
#include <string.h>

#include "keras/config_parts.h"
#include "keras/refused.h"

/* ---- keys ---- */

typedef enum rule {
  ANYTHING,      /* says nothing about what is computed here */
  NOTHING,       /* null, false, 0, or an empty list */
  CHANNELS_LAST, /* of a class that knows no other order */
} rule;

static const struct {
  const char *key;
  rule how;
} harmless[] = {{"build_config", ANYTHING},
                {"batch_input_shape", ANYTHING}, /* Keras 2: the shape stands in the graph */
                {"batch_shape", ANYTHING},
                {"input_length", ANYTHING},
                {"synchronized", ANYTHING},    /* over devices: there is one */
                {"renorm_clipping", ANYTHING}, /* without renorm nobody looks at them */
                {"renorm_momentum", ANYTHING},
                {"fill_mode", ANYTHING}, /* of Resizing with pad_to_aspect_ratio */
                {"fill_value", ANYTHING},
                {"lora_alpha", ANYTHING}, /* of lora_rank */
                {"data_format", CHANNELS_LAST},
#define UNSET(key) {#key, NOTHING},
                SNUG__UNSET_KEYS(UNSET)
#undef UNSET
};

bool snug__config_says_nothing(const snug__json *j) {
  double number = 1.0;
  return snug__json_is_null(j) || (snug__json_is_bool(j) && !snug__json_is_true(j)) ||
         (snug__json_number(j, &number) && number == 0.0) ||
         (snug__json_is_list(j) && !snug__json_count(j));
}

static bool follows(rule how, const snug__json *value) {
  const char *text = snug__json_text(value);
  switch (how) {
    case ANYTHING:
      return true;
    case NOTHING:
      return snug__config_says_nothing(value);
    case CHANNELS_LAST:
      return snug__json_is_null(value) || (text && strcmp(text, "channels_last") == 0);
  }
  return false;
}

bool snug__config_is_harmless(const char *key, const snug__json *value) {
  for (size_t i = 0; i < SNUG_COUNT(harmless); i++) {
    if (strcmp(harmless[i].key, key) == 0) {
      return follows(harmless[i].how, value);
    }
  }
  return snug__json_is_null(value);
}

/* ---- classes ---- */

#define RECURRENT "recurrent layers are not supported yet; Conv1D and pooling over steps are"
#define ATTENTION "attention is not supported yet; Dot, Softmax and Dense are"
#define THREE_D "layers of volumes are not supported yet; those of images (2D) and series (1D) are"
#define AUGMENT                                                                       \
  "this augmentation is not supported yet; put keras.layers.Identity() in its place " \
  "(keras.models.clone_model with a clone_function does)"
#define LOOKUP "text, lookup and hashing are not supported yet; feed whole numbers to Embedding"
#define BOXES "bounding boxes are not supported; train on images and classes"
#define FOREIGN \
  "what a function of another framework computes does not stand in the file; use layers"
#define WRAPPER \
  "wrappers are not supported yet; call the layer itself (Dense and others take more axes)"

/* What a name begins with, ends in or is, and what to say about it. */
const snug__refused snug__refused_classes[] = {
    {'=', "Lambda",
     "what a Lambda computes is Python code that the file holds as bytes; replace it by a layer, "
     "or "
     "by keras.ops in a functional model"},
    {'=', "LSTM", RECURRENT},
    {'=', "GRU", RECURRENT},
    {'>', "RNN", RECURRENT},
    {'>', "Cell", RECURRENT},
    {'>', "Cells", RECURRENT},
    {'<', "ConvLSTM", RECURRENT},
    {'=', "Bidirectional", RECURRENT},
    {'=', "TimeDistributed", WRAPPER},
    {'=', "SpectralNormalization", WRAPPER},
    {'=', "Wrapper", WRAPPER},
    {'>', "Attention", ATTENTION},
    {'>', "3D", THREE_D},
    {'=', "Conv3DTranspose", THREE_D},
    {'>', "Mix", AUGMENT},
    {'=', "MixUp", AUGMENT},
    {'=', "Solarization", AUGMENT},
    {'=', "AutoContrast", AUGMENT},
    {'=', "Equalization", AUGMENT},
    {'>', "Lookup", LOOKUP},
    {'=', "TextVectorization", LOOKUP},
    {'<', "Hash", LOOKUP},
    {'=', "Discretization", LOOKUP},
    {'=', "CategoryEncoding", LOOKUP},
    {'=', "FeatureSpace", LOOKUP},
    {'=', "Masking", "it is not supported yet; Embedding(mask_zero=True) makes masks"},
    {'=', "EinsumDense", "it is not supported yet; Dense, Permute and Reshape are"},
    {'<', "Adaptive", "it is not supported yet; pooling with a window of a size is"},
    {'=', "CenterCrop", "it is not supported yet; Cropping2D and Resizing are"},
    {'=', "RandAugment", AUGMENT},
    {'=', "ContrastLimitedAdaptiveHistogramEqualization", AUGMENT},
    {'=', "Pipeline", AUGMENT},
    {'=', "MaxNumBoundingBoxes", BOXES},
    {'>', "Spectrogram", "sound is not read; feed the spectrograms"},
    {'=', "ReversibleEmbedding", "it is not supported yet; Embedding and Dense are"},
    {'=', "JaxLayer", FOREIGN},
    {'=', "FlaxLayer", FOREIGN},
    {'=', "TorchModuleWrapper", FOREIGN},
    {'=', "TFSMLayer", "a SavedModel is not read; save the layers that it is made of"},
    {'<', "Random", AUGMENT},
};
const size_t snug__n_refused_classes = SNUG_COUNT(snug__refused_classes);

bool snug__refused_fits(const snug__refused *r, const char *class_name) {
  size_t n = strlen(r->part);
  size_t length = strlen(class_name);
  return r->how == '='   ? strcmp(r->part, class_name) == 0
         : r->how == '<' ? strncmp(r->part, class_name, n) == 0
                         : length >= n && strcmp(class_name + length - n, r->part) == 0;
}

static const char *module_of(const snug__json *object) {
  const char *module = snug__json_text(snug__json_get(object, "module"));
  return module ? module : "";
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool is_keras(const char *module) {
  static const char *const names[] = {"keras", "tf_keras", "tensorflow.keras",
                                      "tensorflow.python.keras"};
  bool found = false;
  for (size_t i = 0; i < SNUG_COUNT(names); i++) {
    char behind = begins(module, names[i]) ? module[strlen(names[i])] : 'x';
    found = found || behind == 0 || behind == '.';
  }
  return found;
}

/* Keras's own classes have a module of Keras; files of Keras 2 name none.  A class that a user
 * registered is named "package>Class". */
static bool is_custom(const snug__json *object) {
  const char *registered = snug__json_text(snug__json_get(object, "registered_name"));
  const snug__json *module = snug__json_get(object, "module");
  return (registered && strchr(registered, '>')) || (module && !is_keras(module_of(object)));
}

bool snug__config_is_op(const snug__json *object) {
  const char *module = module_of(object);
  return begins(module, "keras.src.ops.") || begins(module, "keras.ops") ||
         begins(module, "keras.src.activations");
}

static snug_status fail_class(snug__config *k, const snug__config_item *item) {
  char like[300];
  for (size_t i = 0; i < snug__n_refused_classes; i++) {
    if (snug__refused_fits(&snug__refused_classes[i], item->class_name)) {
      return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s", snug__refused_classes[i].advice);
    }
  }
  snug__layer_classes_like(item->class_name, like, sizeof like);
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "there is no such layer in Snug%s%s; a layer of these, or keras.ops in "
                           "a functional model, can take its place",
                           like[0] ? "; with that letter there are: " : "", like);
}

static snug_status fail_op(snug__config *k, const snug__config_item *item) {
  const char *advice = SNUG__ADVICE_OPERATION;
  size_t n = 0;
  const snug__refused *list = snug__refused_of(SNUG_KNOWN_OPERATION, &n);
  for (size_t i = 0; i < n; i++) {
    advice = snug__named_is_same(list[i].part, item->class_name) ? list[i].advice : advice;
  }
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "the operation keras.ops '%s' is not supported: %s", item->class_name,
                           advice);
}

static snug_status fail_custom(snug__config *k, const snug__config_item *item) {
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "a class of your own (%s): " SNUG__RULE_CUSTOM
                           ".  Build it from Keras's layers, or with keras.ops in a functional "
                           "model",
                           module_of(item->object)[0] ? module_of(item->object) : "__main__");
}

snug_status snug__config_class(snug__config *k, const snug__config_item *item,
                               const snug__layer_class **out) {
  char name[2 * SNUG__NAME_BYTES];
  bool is_activation = begins(module_of(item->object), "keras.src.activations");
  if (is_custom(item->object)) {
    return strcmp(item->class_name, "Lambda") == 0 ? fail_class(k, item) : fail_custom(k, item);
  }
  snprintf(name, sizeof name, "%s%s", item->is_op && !is_activation ? "ops." : "",
           item->class_name);
  *out = snug__layer_class_find(name);
  if (!*out || (!item->is_op && begins(name, "ops."))) {
    return item->is_op ? fail_op(k, item) : fail_class(k, item);
  }
  return SNUG_OK;
}
