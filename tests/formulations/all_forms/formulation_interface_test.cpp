// What every formulation promises, whatever its mathematics.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

const std::vector<std::string>& mechanism_names() {
  static const std::vector<std::string> names = {"pendulum:5",
                                                 "pendulum_xyz:5",
                                                 "random_tree:seed=2,bodies=12",
                                                 "random_tree:seed=6,bodies=9,motions=2",
                                                 "random_closed:seed=4,bodies=9,cuts=2",
                                                 "random_closed:seed=15,bodies=17,cuts=1"};
  return names;
}

/// Calls body(entry, mechanism, formulation) for every pair that the formulation accepts.
template <typename Body>
void for_each_pair(Body body) {
  int pairs = 0;
  for (const std::string& name : mechanism_names()) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.refusal(mechanism).empty()) {
        SCOPED_TRACE(std::string(entry.key) + " on " + name);
        const auto formulation = test::make(entry.key, mechanism);
        body(entry, mechanism, *formulation);
        ++pairs;
      }
    }
  }
  EXPECT_GE(pairs, 8);
}

TEST(formulation_interface, layout_names_every_component_once) {
  for_each_pair([](const FormulationEntry& entry, const Mechanism& mechanism, Formulation& formulation) {
    std::set<std::string> names;
    int quaternion_components = 0;
    for (const StateComponent& component : formulation.layout()) {
      EXPECT_TRUE(names.insert(component.name).second) << component.name;
      EXPECT_TRUE(mechanism.find_joint(component.joint).has_value() || mechanism.find_body(component.joint).has_value())
          << component.joint;
      quaternion_components += component.kind == StateKind::quaternion ? 1 : 0;
      if (component.kind != StateKind::position && component.kind != StateKind::quaternion) {
        EXPECT_EQ(component.kind, entry.rate_kind);
      }
    }
    EXPECT_EQ(names.size(), formulation.state_size());
    EXPECT_EQ(quaternion_components % 4, 0);
  });
}

TEST(formulation_interface, unpack_inverts_pack) {
  for_each_pair([](const FormulationEntry& entry, const Mechanism& mechanism, Formulation& formulation) {
    std::vector<double> x(formulation.state_size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    ASSERT_TRUE(formulation.unpack(0.0, x, view(q), view(u)).ok);
    // Coordinates that a reduced state does not hold are solved for, and absolute ones are converted, to rounding.
    const bool held = test::in_joint_coordinates(entry) && !entry.key.ends_with("reduced");
    const double limit = held ? 0.0 : 1e-12;
    EXPECT_LE((q - mechanism.q0()).cwiseAbs().maxCoeff(), limit);
    // Momenta are solved for velocities: rounding times the condition of small mass matrices (below 1e4 here).
    EXPECT_LT((u - mechanism.u0()).cwiseAbs().maxCoeff(), 1e-11);
  });
}

TEST(formulation_interface, rhs_is_a_pure_function) {
  for_each_pair([](const FormulationEntry&, const Mechanism& mechanism, Formulation& formulation) {
    std::vector<double> x(formulation.state_size());
    std::vector<double> first(x.size());
    std::vector<double> second(x.size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(formulation.rhs(0.2, x, first).ok);
    std::vector<double> elsewhere = x;
    for (double& value : elsewhere) {
      value += 0.1;
    }
    ASSERT_TRUE(formulation.rhs(1.7, elsewhere, second).ok);
    Observation observation;
    ASSERT_TRUE(formulation.observe(0.9, elsewhere, observation).ok);
    ASSERT_TRUE(formulation.rhs(0.2, x, second).ok);
    EXPECT_EQ(first, second) << "bitwise";
    EXPECT_EQ(formulation.rhs_calls(), 3U);
  });
}

TEST(formulation_interface, quaternion_length_changes_nothing_but_its_own_rate) {
  for_each_pair([](const FormulationEntry&, const Mechanism& mechanism, Formulation& formulation) {
    std::vector<double> x(formulation.state_size());
    std::vector<double> expected(x.size());
    std::vector<double> actual(x.size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(formulation.rhs(0.0, x, expected).ok);
    const double factor = 1.25;  // a power of two would hide a missing division
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= formulation.layout()[i].kind == StateKind::quaternion ? factor : 1.0;
    }
    ASSERT_TRUE(formulation.rhs(0.0, x, actual).ok);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scale = formulation.layout()[i].kind == StateKind::quaternion ? factor : 1.0;
      // Rounding of the rotation matrices, amplified by the solve.
      EXPECT_NEAR(actual[i], scale * expected[i], 1e-9 * std::max(1.0, std::abs(expected[i])))
          << formulation.layout()[i].name;
    }
  });
}

TEST(formulation_interface, after_step_normalises_only_what_is_off) {
  for_each_pair([](const FormulationEntry&, const Mechanism& mechanism, Formulation& formulation) {
    std::vector<double> x(formulation.state_size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    const std::vector<double> before = x;
    EXPECT_FALSE(formulation.after_step(0.0, x));
    EXPECT_EQ(x, before);
    bool has_quaternion = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (formulation.layout()[i].kind == StateKind::quaternion) {
        has_quaternion = true;
        x[i] *= 1.0 + 1e-6;
      }
    }
    EXPECT_EQ(formulation.after_step(0.0, x), has_quaternion);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], before[i], 1e-15);
    }
  });
}

