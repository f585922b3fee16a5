# The Debian package (`make deb`), by CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME snag)
set(CPACK_PACKAGE_CONTACT "The snag authors <snag@localhost.localdomain>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "data race detector for C and C++ that predicts and replays races")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "snag finds data races in programs with threads, tasks and OpenMP, also races
 that the run did not show, and replays each along a schedule that has it.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc | clang, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang, g++, gdb, libomp-dev")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/triggers)
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR ON) # so that the runtime knows where the tool will be: /usr/bin/snag
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_finish.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

# What every Debian package has.
set(PACKAGE_DOC ${CMAKE_BINARY_DIR}/generated/doc)
file(MAKE_DIRECTORY ${PACKAGE_DOC})
file(WRITE ${PACKAGE_DOC}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: snag

Files: *
Copyright: 2026 The snag authors
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
file(WRITE ${PACKAGE_DOC}/changelog "snag (${PROJECT_VERSION}) stable; urgency=medium

  * See NEWS.md.

 -- The snag authors <snag@localhost.localdomain>  Wed, 18 Nov 2026 00:00:00 +0000
")
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nf ${PACKAGE_DOC}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${PACKAGE_DOC}/copyright ${PACKAGE_DOC}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/snag)
include(CPack)
