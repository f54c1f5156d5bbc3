/// \file
/// The arrows of the design, read from the #include lines: data flows one way, formulations do not include one another,
/// and the dense oracle shares no code with the assembly engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// A source file, by its path below the root of the tree with '/', and what it includes, written the same way.
using IncludeGraph = std::map<std::string, std::vector<std::string>>;

/// Folders whose files are scanned; an include that starts with one of them is one of ours.
constexpr std::array<std::string_view, 9> kTopFolders = {
    "mechanisms", "formulations", "integrators", "experiments", "tests", "benchmarks", "fuzz", "examples", "python"};

bool lies_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_ours(std::string_view path) {
  return std::any_of(kTopFolders.begin(), kTopFolders.end(),
                     [&](std::string_view folder) { return lies_in(path, folder); });
}

/// \returns formulations/X for a file below formulations/X/, nothing for files directly in formulations/ and elsewhere,
/// and for options, which every formulation may have.
std::optional<std::string> formulation_folder(const std::string& path) {
  constexpr std::string_view kRoom = "formulations/";
  const std::size_t slash = path.starts_with(kRoom) ? path.find('/', kRoom.size()) : std::string::npos;
  if (slash == std::string::npos || lies_in(path, "formulations/options")) {
    return std::nullopt;
  }
  return path.substr(0, slash);
}

/// \returns our files that the text includes. Paths relative to the file's own folder are written out from the root, so
/// that
/// "../dense/x.hpp" does not slip through.
std::vector<std::string> includes_of(const std::string& file, const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, kInclude)) {
      continue;
    }
    const std::string written = std::filesystem::path(match[2].str()).lexically_normal().generic_string();
    if (is_ours(written)) {
      found.push_back(written);
    } else if (match[1] == "\"") {
      const std::filesystem::path beside = std::filesystem::path(file).parent_path() / written;
      found.push_back(beside.lexically_normal().generic_string());
    }
  }
  return found;
}

