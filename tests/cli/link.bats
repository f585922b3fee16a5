#!/usr/bin/env bats
# `snag cc` in the ways in which build systems call it.  The program has a race in a shared library.
load helper

sources() {
	echo 'int shared; void touch(void) { shared++; }' >lib.c
	cat >main.c <<-'END'
		#include <pthread.h>
		void touch(void);
		static void *run(void *unused)
		{
			touch();
			return unused;
		}
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, run, 0);
			touch();
			pthread_join(t, 0);
			return 0;
		}
	END
	one=$(dirname "$SNAG")/snag-cc
}

# The race of a program is reported, with its line.
reports() { # PROGRAM
	local status=0
	timeout 60 "$SNAG" run --with hb "$1" >out 2>&1 || status=$?
	[ $status = 66 ] || { echo "$1: status $status"; cat out; return 1; }
	grep -q 'in touch$' out
	grep -q 'lib\.c:1' out
}

@test "linkers, libraries without undefined symbols, hidden archives" {
	sources
	for linker in bfd gold mold; do
		command -v ld.$linker >path || skip "$linker is not installed"
		for SNAG_CC in gcc clang; do
			export SNAG_CC
			"$one" -g -fPIC -shared -fuse-ld=$linker -Wl,--no-undefined \
				-Wl,--as-needed,-z,defs -o liblib.so lib.c
			"$one" -g -pthread -fuse-ld=$linker -Wl,--exclude-libs,ALL \
				-Wl,--exclude-libs=ALL,--as-needed -o prog main.c -L. -llib -Wl,-rpath,"$PWD"
			reports ./prog
		done
	done
}

@test "what a program leaves undefined is still an error" {
	sources
	run "$one" -pthread -Wl,--no-undefined -o prog main.c
	[ "$status" != 0 ]
	[[ $output == *touch* ]]
}

@test "-gsplit-dwarf" {
	sources
	for SNAG_CC in gcc clang; do
		export SNAG_CC
		"$one" -g -gsplit-dwarf -c main.c
		"$one" -g -gsplit-dwarf -c lib.c
		"$one" -pthread -o prog main.o lib.o
		reports ./prog
	done
}

@test "ccache" {
	command -v ccache >path || skip "ccache is not installed"
	sources
	export CCACHE_DIR=$PWD/cache
	for n in 1 2; do
		ccache "$one" -g -c main.c
		ccache "$one" -g -c lib.c
	done
	"$one" -pthread -o prog main.o lib.o
	reports ./prog
}

@test "CMake, by CMAKE_C_COMPILER" {
	sources
	printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(p C)' \
		'find_package(Threads REQUIRED)' 'add_library(lib SHARED lib.c)' \
		'target_link_options(lib PRIVATE -Wl,--no-undefined)' 'add_executable(prog main.c)' \
		'target_link_libraries(prog lib Threads::Threads)' >CMakeLists.txt
	for SNAG_CC in gcc clang; do
		export SNAG_CC
		cmake -S . -B $SNAG_CC -DCMAKE_C_COMPILER="$one" -DCMAKE_BUILD_TYPE=Debug >log
		cmake --build $SNAG_CC >log
		reports $SNAG_CC/prog
	done
}

@test "Meson" {
	command -v meson >path || skip "meson is not installed"
	sources
	printf '%s\n' "project('p', 'c')" "lib = shared_library('lib', 'lib.c')" \
		"executable('prog', 'main.c', link_with: lib, dependencies: dependency('threads'))" >meson.build
	for SNAG_CC in gcc clang; do
		export SNAG_CC
		CC=$one meson setup $SNAG_CC >log
		ninja -C $SNAG_CC >log
		reports $SNAG_CC/prog
	done
}

@test "what -fsanitize-coverage and dynamic_annotations.h call" {
	cat >covered.c <<-'END'
		#include <stdio.h>
		int RunningOnValgrind(void);
		double ValgrindSlowdown(void);
		void AnnotatePCQCreate(const char *file, int line, const volatile void *queue);
		int main(int argc, char **argv)
		{
			AnnotatePCQCreate(__FILE__, __LINE__, argv);
			switch (argc) {
			case 1:
				puts("one");
				break;
			case 3:
				puts("three");
				break;
			case 7:
				puts("seven");
			}
			return RunningOnValgrind() + ((int)ValgrindSlowdown() != 10);
		}
	END
	SNAG_CC=gcc "$SNAG" cc -g -O1 -fsanitize-coverage=trace-pc,trace-cmp -o covered covered.c
	[ "$(./covered)" = one ]
	SNAG_CC=clang "$SNAG" cc -g -O1 -o covered covered.c \
		-fsanitize-coverage=trace-cmp,inline-8bit-counters,pc-table,indirect-calls,trace-div,trace-gep
	[ "$(./covered)" = one ]
}

@test "what linux_syscall_hooks.h calls" {
	cat >hooks.c <<-'END'
		#include <unistd.h>
		#include <sys/syscall.h>
		void __sanitizer_syscall_pre_impl_fork(void);
		void __sanitizer_syscall_post_impl_fork(long);
		void __sanitizer_syscall_pre_impl_write(long, long, long);
		int main(void)
		{
			__sanitizer_syscall_pre_impl_write(1, 2, 3);
			__sanitizer_syscall_pre_impl_fork();
			long pid = syscall(SYS_fork);
			__sanitizer_syscall_post_impl_fork(pid);
			return pid < 0;
		}
	END
	for SNAG_CC in gcc clang; do
		SNAG_CC=$SNAG_CC "$SNAG" cc -w -g -O1 -o hooks hooks.c
		./hooks
	done
	SNAG_CC=gcc "$SNAG" cc -w -o covered -x c - <<<'int main(void) { return 0; }'
	run nm covered
	[[ $output != *__sanitizer_syscall* ]] # only who calls them has them
	[[ $output != *__interceptor_fopen* ]]
}

