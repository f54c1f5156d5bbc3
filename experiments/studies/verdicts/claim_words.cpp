#include "experiments/studies/verdicts/claim_words.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace mbdbench::studies {
namespace {

std::string words_of(const Study& study, const ObserverReference& reference) {
  const std::string text = study.title_of(reference.observer);
  std::vector<std::string> chosen;
  for (const auto& name : {reference.variant, reference.mechanism, reference.integrator}) {
    if (name) {
      chosen.push_back(*name);
    }
  }
  if (reference.control) {
    chosen.push_back(fmt::format("{}", *reference.control));
  }
  return chosen.empty() ? text : fmt::format("{} of {}", text, fmt::join(chosen, ", "));
}

}  // namespace

std::string condition_in_words(const Study& study, const ClaimExpression& condition) {
  std::string text = condition.text();
  std::size_t from = 0;
  for (const ObserverReference& reference : condition.references()) {
    const std::string written = reference.text.substr(0, reference.text.find_last_not_of(' ') + 1);
    const std::size_t at = text.find(written, from);
    if (at == std::string::npos) {
      continue;
    }
    const std::string words = words_of(study, reference);
    text.replace(at, written.size(), words);
    from = at + words.size();
  }
  for (const auto& [law, words] :
       {std::pair<std::string, const char*>("exponent(", "power of the number of bodies in ("),
        {"crossover(", "number of bodies at which 1 is passed by ("}}) {
    for (std::size_t at = text.find(law); at != std::string::npos; at = text.find(law, at + 1)) {
      text.replace(at, law.size(), words);
    }
  }
  return text;
}

}  // namespace mbdbench::studies
