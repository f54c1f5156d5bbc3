#include "experiments/verification/derivatives/linear_motion.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

Eigen::Index LinearMotion::largest_component(Eigen::Index mode) const {
  Eigen::Index largest = 0;
  modes.col(mode).cwiseAbs().maxCoeff(&largest);
  return largest;
}

namespace {

/// \returns those that keep the constraints of loops.
Eigen::MatrixXd directions_of(Formulation& formulation, double t, const std::vector<double>& x) {
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd q(mechanism.q_size());
  Eigen::VectorXd u(mechanism.u_size());
  if (!has_joint_states(formulation)) {
    throw std::invalid_argument(
        "with loops a motion is linearised in coordinates and velocities, or momenta, of the tree's joints, or in "
        "independent ones: dense, bae-haug, dca, dense-momentum, hdca, naudet-reduced, naudet-acc-reduced");
  }
  const RhsStatus status = formulation.unpack(t, x, {q.data(), static_cast<std::size_t>(q.size())},
                                              {u.data(), static_cast<std::size_t>(u.size())});
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the motion cannot be linearised: {}", status.message()));
  }
  Eigen::MatrixXd directions = tangent_directions(mechanism, q, u).directions;
  if (formulation.layout().back().kind != StateKind::momentum) {
    return directions;
  }
  if (!u.isZero(0.0)) {
    throw std::invalid_argument(
        "momenta of loops are linearised at rest, and the start has velocities; give a formulation in velocities");
  }
  // At rest p = M u moves by M du alone, which `pack` makes of du.
  std::vector<double> packed(x.size());
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    const Eigen::VectorXd change = directions.col(k).tail(u.size());
    if (!formulation.pack(t, view(std::as_const(q)), view(change), packed).ok) {
      throw std::runtime_error("the motion cannot be linearised: its momenta cannot be computed");
    }
    directions.col(k).tail(u.size()) = Eigen::Map<const Eigen::VectorXd>(packed.data() + q.size(), u.size());
  }
  return directions;
}

/// \returns the components of a state in which nothing depends, where a formulation has such of loops; else none.
std::vector<Eigen::Index> independent_components(const Formulation& formulation) {
  std::vector<Eigen::Index> free;
  int in_quaternions = 0;
  for (std::size_t i = 0; i < formulation.layout().size(); ++i) {
    const StateComponent& component = formulation.layout()[i];
    in_quaternions += component.kind == StateKind::quaternion ? 1 : 0;
    if (!component.constant) {
      free.push_back(static_cast<Eigen::Index>(i));
    }
  }
  const Mechanism& mechanism = formulation.mechanism();
  const int freedoms = mechanism.u_size() - mechanism.generic_rank().rank;
  // The length of a quaternion is one number more, as on open trees.
  return std::ssize(free) == 2 * freedoms + in_quaternions / 4 && mechanism.motion_row_count() == 0
             ? free
             : std::vector<Eigen::Index>();
}

/// \returns whether a state has the numbers of bodies, r.BODY.1 first, and not those of joints.
bool has_absolute_coordinates(const Formulation& formulation) {
  return !formulation.layout().empty() && formulation.layout().front().name.starts_with("r.");
}

/// Bodies on ball joints that turn take the axes of their displacements along: quaternions e o eta change by e' o eta
/// in axes that turn, which is no motion near theirs. \param derivatives of x' \param rates x'
void take_turning_axes_out(std::span<const StateComponent> layout, const std::vector<double>& x,
                           const Eigen::VectorXd& rates, Eigen::MatrixXd& derivatives) {
  constexpr std::size_t kQuaternion = 4;
  for (std::size_t i = 0; i < layout.size();) {
    if (layout[i].kind != StateKind::quaternion) {
      ++i;
      continue;
    }
    const auto at = static_cast<Eigen::Index>(i);
    const Eigen::Quaterniond e(x[i], x[i + 1], x[i + 2], x[i + 3]);
    const Eigen::Quaterniond rate(rates[at], rates[at + 1], rates[at + 2], rates[at + 3]);
    const Eigen::Quaterniond turn = rate * e.inverse();
    Eigen::Matrix4d left;
    left << turn.w(), -turn.x(), -turn.y(), -turn.z(), turn.x(), turn.w(), -turn.z(), turn.y(), turn.y(), turn.z(),
        turn.w(), -turn.x(), turn.z(), -turn.y(), turn.x(), turn.w();
    derivatives.block<4, 4>(at, at) -= left;
    i += kQuaternion;
  }
}

