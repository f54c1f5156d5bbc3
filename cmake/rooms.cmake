# mbdbench_room(NAME DIRECTORY dir LINKS targets...): the static library mbdbench_NAME from every .cpp below dir.
# Sources are globbed so that a new formulation or mechanism costs its own files and one registry line, and no build line.
function(mbdbench_room NAME)
  cmake_parse_arguments(ROOM "" "DIRECTORY" "LINKS" ${ARGN})
  file(GLOB_RECURSE SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ROOM_DIRECTORY}/*.cpp)
  list(FILTER SOURCES EXCLUDE REGEX "/main\\.cpp$")
  add_library(mbdbench_${NAME} STATIC ${SOURCES})
  add_library(mbdbench::${NAME} ALIAS mbdbench_${NAME})
  target_include_directories(mbdbench_${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mbdbench>)
  target_compile_features(mbdbench_${NAME} PUBLIC cxx_std_20)
  target_link_libraries(mbdbench_${NAME} PUBLIC ${ROOM_LINKS} mbdbench_abi PRIVATE $<BUILD_INTERFACE:mbdbench_warnings>)
  set_target_properties(mbdbench_${NAME} PROPERTIES EXPORT_NAME ${NAME})
endfunction()
