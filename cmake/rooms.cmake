# mbdbench_unity_groups(SOURCES...): what one compilation takes together where CMAKE_UNITY_BUILD is on (sanitizers and
# clang-tidy, which spend most of their time on Eigen's and GoogleTest's headers): eight files of one folder. So names in
# anonymous namespaces differ within a folder; a build by files does not notice.
function(mbdbench_unity_groups)
  set(PREVIOUS "")
  foreach(SOURCE ${ARGN})
    get_filename_component(FOLDER ${SOURCE} DIRECTORY)
    if(NOT FOLDER STREQUAL PREVIOUS)
      set(PREVIOUS ${FOLDER})
      set(COUNT 0)
      file(RELATIVE_PATH NAME ${PROJECT_SOURCE_DIR} ${FOLDER})
      string(REPLACE "/" "_" NAME ${NAME})
    endif()
    math(EXPR BATCH "${COUNT} / 8")
    math(EXPR COUNT "${COUNT} + 1")
    set_source_files_properties(${SOURCE} PROPERTIES UNITY_GROUP ${NAME}_${BATCH})
  endforeach()
endfunction()

# mbdbench_room(NAME DIRECTORY dir LINKS targets...): the static library mbdbench_NAME from every .cpp below dir.
# Sources are globbed so that a new formulation or mechanism costs its own files and one registry line, and no build line.
function(mbdbench_room NAME)
  cmake_parse_arguments(ROOM "" "DIRECTORY" "LINKS" ${ARGN})
  file(GLOB_RECURSE SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ROOM_DIRECTORY}/*.cpp)
  list(FILTER SOURCES EXCLUDE REGEX "/main\\.cpp$")
  mbdbench_unity_groups(${SOURCES})
  add_library(mbdbench_${NAME} STATIC ${SOURCES})
  add_library(mbdbench::${NAME} ALIAS mbdbench_${NAME})
  target_include_directories(mbdbench_${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mbdbench>)
  target_compile_features(mbdbench_${NAME} PUBLIC cxx_std_20)
  target_link_libraries(mbdbench_${NAME} PUBLIC ${ROOM_LINKS} mbdbench_abi PRIVATE $<BUILD_INTERFACE:mbdbench_warnings>)
  set_target_properties(mbdbench_${NAME} PROPERTIES EXPORT_NAME ${NAME} UNITY_BUILD_MODE GROUP)
endfunction()
