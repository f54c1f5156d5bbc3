#include "experiments/metamorphic/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/metamorphic/body_balance.hpp"
#include "experiments/metamorphic/told_motion.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/simulation/simulate_run.hpp"
#include "experiments/verification/derivatives/state_derivative.hpp"
#include "formulations/drive_forces.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench::metamorphic {
namespace {

namespace fs = std::filesystem;

// s; the fourth power of its product with rates of some 10 1/s is 1e-8, and rounding is divided by it.
constexpr double kDifferenceStep = 5e-4;

class Reading {
 public:
  Reading(const Registries& registries, const Telling& telling, const std::string& word, fs::path directory)
      : registries_(registries), telling_(telling), word_(word), directory_(std::move(directory)) {
    registries_.formulations.execution.threads = telling.plan.threads;
  }

  Answer read() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    const fs::path file = directory_ / "told.toml";
    replace_file(file, toml_text(telling_.told));
    try {
      const Mechanism mechanism = load_mechanism(file);
      const FormulationChoice choice = choose_formulation(registries_.formulations, word_);
      answer_.refusal = refusal_of(*choice.entry, mechanism);
      if (!answer_.refusal.empty()) {
        return answer_;
      }
      const auto formulation = make_formulation(registries_.formulations, *choice.entry, mechanism, choice.options);
      if (telling_.plan.drives_as_loads) {
        const Mechanism undriven = with_drives_as_loads(*formulation);
        at_start(*make_formulation(registries_.formulations, *choice.entry, undriven, choice.options));
      } else if (telling_.plan.settings.empty()) {
        at_start(*formulation);
      }
    } catch (const std::system_error&) {
      throw;
    } catch (const std::exception& error) {
      answer_.refusal = error.what();
      return answer_;
    }
    if (telling_.plan.runs && answer_.failure.empty()) {
      run(file);
    }
    return answer_;
  }

