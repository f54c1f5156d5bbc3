# The installable package: find_package(mbdbench) gives mbdbench::experiments and the other rooms, mbdbench the program.
include(CMakePackageConfigHelpers)
set(MBDBENCH_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mbdbench)
set(MBDBENCH_ROOMS model catalogue io integrators formulations experiments)
list(TRANSFORM MBDBENCH_ROOMS PREPEND mbdbench_ OUTPUT_VARIABLE MBDBENCH_ROOM_TARGETS)

# The layout flags travel with the libraries: code compiled without them would disagree on Eigen's alignment.
set_target_properties(mbdbench_abi PROPERTIES EXPORT_NAME abi)
install(TARGETS ${MBDBENCH_ROOM_TARGETS} mbdbench_abi EXPORT mbdbench ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mbdbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Paths below the include directory are the paths of the tree, so that #include lines read the same inside and outside.
install(DIRECTORY mechanisms formulations integrators experiments
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mbdbench FILES_MATCHING PATTERN "*.hpp")
install(EXPORT mbdbench NAMESPACE mbdbench:: FILE mbdbenchTargets.cmake DESTINATION ${MBDBENCH_PACKAGE_DIR})

configure_package_config_file(cmake/mbdbenchConfig.cmake.in ${PROJECT_BINARY_DIR}/mbdbenchConfig.cmake
                              INSTALL_DESTINATION ${MBDBENCH_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
# Interfaces may still change between minor versions while the major version is 0.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mbdbenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mbdbenchConfig.cmake ${PROJECT_BINARY_DIR}/mbdbenchConfigVersion.cmake cmake/muparser.cmake
        DESTINATION ${MBDBENCH_PACKAGE_DIR})
include(cmake/shipped_files.cmake)
mbdbench_ship(${CMAKE_INSTALL_DATADIR}/mbdbench)
install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
