/* What Keras has beside layers and Snug does not have: a table for each sort of things. */
#include "keras/refused.h"

#include "base/ctx.h"

#define OPERATION SNUG__ADVICE_OPERATION
#define COMPLEX "complex numbers are not supported"
#define BITS "bits are not supported; write it with //, % and products"
#define LINEAR "systems of equations and factors of matrices are not supported"
#define NAN_ "NaN is not treated separately; nan_to_num replaces it"
#define OVER "it takes the batch for one of its axes, or mixes samples; name other axes"
#define PIXELS "prepare images before they come here, or use convolutions"
#define LAYERS "its layer, or another one, can take its place"
#define LOSSES "losses are not operations of a model here; compile the model with one"

static const snug__refused operations[] = {
    /* clang-format off */
    {'=', "adaptive_average_pool", LAYERS},
    {'=', "adaptive_max_pool", LAYERS},
    {'=', "affine_transform", PIXELS},
    {'=', "allclose", OPERATION},
    {'=', "angle", COMPLEX},
    {'=', "append", OVER},
    {'=', "argpartition", OPERATION},
    {'=', "array_split", OPERATION},
    {'=', "batch_normalization", LAYERS},
    {'=', "binary_crossentropy", LOSSES},
    {'=', "bincount", OPERATION},
    {'=', "bitwise_and", BITS},
    {'=', "bitwise_invert", BITS},
    {'=', "bitwise_left_shift", BITS},
    {'=', "bitwise_not", BITS},
    {'=', "bitwise_or", BITS},
    {'=', "bitwise_right_shift", BITS},
    {'=', "bitwise_xor", BITS},
    {'=', "categorical_crossentropy", LOSSES},
    {'=', "cbrt", OPERATION},
    {'=', "cdist", OPERATION},
    {'=', "cholesky", LINEAR},
    {'=', "cholesky_inverse", LINEAR},
    {'=', "conv", LAYERS},
    {'=', "conv_transpose", LAYERS},
    {'=', "corrcoef", OVER},
    {'=', "cross", OPERATION},
    {'=', "ctc_decode", LOSSES},
    {'=', "ctc_loss", LOSSES},
    {'=', "cumprod", OPERATION},
    {'=', "depth_to_space", LAYERS},
    {'=', "depthwise_conv", LAYERS},
    {'=', "det", LINEAR},
    {'=', "diag", OPERATION},
    {'=', "diagflat", OVER},
    {'=', "diagonal", OPERATION},
    {'=', "digitize", OPERATION},
    {'=', "dot_product_attention", LAYERS},
    {'=', "dsplit", OPERATION},
    {'=', "eig", LINEAR},
    {'=', "eigh", LINEAR},
    {'=', "elastic_transform", PIXELS},
    {'=', "empty_like", OPERATION},
    {'=', "erfinv", OPERATION},
    {'=', "extract_patches", PIXELS},
    {'=', "extract_patches_3d", PIXELS},
    {'=', "extract_sequences", OPERATION},
    {'=', "fft", COMPLEX},
    {'=', "fft2", COMPLEX},
    {'=', "fliplr", OPERATION},
    {'=', "flipud", OVER},
    {'=', "fmax", OPERATION},
    {'=', "fmin", OPERATION},
    {'=', "fmod", OPERATION},
    {'=', "fold", LAYERS},
    {'=', "gaussian_blur", PIXELS},
    {'=', "gcd", BITS},
    {'=', "geomspace", OPERATION},
    {'=', "heaviside", OPERATION},
    {'=', "histogram", OPERATION},
    {'=', "hsplit", OPERATION},
    {'=', "hsv_to_rgb", PIXELS},
    {'=', "i0", OPERATION},
    {'=', "ifft2", COMPLEX},
    {'=', "imag", COMPLEX},
    {'=', "in_top_k", OPERATION},
    {'=', "inner", OVER},
    {'=', "inv", LINEAR},
    {'=', "irfft", COMPLEX},
    {'=', "isclose", OPERATION},
    {'=', "isin", OPERATION},
    {'=', "isreal", COMPLEX},
    {'=', "istft", COMPLEX},
    {'=', "kron", OVER},
    {'=', "lcm", BITS},
    {'=', "ldexp", OPERATION},
    {'=', "left_shift", BITS},
    {'=', "linspace", OPERATION},
    {'=', "logdet", LINEAR},
    {'=', "logspace", OPERATION},
    {'=', "lu_factor", LINEAR},
    {'=', "map_coordinates", PIXELS},
    {'=', "matrix_rank", LINEAR},
    {'=', "median", OPERATION},
    {'=', "meshgrid", OPERATION},
    {'=', "nanargmax", NAN_},
    {'=', "nanargmin", NAN_},
    {'=', "nancumprod", NAN_},
    {'=', "nancumsum", NAN_},
    {'=', "nanmax", NAN_},
    {'=', "nanmean", NAN_},
    {'=', "nanmedian", NAN_},
    {'=', "nanmin", NAN_},
    {'=', "nanpercentile", NAN_},
    {'=', "nanprod", NAN_},
    {'=', "nanquantile", NAN_},
    {'=', "nanstd", NAN_},
    {'=', "nansum", NAN_},
    {'=', "nanvar", NAN_},
    {'=', "ndim", OPERATION},
    {'=', "nextafter", OPERATION},
    {'=', "nonzero", OVER},
    {'=', "outer", OVER},
    {'=', "percentile", OPERATION},
    {'=', "perspective_transform", PIXELS},
    {'=', "pinv", LINEAR},
    {'=', "polar", COMPLEX},
    {'=', "psnr", PIXELS},
    {'=', "qr", LINEAR},
    {'=', "quantile", OPERATION},
    {'=', "ravel", OVER},
    {'=', "rfft", COMPLEX},
    {'=', "rgb_to_grayscale", PIXELS},
    {'=', "rgb_to_hsv", PIXELS},
    {'=', "right_shift", BITS},
    {'=', "rot90", OPERATION},
    {'=', "saturate_cast", OPERATION},
    {'=', "scatter_update", OVER},
    {'=', "searchsorted", OPERATION},
    {'=', "segment_max", OVER},
    {'=', "segment_min", OVER},
    {'=', "segment_prod", OVER},
    {'=', "segment_sum", OVER},
    {'=', "separable_conv", LAYERS},
    {'=', "signbit", OPERATION},
    {'=', "sinc", OPERATION},
    {'=', "size", OPERATION},
    {'=', "slice", OVER},
    {'=', "slice_update", OVER},
    {'=', "slogdet", LINEAR},
    {'=', "sobel_edges", PIXELS},
    {'=', "solve", LINEAR},
    {'=', "solve_triangular", LINEAR},
    {'=', "space_to_depth", LAYERS},
    {'=', "sparse_categorical_crossentropy", LOSSES},
    {'=', "sparsemax", OPERATION},
    {'=', "ssim", PIXELS},
    {'=', "stft", COMPLEX},
    {'=', "svd", LINEAR},
    {'=', "trace", OPERATION},
    {'=', "trapezoid", OPERATION},
    {'=', "unfold", LAYERS},
    {'=', "unique", OVER},
    {'=', "unravel_index", OPERATION},
    {'=', "vdot", OVER},
    {'=', "view", OPERATION},
    {'=', "view_as_complex", COMPLEX},
    {'=', "view_as_real", COMPLEX},
    {'=', "vsplit", OPERATION},
    {'=', "vstack", OVER},
    /* clang-format on */
};

