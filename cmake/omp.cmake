# The OpenMP runtime that `snag cc -fopenmp` links instead of libomp or libgomp: it has their names,
# in a folder of its own that is searched first.
file(GLOB SNAG_OMP_SOURCES CONFIGURE_DEPENDS src/omp/*.c)
add_library(snag_omp STATIC ${SNAG_OMP_SOURCES} src/task/fiber.c src/task/stacks.c src/base/pages.c
	src/base/pool.c)
target_include_directories(snag_omp PRIVATE src include)
target_compile_options(snag_omp PRIVATE -fPIC -ftls-model=initial-exec -fexceptions -fno-sanitize=all)

set(SNAG_OMP_DIR ${RUNTIME_DIR}/omp)
add_custom_command(OUTPUT ${SNAG_OMP_DIR}/libomp.a
	COMMAND ${CMAKE_COMMAND} -E make_directory ${SNAG_OMP_DIR}
	COMMAND ${CMAKE_OBJCOPY} --rename-section .text=snag_omp_text,alloc,load,readonly,code,contents
		--redefine-sym memset=mp_memset --redefine-sym memcpy=mp_memcpy
		$<TARGET_FILE:snag_omp> ${SNAG_OMP_DIR}/libomp.a
	COMMAND ${CMAKE_COMMAND} -E create_symlink libomp.a ${SNAG_OMP_DIR}/libgomp.a
	DEPENDS snag_omp VERBATIM)
add_custom_target(snag_omp_runtime ALL DEPENDS ${SNAG_OMP_DIR}/libomp.a)
