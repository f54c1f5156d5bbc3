#include "experiments/studies/declaration/readers/study_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/engines/engine_formulation.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/run_settings.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/studies/declaration/declared_choice.hpp"
#include "experiments/studies/declaration/declared_mechanisms.hpp"
#include "experiments/studies/declaration/declared_observer.hpp"
#include "experiments/studies/declaration/readers/claim_reader.hpp"
#include "experiments/studies/declaration/readers/declaration_table.hpp"
#include "experiments/studies/declaration/readers/expectation_reader.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/options/division_options.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/file_format.hpp"
#include "mechanisms/io/text/file_text.hpp"
#include "mechanisms/io/toml_text.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kStudyKeys = {"name",        "title",           "mechanisms", "end",
                                             "variants",    "integrators",     "tolerances", "steps",
                                             "observe",     "claims",          "rankings",   "expectations",
                                             "repetitions", "max_evaluations", "samples",    "failures_allowed",
                                             "figures",     "tables",          "quick",      "baseline",
                                             "references",  "engines",         "titles",     "evaluations_before",
                                             "windows",     "processes",       "options",    "jacobian",
                                             "ranks"};  // former name of "processes"

constexpr double kDefaultEvaluations = 100000.0;
constexpr double kMostEvaluations = 1e12;
constexpr double kDefaultRepetitions = 3.0;
constexpr double kMostRepetitions = 10000.0;
constexpr double kMostProcesses = 1024.0;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// \returns the threads that a variant may use.
int threads_of(const StudyVariant& variant, const Execution& execution) {
  const auto& known = variant.entry->options;
  const bool can = std::any_of(known.begin(), known.end(), [](const auto& option) { return option.name == "threads"; });
  return !can ? 1 : execution_in(parse_parameters(known, variant.options, variant.entry->key), execution).threads;
}

class StudyReader {
 public:
  StudyReader(const Registries& registries, const fs::path& file, const DeclarationTable& table,
              const std::string& text)
      : registries_(registries), file_(file), table_(table), mechanisms_(registries, file_, table, study_) {
    study_.inputs.declaration = text;
  }

  Study read() {
    study_.name = plain_name(table_);
    const auto title = table_.text("title");
    study_.title = title ? title->text : study_.name;
    study_.max_evaluations =
        static_cast<std::size_t>(table_.whole("max_evaluations", kDefaultEvaluations, 1.0, kMostEvaluations));
    study_.repetitions = static_cast<int>(table_.whole("repetitions", kDefaultRepetitions, 1.0, kMostRepetitions));
    study_.samples = static_cast<int>(table_.whole("samples", kDefaultSamples, 1.0, kMostSamples));
    study_.windows = static_cast<int>(table_.whole("windows", 0.0, 1.0, kMostSamples));
    study_.jacobian = read_jacobian_choice(table_).value_or(JacobianChoice::automatic);
    mechanisms_.read();
    read_engines();
    read_variants();
    read_failures_allowed();
    read_evaluations_before();
    read_integrators();
    read_processes();
    read_controls();
    mechanisms_.choose();
    read_baseline();
    read_references();
    read_observers();
    read_titles();
    read_rankings();
    read_claims(table_, study_);
    const auto observer = [this](const DeclarationTable& table, const LocatedText& name) {
      return observer_at(table, name);
    };
    read_figures(table_, study_, observer);
    read_tables(table_, study_, observer);
    for (const CurveFigure& figure : study_.figures) {
      if (figure.abscissa) {
        add_observer(study_, *figure.abscissa);
      }
      if (figure.against != Against::time) {
        std::for_each(figure.curves.begin(), figure.curves.end(),
                      [this](const Observer& o) { add_observer(study_, o); });
      }
    }
    for (const NumberTable& table : study_.tables) {
      std::for_each(table.observers.begin(), table.observers.end(),
                    [this](const Observer& o) { add_observer(study_, o); });
    }
    require_own_curve_files();
    for (const StudyMechanism& mechanism : study_.mechanisms) {
      if (study_.needs_reference(mechanism) && (mechanism.output > 0.0 || mechanism.restart > 0.0)) {
        table_.fail(table_.line(), fmt::format("mechanism '{}' with output or restart has no sample times, and errors "
                                               "are measured at these: leave them to studies without errors",
                                               mechanism.label));
      }
    }
    for (const LocatedText& name : table_.texts("expectations")) {
      const std::vector<Expectation> read = read_expectations(file_.parent_path() / name.text, study_);
      study_.expectations.insert(study_.expectations.end(), read.begin(), read.end());
      study_.inputs.files.emplace_back(name.text,
                                       read_file_text(folder_of(file_) / name.text, "a file that the study names"));
    }
    return std::move(study_);
  }

