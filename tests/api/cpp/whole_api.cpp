// Every public function, called as a C++17 program calls it.  whole_api.sh builds it with the
// warnings that C++ projects like, and sees that none of the functions is missing.
#include <snug/tools.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T *p) const {
    Destroy(p);
  }
};
using Context = std::unique_ptr<snug_ctx, Destroyer<snug_ctx_destroy>>;
using Model = std::unique_ptr<snug_model, Destroyer<snug_model_destroy>>;
using History = std::unique_ptr<snug_history, Destroyer<snug_history_destroy>>;
using Arrays = std::unique_ptr<snug_arrays, Destroyer<snug_arrays_destroy>>;
using Summary = std::unique_ptr<snug_summary, Destroyer<snug_summary_destroy>>;
using Plan = std::unique_ptr<snug_plan, Destroyer<snug_plan_destroy>>;

void check(bool ok, const char *what, const char *message) {
  if (!ok) {
    std::fprintf(stderr, "%s: %s\n", what, message);
    std::exit(EXIT_FAILURE);
  }
}
#define CHECK(ctx, x) check((x), #x, snug_message((ctx).get()))

void append(void *user, const char *text, std::size_t n) {
  static_cast<std::string *>(user)->append(text, n);
}

struct Set {
  std::vector<float> x;
  std::vector<std::int32_t> y;
  snug_array x_array, y_array;
  snug_data data;

  Set() : x(64 * 4), y(64), x_array(), y_array(), data() {
    for (std::size_t i = 0; i < x.size(); i++) {
      x[i] = static_cast<float>(i * 37 % 19) / 19.0F - 0.5F;
    }
    for (std::size_t i = 0; i < y.size(); i++) {
      y[i] = x[4 * i] > x[4 * i + 1] ? 1 : 0;
    }
    x_array = {x.data(), SNUG_FLOAT32, 2, {64, 4}};
    y_array = {y.data(), SNUG_INT32, 1, {64}};
    data = SNUG_INIT(snug_data);
    data.x = &x_array;
    data.n_x = 1;
    data.y = &y_array;
    data.n_y = 1;
  }
  Set(const Set &) = delete;
  Set &operator=(const Set &) = delete;
};

Model make_model(const Context &ctx) {
  snug_model_options options = SNUG_INIT(snug_model_options);
  options.seed = 7;
  snug_model *raw = nullptr;
  CHECK(ctx, snug_model_create(ctx.get(), &options, &raw) == SNUG_OK);
  Model m(raw);
  const std::array<std::int64_t, 1> shape{4};
  const snug_tensor x = snug_model_input(raw, "x", SNUG_FLOAT32, shape.data(), 1);
  const snug_tensor a = snug_model_layer(raw, "Dense", "units=4 activation=relu name=a", &x, 1);
  const snug_tensor b = snug_model_again(raw, "a", &a, 1);
  CHECK(ctx, a != SNUG_NO_TENSOR && b != SNUG_NO_TENSOR);
  const snug_tensor y = snug_model_add(raw, "Dense", "units=2 activation=softmax name=y");
  CHECK(ctx, snug_model_outputs(raw, &y, 1) == SNUG_OK);
  CHECK(ctx, snug_model_status(raw) == SNUG_OK);
  std::array<std::int64_t, SNUG_MAX_RANK> out{};
  CHECK(ctx, snug_model_shape(raw, y, out.data()) == 1 && out[0] == 2);
  CHECK(ctx, snug_model_input_at(raw, 0) == x && snug_model_output_at(raw, 0) == y);
  CHECK(ctx, std::strcmp(snug_model_tensor_name(raw, x), "x") == 0);
  CHECK(ctx, snug_model_tensor_dtype(raw, y) == SNUG_FLOAT32);
  return m;
}

void use_weights(const Context &ctx, snug_model *m) {
  CHECK(ctx, snug_model_weights(m) == 4);
  snug_weight_info info = SNUG_INIT(snug_weight_info);
  CHECK(ctx, snug_model_weight_info(m, 0, &info) == SNUG_OK);
  std::vector<float> kernel(info.bytes / snug_dtype_bytes(info.dtype));
  CHECK(ctx, snug_model_weight_get(m, info.name, kernel.data(), info.bytes) == SNUG_OK);
  CHECK(ctx, snug_model_weight_set(m, info.name, kernel.data(), info.bytes) == SNUG_OK);
  CHECK(ctx, snug_model_set_trainable(m, "*", true) == SNUG_OK);
}

