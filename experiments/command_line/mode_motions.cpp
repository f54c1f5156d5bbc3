#include "experiments/command_line/mode_motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "experiments/command_line/motion_table.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/start/loop_closure.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kMostModes = 12;
constexpr int kPlaces = 24;  // of a cycle
// Of the picture's size; and the largest turn, rad, of what moves little by it.
constexpr double kDisplacement = 0.12;
constexpr double kTurn = 1.0;
constexpr double kSmall = 1e-4;

/// Coordinates along a mode.
class ModeMotion {
 public:
  ModeMotion(Formulation& formulation, double t, const std::vector<double>& x, Eigen::VectorXcd mode)
      : formulation_(formulation), mechanism_(formulation.mechanism()), t_(t), x_(x), mode_(std::move(mode)) {
    std::complex<double> squares = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const StateComponent& component = formulation.layout()[i];
      std::complex<double>& own = mode_[static_cast<Eigen::Index>(i)];
      if (component.constant) {
        own = 0.0;  // says what the others mean, and does not move
      } else if (component.kind == StateKind::position || component.kind == StateKind::quaternion) {
        squares += own * own;
      }
    }
    // The real part shall be the largest displacement.
    mode_ *= std::polar(1.0, -0.5 * std::arg(squares));
  }

  /// \param size of the mode \param phase 0: its real part \returns coordinates; empty where there are none
  [[nodiscard]] std::vector<double> at(double size, double phase) const {
    std::vector<double> x = x_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += size * (mode_[static_cast<Eigen::Index>(i)] * std::polar(1.0, phase)).real();
    }
    std::vector<double> q(static_cast<std::size_t>(mechanism_.q_size()));
    std::vector<double> u(static_cast<std::size_t>(mechanism_.u_size()));
    if (!formulation_.unpack(t_, x, q, u).ok) {
      return {};
    }
    for (const Joint& joint : mechanism_.tree_joints()) {
      if (has_quaternion(joint.type)) {  // its length is no motion
        Eigen::Map<Eigen::Vector4d>(q.data() + joint.q_offset).normalize();
      }
    }
    return q;
  }

  /// The same with loops closed.
  [[nodiscard]] std::vector<double> closed(double size, double phase) const {
    std::vector<double> q = at(size, phase);
    if (q.empty() || mechanism_.cut_joints().empty()) {
      return q;
    }
    InitialState state = given_initial_state(mechanism_);
    std::copy(q.begin(), q.end(), state.q.begin());
    state.u.setZero();
    try {
      close_loops(mechanism_, state);
    } catch (const std::exception&) {
      return q;  // open by what the square of the mode's size opens
    }
    return {state.q.begin(), state.q.end()};
  }

 private:
  Formulation& formulation_;
  const Mechanism& mechanism_;
  double t_;
  const std::vector<double>& x_;
  Eigen::VectorXcd mode_;
};

/// \returns whether a coordinate of a joint is an angle or belongs to a quaternion.
bool turns(const Joint& joint, int coordinate) {
  switch (joint.type) {
    case JointType::prismatic:
      return false;
    case JointType::cylindrical:
      return coordinate == 0;
    case JointType::planar:
      return coordinate == 2;
    default:
      return !has_quaternion(joint.type) || coordinate < 4;
  }
}

/// What one unit of a mode moves.
struct Reach {
  double displacement = 0.0;  ///< of points of the figure, m
  double turn = 0.0;          ///< rad
};

/// The picture in which modes are seen.
class ModeScale {
 public:
  ModeScale(const Mechanism& mechanism, const std::vector<double>& rest) : kinematics_(mechanism), rest_(rest) {
    kinematics_.set_positions(rest);
    view_ = view_of(kinematics_);
    figure_ = stick_figure(kinematics_, view_);
    Eigen::AlignedBox2d box;
    for (const FigureLine& line : figure_.lines) {
      box.extend(line.from);
      box.extend(line.to);
    }
    size_ = box.isEmpty() ? 0.0 : box.diagonal().norm();
  }

  /// \returns the size at which a mode is seen well; 0 where nothing moves.
  [[nodiscard]] double size_of(const ModeMotion& motion) {
    Reach reach;
    for (const double phase : {0.0, 0.5 * std::numbers::pi}) {
      add_reach(motion.at(kSmall, phase), reach);
    }
    const double by_turn = reach.turn > 0.0 ? kTurn / reach.turn : 0.0;
    const double seen = size_ > 0.0 ? size_ : 1.0;
    const double by_place = reach.displacement > 0.0 ? kDisplacement * seen / reach.displacement : 0.0;
    return by_turn == 0.0 ? by_place : by_place == 0.0 ? by_turn : std::min(by_turn, by_place);
  }

