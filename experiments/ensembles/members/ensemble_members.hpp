#pragma once
/// \file
/// The members of an ensemble as mechanisms: drawn, or from a table.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/ensembles/ensemble_request.hpp"
#include "experiments/ensembles/members/member_draws.hpp"
#include "experiments/ensembles/members/member_table.hpp"
#include "experiments/ensembles/members/member_variables.hpp"

namespace mbdbench {

/// Immutable: any thread may ask for any member.
class EnsembleMembers {
 public:
  /// \throws FileError, std::invalid_argument saying what would be right
  EnsembleMembers(const Registries& registries, const EnsembleRequest& request);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// \returns the mechanism around which they are drawn, or whose values a table leaves.
  [[nodiscard]] const Mechanism& base() const { return variables_->mechanism(); }
  /// \returns whether members differ in parameters, and not in initial values alone.
  [[nodiscard]] bool vary_parameters() const { return !parameters_.empty(); }
  /// \throws ModelError, std::invalid_argument where the member does not exist, as a loop that does not close
  [[nodiscard]] Mechanism mechanism(std::size_t member) const;
  /// \returns names of all initial values, then of the parameters in which members differ.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// \returns the numbers of these columns. \param mechanism of the member; nullptr: it does not exist, its initial
  /// values are NaN, and parameters that are not known
  [[nodiscard]] std::vector<double> row(std::size_t member, const Mechanism* mechanism) const;
  /// \returns where members come from, by names: what makes two ensembles the same.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> origin() const;
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] bool drawn() const { return draws_ != nullptr; }

 private:
  [[nodiscard]] MemberChange change(std::size_t member) const;

  std::unique_ptr<const MemberVariables> variables_;  // on the heap: others keep its address
  std::unique_ptr<const MemberDraws> draws_;
  std::unique_ptr<const MemberTable> table_;
  std::vector<const MemberVariable*> parameters_;
  std::vector<std::string> columns_;
  std::vector<std::string> spread_;
  std::uint64_t seed_ = 1;
  std::size_t size_ = 0;
};

}  // namespace mbdbench
