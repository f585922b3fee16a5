# libsnag_task: tasks for C and C++ programs (<snag/task.h>), with nothing else of snag in it.
file(GLOB SNAG_TASK_SOURCES CONFIGURE_DEPENDS src/task/*.c)
add_library(snag_task_objects OBJECT ${SNAG_TASK_SOURCES} src/base/pages.c src/base/pool.c)
set_target_properties(snag_task_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(snag_task_objects PRIVATE src include)
target_compile_options(snag_task_objects PRIVATE -ftls-model=initial-exec) # one word, often asked for

add_library(snag_task STATIC $<TARGET_OBJECTS:snag_task_objects>)
add_library(snag_task_shared SHARED $<TARGET_OBJECTS:snag_task_objects>)
set_target_properties(snag_task_shared PROPERTIES OUTPUT_NAME snag_task
	VERSION ${PROJECT_VERSION} SOVERSION 0)
foreach(library snag_task snag_task_shared)
	target_include_directories(${library} PUBLIC include)
	target_link_libraries(${library} PUBLIC Threads::Threads)
endforeach()

# What `snag cc -fsnag-task` adds, beside the runtime; programs are not sanitized with us.  Its code has a section
# of its own: calls from there are left out of stacks.
set(SNAG_TASK_FOR_PROGRAMS snag_task)
if(SNAG_SANITIZE)
	add_library(snag_task_plain STATIC ${SNAG_TASK_SOURCES} src/base/pages.c src/base/pool.c)
	target_include_directories(snag_task_plain PRIVATE src include)
	target_compile_options(snag_task_plain PRIVATE -fPIC -ftls-model=initial-exec -fno-sanitize=all)
	set(SNAG_TASK_FOR_PROGRAMS snag_task_plain)
endif()
file(GLOB_RECURSE SNAG_TASK_HEADERS CONFIGURE_DEPENDS include/snag/*)
add_custom_command(OUTPUT ${RUNTIME_DIR}/libsnag_task.a
	COMMAND ${CMAKE_OBJCOPY} --rename-section .text=snag_task_text,alloc,load,readonly,code,contents
		$<TARGET_FILE:${SNAG_TASK_FOR_PROGRAMS}> ${RUNTIME_DIR}/libsnag_task.a
	COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/include ${RUNTIME_DIR}/include
	DEPENDS ${SNAG_TASK_FOR_PROGRAMS} ${SNAG_TASK_HEADERS} VERBATIM)
add_custom_target(snag_task_runtime ALL DEPENDS ${RUNTIME_DIR}/libsnag_task.a)
