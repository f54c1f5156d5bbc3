#pragma once
/// \file
/// The parts of the experiment.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/malczyk2008/measurement.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench::malczyk2008 {

/// What the parts need of the experiment's context.
struct PartContext {
  const Registries& registries;
  std::filesystem::path output;  ///< a folder for the files that pass between the programs
  bool quick = false;
};

/// The crank's angle, the sub-chains against the whole tree, two ranks against one process.
PartResult accuracy_part(const PartContext& context);

/// Table 1 at one of the paper's steps.
PartResult table_part(const PartContext& context, std::size_t step_index);

/// Readings of the "step" of table 1, by the right-hand sides that they need.
PartResult step_reading_part(const PartContext& context);

/// Times of one right-hand side of loops of these many joints, and of one exchange of a message.
PartResult right_hand_side_part(const PartContext& context);

/// The same with messages over TCP, on two ranks only: a stand-in for the paper's second node.
PartResult tcp_part(const PartContext& context);

/// Figure 4: 10 s of the loop of so many joints.
PartResult loop_part(const PartContext& context, int joints);

/// Numbers of a message whose exchange is timed: the ends of the cut joint, and the accelerations of 500 bodies.
inline constexpr int kShortMessage = 27;
inline constexpr int kLongMessage = 500;

/// Loops whose right-hand side is timed, with messages over shared memory and over TCP, and those that are run for 10
/// s.
std::vector<int> timed_loops(bool quick);
std::vector<int> tcp_loops(bool quick);
std::vector<int> run_loops(bool quick);

/// \returns "loop:15".
std::string loop_name(int joints);

/// \returns the parameters of an exchange: "numbers=27", "numbers=27;messages=tcp".
std::string exchange_parameters(int numbers, Transport transport);

/// Makes the records of one run. \param mechanism as the user would name it
RecordMaker records_of(const std::string& mechanism, const char* formulation, std::string parameters);

/// Adds the time on two ranks and the speedup over `serial`. Why there is no speedup stands in the time's note.
void add_two_ranks(PartResult& part, const RecordMaker& maker, const char* quantity, const Timing& serial,
                   const Timing& two_ranks);

/// Adds the two times of a task under `quantity` to the timings, and their ratio as `speedup` unless it would mean
/// nothing: fewer processors than ranks, or a rank that had to share its processor. Why there is none stands in the
/// note of the time on two ranks.
void add_times(PartResult& part, const std::string& mechanism, const std::string& parameters, const char* quantity,
               const TaskTimes& times);

/// \returns the parameters of a run: "end=10;output_step=0.01;tolerance=1e-06".
std::string run_parameters(double end, double step, double tolerance);

/// \returns the value of the record with these names; nothing if there is none or it was disturbed.
std::optional<double> find_value(const std::vector<Record>& timings, const std::string& mechanism,
                                 const char* formulation, const std::string& parameters, const std::string& quantity);

/// \returns a claim of this experiment, not judged yet.
Claim claim_of(std::string source, std::string statement, std::string criterion);

}  // namespace mbdbench::malczyk2008
