#include <math.h>

#include "train/golden.h"

/* clang-format off */
const golden_case golden_cases[] = {
#include "train/golden_activations.inc"
#include "train/golden_activity.inc"
#include "train/golden_dense.inc"
#include "train/golden_edges.inc"
#include "train/golden_fit.inc"
#include "train/golden_functional.inc"
#include "train/golden_maps.inc"
#include "train/golden_masks.inc"
#include "train/golden_metrics.inc"
#include "train/golden_networks.inc"
#include "train/golden_optimizers.inc"
#include "train/golden_penalties.inc"
};
const size_t golden_case_count = sizeof golden_cases / sizeof golden_cases[0];