/// \returns why `file` may not include `target`, or an empty string when it may.
std::string offence(const std::string& file, const std::string& target) {
  struct Arrow {
    std::string_view from;
    std::vector<std::string_view> to;
  };
  static const std::vector<Arrow> kArrows = {
      {"mechanisms/model", {"mechanisms/model"}},
      {"mechanisms/catalogue", {"mechanisms/model", "mechanisms/catalogue"}},
      {"mechanisms/io", {"mechanisms/model", "mechanisms/io"}},
      {"formulations", {"mechanisms/model", "formulations"}},
      {"integrators", {"integrators"}},
      // Steps know nothing of what is varied, and the other way round.
      {"experiments/gradients/steps",
       {"experiments/gradients/steps", "experiments/precise", "experiments/simulation", "formulations", "integrators",
        "mechanisms/model"}},
      {"experiments/gradients/numbers",
       {"experiments/gradients/numbers", "experiments/precise", "formulations", "mechanisms/model"}},
      {"python",
       {"python", "mechanisms", "formulations", "integrators", "experiments/gradients",
        "experiments/records/provenance", "experiments/registries", "experiments/simulation", "experiments/terminal",
        "experiments/verification"}},
  };
  // The rooms of experiments/, each with those it stands on; command lines and the shipped experiments see all of them.
  static const std::vector<std::pair<std::string_view, std::set<std::string_view>>> kRooms = {
      {"files", {}},
      {"terminal", {}},
      {"registries", {}},
      {"drawing", {}},
      {"precise", {}},
      {"gradients", {"precise", "registries", "simulation"}},
      {"engines", {"files"}},
      {"monitors", {"terminal"}},
      {"records", {"files", "terminal"}},
      {"simulation", {"files", "monitors", "records", "registries", "terminal"}},
      {"ensembles", {"files", "records", "registries", "simulation", "terminal"}},
      {"verification", {"precise", "records", "registries"}},
      {"equilibria", {"registries", "verification"}},
      {"soak", {"monitors", "registries", "simulation", "terminal", "verification"}},
      {"metamorphic", {"files", "registries", "simulation", "soak", "terminal", "verification"}},
      {"studies",
       {"engines", "files", "gradients", "monitors", "precise", "records", "registries", "simulation", "terminal",
        "verification"}},
  };
  if (lies_in(target, "tests") && !lies_in(file, "tests")) {
    return "only tests include tests";
  }
  if (lies_in(target, "python") && !lies_in(file, "python")) {
    return "nothing stands on the Python package";
  }
  for (const Arrow& arrow : kArrows) {
    if (lies_in(file, arrow.from) &&
        std::none_of(arrow.to.begin(), arrow.to.end(), [&](auto folder) { return lies_in(target, folder); })) {
      return "no arrow from " + std::string(arrow.from) + " to there";
    }
  }
  for (const auto& [room, known] : kRooms) {
    constexpr std::string_view kAll = "experiments/";
    if (!lies_in(file, std::string(kAll) + std::string(room)) || !lies_in(target, "experiments")) {
      continue;
    }
    const std::string_view there = std::string_view(target).substr(kAll.size());
    const std::string_view other = there.substr(0, there.find('/'));
    if (other != room && !known.contains(other)) {
      return "no arrow from the room " + std::string(room) + " to there";
    }
  }
  const std::optional<std::string> to = formulation_folder(target);
  if (!lies_in(file, "formulations") || !to) {
    return {};
  }
  // What several formulations are built on, and which of one another they may know.
  static const std::map<std::string, std::set<std::string>> engines = {
      {"formulations/kernels", {}},
      {"formulations/execution", {}},
      {"formulations/recursion", {"formulations/execution", "formulations/kernels"}},
      {"formulations/assembly", {"formulations/execution", "formulations/kernels"}},
      {"formulations/lanes", {"formulations/execution", "formulations/recursion"}},
      // Everything but right-hand sides is that of the recursion over one part: of these, sub-trees and bodies as
      // leaves.
      {"formulations/subchains",
       {"formulations/execution", "formulations/kernels", "formulations/lanes", "formulations/parts",
        "formulations/recursion"}},
      {"formulations/batches", {"formulations/execution", "formulations/kernels", "formulations/recursion"}},
      // The tree as lanes have it.
      {"formulations/derivatives", {"formulations/batches", "formulations/execution", "formulations/kernels"}},
      // Many states and derivatives of an open tree.
      {"formulations/parts",
       {"formulations/batches", "formulations/derivatives", "formulations/execution", "formulations/kernels",
        "formulations/lanes", "formulations/recursion"}},
      {"formulations/subtrees",
       {"formulations/batches", "formulations/execution", "formulations/kernels", "formulations/lanes",
        "formulations/parts", "formulations/recursion"}},
      // Bodies as leaves too, with the limit that the assembly sets for point masses.
      {"formulations/binary_tree",
       {"formulations/assembly", "formulations/execution", "formulations/kernels", "formulations/lanes",
        "formulations/parts", "formulations/subchains"}},
  };
  const auto is_engine = [](const std::optional<std::string>& folder) { return folder && engines.contains(*folder); };
  const std::optional<std::string> from = formulation_folder(file);
  if (from == to) {
    return {};
  }
  if (is_engine(from)) {
    return engines.at(*from).contains(*to) ? "" : "an engine knows neither formulations nor this other engine";
  }
  if (from == "formulations/dense" && is_engine(to)) {
    return "an oracle that shares code with the engine is no oracle";
  }
  if (!is_engine(to) && !file.starts_with("formulations/registry.")) {
    return "formulations do not include one another; only the registry sees them all";
  }
  return {};
}

/// \returns one line an offending include.
std::vector<std::string> offences(const IncludeGraph& graph) {
  std::vector<std::string> lines;
  for (const auto& [file, targets] : graph) {
    for (const std::string& target : targets) {
      if (const std::string why = offence(file, target); !why.empty()) {
        lines.push_back(file + " includes " + target + ": " + why);
      }
    }
  }
  return lines;
}

