#include <fmt/format.h>

#include <algorithm>

#include "mechanisms/model/validation/model_check.hpp"

namespace mbdbench {
namespace {

using Row = std::vector<std::string>;

/// Lines of cells, each column as wide as its widest cell; the last one runs free.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c + 1 < row.size(); ++c) {
      text += fmt::format("{:<{}}  ", row[c], widths[c]);
    }
    text += row.back();
    text += '\n';
  }
  return text;
}

std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const double value : values) {
    items.push_back(fmt::format("{:.6g}", value));
  }
  return values.empty() ? "-" : fmt::format("{}", fmt::join(items, " "));
}

std::string summary(const Mechanism& mechanism, const ModelCheck& check) {
  std::vector<Row> rows = {
      {"mechanism", mechanism.name().empty() ? "-" : mechanism.name()},
      {"source", mechanism.description().source.empty() ? "-" : mechanism.description().source},
      {"bodies", fmt::format("{}", check.bodies)},
      {"joints", fmt::format("{} in the tree, {} cut", check.tree_joints, check.cut_joints)},
      {"coordinates", fmt::format("{} (q), {} quasi-velocities (u)", check.q_size, check.u_size)},
      {"constraints",
       fmt::format("{} rows, {} of them prescribed motions{}; rank {}", check.constraint_rows, check.motion_rows,
                   check.coupling_rows > 0 ? fmt::format(", {} couplings", check.coupling_rows) : "", check.rank)},
      {"degrees of freedom", fmt::format("{} at the initial position", check.degrees_of_freedom())},
      {"redundant", check.redundant() == 0 ? std::string("none")
                                           : fmt::format("{}, {} of them only by several loops together",
                                                         check.redundant(), check.jointly_redundant())}};
  if (mechanism.constrained()) {
    rows.push_back({"conditioning", fmt::format("{:.3g} (smallest non-zero over largest singular value of Phi_q)",
                                                check.conditioning)});
  }
  return aligned(rows);
}

std::string body_table(const Mechanism& mechanism) {
  std::vector<Row> rows = {{"body", "mass/kg", "centre of mass/m"}};
  for (const Body& body : mechanism.bodies()) {
    rows.push_back({body.name, fmt::format("{:.6g}", body.mass), numbers({body.com.x(), body.com.y(), body.com.z()})});
  }
  return aligned(rows);
}

std::string joint_table(const Mechanism& mechanism) {
  std::vector<Row> rows = {{"joint", "type", "from", "to", "kind", "q0", "v0"}};
  for (const JointDescription& joint : mechanism.description().joints) {
    const std::string kind = std::string(joint.cut ? "cut" : "tree") + (joint.motions.empty() ? "" : ", prescribed");
    rows.push_back(
        {joint.name, std::string(to_string(joint.type)), joint.a, joint.b, kind, numbers(joint.q0), numbers(joint.v0)});
  }
  return aligned(rows);
}

std::string loop_table(const ModelCheck& check) {
  std::vector<Row> rows = {{"loop cut at", "rows", "redundant alone", "bodies"}};
  for (const LoopCheck& loop : check.loops) {
    rows.push_back({loop.cut_joint, fmt::format("{}", loop.rows), fmt::format("{}", loop.redundant()),
                    fmt::format("{}", fmt::join(loop.bodies, " - "))});
  }
  return aligned(rows);
}

std::string coupling_table(const Mechanism& mechanism) {
  std::vector<Row> rows = {{"coupling", "value", "factor q"}};
  for (const CouplingDescription& coupling : mechanism.description().couplings) {
    std::vector<std::string> terms;
    for (const CouplingTerm& term : coupling.terms) {
      terms.push_back(fmt::format("{:+.6g} q_{}{}", term.factor, term.joint,
                                  term.component > 0 ? fmt::format("_{}", term.component + 1) : ""));
    }
    rows.push_back({coupling.name, fmt::format("{:.6g}", *coupling.value), fmt::format("{}", fmt::join(terms, " "))});
  }
  return aligned(rows);
}

std::string velocity_table(const Mechanism& mechanism) {
  std::vector<Row> rows = {{"velocities alone", "rows"}};
  for (const Joint& joint : mechanism.cut_joints()) {
    if (rolls(joint.type)) {
      rows.push_back({joint.name, "2, rolling without slip"});
    }
  }
  for (const VelocityConstraintDescription& constraint : mechanism.description().velocity_constraints) {
    std::vector<std::string> terms;
    for (const VelocityTerm& term : constraint.terms) {
      const auto* const number = std::get_if<ConstantLaw>(&term.factor);
      terms.push_back(fmt::format("{} v_{}{}",
                                  number != nullptr ? fmt::format("{:+.6g}", number->value)
                                                    : fmt::format("+({})", std::get<ExpressionLaw>(term.factor).text),
                                  term.joint, term.component > 0 ? fmt::format("_{}", term.component + 1) : ""));
    }
    rows.push_back({constraint.name, fmt::format("1, {} = 0", fmt::join(terms, " "))});
  }
  return aligned(rows);
}

}  // namespace

std::string describe(const Mechanism& mechanism) {
  const ModelCheck check = check_model(mechanism);
  std::string text =
      fmt::format("{}\n{}\n{}", summary(mechanism, check), body_table(mechanism), joint_table(mechanism));
  if (!check.loops.empty()) {
    text += fmt::format("\n{}", loop_table(check));
  }
  if (!mechanism.couplings().empty()) {
    text += fmt::format("\n{}", coupling_table(mechanism));
  }
  if (!mechanism.held_by_velocity().empty()) {
    text += fmt::format("\n{}", velocity_table(mechanism));
  }
  if (!mechanism.description().notes.empty()) {
    text += fmt::format("\nNotes:\n  {}\n", fmt::join(mechanism.description().notes, "\n  "));
  }
  return text;
}

}  // namespace mbdbench
