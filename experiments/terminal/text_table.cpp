#include "experiments/terminal/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kGap = 2;
// A column of text that is cut keeps what tells its cells apart.
constexpr std::size_t kLeast = 16;
// Of what has no room in the line of its row.
constexpr std::size_t kFold = 4;
// Lines of text are not broken into single words on a very narrow terminal.
constexpr std::size_t kLeastLine = 20;

bool is_number(const TextTable& table, std::size_t column) {
  return std::find(table.numbers.begin(), table.numbers.end(), column) != table.numbers.end();
}

/// Takes from the widest columns of text until the table fits, or all are at their least.
void narrow(std::vector<std::size_t>& widths, const TextTable& table, std::size_t columns) {
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + kGap * (widths.size() - 1);
  };
  while (total() > columns) {
    std::size_t widest = widths.size();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool may_be_cut = !is_number(table, column) && widths[column] > kLeast;
      if (may_be_cut && (widest == widths.size() || widths[column] > widths[widest])) {
        widest = column;
      }
    }
    if (widest == widths.size()) {
      return;
    }
    --widths[widest];
  }
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

/// \returns the table without what terminals obey: a cell may quote another's file.
TextTable visible(const TextTable& table) {
  TextTable shown = table;
  for (std::vector<std::string>& row : shown.rows) {
    for (std::string& cell : row) {
      cell = visible_text(cell);
      std::replace(cell.begin(), cell.end(), '\n', ' ');
    }
  }
  return shown;
}

}  // namespace

std::string table_text(const TextTable& given, std::optional<std::size_t> columns) {
  const TextTable table = visible(given);
  const std::size_t count = table.rows.front().size();
  std::vector<std::size_t> widths(count);
  for (const std::vector<std::string>& row : table.rows) {
    // The last cell of a short row needs no column.
    const std::size_t cells = row.size() < count ? row.size() - 1 : count;
    for (std::size_t column = 0; column < cells; ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  if (columns) {
    narrow(widths, table, *columns);
  }
  const std::size_t room = columns.value_or(std::string::npos);
  std::string text;
  for (const std::vector<std::string>& row : table.rows) {
    std::size_t place = 0;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const bool last = column + 1 == row.size();
      const bool runs_on = last && row.size() < count;
      const std::size_t needed = runs_on ? std::min(row[column].size(), kLeast) : widths[column];
      if (place > 0 && place + kGap + needed > room) {
        text += '\n' + std::string(kFold, ' ');
        place = kFold;
      } else if (place > 0) {
        text.append(kGap, ' ');
        place += kGap;
      }
      const std::size_t width = runs_on ? std::min(row[column].size(), room - place) : widths[column];
      const std::string cell = cut(row[column], std::max<std::size_t>(width, 1));
      const std::string padding(width - std::min(width, cell.size()), ' ');
      const std::string shown = coloured(cell, row[column].substr(0, row[column].find(':')));
      text += is_number(table, column) ? padding + shown : shown + (last ? "" : padding);
      place += width;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::optional<std::size_t> columns) {
  if (!columns) {
    return text;
  }
  const std::size_t width = std::max(*columns, indent + kLeastLine);
  std::string all;
  std::size_t place = 0;
  std::size_t room = width;
  while (text.size() - place > room) {
    std::size_t end = text.rfind(' ', place + room);
    if (end == std::string::npos || end <= place) {
      end = text.find(' ', place);
    }
    if (end == std::string::npos) {
      break;
    }
    all += text.substr(place, end - place) + '\n' + std::string(indent, ' ');
    place = end + 1;
    room = width - indent;
  }
  return all + text.substr(place);
}

}  // namespace mbdbench
