/// \file
/// What [Malczyk2012] says of its formulations. The criteria are ours: the paper gives none.
#include "experiments/malczyk2012/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "experiments/claim_facts.hpp"
#include "experiments/malczyk2012/run_case.hpp"

namespace mbdbench::malczyk2012 {
namespace {

/// Answers and words of one claim over the four mechanisms.
class Facts : public ClaimFacts {
 public:
  explicit Facts(const std::vector<Record>& records) : records_(records) {}

  [[nodiscard]] std::optional<double> value(const Model& model, const Variant& variant,
                                            std::string_view quantity) const {
    return find_value(records_, model.key, variant, run_parameters(kEnd), quantity);
  }

  /// \returns whether the run did not reach its end.
  [[nodiscard]] bool failed(const Model& model, const Variant& variant) const {
    return std::any_of(records_.begin(), records_.end(), [&](const Record& record) {
      return record.mechanism == model.key && record.formulation == variant.label() &&
             record.parameters == run_parameters(kEnd) && record.verdict == Verdict::failed;
    });
  }

  /// Judges one number of one variant on every mechanism.
  void check(const Variant& variant, std::string_view quantity, const std::function<bool(double)>& holds) {
    for (const Model& model : kModels) {
      const std::optional<double> number = value(model, variant, quantity);
      if (number) {
        add(holds(*number), fmt::format("{} {}: {:.2g}", variant.key, model.name, *number));
      } else {
        missing(model, variant);
      }
    }
  }

  /// Compares one number of two variants on every mechanism. \param holds of (first, second)
  void compare(const Variant& first, const Variant& second, std::string_view quantity,
               const std::function<bool(double, double)>& holds) {
    for (const Model& model : kModels) {
      const std::optional<double> a = value(model, first, quantity);
      const std::optional<double> b = value(model, second, quantity);
      if (a && b) {
        add(holds(*a, *b), fmt::format("{}: {} {:.2g}, {} {:.2g}", model.name, first.name, *a, second.name, *b));
      } else {
        missing(model, a ? second : first);
      }
    }
  }

  [[nodiscard]] Claim claim(std::string_view section, std::string_view statement, std::string criterion) const {
    return ClaimFacts::claim(
        {kExperiment, fmt::format("Malczyk2012, sect. {}", section), statement, std::move(criterion)});
  }

  void missing(const Model& model, const Variant& variant) {
    ClaimFacts::missing(fmt::format("{} on {}: no number, or a disturbed one", variant.name, model.name));
  }