void compile(const Context &ctx, snug_model *m) {
  const char *const loss = "sparse_categorical_crossentropy";
  const char *const metric = "accuracy";
  snug_compile_options options = SNUG_INIT(snug_compile_options);
  options.optimizer = "adam";
  options.loss = &loss;
  options.n_loss = 1;
  options.metrics = &metric;
  options.n_metrics = 1;
  CHECK(ctx, snug_model_compile(m, &options) == SNUG_OK);
  CHECK(ctx, snug_model_set_learning_rate(m, 0.05) == SNUG_OK);
  CHECK(ctx, std::fabs(snug_model_learning_rate(m) - 0.05) < 1e-6);
}

void plan(const Context &ctx, snug_model *m, const Set &set, const snug_fit_options &options) {
  snug_plan *raw = nullptr;
  CHECK(ctx, snug_plan_fit(m, &set.data, &options, &raw) == SNUG_OK);
  const Plan p(raw);
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_plan_memory(raw, &report);
  snug_data_report reading = SNUG_INIT(snug_data_report);
  snug_plan_data(raw, &reading);
  CHECK(ctx, reading.batches == 0 && reading.waited == 0.0 && reading.copied == 0.0);
  CHECK(ctx, report.planned > 0 && snug_plan_layers(raw) > 0);
  snug_layer_memory layer = SNUG_INIT(snug_layer_memory);
  snug_plan_layer(raw, 0, &layer);
  CHECK(ctx, layer.layer != nullptr);
  snug_plan_point point = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(raw, snug_plan_chosen(raw), &point);
  CHECK(ctx, snug_plan_fits(raw) && snug_plan_points(raw) > 0 && point.block == report.block);
  CHECK(ctx, !snug_plan_resumes(raw));
  snug_plan_buffer buffer = SNUG_INIT(snug_plan_buffer);
  snug_plan_buffer_at(raw, 0, &buffer);
  CHECK(ctx, snug_plan_buffers(raw) > 0 && buffer.bytes > 0);
  snug_plan_moment moment = SNUG_INIT(snug_plan_moment);
  snug_plan_peak(raw, &moment);
  CHECK(ctx, moment.bytes > 0 && snug_plan_least(raw) >= report.process);
  CHECK(ctx, std::string(snug_plan_kernels(raw)).find("snug-kernels 1") == 0);
  CHECK(ctx, std::string(snug_plan_note(raw)).empty());
  CHECK(ctx, snug_plan_validation(raw) <= report.block);
  snug_plan *described = nullptr;
  CHECK(ctx, snug_plan_samples(m, 64, &options, &described) == SNUG_OK);
  snug_plan_destroy(described);
}

// Adds up the bytes of the pieces.
// A path in the folder for temporary files, of this process alone.
std::string temporary(const std::string &name) {
  return (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)).string();
}

void add_piece(void *user, const snug_memory_piece *piece) {
  *static_cast<std::uint64_t *>(user) += piece->bytes;
}

