#pragma once
/// \file
/// Any formulation with the angles of cut joints that laws know (cut_references.hpp) as further components of its
/// state. The positions of two bodies tell such an angle to whole turns only; its rate leads it from one to the next.
#include <memory>
#include <vector>

#include "formulations/followed_derivatives.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench {

/// State [x; angles], "turn.JOINT" or "turn.JOINT.2". Loads take the angle of the positions nearest to that of the
/// state, so that a right-hand side is a function of (t, x) alone, whatever happened before, and a saved state knows
/// its turns; `after_step` puts the angle of the positions in the place of the integrated one, on which no rate
/// depends. Start: within half a turn of the joint's q0.
///
/// The formulation inside knows nothing of this, nor need a user's own: its loads look where its cut_references() are.
///
/// Cost of a right-hand side: the kinematics of all bodies beside the formulation's own, and where its state does not
/// begin with all coordinates of the tree one `unpack`.
class FollowedCuts final : public DifferentiatedFormulation {
 public:
  /// \param angles not empty
  FollowedCuts(std::unique_ptr<Formulation> inner, std::vector<FollowedAngle> angles);

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override;
  [[nodiscard]] double largest_sigma() const override { return inner_->largest_sigma(); }
  bool after_step(double t, std::span<double> x) override;
  [[nodiscard]] std::string last_change() const override { return inner_->last_change(); }
  void diagnostics(const DiagnosticSink& sink) const override { inner_->diagnostics(sink); }
  [[nodiscard]] int threads() const override { return inner_->threads(); }
  [[nodiscard]] bool is_divided() const override { return inner_->is_divided(); }
  [[nodiscard]] bool observes_absolute() const override { return inner_->observes_absolute(); }
  RhsStatus observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation) override;
  [[nodiscard]] std::vector<WorkStage> stages() const override { return inner_->stages(); }

  [[nodiscard]] CutReferences& cut_references() override { return inner_->cut_references(); }
  void look_near(std::span<const double> x) override;
  [[nodiscard]] std::size_t angle_count() const { return angles_.size(); }
  /// \returns the formulation inside; this one is of no use afterwards.
  [[nodiscard]] std::unique_ptr<Formulation> release() { return std::move(inner_); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;

 private:
  template <class Number>
  [[nodiscard]] std::span<Number> inner_of(std::span<Number> x) const {
    return x.first(x.size() - angles_.size());
  }
  template <class Number>
  [[nodiscard]] std::span<Number> angles_of(std::span<Number> x) const {
    return x.last(angles_.size());
  }
  /// The angles at the positions of kinematics_, near cut_references().
  void read_angles(std::span<double> angles);
  /// q_ and u_ of a state with its rates. \param rates of the formulation inside
  RhsStatus read_motion(double t, std::span<const double> x, std::span<const double> rates);

  std::unique_ptr<Formulation> inner_;
  std::vector<FollowedAngle> angles_;
  Kinematics kinematics_;
  bool begins_with_coordinates_;
  std::vector<double> q_;
  std::vector<double> u_;
  FollowedDerivatives derivatives_;
};

/// \returns the formulation itself where no law knows an angle of a cut joint.
std::unique_ptr<Formulation> follow_cuts(std::unique_ptr<Formulation> formulation);

/// A state that is packed is within half a turn of q0. Gives it the turns of a state of another formulation of the same
/// mechanism, where both follow angles.
void take_turns(const Formulation& from, std::span<const double> x_from, const Formulation& to, std::span<double> x_to);

/// \returns the formulation inside; the formulation itself where it follows nothing.
std::unique_ptr<Formulation> without_following(std::unique_ptr<Formulation> formulation);

}  // namespace mbdbench