 private:
  /// \returns the mechanism with what the formulation says that each drive does at the start in the drive's place.
  [[nodiscard]] Mechanism with_drives_as_loads(Formulation& formulation) const {
    const Mechanism& mechanism = formulation.mechanism();
    const double t = telling_.plan.start;
    std::vector<double> x(formulation.state_size());
    Reactions reactions;
    const auto view = [](const Eigen::VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    for (const RhsStatus& status :
         {formulation.pack(t, view(mechanism.q0()), view(mechanism.u0()), x), formulation.reactions(t, x, reactions)}) {
      if (!status.ok) {
        throw std::runtime_error(status.message());
      }
    }
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    const std::vector<double> forces = drive_forces(kinematics, reactions).drives;
    MechanismDescription description = mechanism.description();
    std::size_t next = 0;
    for (JointDescription& joint : description.joints) {
      for (const PrescribedMotion& motion : std::exchange(joint.motions, {})) {
        description.joint_loads.push_back(
            {fmt::format("drive_{}", next), joint.name, motion.component, ConstantLaw{forces.at(next)}});
        ++next;
      }
    }
    return Mechanism(std::move(description));
  }

  void at_start(Formulation& formulation) {
    const Mechanism& mechanism = formulation.mechanism();
    const double t = telling_.plan.start;
    Eigen::VectorXd x(static_cast<Eigen::Index>(formulation.state_size()));
    Eigen::VectorXd rates(x.size());
    const auto view = [](Eigen::VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    const auto given = [](const Eigen::VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    Reactions reactions;
    for (const RhsStatus& status :
         {formulation.pack(t, given(mechanism.q0()), given(mechanism.u0()), view(x)),
          formulation.rhs(t, given(x), view(rates)), formulation.reactions(t, given(x), reactions)}) {
      if (!status.ok) {
        answer_.failure = status.message();
        return;
      }
    }
    const StateDerivative derivative = derivative_along(
        [&](double at, std::span<const double> state, Eigen::VectorXd& values) -> std::string {
          Observation observation;
          const RhsStatus status = formulation.observe(at, state, observation);
          values.resize(static_cast<Eigen::Index>(3 * observation.marker_velocities.size()));
          for (std::size_t m = 0; m < observation.marker_velocities.size(); ++m) {
            values.segment<3>(static_cast<Eigen::Index>(3 * m)) = observation.marker_velocities[m];
          }
          return status.ok ? "" : status.message();
        },
        t, x, rates, kDifferenceStep* telling_.plan.unit_of_time);
    if (!derivative.failure.empty()) {
      answer_.failure = derivative.failure;
      return;
    }
    for (std::size_t m = 0; m < telling_.told.markers.size(); ++m) {
      answer_.accelerations.emplace_back(derivative.value.segment<3>(static_cast<Eigen::Index>(3 * m)));
    }
    answer_.uncertainty = derivative.uncertainty.maxCoeff();
    // A drive's force that stands as a load is not in the telling.
    if (!telling_.plan.drives_as_loads) {
      answer_.imbalance =
          worst_imbalance(telling_.told, t, answer_.accelerations, answer_.uncertainty, mechanism, reactions);
    }
  }

  void run(const fs::path& file) {
    const Plan& plan = telling_.plan;
    SimulateRequest request;
    request.mechanism = file.string();
    request.formulation = word_;
    request.integrator = plan.integrator;
    if (plan.tolerance) {
      request.relative_tolerance = *plan.tolerance;
      request.absolute_tolerances = {fmt::format("{}", *plan.tolerance)};
    }
    const OdeEntry* const method = find_integrator(registries_.integrators, plan.integrator);
    if (!method->adaptive) {
      request.fixed_step = plan.step;
    }
    if (plan.integrator == "rkf45-fixed") {
      request.propagate_higher_order = true;
    }
    request.time = fmt::format("{}:{}:{}", plan.start, plan.every, plan.end);
    request.initial_values = plan.settings;
    request.checkpoint = 0.0;
    request.reactions = true;
    request.quiet = true;
    request.output = (directory_ / "run").string();
    if (!one_run(request)) {
      return;
    }
    if (plan.restart_end) {
      SimulateRequest rest;
      rest.restart = (directory_ / "run" / "state.json").string();
      rest.time = fmt::format("{}:{}:{}", plan.start, plan.every, *plan.restart_end);
      rest.checkpoint = 0.0;
      rest.reactions = true;
      rest.quiet = true;
      rest.output = (directory_ / "rest").string();
      one_run(rest);
    }
    judge_start();
    judge_gaps();
  }

  /// \returns whether there is a trajectory.
  bool one_run(const SimulateRequest& request) {
    try {
      run_simulate(registries_, request);
      const fs::path output(request.output);
      const nlohmann::ordered_json statistics = json_in(output / "statistics.json");
      answer_.status = statistics.at("status");
      answer_.message = statistics.at("message");
      read_trajectory(read_csv(output / "trajectory.csv"));
      return true;
    } catch (const WriteError&) {
      throw;
    } catch (const std::system_error&) {
      throw;
    } catch (const std::exception& error) {
      (answer_.samples.empty() && !request.initial_values.empty() ? answer_.refusal : answer_.failure) = error.what();
      return false;
    }
  }

  void read_trajectory(const CsvTable& table) {
    const auto column = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) -
                                      table.columns.begin());
    };
    std::vector<std::size_t> places;
    for (std::size_t m = 0; m < telling_.told.markers.size(); ++m) {
      for (const char* const part : {"x", "y", "z", "vx", "vy", "vz"}) {
        places.push_back(column(fmt::format("{}_m{}", part, m)));
      }
    }
    for (const std::vector<std::string>& row : table.rows) {
      const auto number = [&](std::size_t place) { return std::strtod(row.at(place).c_str(), nullptr); };
      Sample sample{number(column("t")), number(column("kinetic")), {}, {}};
      for (std::size_t m = 0; m < telling_.told.markers.size(); ++m) {
        const std::size_t* const p = &places[6 * m];
        sample.points.emplace_back(number(p[0]), number(p[1]), number(p[2]));
        sample.velocities.emplace_back(number(p[3]), number(p[4]), number(p[5]));
      }
      answer_.samples.push_back(std::move(sample));
    }
  }

  /// Where the text itself puts the markers.
  void judge_start() {
    const Told& told = telling_.told;
    const std::vector<BodyState> states = body_states(told);
    double shift = 0.0;
    double speed_shift = 0.0;
    double extent = 0.0;
    double speed = 1e-3;
    for (std::size_t m = 0; m < told.markers.size(); ++m) {
      const BodyState& body = states[static_cast<std::size_t>(told.markers[m].body)];
      const Vec3 point = body.frame.point(told.markers[m].point);
      const Vec3 velocity = body.velocity_of(point);
      const Sample& first = answer_.samples.front();
      shift = std::max(shift, (first.points[m] - point).norm());
      speed_shift = std::max(speed_shift, (first.velocities[m] - velocity).norm());
      extent = std::max(extent, (told.markers[m].point - told.markers[m - m % 3].point).norm());
      speed = std::max(speed, velocity.norm() * telling_.plan.unit_of_time / (extent > 0.0 ? extent : 1.0));
    }
    answer_.start_shift = shift / extent;
    answer_.start_speed_shift = speed_shift * telling_.plan.unit_of_time / extent / speed;
  }