void train(const Context &ctx, snug_model *m, const Set &set) {
  std::string text;
  snug_progress progress = SNUG_INIT(snug_progress);
  progress.sink = append;
  progress.user = &text;
  double peak = 0.0;
  std::array<snug_callback, 4> callbacks;
  callbacks.fill(SNUG_INIT(snug_callback));
  snug_callback_target target = SNUG_INIT(snug_callback_target);
  target.sink = append;
  target.user = &text;
  CHECK(ctx, snug_callback_create(m, "EarlyStopping", "loss:patience=3,restore-best", &target,
                                  &callbacks[0]) == SNUG_OK);
  snug_progress_callback(&progress, &callbacks[1]);
  snug_peak_memory_callback(&peak, &callbacks[2]);
  const std::string recording = temporary("fit.snug");
  snug_fit_record recorded = SNUG_INIT(snug_fit_record);
  recorded.model = m;
  recorded.path = recording.c_str();
  recorded.stays_open = true;
  snug_fit_record_callback(&recorded, &callbacks[3]);
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  options.epochs = 3;
  options.callbacks = callbacks.data();
  options.n_callbacks = 4;
  const snug_span second = {1, 1};
  options.sampling = {&second, 1, &second, 1};
  plan(ctx, m, set, options);
  snug_history *raw = nullptr;
  CHECK(ctx, snug_fit(m, &set.data, &options, &raw) == SNUG_OK);
  const History h(raw);
  snug_fit_record_moment(&recorded, "sample");
  CHECK(ctx, snug_recorder_close(recorded.recorder) == SNUG_OK && recorded.failed == SNUG_OK);
  std::filesystem::remove(recording);
  CHECK(ctx, snug_history_epochs(raw) == 3 && !text.empty());
  CHECK(ctx, std::string(snug_callback_unwritten(&callbacks[0])).empty());
  CHECK(ctx, snug_backup_remove(&callbacks[0]) == SNUG_E_ARGUMENT);
  bool is_own = true;
  CHECK(ctx, snug_backup_names(ctx.get(), "there is none", "a.csv", &is_own) == SNUG_OK && !is_own);
  snug_callback_destroy(&callbacks[0]);
  const snug_logs first = snug_history_logs(raw, 0);
  const snug_logs last = snug_history_logs(raw, 2);
  CHECK(ctx, snug_logs_get(&last, "loss") < snug_logs_get(&first, "loss"));
  CHECK(ctx, snug_logs_get(&last, SNUG_PEAK_MEMORY) == peak && peak > 0.0);
  snug_memory_sample sample = SNUG_INIT(snug_memory_sample);
  snug_history_sample(raw, 1, &sample);
  CHECK(ctx, snug_history_samples(raw) == 3 && sample.epoch == 1 && sample.batch == 1);
  std::uint64_t held = 0;
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_walk(m, false, add_piece, &held);
  snug_memory_get(ctx.get(), &info);
  CHECK(ctx, held == info.current);
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_history_memory(raw, &report);
  snug_data_report reading = SNUG_INIT(snug_data_report);
  snug_history_data(raw, &reading);
  CHECK(ctx, reading.batches == 0 && reading.waited == 0.0 && reading.copied > 0.0);
  std::array<char, 200> parts;
  snug_memory_text(&report, true, parts.data(), parts.size());
  const snug_box_row row = {"memory", parts.data()};
  text.clear();
  snug_box(append, &text, true, 80, "fit", &row, 1);
  CHECK(ctx, text.find("weights") != std::string::npos);
}

void use(const Context &ctx, snug_model *m, const Set &set) {
  const char *steps = "";
  CHECK(ctx, snug_model_left_out(m) == nullptr && snug_model_uncompiled(m) == nullptr);
  CHECK(ctx, snug_model_augmentation(m, &steps) == SNUG_OK && steps == nullptr);
  snug_model_set_augmented(m);
  const snug_logs names = snug_model_metrics(m);
  std::vector<double> values(names.n);
  CHECK(ctx, snug_evaluate(m, &set.data, 0, values.data(), values.size()) == SNUG_OK);
  std::vector<float> out(64 * 2);
  void *const outs[] = {out.data()};
  CHECK(ctx, snug_predict(m, &set.data, 16, outs, 1) == SNUG_OK);
  CHECK(ctx, std::fabs(out[0] + out[1] - 1.0F) < 1e-5F);
}

void logs(const Context &ctx) {
  const std::string path = temporary("log.csv");
  snug_log_file log{};
  CHECK(ctx, snug_log_file_open(&log, ctx.get(), path.c_str()) == SNUG_OK);
  CHECK(ctx, snug_log_file_write(&log, "a\n", 2) == SNUG_OK && log.length == 2);
  CHECK(ctx, snug_log_file_cut(&log, 0) == SNUG_OK && log.length == 0);
  CHECK(ctx, snug_log_file_close(&log) == SNUG_OK);
  snug_new_file file{};
  for (const bool replaces : {false, true}) {
    CHECK(ctx, snug_new_file_begin(&file, ctx.get(), path.c_str()) == SNUG_OK);
    CHECK(ctx, snug_new_file_write(&file, "a\n", 2) == SNUG_OK);
    CHECK(ctx, snug_new_file_end(&file, replaces) == SNUG_OK);
  }
  snug_new_file_drop(&file);
}

