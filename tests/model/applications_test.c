/* The networks that the bench trains have as many weights as those of keras.applications. */
#include "lib/test.h"
#include "nets/nets.h"

static int64_t count_parameters(const snug_model *m) {
  int64_t total = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    int64_t n = 1;
    ASSERT_EQ_INT(snug_model_weight_info(m, i, &w), SNUG_OK);
    for (int32_t k = 0; k < w.rank; k++) {
      n *= w.shape[k];
    }
    total += n;
  }
  return total;
}

TEST(parameters_are_keras_s) {
  static const struct {
    const char *name;
    int64_t parameters;
  } expected[] = {{"mlp", 7114},
                  {"cnn", 34826},
                  {"mobilenetv2", 3538984},
                  {"resnet50", 25636712},
                  {"vgg16", 138357544},
                  {"efficientnetb0", 5330571},
                  {"densenet121", 8062504},
                  {"unet", 5400322}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = NULL;
    const net *n = net_find(expected[i].name);
    ASSERT_TRUE(n);
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    ASSERT_OK(ctx, n->build(m, n));
    ASSERT_EQ_INT(count_parameters(m), expected[i].parameters);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

TEST(a_network_that_is_not_there) { ASSERT_TRUE(!net_find("resnet51")); }