  void judge_gaps() {
    const Told& told = telling_.told;
    const double length = (told.markers[1].point - told.markers[0].point).norm();
    for (const Sample& sample : answer_.samples) {
      for (const ToldJoint& joint : told.joints) {
        const auto frame = [&](int body) { return body == kWorld ? Frame{} : frame_shown(told, body, sample.points); };
        if (!shown(joint.a) || !shown(joint.b)) {
          continue;
        }
        const JointGap gap = joint_gap(joint, frame(joint.a), frame(joint.b));
        answer_.linear_gap = std::max(answer_.linear_gap, gap.linear / length);
        answer_.angular_gap = std::max(answer_.angular_gap, gap.angular);
      }
    }
  }

  [[nodiscard]] bool shown(int body) const {
    const std::vector<ToldMarker>& markers = telling_.told.markers;
    return body == kWorld || std::count_if(markers.begin(), markers.end(),
                                           [body](const ToldMarker& marker) { return marker.body == body; }) == 3;
  }

  Registries registries_;  // with the threads of the plan
  const Telling& telling_;
  std::string word_;
  fs::path directory_;
  Answer answer_;
};

}  // namespace

namespace {

/// KEY[options] with those of the plan.
std::string word_of(const Plan& plan, std::string formulation) {
  if (!plan.formulation_options.empty()) {
    const bool others = formulation.back() == ']';
    formulation.resize(formulation.size() - (others ? 1 : 0));
    formulation += (others ? "," : "[") + plan.formulation_options + "]";
  }
  return formulation;
}

}  // namespace

Frame frame_shown(const Told& told, int body, const std::vector<Vec3>& points) {
  std::size_t m = 0;
  while (told.markers[m].body != body) {
    ++m;
  }
  const auto axes_of = [](const Vec3& origin, const Vec3& to_x, const Vec3& to_y) {
    Mat3 axes;
    axes.col(0) = (to_x - origin).normalized();
    axes.col(2) = axes.col(0).cross(to_y - origin).normalized();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    return axes;
  };
  const Mat3 in_body = axes_of(told.markers[m].point, told.markers[m + 1].point, told.markers[m + 2].point);
  const Mat3 in_world = axes_of(points[m], points[m + 1], points[m + 2]);
  Frame frame;
  frame.rotation = Eigen::Quaterniond(Mat3(in_world * in_body.transpose())).normalized();
  frame.position = points[m] - frame.rotation * told.markers[m].point;
  return frame;
}

Answer answer_of(const Registries& registries, const Telling& telling, const std::string& formulation,
                 const fs::path& directory) {
  const std::string word = word_of(telling.plan, formulation);
  return Reading(registries, telling, word, directory).read();
}

std::string commands_of(const Telling& telling, const std::string& formulation, const std::string& file) {
  const Plan& plan = telling.plan;
  std::string text = fmt::format("mbdbench simulate --mechanism {} --formulation '{}' --integrator {}", file,
                                 word_of(plan, formulation), plan.integrator);
  text += plan.tolerance ? fmt::format(" --rtol {0} --atol {0}", *plan.tolerance)
                         : fmt::format(" --fixed-step {}", plan.step);
  text += plan.integrator == "rkf45-fixed" ? " --higher-order" : "";
  text += fmt::format(" --time {}:{}:{} --reactions", plan.start, plan.every, plan.end);
  for (const std::string& setting : plan.settings) {
    text += " --set " + setting;
  }
  text += plan.threads > 1 ? fmt::format(" --threads {}", plan.threads) : "";
  text += " --output " + file + ".run";
  if (plan.restart_end) {
    text += fmt::format("\nmbdbench simulate --restart {0}.run/state.json --time {1}:{2}:{3} --output {0}.rest", file,
                        plan.start, plan.every, *plan.restart_end);
  }
  return text;
}

}  // namespace mbdbench::metamorphic
