/* SPDX-License-Identifier: Apache-2.0
 *
 * test_openmp_pragmas.c - rewriting OpenMP for gcc and for clang: pragma by pragma, and damaged
 * text
 */
#include "unit.h"

#include "cc/openmp/openmp_pragmas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATIC "schedule(monotonic : dynamic, 0x40000000"
#define QUIET                                                                    \
	"_Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic ignored " \
	"\\\"-Weverything\\\"\") "
#define LOUD " _Pragma(\"clang diagnostic pop\")"
#define ITERATION " while (__snag_omp_iteration()) "
#define HEAD                 \
	"# 1 \"<snag>\" 3\n" \
	"int __snag_omp_iteration(void) __asm__(\"__snag_omp_iteration\");\n"
#define TOGETHER_HEAD        \
	"# 1 \"<snag>\" 3\n" \
	"int __snag_omp_together(void) __asm__(\"__snag_omp_together\");\n"
#define TOGETHER " switch (__snag_omp_together()) default: "
#define SIMD "#pragma omp parallel for num_threads(0x51D0001) "

static const struct {
	bool is_gnu;
	const char *from, *to;
} table[] = {
	{false, "#pragma omp for\n", "#pragma omp for " STATIC ") \n"},
	{false, "#pragma omp for schedule(static, k + 1) nowait\n",
	 "#pragma omp for  nowait " STATIC " | 0x20000000 | ((k + 1) & 0x0fffffff)) \n"},
	{false, "#pragma omp for schedule(monotonic, simd : static, a ? b : c)\n",
	 "#pragma omp for  " STATIC " | ((a ? b : c) & 0x0fffffff)) \n"},
	{false, "#pragma omp parallel for if(c == ')') schedule(static) num_threads(f(\"(\"))\n",
	 "#pragma omp parallel for if(c == ')')  num_threads(f(\"(\")) " STATIC ") \n"},
	{false, "#pragma omp for schedule(static, a::b)\n",
	 "#pragma omp for  " STATIC " | ((a::b) & 0x0fffffff)) \n"},
	{false, "#pragma omp for schedule(guided)\n", "#pragma omp for schedule(guided)\n"},
	/* what the compiler is to complain of */
	{false, "#pragma omp for schedule(static, )\n", "#pragma omp for schedule(static, )\n"},
	{true, "#pragma omp simd safelen(\nfor (;;) { a; b; }",
	 "#pragma omp simd safelen(\nfor (;;) { a; b; }"},
	{false, "#pragma omp simd safelen()\nfor (;;) { a; b; }",
	 "#pragma omp simd safelen()\nfor (;;) { a; b; }"},
	{false,
	 "#pragma omp for reduction(inscan, + : s, t) nowait\n{f();\n#pragma omp scan inclusive(s, "
	 "t)\n"
	 "g();}\n",
	 "#pragma omp for firstprivate(s, t) lastprivate(s, t) nowait schedule(monotonic : "
	 "dynamic, "
	 "0x70000001) \n{f();\n\ng();}\n"},
	{false,
	 "#pragma omp for reduction(inscan, + : s)\n{ s = f();\n#pragma omp scan inclusive(s)\n}",
	 "#pragma omp for reduction(inscan, + : s)\n{ s = f();\n#pragma omp scan inclusive(s)\n}"},
	{false,
	 "#pragma omp for reduction(inscan, + : s)\n{\n#pragma omp scan exclusive(s)\n{s.a[0] = "
	 "f();}}",
	 "#pragma omp for reduction(inscan, + : s)\n{\n#pragma omp scan exclusive(s)\n{s.a[0] = "
	 "f();}}"},
	{false,
	 "#pragma omp for reduction(inscan, + : s)\n{ f(&s);\n#pragma omp scan inclusive(s)\n}",
	 "#pragma omp for reduction(inscan, + : s)\n{ f(&s);\n#pragma omp scan inclusive(s)\n}"},
	{false,
	 "#pragma omp for reduction(inscan, + : s)\n{ s = a && s == 1;\n#pragma omp scan "
	 "inclusive(s)\ns = 0;}",
	 "#pragma omp for firstprivate(s) lastprivate(s) schedule(monotonic : dynamic, 0x70000001) "
	 "\n{ s = a && s == 1;\n\ns = 0;}"},
	{true, "#pragma omp parallel for simd simdlen(4) reduction(inscan, + : s)\n",
	 "#pragma omp parallel for  firstprivate(s) lastprivate(s) schedule(monotonic : dynamic, "
	 "0x70000001) \n"},
	{true, "#pragma omp simd reduction(inscan, a::b : s)\nfor (int i = 0;;)",
	 SIMD "firstprivate(s) lastprivate(s) schedule(monotonic : dynamic, 0x50000000)\n"
	      "for (int i = 0;;)"},
	{false,
	 "a;\n#pragma omp for reduction(inscan, + : s[:2])\n#pragma omp scan exclusive(s[:2])\n",
	 "a;\n#pragma omp for reduction(inscan, + : s[:2])\n#pragma omp scan exclusive(s[:2])\n"},
	{false,
	 "a;\n#pragma omp target parallel for reduction(inscan, + : s)\n#pragma omp scan "
	 "inclusive(s)\n",
	 "a;\n#pragma omp target parallel for reduction(inscan, + : s)\n#pragma omp scan "
	 "inclusive(s)\n"},
	{true, "#pragma omp for reduction(+ : s)\n",
	 "#pragma omp for reduction(+ : s) " STATIC
	 ")  reduction(__snag_combine : __snag_nothing_shared)\n"},
	{true, "#pragma omp parallel default(none)\n",
	 "#pragma omp parallel default(none) shared(__snag_nothing) "
	 "shared(__snag_nothing_shared)\n"},
	{true, "#pragma omp taskloop reduction(+ : s)\n",
	 "#pragma omp taskloop reduction(+ : s)\n"},
	{false, "#pragma omp simd safelen(4)\nfor (i = 0; i < n; i++)\n",
	 SIMD "schedule(monotonic : dynamic, 0x50000000 | ((4) & 0x0fffffff)) lastprivate(i)\n"
	      "for (i = 0; i < n; i++)\n"},
	{false, "#pragma omp simd collapse(2) private(i)\nfor (i = 0;;) {\n for (j = 0;;)\n",
	 SIMD "collapse(2) private(i) schedule(monotonic : dynamic, 0x50000000) lastprivate(j)\n"
	      "for (i = 0;;) {\n for (j = 0;;)\n"},
	{false, "#pragma omp simd collapse(2)\nfor (i = 0; f(\")\");)\nfor (j = 0;;)\n",
	 SIMD
	 "collapse(2) schedule(monotonic : dynamic, 0x50000000) lastprivate(i) lastprivate(j)\n"
	 "for (i = 0; f(\")\");)\nfor (j = 0;;)\n"},
	{false, "#pragma omp simd\nfor (int i = 0;;) {\n#pragma omp ordered simd\n}\n",
	 TOGETHER_HEAD "#pragma omp simd\nfor (int i = 0;;)" TOGETHER
		       " {\n#pragma omp ordered simd\n}\n"},
	{false,
	 "#pragma omp for reduction(inscan, + : s)\nfor (;;)\n{ s = f();\n#pragma omp scan "
	 "inclusive(s)\n}",
	 TOGETHER_HEAD "#pragma omp for reduction(inscan, + : s)\nfor (;;)\n{ int __snag_together "
		       "__attribute__((unused)) = __snag_omp_together();  s = f();\n#pragma omp "
		       "scan inclusive(s)\n}"},
	{true,
	 "#pragma omp for reduction(inscan, + : s)\nfor (;;)\n{ s = f();\n#pragma omp scan "
	 "inclusive(s)\n}",
	 "#pragma omp for reduction(inscan, + : s)\nfor (;;)\n{" TOGETHER
	 " s = f();\n#pragma omp scan inclusive(s)\n}"},
	{false, "#pragma omp for schedule(auto) nowait\n",
	 "#pragma omp for  nowait schedule(monotonic : guided) \n"},
	{true, "#pragma omp master\n{}\n", "#pragma omp masked filter(__snag_omp_masked(0))\n{}\n"},
	{true, "#pragma omp masked filter( f(a) )\n",
	 "#pragma omp masked  filter(__snag_omp_masked( f(a) ))\n"},
	{true, "#pragma omp master taskloop grainsize(2)\n",
	 "#pragma omp masked taskloop grainsize(2) filter(__snag_omp_masked(0))\n"},
	{true, "#pragma omp parallel master\n", "#pragma omp parallel master\n"},
	{false, "#pragma omp master\n", "#pragma omp master\n"},
	{false, "#pragma omp loop\nfor (;;)\n", "#pragma omp loop\nfor (;;)\n"}, /* of nothing */
	{false,
	 "#pragma omp parallel\nif (f(\"}\")) {\n#pragma omp loop order(concurrent)\nfor (;;) { "
	 "}\n}\n",
	 "#pragma omp parallel\nif (f(\"}\")) {\n#pragma omp for  " STATIC ") \nfor (;;) { }\n}\n"},
	{false, ";\n#pragma omp target teams\n#pragma omp loop\nfor (;;)\n",
	 ";\n#pragma omp target teams\n#pragma omp distribute parallel for " STATIC
	 ") \nfor (;;)\n"},
	{false,
	 "#pragma omp parallel\n{\n#pragma omp single\nx;\n#pragma omp loop bind(thread)\nfor (int "
	 "i;;) ;\n}\n",
	 "#pragma omp parallel\n{\n#pragma omp single\nx;\n" SIMD
	 "schedule(monotonic : dynamic, 0x50000000)\nfor (int i;;) ;\n}\n"},
	{false,
	 "#pragma omp parallel\n{\n#pragma omp task\n{\n#pragma omp loop\nfor (int i;;) ;\n}\n"
	 "#pragma omp loop\nfor (;;) ;\n}\n",
	 "#pragma omp parallel\n{\n#pragma omp task\n{\n" SIMD
	 "schedule(monotonic : dynamic, 0x50000000)\nfor (int i;;) ;\n}\n"
	 "#pragma omp for " STATIC ") \nfor (;;) ;\n}\n"},
	{false, "#pragma omp sections nowait\n{ a;\n#pragma omp section\n{ b; }\n}\nc;\n",
	 "#pragma omp for schedule(monotonic : dynamic, 0x70000000) nowait\n" QUIET
	 "for (int __snag_s1 = 0; __snag_s1 < 2; __snag_s1++) switch (__snag_s1) { case 0:;" LOUD
	 " a;\n"
	 " break; case 1:;\n{ b; }\n}\nc;\n"},
	{true, "#pragma omp sections\n{\n#pragma omp section\nb; }\n",
	 "#pragma omp sections\n{\n#pragma omp section\nb; }\n"},
	{false, "#pragma omp sections\nnot a block\n", "#pragma omp sections\nnot a block\n"},
	{false, "#pragma omp cancel sections if(c)\n", "#pragma omp cancel for if(c)\n"},
	{false, "#pragma omp target update from(x) depend(in : f(a), b) nowait depend(out : c)\n",
	 "_Pragma(\"omp task priority(0x51D0002) depend(in : f(a), b) depend(out : c)\") ;\n"},
	{false, "#pragma omp target exit data map(from : x) depend(in : a)\n",
	 "_Pragma(\"omp task if(0) depend(in : a)\") ;\n"},
	{false, "#pragma omp target enter data map(to : x) nowait\n",
	 "#pragma omp target enter data map(to : x) nowait\n"},
	{true, "#pragma omp target update to(x) depend(in : a)\n",
	 "#pragma omp target update to(x) depend(in : a)\n"},
	{false, "int a = omp_get_thread_num() + 1'000; // \"omp_get_thread_num\"\n",
	 "int a = __snag_omp_get_thread_num() + 1'000; // \"omp_get_thread_num\"\n"},
	{true, "#pragma omp parallel if(omp_get_num_threads() > 1)\n",
	 "#pragma omp parallel if(__snag_omp_get_num_threads() > 1)\n"},
	{false, "my_omp_get_thread_num();", "my_omp_get_thread_num();"},
	/* what no rectangle is */
	{true, "#pragma omp for collapse(2)\nfor (int i = 0;;)\nfor (j = 0; j < i;)\nf(i, j);\n",
	 "#pragma omp for collapse(2)\nfor (int i = 0;;)\nfor (j = 0; j < i;)" ITERATION
	 "\nf(i, j);\n"},
	{false, "#pragma omp parallel for collapse(2)\nfor (T i = 0;;) { for (int j = i;;) { }\n",
	 HEAD "#pragma omp parallel for collapse(2)\nfor (T i = 0;;) { for (int j = i;;)" ITERATION
	      " { }\n"},
	{true, "#pragma omp simd collapse(2)\nfor (i = 0;;)\nfor (j = i;;) x;\n",
	 SIMD "collapse(2)  lastprivate(i) lastprivate(j)\nfor (i = 0;;)\nfor (j = i;;)" ITERATION
	      " x;\n"},
	{false, "#pragma omp simd safelen(2) collapse(2)\nfor (i = 0;;)\nfor (j = i;;) x;\n",
	 TOGETHER_HEAD
	 "#pragma omp simd safelen(2) collapse(2)\nfor (i = 0;;)\nfor (j = i;;)" TOGETHER " x;\n"},
	{false, "#pragma omp for collapse(2)\nfor (i = 0;;) for (j = ii;;) x;\n",
	 "#pragma omp for collapse(2) " STATIC ") \nfor (i = 0;;) for (j = ii;;) x;\n"},
	/* numbers by name */
	{true, "enum { A, D = 2 };\n#pragma omp for collapse(D)\nfor (i = 0;;) for (j = i;;) x;\n",
	 "enum { A, D = 2 };\n#pragma omp for collapse(2)\nfor (i = 0;;) for (j = i;;)" ITERATION
	 " x;\n"},
	{true, "const int D = 1;\n#pragma omp for collapse(D)\nfor (i = 0;;) for (j = i;;) x;\n",
	 "const int D = 1;\n#pragma omp for collapse(1) " STATIC ") \n"
	 "for (i = 0;;) for (j = i;;) x;\n"},
	{false, "enum { D = 2 };\n#pragma omp simd collapse(D)\nfor (i = 0;;) for (j = 0;;)\n",
	 "enum { D = 2 };\n" SIMD "collapse(2) schedule(monotonic : dynamic, 0x50000000) "
	 "lastprivate(i) lastprivate(j)\nfor (i = 0;;) for (j = 0;;)\n"},
	/* which are not known: of two, by a template, of a list */
	{false,
	 "enum { D = 2 }; f() { enum { D = 1 }; }\n"
	 "#pragma omp for collapse(D)\nfor (i = 0;;) for (j = i;;) x;\n",
	 TOGETHER_HEAD "enum { D = 2 }; f() { enum { D = 1 }; }\n#pragma omp for collapse(D)\n"
		       "for (i = 0;;) for (j = i;;)" TOGETHER " x;\n"},
	{false, "template <int D>\n#pragma omp for collapse(D)\nfor (i = 0;;) for (j = i;;) x;\n",
	 TOGETHER_HEAD "template <int D>\n#pragma omp for collapse(D)\n"
		       "for (i = 0;;) for (j = i;;)" TOGETHER " x;\n"},
	{false, "enum { A, B, D };\n#pragma omp simd collapse(D)\nfor (i = 0;;) for (j = 0;;) x;\n",
	 TOGETHER_HEAD "enum { A, B, D };\n#pragma omp simd collapse(D)\n"
		       "for (i = 0;;) for (j = 0;;)" TOGETHER " x;\n"},
	{false, "#pragma omp for collapse(1 + 1)\nfor (i = 0;;) for (j = 0;;) x;\n",
	 "#pragma omp for collapse(1 + 1) " STATIC ") \nfor (i = 0;;) for (j = 0;;) x;\n"},
	/* simd of others */
	{false, "#pragma omp target simd map(a) if(c) if(simd : d)\nfor (int i;;)",
	 "#pragma omp target parallel for num_threads(0x51D0001) map(a) if(target : c) "
	 "schedule(monotonic : dynamic, 0x50000000)\nfor (int i;;)"},
	{false, "#pragma omp teams distribute simd aligned(a)\nfor (i = 0;;)",
	 "#pragma omp teams distribute parallel for num_threads(0x51D0001) schedule(monotonic : "
	 "dynamic, 0x50000000) lastprivate(i)\nfor (i = 0;;)"},
	{false, "#pragma omp distribute simd linear(i)\nfor (i = 0;;)",
	 TOGETHER_HEAD "#pragma omp distribute simd linear(i)\nfor (i = 0;;)" TOGETHER},
	{false, "#pragma omp simd linear(x, i : 2) linear(i)\nfor (i = 0;;)",
	 SIMD
	 "linear(x: 2) schedule(monotonic : dynamic, 0x50000000) lastprivate(i)\nfor (i = 0;;)"},
	{true, "#pragma omp taskloop simd\nfor (;;)", "#pragma omp taskloop simd\nfor (;;)"},
	/* combined directives, for clang */
	{false,
	 "# 7 \"x.c\" 2\n#pragma omp parallel masked taskloop simd filter(1) if(c) private(x) "
	 "num_threads(2) if(parallel : d)\n",
	 "# 7 \"x.c\" 2\n#pragma omp parallel if(c) num_threads(2) if(parallel : d)\n"
	 "# 7 \"x.c\"\n#pragma omp masked filter(1)\n"
	 "# 7 \"x.c\"\n#pragma omp taskloop simd if(c) private(x)\n"},
	{false, "#pragma omp parallel masked private(x)\n",
	 "#pragma omp parallel private(x)\n#pragma omp masked\n"},
	{false, "#pragma omp masked filter(1)\n", "#pragma omp masked filter(1)\n"},
	{true, "#pragma omp parallel masked\n", "#pragma omp parallel masked\n"},
	/* what a metadirective chooses from */
	{false, "#pragma omp metadirective when(a={b(c)}: parallel loop) default(for)\nfor (;;)",
	 "#pragma omp metadirective when(a={b(c)}: parallel for " STATIC ") ) default(for " STATIC
	 ") )\nfor (;;)"},
	{false,
	 "#pragma omp metadirective when(a={b(score(1): \":\")}: for) otherwise(teams)\nfor (;;)",
	 "#pragma omp metadirective when(a={b(score(1): \":\")}: for " STATIC
	 ") ) otherwise(teams)\nfor (;;)"},
	{false, "#pragma omp metadirective when(a={b}:) default()\nx;",
	 "#pragma omp metadirective when(a={b}:) default()\nx;"},
	/* attributes */
	{false, "# 3 \"x.cc\" 1 3 4\n{ [[omp::directive(for, nowait)]] for (;;) ;\n",
	 "# 3 \"x.cc\" 1 3 4\n{ \n# 3 \"x.cc\" 3 4\n#pragma omp for  nowait " STATIC
	 " | 0x20000000) \n# 3 \"x.cc\" 3 4\n                                  for (;;) ;\n"},
	{false, ";[[using omp : sequence(directive(parallel), directive(for\ncollapse(2)))]]f;",
	 ";\n#pragma omp parallel\n#pragma omp for collapse(2) " STATIC ") \n               f;"},
	{false, "a = [[omp::directive(for)]] x;", "a = [[omp::directive(for)]] x;"},
	{false, ";[[likely, omp::directive(for)]] x;", ";[[likely, omp::directive(for)]] x;"},
	{false, ";[[omp::directive(declare simd)]] x;", ";[[omp::directive(declare simd)]] x;"},
	/* literals that are no lines */
	{false, "f(R\"x(\n#pragma omp for\n)\" omp_get_thread_num)x\");\n#pragma omp for\n",
	 "f(R\"x(\n#pragma omp for\n)\" omp_get_thread_num)x\");\n#pragma omp for " STATIC ") \n"},
	{false, "", ""},
};