/// \returns the files below folder `to` that files below folder `from` include, directly or through others.
std::set<std::string> reached(const IncludeGraph& graph, std::string_view from, std::string_view to) {
  std::vector<std::string> open;
  for (const auto& [file, targets] : graph) {
    if (lies_in(file, from)) {
      open.push_back(file);
    }
  }
  std::set<std::string> seen(open.begin(), open.end());
  while (!open.empty()) {
    const auto node = graph.find(open.back());
    open.pop_back();
    if (node == graph.end()) {
      continue;
    }
    for (const std::string& target : node->second) {
      if (seen.insert(target).second) {
        open.push_back(target);
      }
    }
  }
  std::erase_if(seen, [&](const std::string& file) { return !lies_in(file, to); });
  return seen;
}

IncludeGraph scan_tree(const std::filesystem::path& root) {
  IncludeGraph graph;
  for (const std::string_view folder : kTopFolders) {
    if (!std::filesystem::is_directory(root / folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp")) {
        continue;
      }
      std::ifstream stream(entry.path());
      std::ostringstream text;
      text << stream.rdbuf();
      const std::string file = entry.path().lexically_relative(root).generic_string();
      graph[file] = includes_of(file, text.str());
    }
  }
  return graph;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += "  " + line + "\n";
  }
  return text;
}

