#include "experiments/ensembles/members/ensemble_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace mbdbench {
namespace {

void require_words(const EnsembleRequest& request) {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) {
      throw std::invalid_argument(message);
    }
  };
  if (request.count && (*request.count < 1 || *request.count > kMostMembers)) {
    throw std::invalid_argument(
        fmt::format("--ensemble {}: must be a number of members from 1 to {}", *request.count, kMostMembers));
  }
  refuse(request.members && request.members->empty(), "--members: names no file");
  refuse(request.members && !request.spread.empty(),
         "--members and --spread exclude one another: members come from a table or are drawn");
  refuse(request.members && request.seed.has_value(),
         "--seed: members of a table (--members) are not drawn; leave it out");
  refuse(
      !request.members && request.spread.empty(),
      "--ensemble: all members would be the same; add --spread, as positions=0.05,velocities=0.1, or --members FILE");
  refuse(request.seed && *request.seed < 0, "--seed: must be a whole number from 0");
  refuse(!request.run.restart.empty(),
         "--ensemble and --restart exclude one another: members begin at their own starts");
  refuse(request.run.mechanism.empty(), "--mechanism is missing: a key (see mbdbench list mechanisms) or a file");
}

}  // namespace

EnsembleMembers::EnsembleMembers(const Registries& registries, const EnsembleRequest& request) {
  require_words(request);
  variables_ = std::make_unique<const MemberVariables>(registries, request.run.mechanism, request.run.initial_values);
  if (!request.members) {
    seed_ = static_cast<std::uint64_t>(request.seed.value_or(1));
    spread_ = request.spread;
    draws_ = std::make_unique<const MemberDraws>(*variables_, parse_spreads(request.spread), seed_);
    parameters_ = draws_->parameters();
    size_ = static_cast<std::size_t>(*request.count);
  } else {
    table_ = std::make_unique<const MemberTable>(*request.members, *variables_);
    parameters_ = table_->parameters();
    size_ = request.count ? static_cast<std::size_t>(*request.count) : table_->size();
    if (size_ > table_->size()) {
      throw std::invalid_argument(fmt::format("--ensemble {}: {} has {} rows, a member each; take at most {}", size_,
                                              *request.members, table_->size(), table_->size()));
    }
  }
  for (const MemberVariable& variable : variables_->all()) {
    if (variable.kind == VariableKind::start) {
      columns_.push_back(variable.name);
    }
  }
  std::transform(parameters_.begin(), parameters_.end(), std::back_inserter(columns_),
                 [](const MemberVariable* variable) { return variable->name; });
}

MemberChange EnsembleMembers::change(std::size_t member) const {
  return draws_ ? draws_->change(member) : table_->change(member);
}

Mechanism EnsembleMembers::mechanism(std::size_t member) const {
  return variables_->changed(change(member));
}

std::vector<double> EnsembleMembers::row(std::size_t member, const Mechanism* mechanism) const {
  std::vector<double> row(columns_.size() - parameters_.size(), std::numeric_limits<double>::quiet_NaN());
  if (mechanism != nullptr) {
    const std::vector<StartValue> starts = start_values(*mechanism);
    std::transform(starts.begin(), starts.end(), row.begin(),
                   [&](const StartValue& start) { return start.in(mechanism->q0(), mechanism->u0()); });
  }
  const std::vector<double> values = variables_->resulting_values(parameters_, change(member), mechanism);
  row.insert(row.end(), values.begin(), values.end());
  return row;
}

std::vector<std::pair<std::string, std::string>> EnsembleMembers::origin() const {
  if (table_) {
    return {{"members", fmt::format("{} rows of a table", size_)}, {"table", table_->digest()}};
  }
  return {{"members", fmt::format("{}", size_)},
          {"spread", fmt::format("{}", fmt::join(spread_, ","))},
          {"seed", fmt::format("{}", seed_)}};
}

}  // namespace mbdbench