/* What gcc's text begins with is not compared: only that the marks of lines stay around it. */
static const char *behind_head(const char *text)
{
	const char *at = strstr(text, "(void)0)\n");
	assert_non_null(at);
	return at + strlen("(void)0)\n");
}

static void test_table(void **state)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t n;
		char *to = cc_openmp_rewrite(table[i].from, strlen(table[i].from), table[i].is_gnu,
					     &n);
		to = realloc(to, n + 1);
		to[n] = '\0';
		assert_string_equal(table[i].is_gnu ? behind_head(to) : to, table[i].to);
		free(to);
	}
}

static void test_marks(void **state)
{
	static const char text[] = "# 0 \"x.c\"\n# 1 \"/tmp//\"\n# 1 \"x.c\"\nint x;\n";
	static const char begins[] = "# 0 \"x.c\"\n# 1 \"/tmp//\"\n# 1 \"<snag>\" 3\n";
	static const char ends[] = "\n# 1 \"x.c\"\nint x;\n";
	size_t n;
	char *to = cc_openmp_rewrite(text, strlen(text), true, &n);
	assert_memory_equal(to, begins, strlen(begins));
	assert_memory_equal(to + n - strlen(ends), ends, strlen(ends));
	free(to);
}

/* Bodies of simd loops; @ is where a statement is seen to end. */
static const char *const bodies[] = {
	"{ a; }",
	"a;",
	"{ a;@ b;@ c; }",
	"{ a;@ b;@ c; } d; e;",
	"{\n# 3 \"x.c\"\n a;@\n#pragma once\n b;\n}\n",
	"{ int i = f(a); float *x, y = {1}; a = i;@ b; }", /* behind declarations: nothing */
	"{ foo_t *x = f(); x->a = 1;@ y.b[2] = 3; }",
	"{ struct s { int a; } b; c;@ d; }",
	"{ if (a) b; else if (c) { d; } else e;@ f; }",
	"{ if (a) { b; }@ c;@ {d; e;}@ f; }",
	"{ for (a; b; c) d;@ while (e) { f; }@ g; }",
	"{ do a; while (b);@ c; }",
	"{ do { a; } while (b);@ c; }",
	"{ if (a) do b; while (c); while (d) e;@ f; }", /* one or two */
	"{ switch (a) { case 1: b; break; }@ if (c) continue;@ d; }",
	"{ f(\"};\", ';', (a, b));@ g[c[1]] = 2; }",
	"{ auto f = [&](int i) { a; b; }; f(1);@ c; }",
	"{ try { a; } catch (...) { b; } catch (int) { c; }@ d; }",
	"{ a = (struct s){1, 2};@ b = {3};@ ; }",
	"{ R\"(};)\"[a] = b;@ c; }",
	"{ a; ", /* damaged */
	"{ a;@ b) ;@ c",
	"{ if (a) { b; c",
};