# A program that makes its system calls by itself: one thread sends a buffer into which main reads.
@test "hooks of system calls report accesses" {
	cat >calls.c <<-'END'
		#include <pthread.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		void __sanitizer_syscall_post_impl_read(long, long, long, long);
		void __sanitizer_syscall_pre_impl_write(long, long, long);
		static char buffer[16];
		static int fd[2], has_read;
		static void *sends(void *unused)
		{
			while (!__atomic_load_n(&has_read, __ATOMIC_RELAXED))
				;
			__sanitizer_syscall_pre_impl_write(fd[1], (long)buffer, sizeof(buffer));
			syscall(SYS_write, fd[1], buffer, sizeof(buffer));
			return unused;
		}
		int main(void)
		{
			pthread_t t;
			if (pipe(fd) || syscall(SYS_write, fd[1], "0123456789abcdef", 16) != 16)
				return 1;
			pthread_create(&t, NULL, sends, NULL);
			long n = syscall(SYS_read, fd[0], buffer, sizeof(buffer));
			__sanitizer_syscall_post_impl_read(n, fd[0], (long)buffer, sizeof(buffer));
			__atomic_store_n(&has_read, 1, __ATOMIC_RELAXED);
			pthread_join(t, NULL);
			return 0;
		}
	END
	for SNAG_CC in gcc clang; do
		SNAG_CC=$SNAG_CC "$SNAG" cc -w -g -O1 -pthread -o calls calls.c
		run "$SNAG" run ./calls
		[ "$status" = 66 ]
		[[ $output == *"data race"*" at buffer"* ]]
	done
}

@test "__interceptor_ names of functions that a program defines" {
	cat >own.c <<-'END'
		#include <stdarg.h>
		#include <stdio.h>
		#include <string.h>
		FILE *__interceptor_fopen(const char *, const char *);
		size_t __interceptor_strlen(const char *);
		long double __interceptor_modfl(long double, long double *);
		static int opened, measured;
		FILE *fopen(const char *path, const char *mode)
		{
			opened++;
			return __interceptor_fopen(path, mode);
		}
		size_t strlen(const char *s)
		{
			measured++;
			return __interceptor_strlen(s);
		}
		int main(int n, char **word)
		{
			long double whole;
			FILE *a = fopen("/dev/null", "r"), *b = fopen("/dev/null", "w");
			if (!a || !b || opened != 2 || strlen(word[0]) != 5 || measured != 1)
				return 1;
			return __interceptor_modfl(2.5L, &whole) != 0.5L || whole != 2;
		}
	END
	for SNAG_CC in gcc clang; do
		SNAG_CC=$SNAG_CC "$SNAG" cc -w -g -O1 -fno-builtin -o own own.c
		./own
	done
}

@test "-fno-sanitize=thread: a file or a library that is not instrumented" {
	echo 'int changed; void change(void) { changed++; }' >part.c
	cat >whole.c <<-'END'
		#include <pthread.h>
		void change(void);
		static void *changes(void *unused) { change(); return unused; }
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, changes, 0);
			change();
			return pthread_join(t, 0);
		}
	END
	for SNAG_CC in gcc clang; do
		SNAG_CC=$SNAG_CC "$SNAG" cc -g -fPIC -fsanitize=thread -fno-sanitize=thread -c part.c
		run nm part.o
		[[ $output != *__tsan* ]]
		SNAG_CC=$SNAG_CC "$SNAG" cc -g -pthread -o whole whole.c part.o
		"$SNAG" run ./whole
		SNAG_CC=$SNAG_CC "$SNAG" cc -g -fPIC -shared -fno-sanitize=thread -o libpart.so part.c
		SNAG_CC=$SNAG_CC "$SNAG" cc -g -pthread -o whole whole.c ./libpart.so
		"$SNAG" run ./whole
		SNAG_CC=$SNAG_CC "$SNAG" cc -g -pthread -fno-sanitize=thread -fsanitize=thread -o whole \
			whole.c part.c
		run "$SNAG" run ./whole
		[ "$status" = 66 ]
	done
}

@test "other sanitizers are refused" {
	sources
	for flag in -fsanitize=address -fsanitize=undefined,address -fsanitize=memory; do
		snags cc $flag main.c lib.c
		refused 2 "snag: cc: $flag: snag instruments as for ThreadSanitizer*"
	done
	"$one" -fsanitize=address -fno-sanitize=address -pthread main.c lib.c -o prog
}

@test "an operator new of the program serves all forms, also with a static libstdc++" {
	local static
	cat >plain.cc <<-'END'
		#include <cstdlib>
		#include <new>
		static int made, ended;
		void *operator new(std::size_t n)
		{
			long *block = (long *)malloc(n + 16);
			if (!block)
				throw std::bad_alloc();
			*block = 0x1234;
			made++;
			return block + 2;
		}
		void operator delete(void *p) noexcept
		{
			long *block = (long *)p - 2;
			if (*block != 0x1234)
				_Exit(3);
			ended++;
			free(block);
		}
		void operator delete(void *p, std::size_t) noexcept { operator delete(p); }
		int main()
		{
			int *volatile array = new int[10];
			delete[] array;
			int *volatile one = new (std::nothrow) int;
			delete one;
			return made != 2 || ended != 2;
		}
	END
	for SNAG_CC in gcc clang; do
		export SNAG_CC
		for static in "" -static-libstdc++; do
			snag c++ $static -std=c++14 -g -O1 -w plain.cc -o plain
			snag run ./plain
		done
	done
}
