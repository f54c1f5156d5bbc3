#pragma once
/// \file
/// A study as it is declared: mechanisms x variants x integrators x tolerances or steps, what is observed, what is
/// expected and claimed. Plain data; study_reader.hpp reads it, study_runner.hpp runs it.
#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/records/record.hpp"
#include "experiments/simulation/jacobian_choice.hpp"
#include "experiments/studies/declaration/claim_expression.hpp"
#include "experiments/studies/declaration/frozen_reference.hpp"
#include "experiments/studies/declaration/observer.hpp"
#include "formulations/formulation.hpp"
#include "formulations/registry.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::studies {

/// A mechanism, how long it is run and with what.
struct StudyMechanism {
  std::string label;
  std::string word;  ///< as the study names it: "four_bar", "arm.toml"
  std::shared_ptr<const Mechanism> mechanism;
  double end = 0.0;  ///< s, from 0
  /// Places in the study's lists; without integrators its right-hand sides alone are observed.
  std::vector<std::size_t> variants;
  std::vector<std::size_t> integrators;
  std::vector<std::size_t> controls;
  std::map<std::size_t, std::vector<std::size_t>> own_controls = {};  ///< of integrators that have fewer of them
  std::vector<StateKind> controlled = {};                ///< kinds of state under error control; empty: all
  bool timed = true;                                     ///< whether its runs and right-hand sides are
  int samples = 0;                                       ///< equal intervals at whose ends errors are measured
  bool own_samples = false;                              ///< not those of the whole study
  std::map<StateKind, double> absolute_tolerances = {};  ///< of kinds of state; of others that of the control
  std::vector<Observer> observed = {};                   ///< of the study's observers; empty: all
  double output = 0.0;                                  ///< s between outputs that cost a right-hand side each; 0: none
  double max_step = 0.0;                                ///< s, of adaptive integrators; 0: any
  JacobianChoice jacobian = JacobianChoice::automatic;  ///< of implicit integrators
  bool own_jacobian = false;                            ///< not that of the whole study
  double restart = 0.0;  ///< s after which the integrator begins anew, again and again; 0: never
  std::shared_ptr<const FrozenReference> reference = nullptr;  ///< from a file; nullptr: the study computes one
  /// \returns whether an observer looks at it.
  [[nodiscard]] bool is_observed(const Observer& observer) const;
  /// \returns what records say beside the control: "end=10", "end=10;controlled=position;samples=85".
  [[nodiscard]] std::string parameters() const;
  /// \returns whether it is run with them, tolerances and steps told apart by nobody.
  [[nodiscard]] bool has(std::size_t integrator, std::size_t control) const;
};

/// A formulation with its options under a name of the study's own.
struct StudyVariant {
  std::string label;
  const FormulationEntry* entry = nullptr;
  std::string options;           ///< as the command line takes them, may be empty; those of the whole study among them
  bool may_fail = false;         ///< whether a failed run is a result and not a failure of the study
  int threads = 1;               ///< that share its right-hand sides
  int processes = 1;             ///< among which its right-hand sides are divided
  int evaluations_before = 0;    ///< that a published program makes before its solver begins; they count in rhs_calls
  std::string own_options = {};  ///< without those of the whole study
  /// \returns the formulation as records name it: "hdca[gauge=leak]", "hdca[leaf=subchain,processes=2]".
  [[nodiscard]] std::string formulation() const;
};

/// What is refined: the tolerance of adaptive integrators (absolute = relative), the step (s) of the others.
enum class ControlKind { tolerance, step };

/// \returns "tolerance", "step".
std::string_view to_string(ControlKind kind);

/// One value of it.
struct Control {
  ControlKind kind = ControlKind::tolerance;
  double value = 0.0;
  /// \returns "tolerance=1e-06".
  [[nodiscard]] std::string text() const;
};