 private:
  const std::vector<Record>& records_;
};

/// Energy error up to which a run passed singular positions well, J; masses fall by some J.
constexpr double kPassed = 1e-2;

Claim passage(const std::vector<Record>& records) {
  Facts facts(records);
  for (const Variant& variant : {kPenalty, kProjected}) {
    facts.check(variant, "largest_energy_error", [](double error) { return error < kPassed; });
  }
  return facts.claim("4.2",
                     "The algorithms behave well for mechanisms with redundant constraints that repeatedly pass "
                     "singular configurations.",
                     "every run reaches 10 s with an energy error below 0.01 J; masses fall by some J");
}

Claim violations(const std::vector<Record>& records) {
  Facts facts(records);
  facts.check(kProjected, "largest_position_violation", [](double violation) { return violation < 1e-12; });
  facts.check(kProjected, "largest_velocity_violation", [](double violation) { return violation < 1e-10; });
  return facts.claim("3.3", "Projections give values that satisfy the constraints within the tolerances.",
                     "max |Phi| below 1e-12 m and max |Phi'| below 1e-10 m/s: the tolerances 1e-14 and 1e-12 on "
                     "changes of all coordinates, with two digits for sums over the bodies");
}

Claim improvement(const std::vector<Record>& records) {
  Facts facts(records);
  facts.compare(kPenalty, kProjected, "largest_position_violation",
                [](double penalty, double projected) { return projected < 1e-3 * penalty; });
  facts.compare(kPenalty, kProjected, "largest_energy_error",
                [](double penalty, double projected) { return projected < penalty; });
  return facts.claim("4.4", "The second variant is much more accurate than the first.",
                     "largest position violation smaller by 1e3 (first numbers, m), energy error smaller (J)");
}

Claim traditional(const std::vector<Record>& records) {
  Facts facts(records);
  for (const Variant& variant : {kDca, kBaeHaug}) {
    for (const Model& model : kModels) {
      const std::optional<double> error = facts.value(model, variant, "largest_energy_error");
      const std::optional<double> projected = facts.value(model, kProjected, "largest_energy_error");
      if (facts.failed(model, variant)) {
        facts.add(true, fmt::format("{} {}: failed", model.name, variant.name));
      } else if (error && projected) {
        facts.add(*error > kPassed, fmt::format("{}: {} {:.2g}, {} {:.2g}", model.name, variant.name, *error,
                                                kProjected.name, *projected));
      } else {
        facts.missing(model, variant);
      }
    }
  }
  return facts.claim("4.2", "Methods that impose constraints by Lagrange multipliers may fail completely here.",
                     "dca and bae-haug, which solve for multipliers, do not reach 10 s or have an energy error above "
                     "0.01 J; both decide on the rank, which not every traditional method does");
}

Claim momenta(const std::vector<Record>& records) {
  Facts facts(records);
  facts.compare(kHdcaLeak, kProjected, "largest_energy_error",
                [](double hdca, double projected) { return projected < hdca; });
  return facts.claim("4.2, ours beside it", "Projections are better than canonical momenta with gauge control.",
                     "smaller energy error than hdca with a leak, J");
}

Claim four_iterations(const std::vector<Record>& records) {
  constexpr double kUsually = 0.9;
  Facts facts(records);
  for (const char* level : {"position", "velocity", "acceleration"}) {
    for (const Model& model : kModels) {
      const auto share = facts.value(model, kProjected, fmt::format("share_within_four_{}_iterations", level));
      const auto mean = facts.value(model, kProjected, fmt::format("mean_{}_iterations", level));
      const auto regular = facts.value(model, kProjected, fmt::format("most_regular_{}_iterations", level));
      const auto singular = facts.value(model, kProjected, fmt::format("most_singular_{}_iterations", level));
      if (share && mean && regular && singular) {
        facts.add(
            *share >= kUsually,
            fmt::format("{} {}: {:.0f} % of the steps, {:.2f} in the mean, at most {}, near singular positions {}",
                        model.name, level, 100.0 * *share, *mean, *regular, *singular));
      } else {
        facts.missing(model, kProjected);
      }
    }
  }
  return facts.claim(
      "4.4", "Usually at most 4 iterations are sufficient.",
      "in 90 % of the steps of dca-alm-proj or more; near singular: the smallest singular value of Phi_q is below a "
      "hundredth of its largest");
}

Claim penalties(const std::vector<Record>& records) {
  Facts facts(records);
  for (const Model& model : kSweptModels) {
    for (const std::string_view alpha : {"alpha=1e3", "alpha=1e5", "alpha=1e6", "alpha=1e7", "alpha=1e9"}) {
      const Variant variant = {"", kProjected.key, alpha};
      const auto passes = find_value(records, model.key, variant, run_parameters(kEnd) + ";sweep=penalty",
                                     "mean_acceleration_iterations");
      if (!passes) {
        facts.missing(model, variant);
        continue;
      }
      const bool recommended = alpha != "alpha=1e3" && alpha != "alpha=1e9";
      const std::string words = fmt::format("{} {}: {:.2f}", model.name, alpha, *passes);
      facts.add(!recommended || *passes <= 5.0, words);
    }
  }
  return facts.claim("4.4", "Penalties from 1e5 to 1e7 give a good convergence rate.",
                     "between these at most 5 passes for the accelerations in the mean (in dual form larger ones do no "
                     "harm)");
}

Claim burden(const std::vector<Record>& timings) {
  Facts facts(timings);
  facts.compare(kPenalty, kProjected, "wall_time",
                [](double penalty, double projected) { return projected > penalty; });
  return facts.claim("4.4", "The projections come at the expense of an additional computational burden.",
                     "a run of 10 s takes longer with them, s");
}

Claim counterparts(const std::vector<Record>& timings) {
  Facts facts(timings);
  facts.compare(kDca, kPenalty, "wall_time", [](double dca, double penalty) { return penalty > dca; });
  return facts.claim("4.4", "Some additional burden is expected as compared to non-iterative counterparts.",
                     "a run of 10 s takes longer with dca-alm than with dca, s");
}

/// Time per body and pass of one kind of work. \param passes the records' quantity that counts them
void add_growth(Facts& facts, const std::vector<Record>& timings, const std::vector<Record>& records,
                std::string_view quantity, std::string_view passes) {
  const auto at = [&](int bodies) -> std::optional<std::pair<double, double>> {
    const std::string mechanism = fmt::format("loop:{}", bodies + 1);
    const std::string parameters = fmt::format("bodies={}", bodies);
    const auto time = find_value(timings, mechanism, kProjected, parameters, quantity);
    const auto count = find_value(records, mechanism, kProjected, parameters, passes);
    return time && count ? std::optional(std::pair(1e9 * *time, *count)) : std::nullopt;
  };
  const auto small = at(16);
  const int bodies = at(1024) ? 1024 : 64;
  const auto large = at(bodies);
  if (!small || !large) {
    facts.missing({"loop", "loop", 0}, kProjected);
    return;
  }
  facts.add(large->first / large->second < 1.5 * small->first / small->second,
            fmt::format("{}: {:.0f} ns in {} passes with 16 bodies, {:.0f} ns in {} passes with {}", quantity,
                        small->first, small->second, large->first, large->second, bodies));
}

Claim linear_cost(const std::vector<Record>& timings, const std::vector<Record>& records) {
  Facts facts(timings);
  add_growth(facts, timings, records, "time_per_evaluation_and_body", "acceleration_iterations");
  add_growth(facts, timings, records, "time_per_projection_and_body", "position_iterations");
  return facts.claim("4.4", "The sequential cost is O(k n).",
                     "time per body and pass of a loop grows by less than half from 16 bodies to 1024 (64 in a quick "
                     "run); k itself grows, as the smallest eigenvalue of A falls with the length of the loop");
}

}  // namespace

std::optional<double> find_value(const std::vector<Record>& records, std::string_view mechanism, const Variant& variant,
                                 std::string_view parameters, std::string_view quantity) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == variant.label() && record.parameters == parameters &&
           record.quantity == quantity;
  });
  return found == records.end() ? std::nullopt : found->telling_value();
}

std::vector<Claim> claims_of_records(const std::vector<Record>& records) {
  return {passage(records), violations(records),      improvement(records), traditional(records),
          momenta(records), four_iterations(records), penalties(records)};
}

std::vector<Claim> claims_of_timings(const std::vector<Record>& timings, const std::vector<Record>& records) {
  return {burden(timings), counterparts(timings), linear_cost(timings, records),
          unmeasured_claim(
              {kExperiment, "Malczyk2012, sect. 4.4", "The parallel cost is O(k log n) on O(n) processors.", ""},
              "as many processors as bodies would be needed")};
}

}  // namespace mbdbench::malczyk2012
