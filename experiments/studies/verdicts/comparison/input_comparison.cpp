#include "experiments/studies/verdicts/comparison/input_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/files/formats/json_file.hpp"
#include "experiments/studies/verdicts/comparison/file_difference.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool stands_in(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// \returns where a mechanism is written out; empty where it is not.
std::string file_of(const Json& study, const std::string& word) {
  const Json& all = study.at("mechanisms");
  const auto found = std::find_if(all.begin(), all.end(), [&](const Json& m) { return m.at("mechanism") == word; });
  return found == all.end() ? "" : found->at("file").get<std::string>();
}

/// Says of a mechanism with another digest whether it is another one, and where its files differ if there are two.
void judge_mechanism(InputComparison& result, const std::string& word, const fs::path& before, const fs::path& after) {
  if (files_equal_but_for_rounding(before, after)) {
    result.rounded.push_back(fmt::format("mechanism '{}'", word));
    return;
  }
  const bool both = fs::is_regular_file(before) && fs::is_regular_file(after);
  const std::string line = both ? first_difference_beyond_rounding(before, after) : "";
  result.other_mechanisms[word] = "the mechanism is another one";
  result.differences.push_back(fmt::format("mechanism '{}' is another one{}{}", word, line.empty() ? "" : ": ", line));
}

/// Reads study.json, which the program itself wrote; what is missing in one of an older program throws.
class InputComparer {
 public:
  /// \param folder_a, folder_b of the studies, whose mechanisms are looked into; empty: told by their digests alone
  InputComparer(const Json& a, const Json& b, fs::path folder_a, fs::path folder_b)
      : a_(a), b_(b), folder_a_(std::move(folder_a)), folder_b_(std::move(folder_b)) {}

  InputComparison compare() {
    read_declared();
    compare_settings();
    compare_mechanisms();
    compare_engines();
    compare_variants();
    compare_files();
    match_curves();
    result_.known = true;
    return std::move(result_);
  }

 private:
  static std::map<std::string, std::string> texts_by(const Json& list, const char* key, const char* value) {
    std::map<std::string, std::string> found;
    for (const Json& entry : list) {
      found.emplace(entry.at(key).get<std::string>(), entry.at(value).get<std::string>());
    }
    return found;
  }

  void read_declared() {
    for (const Json& mechanism : b_.at("mechanisms")) {
      result_.declared_mechanisms.push_back(mechanism.at("mechanism"));
      const std::string parameters = mechanism.at("parameters");
      result_.declared_parameters.push_back(parameters);
      for (const Json& control : b_.at("controls")) {
        result_.declared_parameters.push_back(fmt::format("{}={};{}", control.at("kind").get<std::string>(),
                                                          control.at("value").get<double>(), parameters));
      }
    }
    for (const Json& variant : b_.at("variants")) {
      result_.declared_formulations.push_back(variant.at("formulation"));
    }
    for (const Json& integrator : b_.at("integrators")) {
      result_.declared_integrators.push_back(integrator.at("key"));
    }
    for (const Json& observer : b_.at("observers")) {
      result_.declared_quantities.push_back(observer.at("quantity"));
    }
  }

  /// \returns whether a setting differs, which is told then.
  bool differs(const Json& a, const Json& b, const char* key, const char* name) {
    if (a.at(key) == b.at(key)) {
      return false;
    }
    result_.differences.push_back(fmt::format("{}: {} -> {}", name, a.at(key).dump(), b.at(key).dump()));
    return true;
  }