TEST(formulation_interface, clones_work_in_threads_of_their_own) {
  for_each_pair([](const FormulationEntry&, const Mechanism& mechanism, Formulation& formulation) {
    std::vector<double> x(formulation.state_size());
    std::vector<double> expected(x.size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(formulation.rhs(0.1, x, expected).ok);
    constexpr std::size_t kThreads = 4;
    std::vector<std::vector<double>> results(kThreads, std::vector<double>(x.size()));
    {
      std::vector<std::unique_ptr<Formulation>> clones;
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < kThreads; ++i) {
        clones.push_back(formulation.clone());
      }
      for (std::size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
          for (int repeat = 0; repeat < 20; ++repeat) {
            static_cast<void>(clones[i]->rhs(0.1, x, results[i]));
          }
        });
      }
      for (std::thread& thread : threads) {
        thread.join();
      }
    }
    for (const std::vector<double>& result : results) {
      EXPECT_EQ(result, expected) << "bitwise";
    }
  });
}

TEST(formulation_interface, registries_that_execute_in_other_ways_live_side_by_side) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:1024");
  FormulationRegistry shared = formulation_registry();
  shared.execution = {2, nullptr, instruction_set_named("baseline")};
  FormulationRegistry alone = formulation_registry();
  alone.execution = Execution{};
  const auto made = [&](const FormulationRegistry& registry, std::string_view key) {
    return make_formulation(registry, *find_formulation(registry, key), mechanism, {});
  };
  const auto first = made(shared, "dca");
  const auto second = made(alone, "dca");
  const auto third = made(shared, "dca");
  EXPECT_EQ(first->threads(), 2);
  EXPECT_EQ(second->threads(), 1) << "those made before have no say";
  EXPECT_EQ(third->threads(), 2);
  EXPECT_EQ(made(shared, "aba")->threads(), 1) << "it shares nothing";
  const int lanes = made(alone, "aba")->batch_lanes();
  const int fewest = made(shared, "aba")->batch_lanes();
  EXPECT_EQ(fewest, 2) << "what every processor of the kind has";
  EXPECT_EQ(lanes, best_instruction_set().name == "avx512" ? 8 : best_instruction_set().name == "avx2" ? 4 : 2);
}

TEST(formulation_interface, a_mechanism_that_is_refused_gets_a_reason_and_alternatives) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  FormulationEntry picky = *find_formulation(formulation_registry(), "dca");
  picky.key = "picky";
  picky.refusal = [](const Mechanism& /*mechanism*/) { return std::string("it swings"); };
  FormulationRegistry registry = formulation_registry();
  registry.push_back(picky);
  try {
    static_cast<void>(make_formulation(registry, picky, mechanism, {}));
    FAIL() << "picky refuses everything";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'picky' cannot treat mechanism 'pendulum:bodies=2': it swings"), std::string::npos) << text;
    EXPECT_NE(text.find("these can: dense"), std::string::npos) << text;
    EXPECT_EQ(text.rfind("picky"), text.find("picky")) << "not among those that can: " << text;
  }
}

TEST(formulation_interface, a_mimic_is_named_as_in_the_file) {
  MechanismDescription description;
  description.name = "arm";
  description.source = "URDF";
  for (const char* name : {"first", "second"}) {
    description.bodies.push_back({name, 1.0, Vec3::UnitX(), Mat3::Identity()});
    JointDescription& joint = description.joints.emplace_back();
    joint.name = std::string("to_") + name;
    joint.a = description.joints.size() == 1 ? kGround : "first";
    joint.b = name;
  }
  description.couplings = {{"to_second_mimic", {{"to_second", 0, 1.0}, {"to_first", 0, 2.0}}, 0.0}};
  const FormulationEntry& aba = *find_formulation(formulation_registry(), "aba");
  EXPECT_NE(refusal_of(aba, Mechanism(description)).find("<mimic> of joint 'to_second'"), std::string::npos);
  description.source = "";
  EXPECT_EQ(refusal_of(aba, Mechanism(description)).find("<mimic>"), std::string::npos);
}

TEST(formulation_interface, unknown_options_are_refused) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  EXPECT_THROW(static_cast<void>(test::make("hdca", mechanism, "ground=middle")), ParameterError);
  EXPECT_THROW(static_cast<void>(test::make("hdca", mechanism, "grund=root")), ParameterError);
  EXPECT_NO_THROW(static_cast<void>(test::make("hdca", mechanism, "ground=leaf")));
}

TEST(formulation_interface, reactions_are_those_of_all_joints_also_of_free_cuts) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  JointDescription loose;
  loose.name = "loose";
  loose.type = JointType::free;
  loose.a = description.bodies.front().name;
  loose.b = description.bodies.back().name;
  loose.cut = true;
  description.joints.push_back(loose);
  const Mechanism mechanism(description);
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!refusal_of(entry, mechanism).empty()) {
      continue;
    }
    const auto formulation = make_formulation(formulation_registry(), entry, mechanism, "");
    std::vector<double> x(formulation->state_size());
    const std::vector<double> q(mechanism.q0().begin(), mechanism.q0().end());
    const std::vector<double> u(mechanism.u0().begin(), mechanism.u0().end());
    ASSERT_TRUE(formulation->pack(0.0, q, u, x).ok) << entry.key;
    Reactions reactions;
    ASSERT_TRUE(formulation->reactions(0.0, x, reactions).ok) << entry.key;
    EXPECT_EQ(reactions.tree_joints.size(), 3U) << entry.key;
    ASSERT_EQ(reactions.cut_joints.size(), 1U) << entry.key;
    EXPECT_EQ(reactions.cut_joints.front().norm(), 0.0) << entry.key;
  }
}

}  // namespace
}  // namespace mbdbench