/// \returns whether the last `count` entries of what moves are outside what keeps the constraints.
bool leaves(const Eigen::MatrixXd& directions, const Eigen::MatrixXd& within, const Eigen::MatrixXd& moved,
            Eigen::Index count) {
  // Starts are typed with some eight digits; what is outside is of the size of what moves.
  constexpr double kTypedStart = 1e-6;
  const Eigen::MatrixXd outside = (moved - directions * within).bottomRows(count);
  return !(outside.norm() <= kTypedStart * moved.bottomRows(count).norm());
}

}  // namespace

LinearMotion linear_motion(Formulation& formulation, double t, const std::vector<double>& x) {
  if (const std::string reason = formulation.without_jacobian(); !reason.empty()) {
    throw std::invalid_argument(fmt::format("mechanism '{}': {}", formulation.mechanism().name(), reason));
  }
  if (has_absolute_coordinates(formulation)) {
    throw std::invalid_argument(
        "in absolute coordinates bodies leave their joints, which is no motion of the mechanism; give a formulation in "
        "those of the joints, such as dense");
  }
  if (x.empty()) {
    throw std::invalid_argument(
        fmt::format("mechanism '{}' has no coordinates: nothing of it can move", formulation.mechanism().name()));
  }
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::VectorXd rates(size);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(size, size);
  RhsStatus status = formulation.rhs(t, x, {rates.data(), x.size()});
  status = status.ok ? formulation.jacobian(t, x, {rows.data(), x.size() * x.size()}) : status;
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the motion cannot be linearised: {}", status.message()));
  }
  Eigen::MatrixXd near = rows;
  take_turning_axes_out(formulation.layout(), x, rates, near);
  if (formulation.mechanism().closing_row_count() == 0) {
    LinearMotion motion = linear_motion(std::move(near), std::move(rates));
    motion.derivatives = rows;
    return motion;
  }
  if (const std::vector<Eigen::Index> free = independent_components(formulation); !free.empty()) {
    LinearMotion motion = linear_motion(Eigen::MatrixXd(near(free, free)), rates);
    motion.derivatives = rows;
    const Eigen::MatrixXcd modes = motion.modes;
    motion.modes = Eigen::MatrixXcd::Zero(size, modes.cols());
    motion.modes(free, Eigen::all) = modes;
    return motion;
  }
  const Eigen::MatrixXd directions = directions_of(formulation, t, x);
  if (directions.cols() == 0) {
    throw std::invalid_argument(
        fmt::format("mechanism '{}' has no degree of freedom: nothing of it can move", formulation.mechanism().name()));
  }
  // In an equilibrium what keeps the constraints goes on to keep them: nothing is outside, and any left inverse will
  // do.
  const Eigen::MatrixXd moved = near * directions;
  const Eigen::MatrixXd within = directions.colPivHouseholderQr().solve(moved);
  const bool momenta = formulation.layout().back().kind == StateKind::momentum;
  if (momenta && leaves(directions, within, moved, formulation.mechanism().u_size())) {
    throw std::invalid_argument(
        "momenta of loops are linearised in equilibria, with gauge=tangent: here p' has reactions of the constraints; "
        "give a formulation in velocities");
  }
  LinearMotion motion = linear_motion(within, std::move(rates));
  motion.leaves_constraints = leaves(directions, within, moved, size);
  motion.derivatives = rows;
  motion.modes = (directions * motion.modes).colwise().normalized();
  return motion;
}

LinearMotion linear_motion(Eigen::MatrixXd derivatives, Eigen::VectorXd rates) {
  const Eigen::Index size = derivatives.rows();
  LinearMotion motion;
  motion.derivatives = std::move(derivatives);
  motion.rates = std::move(rates);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(motion.derivatives);
  if (solver.info() != Eigen::Success) {
    throw std::runtime_error("the eigenvalues of the linearised motion do not converge");
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto& values = solver.eigenvalues();
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return values[a].imag() != values[b].imag() ? values[a].imag() > values[b].imag()
                                                : values[a].real() > values[b].real();
  });
  motion.eigenvalues.resize(size);
  motion.modes.resize(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index from = order[static_cast<std::size_t>(i)];
    motion.eigenvalues[i] = values[from];
    motion.modes.col(i) = solver.eigenvectors().col(from).normalized();
  }
  return motion;
}

}  // namespace mbdbench