 private:
  void add_reach(const std::vector<double>& q, Reach& reach) {
    if (q.empty()) {
      return;
    }
    kinematics_.set_positions(q);
    const StickFigure moved = stick_figure(kinematics_, view_);
    for (std::size_t i = 0; i < moved.lines.size(); ++i) {
      reach.displacement = std::max({reach.displacement, (moved.lines[i].from - figure_.lines[i].from).norm() / kSmall,
                                     (moved.lines[i].to - figure_.lines[i].to).norm() / kSmall});
    }
    for (const Joint& joint : kinematics_.mechanism().tree_joints()) {
      for (int i = 0; i < joint.nq; ++i) {
        const auto place = static_cast<std::size_t>(joint.q_offset + i);
        const double change = std::abs(q[place] - rest_[place]) / kSmall;
        if (turns(joint, i)) {
          reach.turn = std::max(reach.turn, has_quaternion(joint.type) ? 2.0 * change : change);
        }
      }
    }
  }

  Kinematics kinematics_;
  const std::vector<double>& rest_;
  View view_;
  StickFigure figure_;
  double size_ = 0.0;
};

/// \returns "mode 3: 0.81 Hz, damping ratio 0.02".
std::string title_of(int number, std::complex<double> value, bool oscillates) {
  if (!oscillates) {
    return fmt::format("mode {}: {:.4g} 1/s", number, value.real());
  }
  return fmt::format("mode {}: {:.4g} Hz, damping ratio {:.3g}", number, value.imag() / (2.0 * std::numbers::pi),
                     0.0 - value.real() / std::abs(value));
}

}  // namespace

std::vector<DrawnMode> drawn_modes(Formulation& formulation, double t, const std::vector<double>& x,
                                   const LinearMotion& motion) {
  const double largest = motion.eigenvalues.size() == 0 ? 0.0 : motion.eigenvalues.cwiseAbs().maxCoeff();
  std::vector<DrawnMode> modes;
  if (motion.modes.cols() == 0) {
    return modes;
  }
  const std::vector<double> rest = ModeMotion(formulation, t, x, motion.modes.col(0)).at(0.0, 0.0);
  if (rest.empty()) {
    return modes;
  }
  ModeScale scale(formulation.mechanism(), rest);
  int number = 0;
  for (Eigen::Index i = 0; i < motion.eigenvalues.size() && modes.size() < kMostModes; ++i) {
    const std::complex<double> value = motion.eigenvalues[i];
    if (value.imag() < 0.0) {
      continue;
    }
    ++number;
    const ModeMotion moving(formulation, t, x, motion.modes.col(i));
    const double size = scale.size_of(moving);
    if (size == 0.0) {
      continue;
    }
    const bool oscillates = value.imag() > kNoFrequency * largest;
    DrawnMode mode = {number, title_of(number, value, oscillates), 2.0, {}};
    for (int k = 0; k < kPlaces; ++k) {
      const double phase = 2.0 * std::numbers::pi * k / kPlaces;
      mode.q.push_back(oscillates ? moving.closed(size, phase) : moving.closed(size * std::cos(phase), 0.0));
    }
    if (std::none_of(mode.q.begin(), mode.q.end(), [](const auto& q) { return q.empty(); })) {
      modes.push_back(std::move(mode));
    }
  }
  return modes;
}

void write_mode_pictures(const std::filesystem::path& directory, Formulation& formulation, double t,
                         const std::vector<double>& x, const LinearMotion& motion) {
  const std::vector<DrawnMode> modes = drawn_modes(formulation, t, x, motion);
  if (modes.empty()) {
    return;
  }
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> rest(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> still(static_cast<std::size_t>(mechanism.u_size()));
  static_cast<void>(formulation.unpack(t, x, rest, still));
  replace_file(directory / "mode_shapes.csv", mode_shapes_text(mechanism, rest, modes));
  replace_file(directory / "modes.html",
               modes_page(mechanism, modes, "Each mode as large as can be seen, without its decay; not in real time."));
}

}  // namespace mbdbench
