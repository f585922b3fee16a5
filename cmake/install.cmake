# What `make install` installs: the tool, its man pages, shell completion, and the files that
# tell pkg-config and CMake where it is.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS snag RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# One word for build systems that want one.
foreach(word snag-cc snag-c++ snag-fc)
	file(CREATE_LINK snag ${CMAKE_BINARY_DIR}/${word} SYMBOLIC)
	install(FILES ${CMAKE_BINARY_DIR}/${word} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

install(DIRECTORY ${RUNTIME_DIR} DESTINATION lib)
install(CODE "
	get_filename_component(PREFIX \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
	set(TOOL_PATH \"\${PREFIX}/${CMAKE_INSTALL_BINDIR}/snag\")
	configure_file(${CMAKE_SOURCE_DIR}/src/runtime/tool.s.in ${CMAKE_BINARY_DIR}/generated/installed.s @ONLY)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -c -o \"\$ENV{DESTDIR}\${PREFIX}/lib/snag/tool.o\"
		${CMAKE_BINARY_DIR}/generated/installed.s COMMAND_ERROR_IS_FATAL ANY)
")

# Tasks for programs: the headers, the library as an archive and shared, and its snag-task.pc.
install(DIRECTORY include/snag DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS snag_task snag_task_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
configure_file(cmake/snag-task.pc.in ${CMAKE_BINARY_DIR}/generated/snag-task.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/snag-task.pc
	DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

# Files for build systems of other projects: a toolchain, a module, a native file of Meson.
install(DIRECTORY cmake/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}/snag)

# Man pages, from Markdown.
file(GLOB MAN_SOURCES CONFIGURE_DEPENDS docs/man/*.1.md)
foreach(source ${MAN_SOURCES})
	get_filename_component(page ${source} NAME_WLE)
	set(target ${CMAKE_BINARY_DIR}/man/man1/${page})
	add_custom_command(OUTPUT ${target}
		COMMAND ${CMAKE_SOURCE_DIR}/scripts/man.sh ${PROJECT_VERSION} ${source} > ${target}
		DEPENDS ${source} ${CMAKE_SOURCE_DIR}/scripts/man.sh VERBATIM)
	list(APPEND MAN_PAGES ${target})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man/man1)
add_custom_target(man ALL DEPENDS ${MAN_PAGES})
install(FILES ${MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Completion, from the option tables in the tool.
set(COMPLETION ${CMAKE_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${COMPLETION})
foreach(shell bash zsh)
	add_custom_command(OUTPUT ${COMPLETION}/snag.${shell}
		COMMAND snag completion ${shell} > ${COMPLETION}/snag.${shell}
		DEPENDS snag VERBATIM)
endforeach()
add_custom_target(completion ALL DEPENDS ${COMPLETION}/snag.bash ${COMPLETION}/snag.zsh)
install(FILES ${COMPLETION}/snag.bash RENAME snag
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${COMPLETION}/snag.zsh RENAME _snag
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# snag.pc finds its prefix from its own place, so that PREFIX may be chosen at installation.
configure_file(cmake/snag.pc.in ${CMAKE_BINARY_DIR}/generated/snag.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/snag.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

set(PACKAGE_DIR ${CMAKE_INSTALL_DATADIR}/cmake/snag)
configure_package_config_file(cmake/snagConfig.cmake.in
	${CMAKE_BINARY_DIR}/generated/snagConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR}
	NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/snagConfigVersion.cmake
	COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/generated/snagConfig.cmake
	${CMAKE_BINARY_DIR}/generated/snagConfigVersion.cmake DESTINATION ${PACKAGE_DIR})
