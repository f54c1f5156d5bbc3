#include "experiments/simulation/output/saved_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_fields.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/text/file_text.hpp"
#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

// 2: with the settings of the run.
constexpr int kFormat = 2;

void require_visible(const SavedState& state, const std::filesystem::path& file) {
  std::vector<std::string> texts = state.names;
  texts.insert(texts.end(), {state.mechanism, state.mechanism_digest, state.formulation, state.formulation_options,
                             state.integrator});
  for (const std::string& text : texts) {
    if (const std::string wrong = unseen_character(text, Lines::one); !wrong.empty()) {
      throw FileError(file.string(), 0, fmt::format("\"{}\" {}", visible_text(text), wrong));
    }
  }
}

void require_consistent(const SavedState& state, const std::filesystem::path& file) {
  if (state.names.size() != state.x.size()) {
    throw FileError(file.string(), 0,
                    fmt::format("{} names for {} state components", state.names.size(), state.x.size()));
  }
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    if (!std::isfinite(state.x[i])) {
      throw FileError(file.string(), 0,
                      fmt::format("'{}' is not finite: nothing can continue from here", state.names[i]));
    }
  }
}

nlohmann::ordered_json settings_json(const RunSettings& settings) {
  nlohmann::ordered_json json;
  json["relative_tolerance"] = settings.relative_tolerance;
  json["absolute_tolerance"] = settings.absolute_tolerance;
  json["absolute_tolerance_of"] = nlohmann::ordered_json::object();
  for (const auto& [kind, tolerance] : settings.absolute_tolerance_of) {
    json["absolute_tolerance_of"][std::string(to_string(kind))] = tolerance;
  }
  json["controlled"] = nlohmann::ordered_json::array();
  for (const StateKind kind : settings.controlled) {
    json["controlled"].push_back(to_string(kind));
  }
  json["norm_control"] = settings.norm_control;
  json["refine"] = settings.refine;
  const auto add_step = [&json](const char* key, const std::optional<double>& step) {
    json[key] = step ? nlohmann::ordered_json(*step) : nlohmann::ordered_json(nullptr);
  };
  add_step("max_step", settings.max_step);
  add_step("fixed_step", settings.fixed_step);
  json["propagate_higher_order"] = settings.propagate_higher_order;
  json["record_local_error"] = settings.record_local_error;
  json["projection_tolerance"] = settings.projection_tolerance;
  json["jacobian"] = to_string(settings.jacobian);
  return json;
}

RunSettings settings_of(const JsonFields& json, const std::string& file) {
  RunSettings settings;
  settings.relative_tolerance = json.number("relative_tolerance");
  settings.absolute_tolerance = json.number("absolute_tolerance");
  const JsonFields tolerances = json.fields("absolute_tolerance_of");
  for (const std::string& kind : tolerances.keys()) {
    settings.absolute_tolerance_of[parse_state_kind(kind, file)] = tolerances.number(kind);
  }
  for (const std::string& kind : json.texts("controlled")) {
    settings.controlled.push_back(parse_state_kind(kind, file));
  }
  settings.norm_control = json.flag("norm_control");
  settings.refine = json.integer("refine");
  const auto step = [&json](const char* key) { return json.has(key) ? std::optional(json.number(key)) : std::nullopt; };
  settings.max_step = step("max_step");
  settings.fixed_step = step("fixed_step");
  // Absent from states that were saved before there was a choice.
  const auto flag = [&json](const char* key) { return json.has(key) && json.flag(key); };
  settings.propagate_higher_order = flag("propagate_higher_order");
  settings.record_local_error = flag("record_local_error");
  settings.projection_tolerance = json.has("projection_tolerance") ? json.number("projection_tolerance") : 0.0;
  // Before there was a choice all were differences.
  settings.jacobian =
      json.has("jacobian") ? parse_jacobian_choice(json.text("jacobian"), file) : JacobianChoice::differences;
  return settings;
}

}  // namespace

std::string saved_state_text(const SavedState& state) {
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["mechanism"] = state.mechanism;
  json["mechanism_digest"] = state.mechanism_digest;
  json["formulation"] = state.formulation;
  json["formulation_options"] = state.formulation_options;
  json["integrator"] = state.integrator;
  json["settings"] = settings_json(state.settings);
  json["t"] = state.t;
  json["names"] = state.names;
  json["x"] = state.x;
  json["q"] = state.q;
  json["u"] = state.u;
  if (!state.gauge.empty()) {
    json["gauge"] = state.gauge;
  }
  return json_text(json);
}

void write_saved_state(const std::filesystem::path& file, const SavedState& state) {
  replace_file(file, saved_state_text(state));
}

SavedState read_saved_state(const std::filesystem::path& file) {
  return parse_saved_state(read_file_text(file, "the state.json of an earlier run, or one that verify left"), file);
}

SavedState parse_saved_state(std::string_view text, const std::filesystem::path& file) {
  const nlohmann::json object = parse_json_object(text, file, "a saved state");
  const JsonFields json(object, file);
  if (const double format = json.number("format"); format != kFormat) {
    throw FileError(file.string(), 0,
                    fmt::format("a state of format {}, and this mbdbench reads format {}: {}", format, kFormat,
                                format > kFormat ? "continue it with the newer program that saved it"
                                                 : "continue it with the program that saved it (provenance.json), or "
                                                   "simulate again from the start"));
  }
  SavedState state;
  state.mechanism = json.text("mechanism");
  state.mechanism_digest = json.text("mechanism_digest");
  state.formulation = json.text("formulation");
  state.formulation_options = json.text("formulation_options");
  state.integrator = json.text("integrator");
  state.settings = settings_of(json.fields("settings"), file.string());
  state.t = json.number("t");
  state.names = json.texts("names");
  state.x = json.numbers_or_nan("x");
  // Absent from states that were saved before a restart needed them.
  const auto numbers = [&json](const char* key) { return json.has(key) ? json.numbers(key) : std::vector<double>(); };
  state.q = numbers("q");
  state.u = numbers("u");
  state.gauge = numbers("gauge");
  require_visible(state, file);
  require_consistent(state, file);
  return state;
}

std::string mechanism_beside(const SavedState& state, const std::filesystem::path& file) {
  const std::filesystem::path mechanism = file.parent_path() / "mechanism.toml";
  std::ifstream stream(mechanism, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream && text_digest(text) != state.mechanism_digest) {
    throw FileError(mechanism.string(), 0,
                    fmt::format("is not what {} was saved with: it was changed, or is damaged; --mechanism names "
                                "another file or a key",
                                file.string()));
  }
  return mechanism.string();
}

void require_layout(const SavedState& state, std::span<const StateComponent> layout,
                    const std::filesystem::path& file) {
  const std::size_t both = std::min(state.names.size(), layout.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (state.names[i] != layout[i].name) {
      throw FileError(
          file.string(), 0,
          fmt::format("component {} of the saved state is '{}', the formulation's is '{}': restart with the "
                      "formulation it was saved with ('{}')",
                      i + 1, state.names[i], layout[i].name, state.formulation));
    }
  }
  if (state.names.size() != layout.size()) {
    throw FileError(file.string(), 0,
                    fmt::format("the saved state of mechanism '{}' has {} components, the formulation's state {}",
                                state.mechanism, state.names.size(), layout.size()));
  }
}

}  // namespace mbdbench
