#pragma once
/// \file
/// Loads of a mechanism in 113 bits, as the format states them (mechanisms/model/description/description.hpp): laws in
/// joints of the tree and in cut ones, springs, friction and stops there, forces on bodies, springs between points,
/// bushings. Laws over time alone are numbers in double precision: derivatives hold the time.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/precise/numbers/precise_formula.hpp"
#include "experiments/precise/tree/precise_tree.hpp"
#include "mechanisms/model/loads/cut_references.hpp"
#include "mechanisms/model/loads/load_variables.hpp"

namespace mbdbench::precise {

/// What loads do at one state.
struct AppliedLoads {
  Reals joint_forces;             ///< dual to u
  std::vector<Spatial> wrenches;  ///< on bodies, about the world's origin, without gravity
  Pieces pieces;                  ///< of all laws
};

/// Loads at states of a tree.
class PreciseLoads {
 public:
  /// \param numbers must outlive this, and the mechanism \throws std::invalid_argument for a formula that cannot be
  /// read here
  PreciseLoads(const Mechanism& mechanism, const TreeNumbers& numbers);

  /// \param tree at the positions q and the velocities u \param near from which turn angles of cut joints are counted
  [[nodiscard]] AppliedLoads at(double t, std::span<const Real> q, std::span<const Real> u, const PreciseTree& tree,
                                const CutReferences& near) const;

 private:
  /// What a name of a formula stands for; nothing: the load's own q (first) or v.
  struct Variable {
    std::optional<LoadVariables::Variable> global;
    bool own_rate = false;
  };
  struct LawFormula {
    PreciseFormula formula;
    std::vector<Variable> variables;
  };
  /// A law with its formula, where it has one.
  struct ReadLaw {
    const Law* law = nullptr;
    std::optional<LawFormula> formula;
  };
  struct BodyLaws {
    std::vector<ReadLaw> force;
    std::vector<ReadLaw> torque;
  };
  /// Coordinate and velocity of a load's own joint component.
  struct Own {
    Real q = 0.0;
    Real v = 0.0;
  };
  struct State {
    double t;
    std::span<const Real> q;
    std::span<const Real> u;
    const PreciseTree& tree;
    const CutReferences& near;
  };
  /// Where a force in a joint acts.
  struct Place {
    JointReference joint;
    int component = 0;
    Own own;
    Spatial dual = Spatial::Zero();  ///< of a cut joint: the wrench on b of a unit force, about the world's origin
  };

  [[nodiscard]] ReadLaw read(const Law& law, bool in_joint) const;
  [[nodiscard]] Place place_of(const std::string& joint, int component, const State& state) const;
  [[nodiscard]] Place place_in_cut(JointReference reference, int component, const State& state) const;
  void add(const Place& place, const Real& force, AppliedLoads& loads) const;
  static Real value_of(const ReadLaw& law, const State& state, const Own& own, Pieces& pieces);
  static Real value_of(const Variable& variable, const State& state, const Own& own);
  void add_in_joints(const State& state, AppliedLoads& loads) const;
  void add_on_bodies(const State& state, AppliedLoads& loads) const;
  void add_between_bodies(const State& state, AppliedLoads& loads) const;

  const Mechanism* mechanism_;
  const TreeNumbers* numbers_;
  std::vector<ReadLaw> joint_laws_;
  std::vector<BodyLaws> body_laws_;
};

}  // namespace mbdbench::precise