TEST(IncludeArrows, TheTreeFollowsTheDesign) {
  const IncludeGraph graph = scan_tree(MBDBENCH_SOURCE_DIR);
  // A scan that finds nothing, or no line of ours in what it finds, would approve of anything.
  ASSERT_TRUE(graph.contains("tests/mechanisms/include_arrows_test.cpp"));
  ASSERT_TRUE(graph.contains("integrators/registry.hpp"));
  ASSERT_EQ(graph.at("integrators/registry.hpp"), std::vector<std::string>{"integrators/ode.hpp"});
  const std::vector<std::string> found = offences(graph);
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(IncludeArrows, TheOracleDoesNotReachTheEnginesThroughOthers) {
  for (const char* engine : {"formulations/kernels", "formulations/assembly", "formulations/recursion",
                             "formulations/lanes", "formulations/subchains"}) {
    const std::set<std::string> shared = reached(scan_tree(MBDBENCH_SOURCE_DIR), "formulations/dense", engine);
    EXPECT_TRUE(shared.empty()) << joined({shared.begin(), shared.end()});
  }
}

TEST(IncludeArrows, OffendingLinesAreCaught) {
  const std::vector<std::pair<std::string, std::string>> offending = {
      {"mechanisms/model/description/joint.hpp", "#include \"mechanisms/catalogue/pendulum.hpp\""},
      {"mechanisms/model/description/joint.cpp", "#include \"formulations/formulation.hpp\""},
      {"mechanisms/model/description/joint.cpp", "#include \"../../io/toml.hpp\""},
      {"mechanisms/catalogue/loops/loop8.cpp", "#include \"mechanisms/io/toml.hpp\""},
      {"mechanisms/io/toml.cpp", "  #  include <mechanisms/catalogue/registry.hpp>"},
      {"formulations/formulation.hpp", "#include \"integrators/ode.hpp\""},
      {"formulations/registry.cpp", "#include \"mechanisms/catalogue/registry.hpp\""},
      {"formulations/hdca/hdca.cpp", "#include \"formulations/dca/dca.hpp\""},
      {"formulations/hdca/hdca.cpp", "#include \"../dense/dense.hpp\""},
      {"formulations/formulation.hpp", "#include \"dense/dense.hpp\""},
      {"formulations/assembly/tree.hpp", "#include \"formulations/hdca/hdca.hpp\""},
      {"formulations/dense/dense.cpp", "#include \"formulations/assembly/tree.hpp\""},
      {"formulations/dense/dense.cpp", "#include \"formulations/recursion/tree.hpp\""},
      {"formulations/recursion/tree.hpp", "#include \"formulations/assembly/tree.hpp\""},
      {"formulations/kernels/pack.hpp", "#include \"formulations/recursion/tree.hpp\""},
      {"formulations/dense/dense.cpp", "#include \"formulations/kernels/pack.hpp\""},
      {"integrators/matlab/ode45.cpp", "#include \"mechanisms/model/mechanism.hpp\""},
      {"integrators/matlab/ode45.cpp", "#include \"experiments/records/record.hpp\" // only for now"},
      {"experiments/records/record.cpp", "#include \"tests/support/allocation_guard.hpp\""},
      {"experiments/gradients/steps/step_tape.cpp", "#include \"experiments/gradients/placed_run.hpp\""},
      {"experiments/gradients/steps/chosen_steps.hpp", "#include \"experiments/gradients/numbers/varied_numbers.hpp\""},
      {"experiments/gradients/numbers/loop_start.cpp", "#include \"experiments/gradients/steps/step_times.hpp\""},
      {"benchmarks/rhs.cpp", "#include \"tests/support/allocation_guard.hpp\""},
      {"experiments/main.cpp", "#include \"python/bindings/session.hpp\""},
      {"python/bindings/module.cpp", "#include \"experiments/command_line/command_line.hpp\""},
      {"python/bindings/module.cpp", "#include \"experiments/studies/runner/cells/study_cell.hpp\""},
  };
  for (const auto& [file, line] : offending) {
    const IncludeGraph graph = {{file, includes_of(file, "#pragma once\n" + line + "\nint x;\n")}};
    EXPECT_EQ(offences(graph).size(), 1U) << file << ": " << line;
  }
}

TEST(IncludeArrows, LinesAlongTheArrowsPass) {
  const std::vector<std::pair<std::string, std::string>> fine = {
      {"mechanisms/model/description/joint.cpp", "#include \"mechanisms/model/description/joint.hpp\""},
      {"mechanisms/model/description/joint.cpp", "#include \"joint.hpp\""},
      {"mechanisms/model/description/joint.cpp", "#include <Eigen/Core>"},
      {"mechanisms/model/description/joint.cpp", "// see the #include \"formulations/formulation.hpp\" of others"},
      {"mechanisms/io/toml.cpp", "#include \"mechanisms/model/mechanism.hpp\""},
      {"formulations/hdca/hdca.cpp", "#include \"formulations/assembly/tree.hpp\""},
      {"formulations/aba/aba.cpp", "#include \"formulations/recursion/tree.hpp\""},
      {"formulations/recursion/tree.hpp", "#include \"formulations/kernels/pack.hpp\""},
      {"formulations/hdca/hdca.cpp", "#include \"formulations/subchains/plan.hpp\""},
      {"formulations/hdca/hdca.cpp", "#include \"formulations/formulation.hpp\""},
      {"formulations/registry.cpp", "#include \"formulations/dense/dense.hpp\""},
      {"formulations/dense/dense.cpp", "#include \"mechanisms/model/mechanism.hpp\""},
      {"experiments/verify.cpp", "#include \"formulations/dense/dense.hpp\""},
      {"experiments/verify.cpp", "#include \"integrators/registry.hpp\""},
      {"experiments/studies/runner/cells/study_cell.cpp", "#include \"experiments/records/record.hpp\""},
      {"experiments/command_line/commands/study_command.cpp",
       "#include \"experiments/studies/runner/study_runner.hpp\""},
      {"tests/formulations/hdca_test.cpp", "#include \"tests/support/allocation_guard.hpp\""},
      {"python/bindings/module.cpp", "#include \"experiments/simulation/judged_run.hpp\""},
  };
  for (const auto& [file, line] : fine) {
    const IncludeGraph graph = {{file, includes_of(file, line)}};
    EXPECT_TRUE(offences(graph).empty()) << joined(offences(graph));
  }
}

TEST(IncludeArrows, ADetourToTheEngineIsCaught) {
  const IncludeGraph graph = {
      {"formulations/dense/dense.cpp", {"formulations/formulation.hpp"}},
      {"formulations/formulation.hpp", {"formulations/shared.hpp"}},
      {"formulations/shared.hpp", {"formulations/assembly/node.hpp", "formulations/formulation.hpp"}},
  };
  EXPECT_TRUE(offences(graph).empty());
  EXPECT_EQ(reached(graph, "formulations/dense", "formulations/assembly"),
            std::set<std::string>{"formulations/assembly/node.hpp"});
}

}  // namespace
