#include "experiments/studies/runner/parts/process_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace mbdbench::studies {
namespace {

std::string text_of(const std::vector<FinishedPart>& finished) {
  nlohmann::json all = nlohmann::json::array();
  for (const FinishedPart& part : finished) {
    all.push_back({part.place, part.kept, part.seconds});
  }
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_from(const nlohmann::json& text, std::vector<FinishedPart>& finished) {
  for (const nlohmann::json& part : text) {
    finished.push_back({part.at(0).get<std::size_t>(), part.at(1), part.at(2).get<double>()});
  }
}

}  // namespace

std::vector<std::size_t> takers_of(std::span<const std::uint64_t> weights, std::size_t size) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<std::uint64_t> load(size, 0);
  std::vector<std::size_t> takers(weights.size());
  for (const std::size_t place : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += std::max<std::uint64_t>(weights[place], 1);
    takers[place] = static_cast<std::size_t>(std::distance(load.begin(), least));
  }
  return takers;
}

std::string ProcessShare::journal_name() const {
  return first() ? kFirstJournal : fmt::format("study.process{}.jsonl", process());
}

std::vector<std::size_t> ProcessShare::own(std::span<const std::uint64_t> weights) const {
  const std::vector<std::size_t> takers = takers_of(weights, static_cast<std::size_t>(size()));
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < takers.size(); ++place) {
    if (takers[place] == static_cast<std::size_t>(process())) {
      places.push_back(place);
    }
  }
  return places;
}

std::vector<FinishedPart> ProcessShare::pass_on(std::vector<FinishedPart> finished) const {
  if (processes_ == nullptr) {
    return finished;
  }
  rest();
  const std::string own_text = text_of(finished);
  std::vector<double> lengths(static_cast<std::size_t>(size()), 0.0);
  lengths[static_cast<std::size_t>(process())] = static_cast<double>(own_text.size());
  processes_->take_largest(lengths);
  std::vector<std::size_t> bounds = {0};
  for (const double length : lengths) {
    bounds.push_back(bounds.back() + static_cast<std::size_t>(length));
  }
  std::string all(bounds.back(), ' ');
  all.replace(bounds[static_cast<std::size_t>(process())], own_text.size(), own_text);
  processes_->share(std::as_writable_bytes(std::span(all)), bounds);
  finished.clear();
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    append_from(nlohmann::json::parse(all.substr(bounds[r], bounds[r + 1] - bounds[r])), finished);
  }
  return finished;
}

void ProcessShare::rest() const {
  if (processes_ != nullptr) {
    processes_->rest_until_all();
  }
}

}  // namespace mbdbench::studies
