// Studies whose integrators another build of the program has.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

/// Registries as those of a build without SUNDIALS.
Registries without_sundials() {
  Registries registries = default_registries();
  std::erase_if(registries.integrators,
                [](const OdeEntry& entry) { return entry.key == "cvode-adams" || entry.key == "cvode-bdf"; });
  return registries;
}

class LeftOutIntegrator : public testing::Test {
 protected:
  [[nodiscard]] Study read(const std::string& integrators) const {
    const auto file = directory_.path() / "study.toml";
    std::ofstream(file) << "name = \"s\"\nmechanisms = [\"pendulum:2\"]\nend = 0.1\ntolerances = [1e-6]\n"
                        << "observe = [\"evaluations\"]\nintegrators = " << integrators
                        << "\n[variants]\n\"ABA\" = \"aba\"\n";
    return read_study(registries_, file, false);
  }

  [[nodiscard]] std::string refused(const std::string& integrators) const {
    try {
      static_cast<void>(read(integrators));
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryDirectory directory_;
  Registries registries_ = without_sundials();
};

TEST_F(LeftOutIntegrator, TheStudyRunsWithTheOthersAndSaysSo) {
  testing::internal::CaptureStderr();
  const Study study = read(R"(["ode45", "cvode-bdf", "ode113"])");
  const std::string said = testing::internal::GetCapturedStderr();
  ASSERT_EQ(study.integrators.size(), 2U);
  EXPECT_EQ(study.integrators[0]->key, "ode45");
  EXPECT_EQ(study.integrators[1]->key, "ode113");
  EXPECT_NE(said.find("integrator 'cvode-bdf' is that of SUNDIALS, and this mbdbench was built without SUNDIALS; the "
                      "study runs without it"),
            std::string::npos)
      << said;
}

TEST_F(LeftOutIntegrator, AStudyOfNothingElseIsRefused) {
  const std::string reason = refused(R"(["cvode-bdf"])");
  EXPECT_NE(reason.find("built without SUNDIALS; ode113 and ode15s are of the same kinds"), std::string::npos)
      << reason;
}

TEST_F(LeftOutIntegrator, AStudyThatNamesItElsewhereIsRefused) {
  const std::string claim =
      "\n[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"evaluations[integrator='cvode-bdf'] < 9\"\n";
  const std::string reason = refused(R"(["ode45", "cvode-bdf"])" + claim);
  EXPECT_NE(reason.find("was built without SUNDIALS; the study names it elsewhere too"), std::string::npos) << reason;
}

TEST_F(LeftOutIntegrator, AnIntegratorThatNoBuildHasIsRefused) {
  const std::string reason = refused(R"(["ode45", "cvode-bdm"])");
  EXPECT_NE(reason.find("there is no integrator 'cvode-bdm'"), std::string::npos) << reason;
}

}  // namespace
}  // namespace mbdbench::studies