static const snug__refused losses[] = {
    {'=', "CTC", "losses of sequences that are not aligned are not supported"},
    {'=', "Circle", "it is not supported yet; crossentropies and cosine_similarity are"},
    {'=', "CategoricalGeneralizedCrossEntropy", "it is not supported yet; crossentropies are"},
};

#define AT_A_RATE "it is not supported yet; precision, recall and auc are"
#define CORRELATION "it is not supported yet; r2_score and cosine_similarity are"
static const snug__refused metrics[] = {
    {'=', "PrecisionAtRecall", AT_A_RATE},
    {'=', "RecallAtPrecision", AT_A_RATE},
    {'=', "SensitivityAtSpecificity", AT_A_RATE},
    {'=', "SpecificityAtSensitivity", AT_A_RATE},
    {'=', "ConcordanceCorrelation", CORRELATION},
    {'=', "PearsonCorrelation", CORRELATION},
    {'=', "Sum", "it is not supported; mean is"},
    {'=', "MeanMetricWrapper", "what a function of Python computes does not stand in the file"},
};

static const snug__refused optimizers[] = {
    {'=', "Adafactor", "it is not supported yet; adam, lion and sgd are"},
    {'=', "ScheduleFreeAdamW", "it is not supported yet; adamw with a schedule is"},
    {'=', "LossScaleOptimizer", "it belongs to mixed precision, which is not supported"},
    {'=', "MultiOptimizer", "several optimizers are not supported; train with one"},
};

static const snug__refused initializers[] = {
    {'=', "STFT", "it makes weights of a spectrogram; sound is not read"},
};

static const snug__refused regularizers[] = {
    {'=', "OrthogonalRegularizer", "it is not supported yet; l1 and l2 are"},
};

#define TABLE(sort, table) [SNUG_KNOWN_##sort] = {(table), SNUG_COUNT(table)}

const snug__refused *snug__refused_of(snug_known_sort sort, size_t *n) {
  static const struct {
    const snug__refused *entries;
    size_t n;
  } tables[SNUG_KNOWN_SORTS] = {
      TABLE(OPERATION, operations),     TABLE(LOSS, losses),
      TABLE(METRIC, metrics),           TABLE(OPTIMIZER, optimizers),
      TABLE(INITIALIZER, initializers), TABLE(REGULARIZER, regularizers),
  };
  *n = sort == SNUG_KNOWN_LAYER ? snug__n_refused_classes : tables[sort].n;
  return sort == SNUG_KNOWN_LAYER ? snug__refused_classes : tables[sort].entries;
}
