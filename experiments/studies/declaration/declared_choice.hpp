#pragma once
/// \file
/// Entries of a study's lists that a table of its declaration chooses by name.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/studies/declaration/readers/declaration_table.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {

/// \returns the places of these names in a list, in the list's order. \throws FileError with the nearest right name
template <class Entries, class NameOf>
std::vector<std::size_t> places_of(const DeclarationTable& table, const std::vector<LocatedText>& wanted,
                                   const Entries& entries, const NameOf& name_of, std::string_view noun) {
  std::vector<std::string> names;
  names.reserve(std::size(entries));
  for (const auto& entry : entries) {
    names.emplace_back(name_of(entry));
  }
  std::vector<std::size_t> places;
  for (const LocatedText& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name.text);
    if (found == names.end()) {
      table.fail(name.line, fmt::format("there is no {} '{}'; {}", noun, name.text,
                                        suggest_name(name.text, names, fmt::format("{}s", noun))));
    }
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// \returns 0, 1, ... size - 1.
std::vector<std::size_t> all_places(std::size_t size);

/// \returns those that the key `mechanisms` names; all of them where there is no such key.
std::vector<std::size_t> chosen_mechanisms(const DeclarationTable& table, const Study& study);
/// \returns those that the key `variants` names; all of them where there is no such key.
std::vector<std::size_t> chosen_variants(const DeclarationTable& table, const Study& study);

/// Reads an observer's name. \throws FileError
using ObserverReader = std::function<Observer(const DeclarationTable&, const LocatedText&)>;

/// Reads the tables [[figures]] and [[tables]]; all else has been read.
void read_figures(const DeclarationTable& root, Study& study, const ObserverReader& observer_at);
void read_tables(const DeclarationTable& root, Study& study, const ObserverReader& observer_at);

}  // namespace mbdbench::studies
