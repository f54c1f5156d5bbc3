/// \file
/// Divide and conquer with augmented Lagrangian as it is printed, to be read beside the paper: the penalised equations
/// of motion (primal form), absolute coordinates, penalties on all constraints and on the Euler parameters.
///
/// P. Malczyk, J. Fraczek: A divide and conquer algorithm for constrained multibody system dynamics based on augmented
/// Lagrangian method with projections-based error correction, 2012.
///
/// paper symbol                       -> name
///   q_i = (r_i, p_i)                 -> y, 7 numbers a body
///   Phi_q of a joint for A and for B -> JointRows::phi_a, phi_b (6 x 7, its own rows first, then zeros)
///   gamma with mu and Omega, lambda* -> JointRows::gamma, lambda
///   Phi^N_q, gamma^N, lambda^N*      -> BodyEquations::phi_n, gamma_n, lambda_n
///   M, Q, q'' (or Delta q, or q')    -> BodyEquations::mass, load, unknown
///   M^A with its penalty, Q^A        -> BodyEquations::m, q
///   M_11 .. M_22, Q_1, Q_2           -> Subassembly::m11 .. m22, q1, q2
///   C of Eq. (18)                    -> Subassembly::c
///
/// Cost: one assembly and k passes, O(k n); some 20000 operations a body. `dca-alm` solves the same equations for the
/// multipliers (dual form), fast and without loss of digits.
///
/// DEVIATES [Malczyk2012, Eq. (3)-(5)]: Phi, Phi_q and gamma are taken at e / |e|: the length of e in the state says
/// nothing (formulation_interface_test), and Phi^N = 0 but in position projections. DEVIATES [Malczyk2012, Sect. 2.2]:
/// subassemblies have two bodies or more as printed, but a leaf has three where the number is odd
/// (dca_alm_printed_test: chains of every length).
#include "formulations/augmented_lagrangian/dca_alm_printed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/augmented_lagrangian/absolute/absolute_state.hpp"
#include "formulations/augmented_lagrangian/augmented_options.hpp"
#include "formulations/augmented_lagrangian/derivatives/absolute_derivatives.hpp"
#include "formulations/augmented_lagrangian/hung_chains.hpp"
#include "formulations/augmented_lagrangian/primal_recursion.hpp"
#include "formulations/execution/execution.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kEquationRounding = 1e-11;  // of the equations of motion, relative to their terms

class DcaAlmPrintedFormulation final : public AbsoluteStateFormulation {
 public:
  DcaAlmPrintedFormulation(const Mechanism& mechanism, const AugmentedOptions& options)
      : AbsoluteStateFormulation(mechanism, options),
        recursion_(mechanism, options.alpha),
        derivatives_(mechanism, options, IterationForm::primal, near(), [this] { return system_.near(); }),
        residual_(index_of(system_.row_count())),
        multipliers_(residual_.size()),
        start_(coordinates()) {
    use_derivatives(derivatives_);
    for (const Body& body : mechanism.bodies()) {
      compliance_ = std::max({compliance_, 1.0 / body.mass, body.inertia_inverse.norm()});
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    auto copy = std::make_unique<DcaAlmPrintedFormulation>(mechanism(), options_);
    copy->look_near(*this);
    return copy;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = solve_accelerations(t, x);
    for (std::size_t k = 0; k < recursion_.joints().size(); ++k) {
      const std::size_t first = index_of(system_.row_offset(static_cast<int>(k)));
      for (Eigen::Index row = 0; row < system_.directions(static_cast<int>(k)).cols(); ++row) {
        multipliers_[first + index_of(row)] = -recursion_.joints()[k].lambda[row];
      }
    }
    system_.reactions(multipliers_, reactions);
    return status;
  }

  bool after_step(double t, std::span<double> x) override {
    bool changed = Formulation::after_step(t, x);
    if (options_.projections) {
      project_positions(t, y_of(x));
      changed = changed || !std::equal(start_.begin(), start_.end(), x.begin());
      changed = project_velocities(t, x) || changed;
    }
    follow(t, x);
    return changed;
  }

  void diagnostics(const DiagnosticSink& sink) const override {
    AbsoluteStateFormulation::diagnostics(sink);
    sink("unconverged_solutions", static_cast<double>(unconverged_));
    sink("unconverged_change", change_);
    sink("unconverged_reactions", missing_multipliers_);
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve_accelerations(t, x);
    iterations_.acceleration.add(passes_);
    unconverged_ += change_ > 0.0 ? 1 : 0;
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      const std::size_t at = kAbsoluteCoordinates * i;
      Eigen::Map<Vec7> rate(y_of(xdot).data() + at);
      rate = Eigen::Map<const Vec7>(rate_of(x).data() + at);
      rate.tail<4>() *= Eigen::Map<const EulerParameters>(x.data() + at + 3).norm();
      Eigen::Map<Vec7>{rate_of(xdot).data() + at} = recursion_.bodies()[i].unknown;
    }
    return status;
  }