  void compare_settings() {
    const Json& a = a_.at("settings");
    const Json& b = b_.at("settings");
    if (a_.at("name") != b_.at("name")) {
      result_.nothing_comparable = "they are of two studies";
      result_.differences.push_back(
          fmt::format("study: '{}' -> '{}'", a_.at("name").get<std::string>(), b_.at("name").get<std::string>()));
    }
    differs(a_.at("inputs"), b_.at("inputs"), "quick", "quick");
    differs(a, b, "max_evaluations", "max_evaluations");
    differs(a, b, "repetitions", "repetitions");
    // Before there was a choice all Jacobians were differences.
    if (const std::string before = a.value("jacobian", "differences"), after = b.value("jacobian", "differences");
        before != after) {
      result_.differences.push_back(fmt::format("jacobian of implicit integrators: {} -> {}", before, after));
    }
    if (differs(a, b, "samples", "samples")) {
      result_.nothing_comparable = "samples differ, which change the steps of some integrators and all errors";
    }
    if (differs(a_, b_, "references", "references")) {
      for (const char* const word : {"error", "order", "uncertainty"}) {
        result_.other_quantities[word] = "measured against another reference";
      }
    }
    if (differs(a, b, "baseline", "baseline")) {
      result_.other_quantities["ratio"] = "the ratio to another baseline";
    }
    windows_differ_ = differs(a, b, "windows", "windows");
  }

  void judge_other_mechanism(const std::string& word) {
    const bool told_by_digests = folder_a_.empty();
    judge_mechanism(result_, word, told_by_digests ? fs::path() : folder_a_ / file_of(a_, word),
                    told_by_digests ? fs::path() : folder_b_ / file_of(b_, word));
  }

  void compare_mechanisms() {
    const auto before = texts_by(a_.at("mechanisms"), "mechanism", "digest");
    const auto after = texts_by(b_.at("mechanisms"), "mechanism", "digest");
    for (const auto& [word, digest] : before) {
      if (const auto same = after.find(word); same != after.end()) {
        if (same->second != digest) {
          judge_other_mechanism(word);
        }
        continue;
      }
      const auto other = std::find_if(after.begin(), after.end(), [&before, &sought = digest](const auto& entry) {
        return entry.second == sought && !before.contains(entry.first);
      });
      if (other == after.end()) {
        result_.differences.push_back(fmt::format("mechanism '{}' is no longer declared", word));
      } else {
        result_.mechanism_names[word] = other->first;
        result_.renamed.push_back(fmt::format("mechanism '{}' is called '{}'", word, other->first));
      }
    }
    for (const auto& [word, digest] : after) {
      if (!before.contains(word) && std::none_of(result_.mechanism_names.begin(), result_.mechanism_names.end(),
                                                 [&, &name = word](const auto& n) { return n.second == name; })) {
        result_.differences.push_back(fmt::format("mechanism '{}' is declared anew", word));
      }
    }
  }

  /// By their names; one of another name with the same command is the same engine.
  void compare_engines() {
    for (const Json& before : a_.at("inputs").at("engines")) {
      const std::string name = before.at("name");
      for (const Json& after : b_.at("inputs").at("engines")) {
        const bool same_command = before.at("command") == after.at("command");
        const bool same_version = before.at("version") == after.at("version");
        if (after.at("name") != name) {
          if (same_command && same_version && !names_engine(a_, after.at("name")) && !names_engine(b_, name)) {
            engine_names_[name] = after.at("name");
          }
        } else if (!same_command || !same_version) {
          const std::string how =
              fmt::format("engine '{}': {} ({}) -> {} ({})", name, before.at("version").get<std::string>(),
                          before.at("command").get<std::string>(), after.at("version").get<std::string>(),
                          after.at("command").get<std::string>());
          result_.differences.push_back(how);
          other_engines_[name] = "the engine is another one";
        }
      }
    }
  }

  static bool names_engine(const Json& study, const std::string& name) {
    const Json& engines = study.at("inputs").at("engines");
    return std::any_of(engines.begin(), engines.end(), [&](const Json& engine) { return engine.at("name") == name; });
  }

