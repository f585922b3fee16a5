# The runtime that `snag cc` links into programs: one object, in which only the ABI and the
# functions it stands in front of are global; see src/runtime/rt.h.
#
# With it go the detectors that judge programs of tasks from inside (src/inside): the objects of the
# tool, whose memory is the runtime's, so their calls of the C library's memory functions are renamed.
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c src/runtime/*/*.c src/own/*.c src/inside/heap.c)
list(FILTER RUNTIME_SOURCES EXCLUDE REGEX "/src/runtime/hooks/")
add_library(snag_rt_objects OBJECT ${RUNTIME_SOURCES})
file(GLOB JUDGE_SOURCES CONFIGURE_DEPENDS src/inside/access.c src/inside/first.c src/inside/judge.c src/inside/ranges.c src/shadow/shadow.c src/base/memory.c
	src/detect/tasks/serial.c src/detect/tasks/spbags.c src/detect/tasks/espbags.c src/detect/tasks/drdp.c src/detect/tasks/drdp_now.c src/detect/tasks/drdp_tasks.c src/detect/tasks/drdp_retire.c src/order/retire.c src/detect/tasks/guard.c src/order/lockset.c src/base/slots.c
	src/detect/past.c src/order/bags.c src/order/dpst.c src/order/joins.c src/order/task_order.c
	src/trace/event.c)
add_library(snag_judge_objects OBJECT ${JUDGE_SOURCES})
foreach(objects snag_rt_objects snag_judge_objects)
	target_include_directories(${objects} PRIVATE src)
	set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
	target_compile_options(${objects} PRIVATE -O2 -fno-builtin -fno-sanitize=all -ftls-model=initial-exec
		-fno-stack-protector -U_FORTIFY_SOURCE -fexceptions -fno-reorder-functions -mcx16 -Wno-nonnull
		-Wno-nonnull-compare)
endforeach()
target_compile_options(snag_judge_objects PRIVATE -fvisibility=hidden)
set(JUDGE_RENAMES)
foreach(name malloc calloc realloc posix_memalign free mmap mremap munmap madvise write)
	list(APPEND JUDGE_RENAMES --redefine-sym ${name}=inside_${name})
endforeach()

set(RUNTIME_DIR ${CMAKE_BINARY_DIR}/lib/snag)
set(RUNTIME_RENAMES)
file(STRINGS src/runtime/interpose/libc.def RUNTIME_LIBC REGEX "^LIBC")
list(TRANSFORM RUNTIME_LIBC REPLACE "^LIBC[(][^,]*, ([a-z_]+),.*" "\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/runtime/interpose/libc.def)
foreach(name memcpy memmove memset ${RUNTIME_LIBC})
	list(APPEND RUNTIME_RENAMES --redefine-sym ${name}=rt_${name} --redefine-sym rt_wrap_${name}=${name})
endforeach()
# An archive of its own: functions that only those programs get that call them.
add_library(snag_hooks_objects OBJECT src/runtime/hooks/syscalls.c src/runtime/hooks/interceptors.c)
target_include_directories(snag_hooks_objects PRIVATE src)
set_target_properties(snag_hooks_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(snag_hooks_objects PRIVATE -O2 -fno-builtin -fno-sanitize=all -fno-stack-protector
	-U_FORTIFY_SOURCE -Wno-unused-parameter)
set(NO_ACCESS ${CMAKE_SOURCE_DIR}/src/runtime/hooks/no_access.s)
# tool.o says where the tool is; `make install` makes another for the place where it installs.
set(TOOL_PATH ${CMAKE_BINARY_DIR}/snag)
configure_file(src/runtime/tool.s.in ${CMAKE_BINARY_DIR}/generated/tool.s @ONLY)
# gcc links -ltsan and libtsan_preinit.o of its own accord: exe/ holds what an executable gets,
# shared/ the nothing that a shared library gets.
add_custom_command(OUTPUT ${RUNTIME_DIR}/libsnag_rt.a
	COMMAND ${CMAKE_COMMAND} -E make_directory ${RUNTIME_DIR}/exe ${RUNTIME_DIR}/shared
	COMMAND ${CMAKE_LINKER} -r -o snag_judge.o $<TARGET_OBJECTS:snag_judge_objects>
	COMMAND ${CMAKE_OBJCOPY} ${JUDGE_RENAMES} snag_judge.o
	COMMAND ${CMAKE_LINKER} -r -o snag_rt.o $<TARGET_OBJECTS:snag_rt_objects> snag_judge.o
	COMMAND ${CMAKE_OBJCOPY} ${RUNTIME_RENAMES} snag_rt.o snag_rt_renamed.o
	COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o snag_rt.o snag_rt_renamed.o
	COMMAND ${CMAKE_OBJCOPY} --rename-section .text=snag_rt_text,alloc,load,readonly,code,contents snag_rt.o
	COMMAND ${CMAKE_OBJCOPY} --localize-hidden snag_rt.o
	# A program may define functions of the C library for itself, as it may without snag.  Only what
	# the runtime defines is weakened: linkers bring no archive member for a weak reference.
	COMMAND sh -c "$1 -g --defined-only snag_rt.o | sed -n 's/.* \\([a-z][a-z_0-9]*\\)$/\\1/p' >snag_rt.weak" sh ${CMAKE_NM}
	COMMAND ${CMAKE_OBJCOPY} --weaken-symbols=snag_rt.weak snag_rt.o
	# The names by which such a program calls the functions of the runtime: hooks/interceptors.c.
	COMMAND sh -c "$1 -g --defined-only snag_rt.o | grep -Ev ' (_gfortran|__tsan|__snag|__sanitizer|__cxa_guard)' | sed -En 's/^([0-9a-f]*) [TW] ([a-z_][a-z_0-9]*)$/--add-symbol __interceptor_\\2=snag_rt_text:0x\\1,function,weak/p' >snag_rt.names" sh ${CMAKE_NM}
	COMMAND ${CMAKE_OBJCOPY} @snag_rt.names snag_rt.o
	COMMAND ${CMAKE_COMMAND} -E rm -f libsnag_rt.a ${RUNTIME_DIR}/shared/libtsan.a
	COMMAND ${CMAKE_AR} rcs libsnag_rt.a snag_rt.o
	COMMAND ${CMAKE_C_COMPILER} -c -o no_access.o ${NO_ACCESS}
	COMMAND ${CMAKE_LINKER} -r -o syscall_hooks.o $<FILTER:$<TARGET_OBJECTS:snag_hooks_objects>,INCLUDE,syscalls> no_access.o
	COMMAND ${CMAKE_COMMAND} -E rm -f ${RUNTIME_DIR}/libsnag_hooks.a
	COMMAND ${CMAKE_AR} rcs ${RUNTIME_DIR}/libsnag_hooks.a syscall_hooks.o
		$<FILTER:$<TARGET_OBJECTS:snag_hooks_objects>,INCLUDE,interceptors>
	COMMAND ${CMAKE_COMMAND} -E copy libsnag_rt.a ${RUNTIME_DIR}/exe/libtsan.a
	COMMAND ${CMAKE_AR} rcs ${RUNTIME_DIR}/shared/libtsan.a
	COMMAND ${CMAKE_C_COMPILER} -x c -c -o ${RUNTIME_DIR}/exe/libtsan_preinit.o /dev/null
	COMMAND ${CMAKE_COMMAND} -E copy ${RUNTIME_DIR}/exe/libtsan_preinit.o ${RUNTIME_DIR}/shared/
	COMMAND ${CMAKE_COMMAND} -E copy libsnag_rt.a ${RUNTIME_DIR}/libsnag_rt.a
	COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/src/runtime/sched/pause.s ${RUNTIME_DIR}/pause.s
	COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/src/omp/own.s ${RUNTIME_DIR}/own.s
	COMMAND ${CMAKE_C_COMPILER} -c -o ${RUNTIME_DIR}/tool.o ${CMAKE_BINARY_DIR}/generated/tool.s
	DEPENDS src/runtime/sched/pause.s src/omp/own.s ${NO_ACCESS} snag_hooks_objects $<TARGET_OBJECTS:snag_hooks_objects> ${CMAKE_BINARY_DIR}/generated/tool.s snag_rt_objects $<TARGET_OBJECTS:snag_rt_objects> $<TARGET_OBJECTS:snag_judge_objects>
	WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(snag_rt ALL DEPENDS ${RUNTIME_DIR}/libsnag_rt.a)
