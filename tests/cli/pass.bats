#!/usr/bin/env bats
# The plugin for clang (pass/): what it sees, what it removes, and that removing changes nothing.
# PASS_CC=clang-19 runs them with the plugin for LLVM 19.
load helper

kinds="local dominated sequential readonly invariant footprint joined"

need_pass() {
	ls "$(dirname "$SNAG")"/lib/snag/snag-pass-14.so >/dev/null 2>&1 || skip "no plugin was built"
}

# Skips what only tries the plugin: a sanitized snag loads that of the other build.
same_pass() {
	if is_sanitized; then skip "the plugin is that of the other build"; fi
}

compile() { # FLAGS... SOURCE-OR-OBJECT
	SNAG_CC=${PASS_CC:-clang} "$SNAG" cc "$@"
}

calls() { # FLAGS... < SOURCE: the functions of the runtime that are called, sorted
	compile -fsnag-pass-no-inlined "$@" -x c - -S -o - | sed -nE 's/^\s+(callq|jmp)\s+(__(tsan|snag)_[a-z0-9_]+|mem[a-z]+).*/\2/p' |
		grep -vE 'func_e|init' | sort | uniq -c | awk '{print $2 "=" $1}' | paste -sd' '
}

static() { # OBJECT: what the pass says it did
	readelf -p .snag.pass "$1" | sed -nE 's/^ +\[ +[0-9]+\] +//p' | sed 's/\^I/ /g'
}

@test "accesses that clang's own pass does not see" {
	need_pass
	cat >x.c <<-'C'
		typedef float wide __attribute__((vector_size(32)));
		struct large { char c[40]; };
		struct huge { char c[400]; };
		wide w;
		long double l;
		struct large a, b;
		struct huge c, d;
		void vector(void) { w += w; }
		void real(void) { l = 1; }
		void copies(void) { a = b; }
		void call(void) { c = d; }
	C
	[ "$(calls -O1 <x.c)" = "__snag_elements_read=1 __snag_elements_write=1 __snag_memcpy=1 __tsan_read_range=2 __tsan_write_range=3" ]
	[[ "$(calls -O1 -fno-snag-pass <x.c)" =~ ^(__tsan_)?memcpy=2$ ]]
}