 private:
  /// \returns diag(I, 2 R L): [v_C; omega] = T q', and [a_C; omega'] = T q''.
  [[nodiscard]] Rows to_velocity(int body) {
    Rows t = Rows::Zero();
    t.topLeftCorner<3, 3>().setIdentity();
    t.bottomRightCorner<3, 4>() =
        2.0 * system_.kinematics().body(body).rotation * euler_parameter_map(recursion_.bodies()[index_of(body)].e);
    return t;
  }

  /// M, Phi_q and Phi^N_q at the poses placed last, then all matrices of the assembly.
  void set_matrices(std::span<const double> y) {
    system_.set_directions();
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      const int body = static_cast<int>(i);
      BodyEquations& own = recursion_.bodies()[i];
      own.e = Eigen::Map<const EulerParameters>(y.data() + kAbsoluteCoordinates * i + 3).normalized();
      own.phi_n.tail<4>() = 2.0 * own.e;
      const Rows t = to_velocity(body);
      Mat6 inertia = mechanism().bodies()[i].mass * Mat6::Identity();
      inertia.bottomRightCorner<3, 3>() = system_.kinematics().body(body).inertia;
      own.mass = t.transpose() * inertia * t;
    }
    for (int k = 0; k < system_.kinematics().joint_count(); ++k) {
      const Joint& joint = system_.kinematics().joint(k);
      const auto columns = [&](int body, double sign) {
        Rows phi = Rows::Zero();
        for (Eigen::Index row = 0; row < (body < 0 ? 0 : system_.directions(k).cols()); ++row) {
          const Vec3 arm = system_.kinematics().handle(k, body == joint.b) - system_.kinematics().body(body).com;
          phi.row(row) = sign * shift_wrench(arm, system_.directions(k).col(row)).transpose() * to_velocity(body);
        }
        return phi;
      };
      recursion_.joints()[index_of(k)].phi_a = columns(joint.a, -1.0);
      recursion_.joints()[index_of(k)].phi_b = columns(joint.b, 1.0);
    }
    recursion_.assemble();
  }

  /// gamma of all joints from numbers by rows.
  void set_gamma(std::span<const double> rows, double sign) {
    for (int k = 0; k < system_.kinematics().joint_count(); ++k) {
      for (Eigen::Index row = 0; row < system_.directions(k).cols(); ++row) {
        recursion_.joints()[index_of(k)].gamma[row] = sign * rows[index_of(system_.row_offset(k)) + index_of(row)];
      }
    }
  }

  /// Passes with lambda* of the one before, until the unknowns change by less than epsilon. \returns the last change
  double iterate(double epsilon) {
    recursion_.start();
    rate_series_ = {};
    multiplier_series_ = {};
    double change = 0.0;
    passes_ = 0;
    while (passes_ < options_.most_iterations) {
      change = one_more_pass();
      ++passes_;
      if (change < epsilon) {
        break;
      }
    }
    return change;
  }

  /// \returns |change| of all unknowns. Keeps what they and the multipliers still miss, relative.
  double one_more_pass() {
    double change = 0.0;
    double size = 0.0;
    double multiplier_change = 0.0;
    double multipliers = 0.0;
    for (BodyEquations& body : recursion_.bodies()) {
      body.before = body.unknown;
    }
    for (JointRows& joint : recursion_.joints()) {
      joint.before = joint.lambda;
    }
    recursion_.pass();
    for (const BodyEquations& body : recursion_.bodies()) {
      change += (body.unknown - body.before).squaredNorm();
      size += body.unknown.squaredNorm();
    }
    for (const JointRows& joint : recursion_.joints()) {
      multiplier_change += (joint.lambda - joint.before).squaredNorm();
      multipliers += joint.lambda.squaredNorm();
    }
    missing_ = rate_series_.left(change, size);
    missing_multipliers_ = multipliers > 0.0 ? multiplier_series_.left(multiplier_change, multipliers) : 0.0;
    return std::sqrt(change);
  }

  RhsStatus solve_accelerations(double t, std::span<const double> x) {
    place(t, x);
    set_matrices(y_of(x));
    system_.set_equations(t);
    set_gamma(system_.right(), -1.0);
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      BodyEquations& body = recursion_.bodies()[i];
      const EulerParameters rate = Eigen::Map<const EulerParameters>(rate_of(x).data() + kAbsoluteCoordinates * i + 3);
      body.load = to_velocity(static_cast<int>(i)).transpose() * system_.input()[i];
      body.gamma_n = 2.0 * rate.squaredNorm() +
                     4.0 * options_.omega * options_.mu * body.e.dot(rate);  // [Malczyk2012, Eq. (4), (5)]
    }
    const double change = iterate(options_.acceleration);
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      if (!recursion_.bodies()[i].unknown.allFinite()) {
        return {false, mechanism().bodies()[i].name, "an acceleration of the body is not a number, it is",
                recursion_.bodies()[i].unknown.sum()};
      }
    }
    // Passes stand still at what rounding leaves of the equations of motion, alpha^2 eps: that is told as well.
    const double rounding = recursion_.residual();
    change_ = std::max(change < options_.acceleration ? 0.0 : missing_, rounding < kEquationRounding ? 0.0 : rounding);
    missing_multipliers_ = std::max({missing_multipliers_, rounding, options_.alpha * compliance_ * kEps});
    return {};
  }

  /// [Malczyk2012, Eq. (41)-(56)]: M (q - q_*) + Phi_q^T lambda = 0 with the matrices of q_*.
  void project_positions(double t, std::span<double> y) {
    std::copy(y.begin(), y.end(), start_.begin());
    system_.place(t, y);
    set_matrices(y);
    recursion_.start();
    int passes = 0;
    while (passes < options_.most_iterations) {
      system_.position_residual(residual_);
      set_gamma(residual_, 1.0);
      for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
        const std::size_t at = kAbsoluteCoordinates * i;
        const Eigen::Map<const Vec7> own(y.data() + at);
        recursion_.bodies()[i].load = -recursion_.bodies()[i].mass * (own - Eigen::Map<const Vec7>(start_.data() + at));
        recursion_.bodies()[i].gamma_n = own.tail<4>().squaredNorm() - 1.0;
      }
      recursion_.pass();
      ++passes;
      double change = 0.0;
      for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
        Eigen::Map<Vec7>{y.data() + kAbsoluteCoordinates* i} += recursion_.bodies()[i].unknown;
        change += recursion_.bodies()[i].unknown.squaredNorm();
      }
      system_.place(t, y);
      if (std::sqrt(change) < options_.position) {
        break;
      }
    }
    iterations_.position.add(passes);
  }

  /// [Malczyk2012, Eq. (57)-(72)]: M (q' - q'_*) + Phi_q^T lambda = 0. \returns whether q' changed
  bool project_velocities(double t, std::span<double> x) {
    system_.place(t, y_of(x));
    set_matrices(y_of(x));
    std::fill(velocities_.begin(), velocities_.end(), Vec6::Zero());
    system_.set_velocities(velocities_);
    system_.velocity_residual(residual_);  // Phi_t
    set_gamma(residual_, 1.0);
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      recursion_.bodies()[i].load =
          recursion_.bodies()[i].mass * Eigen::Map<const Vec7>(rate_of(x).data() + kAbsoluteCoordinates * i);
      recursion_.bodies()[i].gamma_n = 0.0;
    }
    iterate(options_.velocity);
    iterations_.velocity.add(passes_);
    bool changed = false;
    for (std::size_t i = 0; i < recursion_.bodies().size(); ++i) {
      Eigen::Map<Vec7> rate(rate_of(x).data() + kAbsoluteCoordinates * i);
      changed = changed || rate != recursion_.bodies()[i].unknown;
      rate = recursion_.bodies()[i].unknown;
    }
    return changed;
  }

  PrimalRecursion recursion_;
  AbsoluteDerivatives derivatives_;  // of the same iterates, without the rounding of the recursion
  std::vector<double> residual_;
  std::vector<double> multipliers_;
  std::vector<double> start_;  // q_*
  int passes_ = 0;             // of the last iteration
  double compliance_ = 0.0;    // largest inverse of a mass or inertia: what alpha is to be compared with
  std::size_t unconverged_ = 0;
  double change_ = 0.0;  // what the last passes left, relative; 0: nothing
  PassSeries rate_series_;
  PassSeries multiplier_series_;
  double missing_ = 0.0;              // what the unknowns still miss after a pass, relative
  double missing_multipliers_ = 0.0;  // the same of the multipliers
};

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& options, const Execution& execution) {
  return std::make_unique<DcaAlmPrintedFormulation>(mechanism, printed_options(options, execution));
}

}  // namespace

FormulationEntry dca_alm_printed_entry() {
  return {"dca-alm-printed",
          "dca-alm as printed, to be read beside the paper: primal form, chains and loops hung on one body",
          "Malczyk2012",
          StateKind::velocity,
          printed_option_specifications(),
          refuse_hung_chains,
          make,
          {.per_body = 3e4, .per_row_and_velocity = 32.0}};
}

}  // namespace mbdbench