  void compare_variants() {
    for (const Json& variant : a_.at("variants")) {
      const std::string engine = variant.at("engine");
      const std::string formulation = variant.at("formulation");
      std::string expected = formulation;
      if (const auto other = engine_names_.find(engine); other != engine_names_.end()) {
        expected.replace(0, engine.size(), other->second);
        result_.formulation_names[formulation] = expected;
        result_.renamed.push_back(fmt::format("engine '{}' is called '{}'", formulation, expected));
      }
      if (const auto other = other_engines_.find(engine); other != other_engines_.end()) {
        result_.other_formulations[formulation] = other->second;
      }
      const Json& all = b_.at("variants");
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Json& v) { return v.at("formulation") == expected; });
      if (same == all.end()) {
        result_.differences.push_back(fmt::format("variant '{}' ({}) is no longer declared",
                                                  variant.at("label").get<std::string>(), formulation));
      } else if (variant.at("label") != same->at("label")) {
        result_.renamed.push_back(fmt::format("variant '{}' is called '{}'", variant.at("label").get<std::string>(),
                                              same->at("label").get<std::string>()));
      }
      if (same != all.end() && variant.at("evaluations_before") != same->at("evaluations_before")) {
        result_.differences.push_back(fmt::format("evaluations_before of '{}' differ", formulation));
        result_.other_formulations[formulation] = "evaluations_before differ";
      }
    }
  }

  /// \returns whether files of a kind differ, which is told then.
  bool files_differ(const char* kind) {
    bool differ = false;
    const Json& after = b_.at("inputs").at(kind);
    for (const auto& [name, digest] : a_.at("inputs").at(kind).items()) {
      if (!after.contains(name) || after.at(name) != digest) {
        differ = true;
        result_.differences.push_back(
            fmt::format("file '{}' {}", name, after.contains(name) ? "is another one" : "is no longer read"));
      }
    }
    return differ;
  }

  void compare_files() {
    result_.verdicts_comparable = !files_differ("files");
    if (files_differ("reference_files")) {
      result_.other_quantities["error"] = "measured against another file";
    }
  }

  void match_curves() {
    for (const Json& before : windows_differ_ ? Json::array() : a_.at("curve_files")) {
      Record record;
      record.mechanism = before.at("mechanism");
      record.formulation = before.at("formulation");
      record.integrator = before.at("integrator");
      record.parameters = before.at("parameters");
      const Record now = result_.renamed_record(record);
      const Json& all = b_.at("curve_files");
      const auto same = std::find_if(all.begin(), all.end(), [&](const Json& after) {
        return after.at("mechanism") == now.mechanism && after.at("formulation") == now.formulation &&
               after.at("integrator") == now.integrator && after.at("parameters") == now.parameters;
      });
      if (same != all.end() && result_.obstacle(record).empty()) {
        result_.curve_files[before.at("file")] = same->at("file");
      }
    }
  }

  const Json& a_;
  const Json& b_;
  fs::path folder_a_;
  fs::path folder_b_;
  bool windows_differ_ = false;
  std::map<std::string, std::string> engine_names_;
  std::map<std::string, std::string> other_engines_;
  InputComparison result_;
};

/// The digest of a mechanism, and where it is written out.
struct GivenMechanism {
  std::string digest;
  std::string file;  ///< empty: nowhere
};

/// \returns all mechanisms by their names; several of one name count as one, which has no file.
std::map<std::string, GivenMechanism> given_mechanisms(const Json& mechanisms) {
  std::map<std::string, GivenMechanism> found;
  for (const Json& mechanism : mechanisms) {
    const auto [place, is_new] = found.try_emplace(mechanism.at("mechanism"));
    place->second.digest += mechanism.at("digest").get<std::string>();
    // Older programs wrote none.
    place->second.file = is_new ? mechanism.value("file", "") : "";
  }
  return found;
}