@test "arrays and vectors are told by element, if these are smaller than a word" {
	need_pass
	cat >x.c <<-'C'
		#include <string.h>
		typedef short few __attribute__((vector_size(16)));
		int a[100], b[100];
		void set(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
		void copy(void) { memcpy(a, b, sizeof(a)); }
		void vector(few *p) { *p = (few){1}; }
	C
	[ "$(calls -O2 <x.c)" = "__snag_elements_read=1 __snag_elements_write=3 __snag_memcpy=1 __snag_memset=1" ]
	[ "$(sed 's/int a/double a/; s/int [*]p/long *p/; s/short/long/' x.c | calls -O2)" = \
		"__snag_memcpy=1 __snag_memset=1 __tsan_read_range=1 __tsan_write16=1 __tsan_write_range=2" ]
	[ "$(calls -O2 -fsnag-task <x.c | grep -c elements)" = 0 ]
}

@test "both parts of x++, unless only cells count" {
	need_pass
	[ "$(calls -O1 <<<'int x; void f(void) { x++; }')" = "__tsan_read4=1 __tsan_write4=1" ]
	[ "$(calls -O1 -fsnag-task <<<'int x; void f(void) { x++; }')" = "__tsan_write4=1" ]
}

@test "looking into the filter, in place or by a call, changes no trace" {
	need_pass
	cat >x.c <<-'C'
		#include <pthread.h>
		#include <string.h>
		typedef double two __attribute__((vector_size(16)));
		typedef double unaligned __attribute__((vector_size(16), aligned(1)));
		static union { char c[1 << 16]; short s[1 << 15]; int i[1 << 14]; long l[1 << 13]; two t[1 << 12]; } u;
		static unsigned next(unsigned *x) { return *x = *x * 1103515245 + 12345, *x >> 8; }
		static KIND unsigned step(unsigned x)
		{
			unsigned at = next(&x) % 97 * 16 + next(&x) % 2 * 16 * 1000, v = next(&x);
			switch (next(&x) % 10) {
			case 0: u.c[at] = v; break;
			case 1: x += u.c[at]; break;
			case 2: u.s[at / 2] = v; break;
			case 3: x += u.s[at / 2]; break;
			case 4: u.i[at / 4] += v; break;
			case 5: memcpy(u.c + at + 3, &v, 4); break;
			case 6: x += u.l[at / 8]; break;
			case 7: u.l[at / 8] = v; break;
			case 8: u.t[at / 16] += (two){v}; break;
			case 9: *(unaligned *)(u.c + at + 5) = (two){v}; break;
			}
			return x;
		}
		static void *work(void *seed)
		{
			unsigned x = (unsigned)(long)seed;
			for (int n = 0; n < 20000; n++)
				x = step(x);
			return 0;
		}
		int main(void)
		{
			pthread_t t[2];
			for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
			for (long i = 0; i < 2; i++) pthread_join(t[i], 0);
			return 0;
		}
	C
	local kind check
	for level in -O1 -O3; do
		# In a loop they are inlined, in a function of its own they are calls.
		for kind in "inline __snag_new" "__attribute__((noinline)) __snag"; do
			check=${kind##* } kind=${kind% *}
			for how in "" -fsnag-pass-no-inlined; do
				# shellcheck disable=SC2086 # none or one
				compile $level $how "-DKIND=$kind" x.c -o prog -pthread
				"$SNAG" record -o x.snag ./prog
				"$SNAG" convert x.snag - --to std | cut -d'|' -f1,2 | grep -F '(u' >"x$how"
			done
			[ "$(wc -l <x)" -gt 5000 ]
			cmp x x-fsnag-pass-no-inlined
			compile $level "-DKIND=$kind" x.c -S -o x.s
			for n in 1 2 4 8 16; do
				[ "$(grep -cE "call.*${check}_(read|write)$n\b" x.s)" -ge 2 ]
			done
		done
	done
}

@test "a check that is a call spares every register but r11" {
	need_pass
	cat >x.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		#define EACH(X) X(read1) X(read2) X(read4) X(read8) X(read16) X(write1) X(write2) X(write4) X(write8) X(write16)
		#define DECLARE(n) void __snag_##n(void), __snag_task_##n(void);
		#define LIST(n) __snag_##n, __snag_task_##n,
		EACH(DECLARE)
		static void (*const check[])(void) = {EACH(LIST)};
		enum { CHECKS = sizeof(check) / sizeof(check[0]), REGISTERS = 14 };
		/* Calls f with the address in rdi and other values in the other registers; writes what they are then. */
		void spared(void (*f)(void), void *address, long *ret_registers);
		__asm__("spared: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rdx;"
			"mov %rdi, %r11; mov %rsi, %rdi; mov $1, %eax; mov $2, %ecx; mov $3, %edx; mov $4, %esi;"
			"mov $5, %r8d; mov $6, %r9d; mov $7, %r10d; mov $8, %ebx; mov $9, %ebp; mov $10, %r12d;"
			"mov $11, %r13d; mov $12, %r14d; mov $13, %r15d; call *%r11;"
			"pop %r11; mov %rdi, (%r11); mov %rax, 8(%r11); mov %rcx, 16(%r11); mov %rdx, 24(%r11);"
			"mov %rsi, 32(%r11); mov %r8, 40(%r11); mov %r9, 48(%r11); mov %r10, 56(%r11); mov %rbx, 64(%r11);"
			"mov %rbp, 72(%r11); mov %r12, 80(%r11); mov %r13, 88(%r11); mov %r14, 96(%r11); mov %r15, 104(%r11);"
			"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret");
		static char memory[4096];
		static __attribute__((no_sanitize("thread"))) void *work(void *arg)
		{
			for (int n = 0; n < 20000; n++) {
				long r[REGISTERS];
				char *at = memory + n * 7919 % (sizeof(memory) - 16);
				spared(check[n % CHECKS], at, r);
				for (int i = 0; i < REGISTERS; i++)
					if (r[i] != (i ? i : (long)at))
						printf("check %d: register %d\n", n % CHECKS, i);
			}
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
			for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
			return 0;
		}
	C
	compile -O1 x.c -o prog -pthread
	for quantum in 20 20000; do
		[ "$(SNAG_OPTIONS=quantum=$quantum "$SNAG" record -o x.snag ./prog)" = "" ]
		[ "$("$SNAG" info x.snag | sed -nE 's/^events +//p')" -gt 5000 ]
	done
	[ "$(./prog)" = "" ]
	# The dynamic linker spares r10 only if it binds the call when it loads the library.
	compile -O1 -fPIC -S -o - -x c - <<<'int x; int f(void) { return x; }' | grep -q '[*]__snag_read4@GOTPCREL'
	compile -O1 -fPIE -S -o - -x c - <<<'int x; int f(void) { return x; }' | grep -qE 'call.*__snag_read4(@PLT)?$'
}

text() { # OBJECT: bytes of its code
	size -A "$1" | awk '$1 == ".text" { print $2 }'
}

@test "only checks of small loops are inlined: the code of small functions stays small" {
	need_pass
	python3 "$root/bench/functions.py" 400 >x.c
	"${PASS_CC:-clang}" -O2 -c x.c -o native.o
	"${PASS_CC:-clang}" -O2 -fsanitize=thread -c x.c -o tsan.o
	compile -O2 -c x.c -o snag.o
	echo "native $(text native.o), TSan $(text tsan.o), snag $(text snag.o)"
	[ "$(text snag.o)" -lt $((4 * $(text native.o))) ]
	[ "$(text snag.o)" -lt $((3 * $(text tsan.o) / 2)) ]
	nm snag.o | grep -q 'U __snag_new_read8' # in loops they are
	compile -Os -c x.c -o snag.o
	refute grep -q __snag_new_ <(nm snag.o)
	# A function with more loops than that has only so many inlined.
	{
		echo 'struct node { struct node *next; int key; };'
		echo 'int f(struct node **p, int *a, int *b) { int s = 0;'
		for i in {1..200}; do echo "for (struct node *x = p[$i]; x; x = x->next) { s += x->key + b[a[x->key]]; }"; done
		echo 'return s; }'
	} >x.c
	compile -O2 -S x.c -o x.s
	[ "$(grep -cE 'call.*__snag_read' x.s)" -gt 500 ]
	[ "$(grep -cE 'call.*__snag_new_read' x.s)" -le 128 ]
}

@test "a loop told as a whole changes no trace" {
	need_pass
	local cc o quantum i=0
	for cc in clang clang-19; do
		[ $cc = clang ] || { command -v $cc && ls "$(dirname "$SNAG")"/lib/snag/snag-pass-19.so; } >/dev/null 2>&1 || continue
		for o in -O1 -O3; do
			SNAG_CC=$cc "$SNAG" cc $o -g "$root/tests/pass/loops.c" -o prog -pthread
			[[ "$(static prog)" == *" loops="* ]]
			for quantum in 25 600 20000; do
				for loops in 0 1; do
					SNAG_OPTIONS=loops=$loops:quantum=$quantum "$SNAG" record --seed $i -o x.snag ./prog $i 100 >out$loops
					"$SNAG" convert x.snag - --to std | cut -d'~' -f1 >x$loops # but for where in the code of a line
				done
				[ "$(wc -l <x0)" -gt 5000 ]
				cmp x0 x1 && cmp out0 out1 || { echo "$cc $o, quantum $quantum, seed $i"; return 1; }
				i=$((i + 1))
			done
		done
	done
}

@test "a race inside of a loop told as a whole, and the replay that stops there" {
	need_pass
	cat >x.c <<-'C'
		#include <pthread.h>
		#include <string.h>
		#include <sys/mman.h>
		int x[1000], y;
		static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
		static void *fill(void *to)
		{
			int *a = to;
			for (int i = 0; i < 1000; i++)
				a[i] = 2 * i;
			pthread_mutex_lock(&l);
			pthread_mutex_unlock(&l);
			return 0;
		}
		static void *look(void *arg)
		{
			pthread_mutex_lock(&l);
			pthread_mutex_unlock(&l);
			y = x[500];
			return arg;
		}
		int main(int n, char **v)
		{
			pthread_t t[2];
			void *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			munmap(p + 4096, 4096);
			pthread_create(&t[0], 0, fill, n > 1 ? p + 4096 - 20 : (void *)x);
			pthread_create(&t[1], 0, look, 0);
			for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
		}
	C
	compile -O2 -g x.c -o prog -pthread
	[[ "$(static prog)" == *" loops="* ]]
	run "$SNAG" run --seed 1 ./prog # fill has its turn first: predicted
	[[ "$output" == *"x.c:10"* && "$output" == *"x.c:19"* && "$output" == *"Replay: confirmed"* ]]
	# It ends in iteration 5: nothing is told that was not done.
	run "$SNAG" record --seed 1 -o x.snag ./prog crash
	[ "$status" = 139 ]
	"$SNAG" convert x.snag - --to std >x.std
	grep -qF 'fork(T1)' x.std
	refute grep -q 'x.c:10' x.std
}

@test "masked vectors" {
	need_pass
	[[ "$(calls -O3 -mavx2 -mprefer-vector-width=256 <<-'C'
		void f(int *restrict a, int *restrict b, int n)
		{
			for (int i = 0; i < n; i++)
				if (b[i] > 0)
					a[i] = b[i];
		}
	C
	)" == *__snag_masked_write* ]]
}

@test "branches name the reads they depend on" {
	need_pass
	source='int *p, q, r; int f(void) { if (*p && q) return r; for (int i = 0; i < 9; i++) r++; return 0; }'
	for level in -O0 -O2; do
		# p, as the address of *p, then *p, and q; the loop depends on nothing
		[[ " $(calls $level -fsnag-branches <<<"$source") " == *" __snag_branch=3 __snag_depends=3 "* ]]
	done
	# An address that was told is not told again; new memory, and what the caller told, is not told.
	[[ " $(calls -O2 -fsnag-branches <<<'struct { int a, b; } *p; int f(void) { return p->a + p->b; }') " == *" __snag_branch=1 __snag_depends=1 "* ]]
	[[ " $(calls -O2 -fsnag-branches <<<'int a[9]; void f(int i, int *p) { a[i] = 1; *p = 2; }') " != *" __snag_branch"* ]]
	[[ " $(calls -O2 -fsnag-branches <<<'int i; void g(int); void f(void) { g(i); }') " == *" __snag_branch=1 __snag_depends=1 "* ]]
	[[ " $(calls -O2 -fsnag-branches <<<'int g; int f(int a) { if (a) return g; return 1; }') " == *" __snag_branch_all=1 "* ]]
}

@test "each removal, and its switch" {
	need_pass
	cat >local.c <<-'C'
		int f(int n) { int a[100]; for (int i = 0; i < n; i++) a[i] = i * i; return a[n / 2]; }
	C
	cat >dominated.c <<-'C'
		void f(int *p, int *q) { *p = 1; if (*q) *p = 2; *q = *p; }
	C
	cat >sequential.c <<-'C'
		int x; static __attribute__((noinline)) void f(void) { x++; } int main(void) { f(); return x; }
	C
	cat >readonly.c <<-'C'
		static int t[100]; int f(int i) { return t[i]; } int main(int n, char **v) { t[n] = 1; return 0; }
	C
	cat >invariant.c <<-'C'
		void f(int *p, int n) { for (int i = 0; i < n; i++) p[i * i] = *p; }
	C
	cat >footprint.c <<-'C'
		void f(double *p, long n) { for (long i = 0; i < n; i++) p[2 * i] = i; }
	C
	cat >loops.c <<-'C'
		void f(double *p, long n) { for (long i = 0; i < n; i++) p[2 * i] = i; }
	C
	cat >joined.c <<-'C'
		int f(unsigned char *p) { return p[1] << 8 | p[0]; }
	C
	cat >errno.c <<-'C'
		#include <errno.h>
		#include <math.h>
		double f(double **p, int n) { double s = 0; for (int i = 0; i < n; i++) s += log(p[0][i]); return s; }
		#ifdef ASK
		int g(void) { return errno; }
		#endif
	C
	compile -O1 -fsnag-task -c errno.c -o x.o # of the loop, the pointer does not change
	[[ "$(static x.o)" == *" footprint=1"* ]]
	compile -O1 -fsnag-task -DASK -c errno.c -o x.o
	[[ "$(static x.o)" != *" footprint="* ]]
	for how in "" -fsnag-pass-no-loops -fsnag-branches -Os; do
		# shellcheck disable=SC2086 # none or one
		compile -O1 $how -c loops.c -o x.o
		[ -z "$how" ] && [[ "$(static x.o)" == *" loops=2" ]] || [[ "$(static x.o)" != *loops=* ]]
	done
	# The first iteration by itself; but not of a loop that may wait for another thread.
	cat >peeled.c <<-'C'
		int f(int n, const int *a, const int *limit, int *b)
		{ int k = 0; for (int i = 0; i < n; i++) if (a[i] > *limit) b[k++] = i; return k; }
	C
	cat >waits.c <<-'C'
		void f(int *flag, int *looks, int *odd) { do if (++*looks & 1) ++*odd; while (!*flag); }
	C
	compile -O1 -c peeled.c -o x.o
	[ "$(static x.o)" = "peeled.c 5 dominated=1" ]
	for how in -fsnag-branches -fsnag-pass-no-loops -fsnag-pass-no-dominated; do
		compile -O1 $how -c peeled.c -o x.o
		[ "$(static x.o)" = "peeled.c 3" ]
	done
	compile -O1 -c waits.c -o x.o
	[ "$(static x.o)" = "waits.c 5" ]
	for kind in $kinds; do
		compile -O1 -fsnag-task -c $kind.c -o x.o
		[[ "$(static x.o)" == "$kind.c "*" $kind="* ]] || { echo "$kind: $(static x.o)"; return 1; }
		compile -O1 -fsnag-task -fsnag-pass-no-$kind -c $kind.c -o x.o
		[[ "$(static x.o)" != *" $kind="* ]] || { echo "not $kind: $(static x.o)"; return 1; }
		compile -O1 -c $kind.c -o x.o # in traces the order of events counts
		case $kind in
		local | dominated) [[ "$(static x.o)" == *" $kind="* ]] ;;
		*) [[ "$(static x.o)" != *" $kind="* ]] ;;
		esac
	done
}

oracle_build() {
	local name
	for name in footprint tasks; do
		clang -O1 -I"$root/src" -c "$root/tests/pass/$name.c" -o $name.o
	done
	clang -O1 -I"$root/src" -c "$root/src/runtime/access/sites.c"
}

oracle() { # NAME SOURCE FLAGS...: what the program of the source touches, in the file NAME
	local out=$1 source=$2
	shift 2
	compile -w -fsnag-task ${inlined--fsnag-pass-no-inlined} "$@" -I"$root/tests/pass" -c "$source" -o oracle.o
	clang oracle.o footprint.o tasks.o sites.o -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset -lm -o oracle
	timeout 60 ./oracle >"$out" 2>"$out.checks"
}

alone() { # KIND: the switches of all others
	local other
	for other in $kinds; do
		[ $other = $1 ] || echo -fsnag-pass-no-$other
	done
}

# What the source touches is what it touches unoptimised.  The optimiser may leave some of that out, also after
# checks of loops were put in; and where C leaves open what is computed, as in sums that overflow, it may
# touch something else.
within() { # WHAT: at least what it is without removals; at most that, and what the source touches
	"$root/tests/pass/within.py" none "$1" && "$root/tests/pass/within.py" "$1" source none
}

@test "footprints stay the same, whatever is removed" {
	need_pass
	same_pass
	local kind level=(-O1 -Os -Oz)
	oracle_build
	for seed in 1 2 3; do
		python3 "$root/tests/pass/kernels.py" $seed 40 >kernels.c
		oracle none kernels.c "${level[seed - 1]}" -fsnag-pass-no-all
		oracle every kernels.c "${level[seed - 1]}"
		cmp none every || { echo "seed $seed ${level[seed - 1]}"; return 1; }
		inlined='' oracle places kernels.c "${level[seed - 1]}" -fsnag-pass-no-all
		cmp none places || { echo "seed $seed ${level[seed - 1]}: sites"; return 1; }
		oracle source kernels.c -O0 -fsnag-pass-no-all
		oracle none kernels.c -O3 -fsnag-pass-no-all
		oracle every kernels.c -O3
		within every || { echo "seed $seed -O3"; return 1; }
		[ "$(cat every.checks)" -lt "$(cat none.checks)" ]
		inlined='' oracle places kernels.c -O3 -fsnag-pass-no-all
		cmp none places || { echo "seed $seed -O3: sites"; return 1; }
		[ "$(cat places.checks)" -lt "$(cat none.checks)" ]
	done
	for kind in dominated invariant footprint joined; do
		# shellcheck disable=SC2046 # words
		oracle alone kernels.c -O3 $(alone $kind)
		within alone || { echo "$kind alone"; return 1; }
	done
}

@test "what tasks race on stays the same, whatever is removed" {
	need_pass
	same_pass
	local kind
	oracle_build
	for seed in 1 2; do
		python3 "$root/tests/pass/tasks.py" $seed 60 >tasks.c
		oracle none tasks.c -O2 -fsnag-pass-no-all
		oracle every tasks.c -O2
		cmp none every || { echo "seed $seed"; return 1; }
	done
	for kind in local sequential readonly; do
		# shellcheck disable=SC2046 # words
		oracle alone tasks.c -O2 $(alone $kind)
		cmp none alone || { echo "$kind alone"; return 1; }
		[ "$(cat alone.checks)" -lt "$(cat none.checks)" ]
	done
}

@test "loops of a library that is closed in the same step" {
	need_pass
	echo 'void fill(double *p, long n) { for (long i = 0; i < n; i++) p[i] = i; }' >fill.c
	cat >x.c <<-'C'
		#include <dlfcn.h>
		#include <snag/task.h>
		double x[3000];
		static void first(void *arg)
		{
			void *lib = dlopen("./fill.so", RTLD_NOW);
			for (int i = 0; i < 3; i++)
				((void (*)(double *, long))dlsym(lib, "fill"))(x, 2000);
			dlclose(lib);
		}
		int main(void) { return snag_launch(first, 0); }
	C
	compile -fsnag-task -fsnag-pass-no-all -O1 -fPIC -shared fill.c -o fill.so
	compile -fsnag-task -O1 x.c -o prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
}

@test "objects that came out without checks are told" {
	need_pass
	echo 'int z; void f(void) { z++; }' >z.c
	echo 'void f(void); int main(void) { f(); return 0; }' >main.c
	compile -c main.c
	# As if the compiler had not called the plugin.
	clang -c z.c -fsanitize=thread -frecord-command-line -Xclang -load \
		-Xclang "$(dirname "$SNAG")/lib/snag/snag-pass-14.so"
	compile main.o z.o -o prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[[ "$stderr" == "snag: warning: ./prog: compiled by 'snag cc', but the compiler left the checks out of z.c; "* ]]
	mkdir lib # the same in a shared library
	clang -c z.c -fPIC -fsanitize=thread -frecord-command-line -Xclang -load \
		-Xclang "$(dirname "$SNAG")/lib/snag/snag-pass-14.so"
	compile -shared z.o -o lib/libz1.so
	compile main.o -Llib -lz1 -Wl,-rpath,'$ORIGIN/lib' -o prog
	run --separate-stderr "$SNAG" run ./prog
	[[ "$stderr" == "snag: warning: ./lib/libz1.so: compiled by 'snag cc', but the compiler left the checks out of z.c; "* ]]
	cat >opens.c <<-'C' # or opened by the program
		#include <dlfcn.h>
		int main(void) { void *z = dlopen("lib/libz1.so", RTLD_NOW); ((void (*)(void))dlsym(z, "f"))(); return 0; }
	C
	compile opens.c -o prog
	for how in run "record -o x.snag"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$SNAG" $how ./prog
		[ "$status" = 0 ]
		[[ "$stderr" == *"snag: warning: lib/libz1.so: compiled by 'snag cc', but the compiler left the checks out of z.c; "* ]]
	done
	compile -c z.c
	compile main.o z.o -o prog
	run --separate-stderr "$SNAG" run ./prog
	[[ "$stderr" != *warning* ]]
}

@test "what was removed is counted, in the code and in the run" {
	need_pass
	cat >x.c <<-'C'
		#include <snag/task.h>
		double a[100];
		static void fill(void *n) { int m = *(int *)n; for (long i = 0; i < m; i++) a[i] = i; }
		static void first(void *n) { snag_finish snag_async(fill, n); }
		int main(void) { int n = 100; return snag_launch(first, &n); }
	C
	compile -O1 -fsnag-task -fsnag-pass-count x.c -o prog
	run --separate-stderr "$SNAG" run --stats ./prog
	[ "$status" = 0 ]
	grep -qE '^snag:   footprint +1 +0 +100$' <<<"$stderr"
	grep -qE '^snag:   of loops +0 +1$' <<<"$stderr"
	grep -qE '^snag:   async +1$' <<<"$stderr"
}

@test "the papers' programs have the same verdict, whatever is removed" {
	need_pass
	same_pass
	for source in "$root"/bench/programs/tasks/*.c; do
		for mistake in 0 1; do
			for flags in "" -fsnag-pass-no-all; do
				# shellcheck disable=SC2086 # none or one
				compile -O2 -w -fsnag-task -DMISTAKE=$mistake $flags "$source" -lm -o prog
				status=0 expected=$((mistake * 66))
				timeout 60 "$SNAG" run --with drdp ./prog small >out 2>err || status=$?
				[ $status = $expected ] ||
					{ echo "$source, mistake $mistake, $flags: status $status"; cat err; return 1; }
			done
		done
	done
}
