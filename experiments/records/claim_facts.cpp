#include "experiments/records/claim_facts.hpp"

#include <utility>

namespace mbdbench {

Claim ClaimFacts::claim(const ClaimText& text) const {
  Claim claim = unmeasured_claim(text, words_);
  conclude_claim(claim, answers_, missing_);
  return claim;
}

Claim unmeasured_claim(const ClaimText& text, std::string why) {
  Claim claim;
  claim.experiment = text.experiment;
  claim.source = text.source;
  claim.statement = text.statement;
  claim.criterion = text.criterion;
  claim.measured = std::move(why);
  return claim;
}

}  // namespace mbdbench