 private:
  /// Names of files keep letters and digits of labels only.
  void require_own_curve_files() const {
    std::map<fs::path, CellKey> owners;
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      for (std::size_t v = 0; v < study_.variants.size(); ++v) {
        for (std::size_t i = 0; i < study_.integrators.size(); ++i) {
          for (std::size_t c = 0; c < study_.controls.size(); ++c) {
            const CellKey cell{m, v, i, c};
            if (study_.curves(cell).empty()) {
              continue;
            }
            const auto [owner, added] = owners.emplace(study_.curve_file(cell), cell);
            if (!added) {
              table_.fail(
                  table_.line(),
                  fmt::format("the runs of '{}' on '{}' and of '{}' on '{}' would write the same file {}: use labels "
                              "that differ in letters or digits",
                              study_.variants[owner->second.variant].label,
                              study_.mechanisms[owner->second.mechanism].label, study_.variants[v].label,
                              study_.mechanisms[m].label, owner->first.string()));
            }
          }
        }
      }
    }
  }

  void require_some(bool none, std::string_view key, std::string_view wanted) const {
    if (none) {
      table_.fail(table_.line(), fmt::format("{} is missing or empty: {}", key, wanted));
    }
  }

  /// Other engines by name; {here} in a command is the folder of the declaration.
  void read_engines() {
    FormulationRegistry all = registries_.formulations;
    for (const auto& [name, command] : table_.named_texts("engines")) {
      table_.at_line(command.line, [&, &key = name.text, &word = command.text] {
        std::string text = word;
        constexpr std::string_view kHere = "{here}";
        for (std::size_t at = text.find(kHere); at != std::string::npos; at = text.find(kHere)) {
          text.replace(at, kHere.size(), folder_of(file_).string());
        }
        all.push_back(engine_entry(key + "=" + text));
      });
    }
    if (all.size() > registries_.formulations.size()) {
      study_.engines = std::make_shared<const FormulationRegistry>(std::move(all));
    }
  }

  /// \returns whether a formulation has an option and, where that is one of several words, this word or a number.
  static bool takes(const FormulationEntry& entry, std::string_view option, const std::string& value) {
    return std::any_of(entry.options.begin(), entry.options.end(), [&](const ParameterSpecification& each) {
      const auto& words = each.choices;
      return each.name == option && (words.empty() || std::find(words.begin(), words.end(), value) != words.end() ||
                                     (each.counts && value.find_first_not_of("0123456789") == std::string::npos));
    });
  }

  /// \returns the options of a variant, and those of the whole study that it takes and does not set itself.
  std::string with_common_options(const FormulationChoice& choice) {
    std::string options = choice.options;
    for (const auto& [name, value] : table_.named_texts("options")) {
      table_.at_line(value.line, [&, &option = name.text, &text = value.text] {
        const bool sets_it = ("," + choice.options).find("," + option + "=") != std::string::npos;
        if (takes(*choice.entry, option, text) && !sets_it) {
          options += fmt::format("{}{}={}", options.empty() ? "" : ",", option, text);
          static_cast<void>(parse_parameters(choice.entry->options, options, choice.entry->key));
        }
      });
    }
    return options;
  }

  void read_variants() {
    for (const auto& [label, text] : table_.named_texts("variants")) {
      table_.at_line(text.line, [&, &name = label.text, &word = text.text] {
        FormulationChoice choice =
            choose_formulation(study_.engines ? *study_.engines : registries_.formulations, word);
        StudyVariant variant{name, choice.entry, choice.options};
        variant.own_options = choice.options;
        variant.options = with_common_options(choice);
        variant.threads = threads_of(variant, registries_.formulations.execution);
        study_.variants.push_back(std::move(variant));
      });
    }
    for (const auto& [name, value] : table_.named_texts("options")) {
      const auto has_it = [&option = name.text](const StudyVariant& variant) {
        const auto options = variant.entry->options;
        return std::any_of(options.begin(), options.end(), [&](const auto& each) { return each.name == option; });
      };
      const auto known = std::find_if(study_.variants.begin(), study_.variants.end(), has_it);
      const bool is_taken = std::any_of(study_.variants.begin(), study_.variants.end(),
                                        [&option = name.text, &text = value.text](const auto& variant) {
                                          return takes(*variant.entry, option, text);
                                        });
      if (known != study_.variants.end() && !is_taken) {
        table_.at_line(value.line, [&, &option = name.text, &text = value.text] {  // says what would be right
          static_cast<void>(
              parse_parameters(known->entry->options, fmt::format("{}={}", option, text), known->entry->key));
        });
      }
      if (known == study_.variants.end()) {
        table_.fail(name.line,
                    fmt::format("no variant has an option '{}': a line of [options] is for the variants that "
                                "have it, `mbdbench list` names the options",
                                name.text));
      }
    }
    require_some(study_.variants.empty(), "variants", "a table [variants] of \"LABEL\" = \"formulation[options]\"");
  }

  /// Of all variants or of some.
  void read_failures_allowed() {
    const bool some = table_.is_list("failures_allowed");
    const std::vector<std::size_t> allowed = some ? places_of(
                                                        table_, table_.texts("failures_allowed"), study_.variants,
                                                        [](const StudyVariant& v) { return v.label; }, "variant")
                                             : table_.flag("failures_allowed").value_or(false)
                                                 ? all_places(study_.variants.size())
                                                 : std::vector<std::size_t>{};
    for (const std::size_t v : allowed) {
      study_.variants[v].may_fail = true;
    }
  }

  void read_evaluations_before() {
    for (const auto& [label, count] : table_.named_numbers("evaluations_before")) {
      const std::size_t place =
          places_of(
              table_, {label}, study_.variants, [](const StudyVariant& v) { return v.label; }, "variant")
              .front();
      if (!(count.value >= 0.0 && count.value <= 10.0 && std::floor(count.value) == count.value)) {
        table_.fail(count.line,
                    fmt::format("evaluations_before must be a whole number from 0 to 10, not {}", count.value));
      }
      study_.variants[place].evaluations_before = static_cast<int>(count.value);
    }
  }

  void read_processes() {
    take_processes("processes");
    if (!table_.named_numbers("ranks").empty()) {
      tell("mbdbench: note: {}: the table 'ranks' is deprecated; it is called 'processes' now\n", file_.string());
    }
    take_processes("ranks");
  }

  /// \param key the table's name, or its former one
  void take_processes(const std::string& key) {
    for (const auto& [label, count] : table_.named_numbers(key)) {
      const std::size_t place =
          places_of(
              table_, {label}, study_.variants, [](const StudyVariant& v) { return v.label; }, "variant")
              .front();
      StudyVariant& variant = study_.variants[place];
      if (variant.processes != 1) {
        table_.fail(label.line, fmt::format("the processes of variant '{}' stand in both 'processes' and 'ranks', its "
                                            "former name; say them in 'processes' only",
                                            variant.label));
      }
      if (!(count.value >= 2.0 && count.value <= kMostProcesses && std::floor(count.value) == count.value)) {
        table_.fail(count.line,
                    fmt::format("processes must be a whole number from 2 to {}, not {}", kMostProcesses, count.value));
      }
      if (variant.entry->make_part == nullptr && !variant.entry->shares_right_sides) {
        table_.fail(label.line,
                    fmt::format("variant '{}': formulation '{}' cannot be divided among processes; {}, dca-alm and "
                                "dca-alm-proj can",
                                variant.label, variant.entry->key, divisible_formulations(registries_.formulations)));
      }
      variant.processes = static_cast<int>(count.value);
    }
  }

  void read_integrators() {
    const std::vector<LocatedText> keys = table_.texts("integrators");
    const auto is_there = [&](const LocatedText& key) {
      return find_integrator(registries_.integrators, key.text) != nullptr;
    };
    const bool some = std::any_of(keys.begin(), keys.end(), is_there);
    for (const LocatedText& key : keys) {
      const OdeEntry* const entry = find_integrator(registries_.integrators, key.text);
      if (entry == nullptr) {
        const std::string left_out = left_out_integrator(registries_, key.text);
        if (!some || left_out.empty()) {
          table_.fail(key.line, unknown_integrator(registries_, key.text));
        }
        const std::string& text = study_.inputs.declaration;
        if (text.find(key.text) != text.rfind(key.text)) {
          table_.fail(key.line, left_out + "; the study names it elsewhere too, and cannot run without it");
        }
        tell("mbdbench: note: {}: {}; the study runs without it\n", file_.string(), left_out);
        continue;
      }
      table_.at_line(key.line, [&] { require_for_mechanisms(*entry); });
      if (std::find(study_.integrators.begin(), study_.integrators.end(), entry) != study_.integrators.end()) {
        table_.fail(key.line, fmt::format("integrator '{}' stands here twice", key.text));
      }
      study_.integrators.push_back(entry);
    }
  }

  void read_controls() {
    for (const auto& [key, kind] : {std::pair("tolerances", ControlKind::tolerance), {"steps", ControlKind::step}}) {
      for (const LocatedNumber& number : table_.numbers(key)) {
        const Control control{kind, table_.positive(number, key)};
        const bool twice = std::any_of(study_.controls.begin(), study_.controls.end(), [&](const Control& other) {
          return other.kind == control.kind && other.value == control.value;
        });
        if (twice) {
          table_.fail(number.line, fmt::format("{}: {} stands here twice", key, number.value));
        }
        study_.controls.push_back(control);
      }
    }
    for (std::size_t i = 0; i < study_.integrators.size(); ++i) {
      bool any = false;
      for (std::size_t c = 0; c < study_.controls.size(); ++c) {
        any = any || study_.runs(i, c);
      }
      if (!any) {
        const OdeEntry& entry = *study_.integrators[i];
        table_.fail(table_.line(), fmt::format("integrator '{}' needs {}", entry.key,
                                               entry.adaptive ? "tolerances = [1e-6]" : "steps = [0.01] (s)"));
      }
    }
  }

  Observer observer_at(const DeclarationTable& table, const LocatedText& name) const {
    Observer observer = table.at_line(name.line, [&] { return parse_observer(name.text); });
    require_known(study_, table, name.line, observer);
    return observer;
  }

  void read_baseline() {
    if (const auto label = table_.text("baseline")) {
      study_.baseline = places_of(
                            table_, {*label}, study_.variants, [](const StudyVariant& v) { return v.label; }, "variant")
                            .front();
    }
  }

  /// "dense with ode45", the reference first.
  void read_references() {
    constexpr std::string_view kWith = " with ";
    for (const LocatedText& run : table_.texts("references")) {
      const std::size_t with = run.text.find(kWith);
      if (with == std::string::npos) {
        table_.fail(run.line, fmt::format("'{}' should read \"FORMULATION[options] with INTEGRATOR\"", run.text));
      }
      ReferenceRun made{run.text.substr(0, with), run.text.substr(with + kWith.size())};
      table_.at_line(run.line, [&] {
        choose_formulation(registries_.formulations, made.formulation);
        needed_integrator(registries_, study_.name, made.integrator);
      });
      study_.references.push_back(std::move(made));
    }
    if (study_.references.empty()) {
      // Momenta do not pass every singular position; absolute coordinates with projections do.
      study_.references = {{"dense", "odeint-fehlberg78"}, {"dense-momentum", "ode113"}, {"dca-alm-proj", "ode45"}};
    } else if (study_.references.size() == 1) {
      table_.fail(table_.line(), "references must name a second run: how far it is from the first is the uncertainty");
    }
  }

  void read_observers() {
    for (const LocatedText& name : table_.texts("observe")) {
      const Observer observer = observer_at(table_, name);
      add_observer(study_, observer);
    }
    require_some(study_.observers.empty(), "observe", "a list such as [\"evaluations\", \"position_error\"]");
    require_integrators();
  }

  /// Titles of observers of the study's own, and what is observed of each mechanism.
  void read_titles() {
    for (const auto& [name, title] : table_.named_texts("titles")) {
      study_.titles[observer_at(table_, name)] = title.text;
    }
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      for (const LocatedText& name : mechanisms_.observed(m)) {
        study_.mechanisms[m].observed.push_back(observer_at(table_, name));
        add_observer(study_, study_.mechanisms[m].observed.back());
      }
    }
  }

  /// Only right-hand sides can be observed without a run.
  void require_integrators() const {
    const auto of_run = std::find_if(study_.observers.begin(), study_.observers.end(),
                                     [](const Observer& observer) { return !observer.of_right_hand_side(); });
    require_some(study_.integrators.empty() && of_run != study_.observers.end(), "integrators",
                 fmt::format("keys as 'mbdbench list integrators' shows them; observer '{}' is of a run",
                             of_run == study_.observers.end() ? "" : of_run->name()));
  }

  void read_rankings() {
    table_.entries(
        "rankings", "a ranking", {"error", "at", "work", "mechanisms"}, {}, [&](const DeclarationTable& entry) {
          Ranking ranking;
          ranking.error = observer_at(entry, entry.needed_text("error"));
          for (const LocatedText& work : entry.texts("work")) {
            ranking.work.push_back(observer_at(entry, work));
          }
          if (ranking.work.empty()) {
            ranking.work.push_back({Quantity::evaluations, {}});
          }
          ranking.mechanisms = chosen_mechanisms(entry, study_);
          add_observer(study_, ranking.error);
          for (const Observer& work : ranking.work) {
            add_observer(study_, work);
          }
          if (!entry.has("at")) {
            entry.fail(entry.line(), "at is missing: the error, or a list of errors, at which work is compared");
          }
          for (const LocatedNumber& at : entry.numbers("at")) {
            ranking.at = entry.positive(at, "at");
            study_.rankings.push_back(ranking);
          }
        });
  }

  const Registries& registries_;
  fs::path file_;
  const DeclarationTable& table_;
  Study study_;
  DeclaredMechanisms mechanisms_;
};

}  // namespace

Study read_study(const Registries& registries, const fs::path& file, bool quick) {
  const std::string text = read_file_text(file, "the file of a study (.toml)");
  const std::string name = file.string();
  toml::table table = parse_toml(text, name);
  take_format(table, name, kStudyFormat);
  // Without such a table the whole is quick enough, and is the whole.
  const toml::table* const smaller = quick ? table["quick"].as_table() : nullptr;
  const bool is_quick = smaller != nullptr;
  if (is_quick) {
    for (const auto& [key, value] : toml::table(*smaller)) {
      table.insert_or_assign(key, value);
    }
  }
  const DeclarationTable root(name, table, "the study", 1, kStudyKeys);
  Study study = StudyReader(registries, file, root, text).read();
  study.inputs.quick = is_quick;
  study.inputs.folder = folder_of(file).string();
  return study;
}

}  // namespace mbdbench::studies