void keras(const Context &ctx, snug_model *m) {
  const std::string path = temporary("model.keras");
  CHECK(ctx, snug_model_save(m, path.c_str()) == SNUG_OK);
  CHECK(ctx, snug_model_load_weights(m, path.c_str()) == SNUG_OK);
  snug_save_file file = SNUG_INIT(snug_save_file);
  file.path = path.c_str();
  CHECK(ctx, snug_save_file_begin(&file, m) == SNUG_OK);
  CHECK(ctx, snug_save_file_end(&file) == SNUG_OK && path == file.saved);
  snug_save_file_drop(&file);
  std::string name;
  const auto keep_name = [](void *user, const snug_variable_info *v) {
    *static_cast<std::string *>(user) = v->name != nullptr ? v->name : "";
  };
  CHECK(ctx, snug_model_variables(m, keep_name, &name) == SNUG_OK && !name.empty());
  float first = 0.0F;
  CHECK(ctx, snug_model_variable_get(m, name.c_str(), 0, 1, &first) == SNUG_OK);
  CHECK(ctx, snug_model_variable_set(m, name.c_str(), 0, 1, &first) == SNUG_OK);
  snug_load_options options = SNUG_INIT(snug_load_options);
  options.no_compile = true;
  snug_model *loaded = nullptr;
  CHECK(ctx, snug_model_load(ctx.get(), path.c_str(), &options, &loaded) == SNUG_OK);
  const Model owner(loaded);
  CHECK(ctx, snug_model_weights(loaded) == snug_model_weights(m));
  CHECK(ctx, snug_model_recompile(loaded, nullptr) == SNUG_OK);
}

void files(const Context &ctx, snug_model *m, const Set &set) {
  const std::string npz = temporary("set.npz");
  const std::string npy = temporary("x.npy");
  const std::array<const char *, 2> names{"x", "y"};
  const std::array<snug_array, 2> arrays{set.x_array, set.y_array};
  CHECK(ctx, snug_npz_save(ctx.get(), npz.c_str(), names.data(), arrays.data(), 2) == SNUG_OK);
  CHECK(ctx, snug_npy_save(ctx.get(), npy.c_str(), &set.x_array) == SNUG_OK);
  const char *const path = npz.c_str();
  snug_arrays *raw = nullptr;
  CHECK(ctx, snug_arrays_open(ctx.get(), &path, 1, &raw) == SNUG_OK);
  const Arrays a(raw);
  CHECK(ctx, snug_arrays_count(raw) == 2 && snug_arrays_name(raw, 1) == std::string("y"));
  const snug_array *x = nullptr;
  CHECK(ctx, snug_arrays_get(raw, "x", &x) == SNUG_OK && snug_arrays_find(raw, "x") == x);
  std::int32_t n = 0;
  CHECK(ctx, snug_arrays_inputs(raw, SNUG_PART_TRAIN, &x, &n) == SNUG_OK && n == 1);
  snug_data all = SNUG_INIT(snug_data);
  CHECK(ctx, snug_arrays_all(raw, &all) == SNUG_OK && all.n_x >= 1);
  CHECK(ctx, snug_arrays_class(raw, 0) == nullptr);
  snug_stage stage;
  CHECK(ctx, snug_arrays_stages(raw, &stage, 1) == 0);
  CHECK(ctx, snug_arrays_has(raw, m, SNUG_PART_TRAIN));
  snug_data data = SNUG_INIT(snug_data);
  CHECK(ctx, snug_arrays_data(raw, m, SNUG_PART_TRAIN, true, &data) == SNUG_OK && data.n_y == 1);
  snug_arrays_options in_places = SNUG_INIT(snug_arrays_options);
  in_places.small = -1;
  snug_arrays *other = nullptr;
  CHECK(ctx, snug_arrays_open_with(ctx.get(), &path, 1, &in_places, &other) == SNUG_OK);
  const Arrays b(other);
  CHECK(ctx, snug_arrays_data(other, m, SNUG_PART_TRAIN, true, &data) == SNUG_OK);
  snug_source source = *data.source;
  source.workers = 1;
  data.source = &source;
  snug_history *history = nullptr;
  CHECK(ctx, snug_fit(m, &data, nullptr, &history) == SNUG_OK);
  snug_history_destroy(history);
  std::filesystem::remove(npz);
  std::filesystem::remove(npy);
}

void summarize(const Context &ctx, snug_model *m) {
  snug_summary *raw = nullptr;
  CHECK(ctx, snug_summary_create(m, 16, &raw) == SNUG_OK);
  const Summary s(raw);
  snug_summary_row row = SNUG_INIT(snug_summary_row);
  snug_summary_row_get(raw, snug_summary_rows(raw) - 1, &row);
  CHECK(ctx, row.name == std::string("y") && row.parameters == 10);
  snug_summary_totals totals = SNUG_INIT(snug_summary_totals);
  snug_summary_totals_get(raw, &totals);
  CHECK(ctx, totals.batch == 16 && totals.is_compiled && totals.peak_bytes > totals.saved_bytes);
  std::string text;
  snug_summary_print(raw, append, &text, true, 80);
  CHECK(ctx, text.find("y (Dense)") != std::string::npos);
}

