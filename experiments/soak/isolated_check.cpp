#include "experiments/soak/isolated_check.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mbdbench::soak {
namespace {

// Of wall time to the limit of processor time.
constexpr double kLongestWait = 20.0;

/// \returns what the child says: everything that was found, as JSON.
std::string answer_of(const Registries& registries, const Mechanism& mechanism,
                      const std::vector<std::string>& formulations) {
  Findings findings;
  try {
    findings = check_mechanism(registries, mechanism, formulations);
  } catch (const std::system_error& error) {
    // Files, threads: formulations ask for none that the system must give.
    findings.disturbed = error.what();
  } catch (const std::exception& error) {
    findings.failures.push_back({fmt::format("{}", fmt::join(formulations, ";")), "exception", error.what()});
  }
  nlohmann::json json = {{"compared", findings.compared},
                         {"refused", findings.refused},
                         {"ill_conditioned", findings.ill_conditioned},
                         {"unconverged", findings.unconverged},
                         {"without_run", findings.without_run},
                         {"disturbed", findings.disturbed}};
  for (const auto& [list, name] : kFindingLists) {
    json[name] = nlohmann::json::array();
    for (const Finding& finding : findings.*list) {
      json[name].push_back({finding.formulation, finding.check, finding.what});
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// \returns processor time that a child has had, s; 0 where it has ended.
double processor_time(pid_t child) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return 0.0;
  }
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// \returns whether a process gets this signal from others only, never from what it does.
bool is_from_outside(int signal) {
  constexpr std::array kOutside = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return std::find(kOutside.begin(), kOutside.end(), signal) != kOutside.end();
}

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) {
      return;
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

IsolatedCheck::IsolatedCheck(const Registries& registries, const Mechanism& mechanism,
                             const std::vector<std::string>& formulations, double limit)
    : started_(Clock::now()), limit_(limit) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    throw std::runtime_error("no pipe can be made: " + std::generic_category().message(errno));
  }
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::runtime_error("no process can be started: " + std::generic_category().message(errno));
  }
  if (child_ == 0) {
    // However this process ends, by kill -9 too, its children end with it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    ::close(ends[0]);
    write_all(ends[1], answer_of(registries, mechanism, formulations));
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

IsolatedCheck::~IsolatedCheck() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (pipe_ >= 0) {
    ::close(pipe_);
  }
}

bool IsolatedCheck::ended() {
  constexpr int kWait = 20;  // ms
  pollfd readable = {pipe_, POLLIN, 0};
  if (::poll(&readable, 1, kWait) > 0) {
    std::array<char, 4096> part{};
    const ssize_t count = ::read(pipe_, part.data(), part.size());
    if (count <= 0) {
      return true;
    }
    answer_.append(part.data(), static_cast<std::size_t>(count));
    return false;
  }
  const double wall = std::chrono::duration<double>(Clock::now() - started_).count();
  // On a busy machine a child may wait long for its turn, and one that sleeps for ever has no processor time.
  hung_ = processor_time(child_) > limit_ || wall > kLongestWait * limit_;
  return hung_;
}

Findings IsolatedCheck::take() {
  if (hung_) {
    ::kill(child_, SIGKILL);
  }
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  Findings findings;
  const nlohmann::json json = nlohmann::json::parse(answer_, nullptr, false);
  if (!hung_ && WIFSIGNALED(status) && is_from_outside(WTERMSIG(status))) {
    findings.disturbed = fmt::format("its process was killed from outside with signal {}{}", WTERMSIG(status),
                                     WTERMSIG(status) == SIGKILL ? ", as the system does when memory runs out" : "");
    return findings;
  }
  if (hung_ || !WIFEXITED(status) || !json.is_object()) {
    const std::string what = hung_                 ? fmt::format("not ended after {} s of a processor", limit_)
                             : WIFSIGNALED(status) ? fmt::format("crashed with signal {}", WTERMSIG(status))
                                                   : std::string("ended without an answer");
    findings.failures.push_back({"", "process", what});
    return findings;
  }
  json.at("compared").get_to(findings.compared);
  json.at("refused").get_to(findings.refused);
  json.at("ill_conditioned").get_to(findings.ill_conditioned);
  json.at("unconverged").get_to(findings.unconverged);
  json.at("without_run").get_to(findings.without_run);
  json.at("disturbed").get_to(findings.disturbed);
  for (const auto& [list, name] : kFindingLists) {
    for (const nlohmann::json& finding : json.at(name)) {
      (findings.*list).push_back({finding[0], finding[1], finding[2]});
    }
  }
  return findings;
}

Findings check_isolated(const Registries& registries, const Mechanism& mechanism,
                        const std::vector<std::string>& formulations, double limit) {
  IsolatedCheck check(registries, mechanism, formulations, limit);
  while (!check.ended()) {
  }
  return check.take();
}

}  // namespace mbdbench::soak
