#pragma once
/// \file
/// A small robot as URDF, and what tests of readers do with texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {

// The lines stay what they are here: files are spoilt by replacement.
inline const std::string kArm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><inertial><mass value="7"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0.1 -0.2 0.3"/>
    <axis xyz="0 2 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
    <dynamics damping="0.25" friction="0"/>
  </joint>
  <link name="upper">
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <inertial>
      <origin xyz="0.25 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.055"/>
    </inertial>
  </link>
  <joint name="plate" type="fixed"><parent link="upper"/><child link="flange"/><origin xyz="0.5 0 0" rpy="0 0 0.4"/></joint>
  <link name="flange"/>
  <joint name="wrist" type="prismatic"><parent link="flange"/><child link="hand"/><origin xyz="0.1 0 0"/></joint>
  <link name="hand">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
</robot>
)";

/// \returns the text with the first of these words replaced.
inline std::string text_with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

/// \returns whether some note has these words.
inline bool tells(const MechanismDescription& description, const std::string& words) {
  return std::any_of(description.notes.begin(), description.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

/// \returns the message of the refusal, empty where the text is accepted.
inline std::string refusal_of_text(const std::string& text, const std::string& name, const RobotOptions& options = {}) {
  try {
    static_cast<void>(load_mechanism(text, name, options));
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

}  // namespace mbdbench
