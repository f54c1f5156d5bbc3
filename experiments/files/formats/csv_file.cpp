#include "experiments/files/formats/csv_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/spirit/home/x3.hpp>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

#include "experiments/files/host_name.hpp"
#include "experiments/files/write_error.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

namespace x3 = boost::spirit::x3;

const x3::rule<class QuotedField, std::string> kQuotedField = "quoted field";
const x3::rule<class PlainField, std::string> kPlainField = "plain field";
const x3::rule<class CsvRow, std::vector<std::string>> kRow = "row";
const auto kQuotedField_def = '"' >> *(~x3::char_('"') | ("\"\"" >> x3::attr('"'))) >> '"';
const auto kPlainField_def = *~x3::char_(",\"\r\n");
const auto kRow_def = (kQuotedField | kPlainField) % ',' >> (x3::eol | x3::eoi);
BOOST_SPIRIT_DEFINE(kQuotedField, kPlainField, kRow)

/// Of a text that spreadsheets would take for a formula and run. What stands between the apostrophes and the number
/// counts: "-2" is a number, "'-x" needs another apostrophe to read back as it was.
bool looks_like_formula(std::string_view text) {
  const std::size_t marks = std::min(text.find_first_not_of('\''), text.size());
  const std::string_view rest = text.substr(marks);
  if (rest.empty() || std::string_view("=+-@\t\r").find(rest.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0.0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return marks > 0 || error == std::errc::invalid_argument || end != rest.data() + rest.size();
}

std::string field_text(std::string_view given) {
  std::string text = looks_like_formula(given) ? fmt::format("'{}", given) : std::string(given);
  // A first field that begins with '#' would read as a comment.
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with('#')) {
    return text;
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    quoted += letter;
    if (letter == '"') {
      quoted += '"';
    }
  }
  return quoted + '"';
}

std::string read_text(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  // A device may have no end.
  if (!stream || std::filesystem::is_directory(file, ignored) || std::filesystem::is_character_file(file, ignored)) {
    throw FileError(file.string(), 0, "cannot be read: is it a file that is there?");
  }
  try {
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure&) {
    throw FileError(file.string(), 0, "cannot be read to its end");
  }
}

}  // namespace

std::string csv_number(double value) {
  return fmt::format("{}", value);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += (&field == fields.data() ? "" : ",") + field_text(field);
  }
  return line;
}

std::string csv_header(const std::vector<std::string>& comments, const std::vector<std::string>& columns) {
  std::string header;
  for (std::string comment : comments) {
    // A second line would be a row.
    std::replace_if(
        comment.begin(), comment.end(), [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
    header += fmt::format("# {}\n", comment);
  }
  return header + csv_line(columns) + '\n';
}

void write_csv(const std::filesystem::path& file, const CsvTable& table) {
  std::string text = csv_header(table.comments, table.columns);
  for (const std::vector<std::string>& row : table.rows) {
    text += csv_line(row) + '\n';
  }
  replace_file(file, text);
}

CsvTable read_csv(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  CsvTable table;
  std::size_t line = 1;
  for (auto position = text.begin(); position != text.end();) {
    const auto start = position;
    if (*position == '#') {
      std::string comment;
      x3::parse(position, text.end(), '#' >> -x3::lit(' ') >> *~x3::char_("\r\n") >> (x3::eol | x3::eoi), comment);
      table.comments.push_back(std::move(comment));
    } else {
      std::vector<std::string> row;
      if (!x3::parse(position, text.end(), kRow, row)) {
        throw FileError(file.string(), line,
                        "not a CSV row: a quote inside a field must be doubled, and the field quoted");
      }
      for (std::string& field : row) {
        if (const std::string wrong = unseen_character(field); !wrong.empty()) {
          throw FileError(file.string(), line, fmt::format("a field {}", wrong));
        }
        if (field.starts_with('\'') && looks_like_formula(field)) {
          field.erase(0, 1);
        }
      }
      if (table.columns.empty()) {
        table.columns = std::move(row);
      } else if (row.size() != table.columns.size()) {
        throw FileError(file.string(), line,
                        fmt::format("{} fields where the header has {}", row.size(), table.columns.size()));
      } else {
        table.rows.push_back(std::move(row));
        table.lines.push_back(line);
      }
    }
    line += static_cast<std::size_t>(std::count(start, position, '\n'));
  }
  if (table.columns.empty()) {
    throw FileError(file.string(), line, "there is no row of column names");
  }
  return table;
}

void replace_file(const std::filesystem::path& file, std::string_view content) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    // Renaming would put a file in the place of a device.
    throw WriteError(file.string(), "is a folder or a device, which cannot be replaced by a file");
  }
  // A link stays one.
  const std::filesystem::path target =
      std::filesystem::is_symlink(file, error) ? file.parent_path() / std::filesystem::read_symlink(file) : file;
  // Its own name: several processes may write the same file, as shares of a study do.
  const std::filesystem::path part = fmt::format("{}.{}-{}.part", target.string(), host_name(), getpid());
  std::ofstream stream(part, std::ios::binary | std::ios::trunc);
  const bool opened = stream.is_open();
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) {
    if (opened) {
      std::filesystem::remove(part, error);
    }
    throw WriteError(file.string(),
                     "cannot be written: does its directory exist, may you write there, is the disk full?");
  }
  std::filesystem::rename(part, target, error);
  if (error) {
    throw WriteError(file.string(), fmt::format("cannot be replaced: {}", error.message()));
  }
}

}  // namespace mbdbench