void known(const Context &ctx) {
  std::size_t i = 0;
  while (i < snug_known_count() && !snug_known_is(i, "keras.layers.Conv2D")) {
    i++;
  }
  snug_known thing = SNUG_INIT(snug_known);
  snug_known_option option = SNUG_INIT(snug_known_option);
  snug_known_limit limit = SNUG_INIT(snug_known_limit);
  CHECK(ctx, snug_known_get(i, &thing) && thing.name == std::string("Conv2D"));
  CHECK(ctx, snug_known_sort_text(thing.sort) == std::string("layer"));
  CHECK(ctx, snug_known_option_get(i, 0, &option) && option.name == std::string("filters"));
  CHECK(ctx, snug_known_limit_get(i, 0, &limit) && limit.only == std::string("channels_last"));
  CHECK(ctx, snug_known_rule(0) != nullptr);
}

void pack(const Context &ctx) {
  const std::array<snug_pack_item, 2> items{{{0, 2, 64, 1, -1}, {1, 3, 32, 1, -1}}};
  std::array<std::int64_t, 2> offsets{};
  const snug_pack_options options = SNUG_INIT(snug_pack_options);
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  CHECK(ctx, snug_pack(ctx.get(), items.data(), 2, &options, offsets.data(), &result) == SNUG_OK);
  CHECK(ctx, result.height == 96 &&
                 snug_pack_check(ctx.get(), items.data(), 2, offsets.data(), 96) == SNUG_OK);
}

void look(const Context &ctx, const snug_recording *recording) {
  const char *name = "run";
  snug_view *v = nullptr;
  std::string said;
  std::array<char, 128> verdict;
  CHECK(ctx, snug_view_create(ctx.get(), &recording, &name, 1, &v) == SNUG_OK);
  CHECK(ctx, snug_view_figure(v, 0, "peak") == 4096.0);
  const snug_view_rule rule = {"peak:1K", "peak", SNUG_VIEW_AT_MOST, 1024.0};
  CHECK(ctx, snug_view_judge(v, &rule) == SNUG_OK && snug_view_broken(v) == 1);
  snug_view_options options = SNUG_INIT(snug_view_options);
  options.sink = append;
  options.user = &said;
  options.ascii = true;
  snug_view_write(v, SNUG_VIEW_TEXT, &options);
  snug_view_verdict(v, 0, true, verdict.data(), verdict.size());
  CHECK(ctx, said.find(verdict.data()) != std::string::npos);
  const std::string folder = temporary("logs");
  CHECK(ctx, snug_view_tensorboard(v, folder.c_str(), false) == SNUG_OK);
  std::filesystem::remove_all(folder);
  snug_view_destroy(v);
  said.clear();
  snug_page_begin(append, &said, "<");
  snug_quote(append, &said, SNUG_QUOTE_HTML, "&", 1);
  snug_page_end(append, &said);
  CHECK(ctx, said.find("<title>&lt;</title>") != std::string::npos);
  CHECK(ctx, said.find("&amp;</body>") != std::string::npos);
}

void record(const Context &ctx) {
  const std::string path = temporary("run.snug");
  const char *const names[] = {"loss"};
  const double value = 0.5;
  const snug_logs logs = {1, names, &value};
  snug_recorder *r = nullptr;
  CHECK(ctx, snug_recorder_open(ctx.get(), path.c_str(), true, &r) == SNUG_OK);
  snug_moment m = SNUG_INIT(snug_moment);
  m.at = "sample";
  m.resident = 4096;
  const snug_memory_piece piece = {"dense", "matmul", "scratch", 64};
  CHECK(ctx, snug_recorder_fact(r, "run.kind", "test") == SNUG_OK);
  CHECK(ctx, snug_recorder_machine(r) == SNUG_OK);
  CHECK(ctx, snug_recorder_moment(r, &m) == SNUG_OK);
  CHECK(ctx, snug_recorder_logs(r, 0, &logs) == SNUG_OK);
  CHECK(ctx, snug_recorder_begin_peak(r, 0.0) == SNUG_OK);
  CHECK(ctx, snug_recorder_piece(r, &piece) == SNUG_OK);
  CHECK(ctx, snug_recorder_close(r) == SNUG_OK);
  snug_recording *raw = nullptr;
  CHECK(ctx, snug_recording_open(ctx.get(), path.c_str(), &raw) == SNUG_OK);
  CHECK(ctx, snug_recording_ended(raw, nullptr) == SNUG_RECORDING_CLOSED);
  CHECK(ctx, snug_recording_moments(raw) == 1 && snug_recording_moment(raw, 0)->resident == 4096);
  CHECK(ctx, snug_recording_facts(raw) > 2 && snug_recording_fact(raw, "run.kind") ==
                                                   snug_recording_fact_value(raw, 1));
  CHECK(ctx, std::string(snug_recording_fact_name(raw, 1)) == "run.kind");
  CHECK(ctx, snug_recording_epochs(raw) == 1 &&
                 snug_recording_logs(raw, 0, nullptr).values[0] == value);
  CHECK(ctx, snug_recording_pieces(raw, nullptr) == 1 &&
                 snug_recording_piece(raw, 0)->bytes == piece.bytes);
  look(ctx, raw);
  snug_recording_destroy(raw);
  std::filesystem::remove(path);
}