/// One run of the product, by the places in the study's lists.
struct CellKey {
  std::size_t mechanism = 0;
  std::size_t variant = 0;
  std::size_t integrator = 0;
  std::size_t control = 0;
  // clang-tidy 14 takes the 0 of a comparison that the compiler makes for a pointer.
  auto operator<=>(const CellKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The axes of the product, as claims name them; tolerance and step are one list, each with its own integrators. Along
/// the last one, the errors of the study's rankings, observers are those at equal error.
enum class Axis { mechanism, variant, integrator, tolerance, step, error };

/// A sentence and when it counts as true.
struct StudyClaim {
  std::string source;
  std::string text;
  std::string criterion;               ///< in words; empty: the conditions themselves
  std::vector<ClaimExpression> holds;  ///< each is asked at every place
  std::vector<ClaimExpression> where;  ///< of each: which places are parts; empty: all
  std::vector<Axis> over;
  std::vector<Axis> most;  ///< a part is what holds at more than half of the places along these
  /// Places on the axes mechanism and variant.
  std::vector<std::size_t> mechanisms;
  std::vector<std::size_t> variants;
  std::string baseline;        ///< in words: what the compared side is, where another choice would change the verdict
  bool some = false;           ///< whether the sentence says that there is a case: one part that holds suffices
  bool failure_holds = false;  ///< whether a run that fails is what the sentence says
  std::string not_measured;    ///< the reason of one that nothing here can measure, instead of conditions
  /// Share of the parts that must have been measured; below it the claim is not measured.
  double measured_share = 0.5;
  /// \returns whether it runs through an axis.
  [[nodiscard]] bool runs_over(Axis axis) const;
};

/// Work where a measure of accuracy has the same value: what equal tolerance hides.
struct Ranking {
  Observer error;
  double at = 0.0;  ///< in the observer's unit
  std::vector<Observer> work;
  std::vector<std::size_t> mechanisms;
};

/// Integrators that share a panel.
struct Family {
  std::string label;
  std::vector<std::size_t> integrators;
};

/// What stands on the horizontal axis of a figure: time, at the accepted steps; or a number of whole runs.
enum class Against { time, control, observer };

/// Observers over time: a panel a mechanism and quantity, a curve a variant; or numbers of whole runs. With families a
/// curve is an integrator, and each family has panels of its own.
struct CurveFigure {
  std::string name;
  std::string title;
  std::vector<Observer> curves;
  std::vector<std::size_t> mechanisms;
  std::vector<std::size_t> variants;
  std::size_t integrator = 0;
  std::size_t control = 0;
  double lowest = 0.0;  ///< below is rounding and not drawn
  double every = 0.0;   ///< s; a count since the start is drawn as what each interval of this length adds; 0: as it is
  Against against = Against::time;
  std::optional<Observer> abscissa;  ///< of `Against::observer`
  std::vector<Family> families;
};

/// Some of the numbers side by side.
struct NumberTable {
  std::string name;
  std::string title;
  std::string caption;
  std::vector<Observer> observers;
  std::vector<std::size_t> mechanisms;
  std::vector<std::size_t> variants;
};

/// A number to compare with.
struct Expectation {
  CellKey cell;
  Observer observer;
  double value = 0.0;
  bool published = false;
  std::string source;  ///< whose number it is: a paper's place, or where an expected one comes from
  Limit limit;
  std::string reason;  ///< of the limit
};

/// How a reference is made.
struct ReferenceRun {
  std::string formulation;  ///< with its options
  std::string integrator;
};

/// Another engine that a variant names.
struct StudyEngine {
  std::string name;
  std::string command;  ///< as it is started
  std::string version;  ///< as the engine calls itself; empty where it was not asked, or does not start
  std::string failure;  ///< why not
};

/// What identifies a study beside its mechanisms.
struct StudyInputs {
  bool quick = false;                                      ///< whether its table [quick] has replaced keys of its own
  std::string declaration;                                 ///< the text of its file
  std::string folder;                                      ///< in which the file stands: {here} in commands of engines
  std::vector<std::pair<std::string, std::string>> files;  ///< expectations: name, text
};

/// All of it. Only `study_reader` makes one: everything in it exists and fits.
struct Study {
  StudyInputs inputs;
  std::string name;
  std::string title;
  std::vector<StudyMechanism> mechanisms;
  std::vector<StudyVariant> variants;
  /// The registry's formulations and other engines, where the study names such; variants point into it.
  std::shared_ptr<const FormulationRegistry> engines;
  std::vector<const OdeEntry*> integrators;  ///< empty: nothing is run, right-hand sides alone are observed
  std::vector<Control> controls;             ///< tolerances, then steps
  std::vector<Observer> observers;
  std::map<Observer, std::string> titles;  ///< in tables and figures, of those that have one of the study's own
  std::optional<std::size_t> baseline;     ///< variant that `ratio` compares with
  std::vector<ReferenceRun> references;    ///< the reference, then what it is checked against
  std::vector<StudyClaim> claims;
  std::vector<Ranking> rankings;
  std::vector<Expectation> expectations;
  std::vector<CurveFigure> figures;
  std::vector<NumberTable> tables;                      ///< none: one of all numbers a mechanism
  std::size_t max_evaluations = 0;                      ///< a run that needs more is a failure with this reason
  int repetitions = 0;                                  ///< of timed runs
  int samples = 0;                                      ///< equal intervals at whose ends errors are measured
  JacobianChoice jacobian = JacobianChoice::automatic;  ///< of implicit integrators
  int windows = 0;  ///< curves have the largest of each of so many equal times; 0: every step

  /// \returns the engines that its variants name, each command once, without their versions.
  [[nodiscard]] std::vector<StudyEngine> engines_started() const;

  /// \returns what tables, figures and claims call an observer.
  [[nodiscard]] std::string title_of(const Observer& observer) const;
  /// \returns whether this integrator is run with this control.
  [[nodiscard]] bool runs(std::size_t integrator, std::size_t control) const;
  /// \returns all runs, in the order of the lists; of a mechanism without integrators a cell a variant, for what is
  /// observed of right-hand sides.
  [[nodiscard]] std::vector<CellKey> cells() const;
  /// \returns whether any observer needs a reference, times of runs, right-hand sides.
  /// \returns whether this run is in the product.
  [[nodiscard]] bool has(const CellKey& cell) const;
  /// \returns the runs whose curves over time a figure shows of a mechanism: of its variants, or of its integrators,
  /// each with the first control that the mechanism is run with.
  [[nodiscard]] std::vector<CellKey> curve_cells(const CurveFigure& figure, std::size_t mechanism) const;
  /// \returns what figures show over time, each once.
  [[nodiscard]] std::vector<Observer> all_curves() const;
  /// \returns what they show of one run.
  [[nodiscard]] std::vector<Observer> curves(const CellKey& cell) const;
  /// \returns where they stand, in the study's directory: trajectories/MECHANISM_VARIANT_INTEGRATOR_CONTROL.csv.
  [[nodiscard]] std::filesystem::path curve_file(const CellKey& cell) const;
  /// \returns where a mechanism's picture stands, in the study's directory; empty for one of too many bodies to see.
  static std::filesystem::path drawing_file(const StudyMechanism& mechanism);
  [[nodiscard]] bool needs_reference() const;
  /// \returns whether a failure of a formulation, as records name it, is a result.
  [[nodiscard]] bool may_fail(const std::string& formulation) const;
  /// \returns whether any observer of this mechanism does.
  [[nodiscard]] bool needs_reference(const StudyMechanism& mechanism) const;
  [[nodiscard]] bool needs_times() const;
  [[nodiscard]] bool observes_right_hand_sides() const;
  /// \returns whether those of this mechanism are observed and timed: once, where it is run in several ways.
  [[nodiscard]] bool times_right_hand_sides(std::size_t mechanism) const;
};

}  // namespace mbdbench::studies