/// Reads inputs.json of two folders of one command without a study.
InputComparison compare_given(const Json& a, const Json& b, const fs::path& folder_a, const fs::path& folder_b) {
  InputComparison result;
  const auto before = given_mechanisms(a.at("mechanisms"));
  const auto after = given_mechanisms(b.at("mechanisms"));
  for (const auto& [name, mechanism] : before) {
    const auto same = after.find(name);
    if (same == after.end()) {
      result.differences.push_back(fmt::format("mechanism '{}' is no longer given", name));
    } else if (same->second.digest != mechanism.digest) {
      judge_mechanism(result, name, folder_a / mechanism.file, folder_b / same->second.file);
    }
  }
  for (const auto& [name, mechanism] : after) {
    result.declared_mechanisms.push_back(name);
    if (!before.contains(name)) {
      result.differences.push_back(fmt::format("mechanism '{}' is given anew", name));
    }
  }
  for (const Json& formulation : b.at("formulations")) {
    result.declared_formulations.push_back(formulation);
  }
  for (const Json& formulation : a.at("formulations")) {
    if (!stands_in(result.declared_formulations, formulation)) {
      result.differences.push_back(fmt::format("formulation '{}' is no longer given", formulation.get<std::string>()));
    }
  }
  for (const auto& [name, value] : a.at("settings").items()) {
    const Json now = b.at("settings").value(name, Json("not given"));
    if (now != value) {
      result.differences.push_back(fmt::format("{}: {} -> {}", name, value.dump(), now.dump()));
      result.nothing_comparable = fmt::format("'{}' differs", name);
    }
  }
  result.known = a.at("command") == b.at("command");
  return result;
}

InputComparison compare_studies(const Json& a, const Json& b, const fs::path& folder_a, const fs::path& folder_b) {
  try {
    return InputComparer(a, b, folder_a, folder_b).compare();
  } catch (const nlohmann::json::exception&) {
    return {};  // of an older program, or damaged
  }
}

}  // namespace

Record InputComparison::renamed_record(Record record) const {
  const auto named = [](const std::map<std::string, std::string>& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  };
  record.mechanism = named(mechanism_names, record.mechanism);
  record.formulation = named(formulation_names, record.formulation);
  return record;
}

std::string InputComparison::obstacle(const Record& record) const {
  if (!nothing_comparable.empty()) {
    return nothing_comparable;
  }
  if (const auto found = other_mechanisms.find(record.mechanism); found != other_mechanisms.end()) {
    return found->second;
  }
  if (const auto found = other_formulations.find(record.formulation); found != other_formulations.end()) {
    return found->second;
  }
  const auto found = std::find_if(other_quantities.begin(), other_quantities.end(), [&](const auto& entry) {
    return record.quantity.find(entry.first) != std::string::npos;
  });
  return found == other_quantities.end() ? "" : found->second;
}

bool InputComparison::is_declared(const Record& record) const {
  // Of rankings and references, the parameters are made of others.
  const bool derived = record.quantity.ends_with("_at_equal_error") || record.formulation.empty();
  return stands_in(declared_mechanisms, record.mechanism) &&
         (record.formulation.empty() || stands_in(declared_formulations, record.formulation)) &&
         (record.integrator.empty() || stands_in(declared_integrators, record.integrator)) &&
         (derived || ((record.parameters.empty() || stands_in(declared_parameters, record.parameters)) &&
                      (declared_quantities.empty() || stands_in(declared_quantities, record.quantity))));
}

InputComparison compare_inputs(const Json& a, const Json& b) {
  return compare_studies(a, b, {}, {});
}

InputComparison compare_inputs(const fs::path& a, const fs::path& b) {
  const auto whole = [](const fs::path& file) {
    Json json = json_in(file);
    if (fs::exists(file) && !json.is_object()) {
      throw FileError(file.string(), 0,
                      "is no JSON object: the file was changed, cut off or damaged; make the results again");
    }
    return json;
  };
  const Json before = whole(a / "study.json");
  const Json after = whole(b / "study.json");
  if (before.is_discarded() && after.is_discarded()) {
    const Json given = whole(a / "inputs.json");
    const Json given_after = whole(b / "inputs.json");
    try {
      return compare_given(given, given_after, a, b);
    } catch (const nlohmann::json::exception&) {
      return {};  // of an older program
    }
  }
  return compare_studies(before, after, a, b);
}

}  // namespace mbdbench::studies
