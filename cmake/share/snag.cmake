# snag_test(NAME [COMMAND] TARGET ARGS...): a test that runs under `snag run`, with its report in
# SNAG_REPORTS (default: snag-reports/ in the build folder).  It fails if there is a report, or as
# the program does.
#
#   include(/usr/share/snag/snag.cmake)
#   snag_test(bank COMMAND bank --accounts 3)
set(SNAG_REPORTS "${CMAKE_BINARY_DIR}/snag-reports" CACHE PATH "reports of snag_test()")

function(snag_test name)
	cmake_parse_arguments(ARG "" "" "COMMAND" ${ARGN})
	set(words ${ARG_COMMAND} ${ARG_UNPARSED_ARGUMENTS})
	list(POP_FRONT words program)
	if(TARGET ${program})
		set(program $<TARGET_FILE:${program}>)
	endif()
	file(MAKE_DIRECTORY "${SNAG_REPORTS}")
	add_test(NAME ${name} COMMAND snag run --json "${SNAG_REPORTS}/${name}.json"
		--html "${SNAG_REPORTS}/${name}.html" --sarif "${SNAG_REPORTS}/${name}.sarif"
		-- ${program} ${words})
endfunction()