static void test_statements(void **state)
{
	static const char pragma[] = "#pragma omp simd\nfor (int i = 0; i < n; i++) ";
	static const char marker[] = " __snag_omp_statement(";
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char from[512], want[2048];
		size_t n = 0, nfrom = strlen(pragma), nwant = 0, number = 0;
		strcpy(from, pragma);
		for (const char *c = bodies[i]; *c; c++) {
			if (*c == '@')
				nwant +=
					(size_t)sprintf(want + nwant, "%s%zuu);", marker, number++);
			else
				from[nfrom++] = want[nwant++] = *c;
		}
		want[nwant] = 0;
		char *text = cc_openmp_rewrite(from, nfrom, i % 2, &n);
		text = realloc(text, n + 1);
		text[n] = 0;
		/* what keeps the columns is put where lines are known only */
		const char *body = strstr(text, "i++) ");
		assert_non_null(body);
		if (!strchr(bodies[i], '#'))
			assert_string_equal(body + 5, want);
		assert_true(!!strstr(text, "__asm__(\"__snag_omp_statement\")") == (number > 0));
		free(text);
	}
}

/* A statement behind another on its line stays in its columns. */
static void test_columns(void **state)
{
	static const char from[] = "# 1 \"x.c\"\n#pragma omp simd\nfor (i = 0;;) {\n\ta;  b;\n}\n";
	size_t n;
	char *text = cc_openmp_rewrite(from, sizeof(from) - 1, false, &n);
	text = realloc(text, n + 1);
	text[n] = 0;
	assert_non_null(strstr(text, "\ta; __snag_omp_statement(0u);\n# 3 \"x.c\"\n\t    b;\n}\n"));
	free(text);
}

/* Cut and changed anywhere, it is still rewritten to something, within bounds. */
static void test_damage(void **state)
{
	static const char put[] = "{}()\"'#\n, \\";
	uint32_t seed = 1;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t all = strlen(table[i].from), n;
		for (size_t k = 0; k < 20 * all; k++) {
			seed = seed * 1103515245 + 12345;
			size_t len = k < all ? k : all;
			char *text = malloc(len + 1);
			memcpy(text, table[i].from, len);
			if (k >= all)
				text[(seed >> 8) % all] = put[(seed >> 16) % (sizeof(put) - 1)];
			free(cc_openmp_rewrite(text, len, seed >> 31, &n));
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	   cmocka_unit_test(test_marks),
		cmocka_unit_test(test_statements), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