void memory(const Context &ctx) {
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_entry entry = SNUG_INIT(snug_memory_entry);
  std::array<char, SNUG_BYTES_TEXT> text;
  snug_memory_get(ctx.get(), &info);
  snug_memory_entry_get(ctx.get(), snug_memory_names(ctx.get()) - 1, &entry);
  snug_memory_reset_peak(ctx.get());
  snug_memory_info device = SNUG_INIT(snug_memory_info);
  CHECK(ctx, snug_memory_devices(ctx.get()) == 1);
  CHECK(ctx, snug_memory_device_get(ctx.get(), snug_memory_device_name(ctx.get(), 0), &device) ==
                 SNUG_OK);
  CHECK(ctx, device.current == info.current && device.preallocated > 0);
  CHECK(ctx, snug_memory_set_limit(ctx.get(), info.peak + info.preallocated) == SNUG_OK);
  snug_available room = SNUG_INIT(snug_available);
  snug_memory_process process = SNUG_INIT(snug_memory_process);
  CHECK(ctx, snug_memory_available(ctx.get(), &room) == SNUG_OK && std::strlen(room.who) > 0);
  snug_memory_set_bound(ctx.get(), room.bytes);
  snug_memory_set_bound(ctx.get(), 0);
  snug_memory_set_available(ctx.get(), room.bytes);
  snug_memory_process_get(&process);
  CHECK(ctx, process.resident > 0 && process.peak >= process.resident);
  CHECK(ctx, std::string(snug_bytes_text(info.limit, text.data())) == "0 B");
}

void watch(const Context &ctx) {
  const snug_watch_options options = SNUG_INIT(snug_watch_options);
  snug_watch *w = nullptr;
  CHECK(ctx, snug_watch_create(ctx.get(), &options, &w) == SNUG_OK);
  CHECK(ctx, snug_watch_look(w) > 0.0);
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch_get(w, &now);
  CHECK(ctx, now.processes == 0 && snug_watch_signal(w, 0) == 0);
  snug_watch_ended(w, 1, 0);
  snug_watch_report report = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &report);
  CHECK(ctx, report.samples == 1 && report.shape == SNUG_WATCH_SHORT);
  snug_watch_destroy(w);
}

Context make_context() {
  snug_options options = SNUG_INIT(snug_options);
  char why[SNUG_DEVICE_TEXT];
  options.device = snug_device_name(0);
  check(snug_device_check(options.device, why) == SNUG_OK, "snug_device_check", why);
  snug_ctx *raw = nullptr;
  const snug_status s = snug_ctx_create(&options, &raw);
  check(s == SNUG_OK, "snug_ctx_create", snug_status_text(s));
  check(snug_memory_preallocate(raw, "cpu", 1 << 16) == SNUG_OK, "preallocate", snug_message(raw));
  return Context(raw);
}

}  // namespace

int main() {
  const Context ctx = make_context();
  const Set set;
  snug_scope scope;
  snug_scope_begin(ctx.get(), &scope);
  {
    const Model m = make_model(ctx);
    use_weights(ctx, m.get());
    compile(ctx, m.get());
    train(ctx, m.get(), set);
    use(ctx, m.get(), set);
    files(ctx, m.get(), set);
    keras(ctx, m.get());
    logs(ctx);
    summarize(ctx, m.get());
  }
  CHECK(ctx, snug_scope_end(ctx.get(), &scope) == SNUG_OK && scope.end == scope.start);
  known(ctx);
  pack(ctx);
  record(ctx);
  watch(ctx);
  memory(ctx);
  std::printf("snug %s, peak %s, %s\n", snug_version(), std::to_string(scope.peak).c_str(),
              snug_dtype_text(SNUG_FLOAT32));
  return EXIT_SUCCESS;
}
