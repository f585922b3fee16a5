/* SPDX-License-Identifier: Apache-2.0
 *
 * test_dot.c - pictures of task programs
 */
#include "report/tasks/dot.h"

#include "detect/analyze/analyze.h"
#include "detect/tasks/graph.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct picture {
	struct snag_trace trace;
	struct snag_cgraph graph;
	struct snag_analysis analysis;
	struct snag_dot dot;
	char dir[32], path[64];
	char *text;
};

/* async { w x }  iso { w "x\ }  w x : the first and the last race. */
static int setup(void **state)
{
	struct picture *p = calloc(1, sizeof(*p));
	struct snag_analyze_options options = {.ndetectors = 1, .jobs = 1, .brief = true};
	snag_trace_init(&p->trace);
	snag_trace_add(&p->trace, "0", SNAG_OP_TASK_CREATE, "1", "1:1");
	snag_trace_add(&p->trace, "1", SNAG_OP_WRITE, "x", "2:3");
	snag_trace_add(&p->trace, "1", SNAG_OP_TASK_END, NULL, "2:5");
	snag_trace_add(&p->trace, "0", SNAG_OP_ISOLATED_BEGIN, NULL, "3:1");
	snag_trace_add(&p->trace, "0", SNAG_OP_WRITE, "\"x\\", "3:9");
	snag_trace_add(&p->trace, "0", SNAG_OP_ISOLATED_END, NULL, "3:20");
	snag_trace_add(&p->trace, "0", SNAG_OP_WRITE, "x", "4:1");
	options.detector[0] = snag_detector_find("isograph", 8);
	struct snag_source *src = snag_trace_source(&p->trace);
	assert_int_equal(snag_analyze(src, &options, &p->analysis, NULL), 0);
	snag_source_close(src);
	src = snag_trace_source(&p->trace);
	assert_int_equal(snag_graph_load(src, &p->graph, NULL), 0);
	snag_source_close(src);
	p->dot = (struct snag_dot){.title = "a \"title\"",
				   .graph = &p->graph,
				   .names = &p->trace.names,
				   .findings = p->analysis.findings,
				   .nfindings = p->analysis.n};
	strcpy(p->dir, "/tmp/test-dot-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct picture *p = *state;
	snag_analysis_done(&p->analysis);
	snag_cgraph_done(&p->graph);
	snag_trace_done(&p->trace);
	unlink(p->path);
	rmdir(p->dir);
	free(p->text);
	free(p);
	return 0;
}

static void file_read(struct picture *p)
{
	FILE *file = fopen(p->path, "r");
	assert_non_null(file);
	free(p->text);
	p->text = calloc(1, 1 << 16);
	assert_true(fread(p->text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
}

static void write_text(struct picture *p)
{
	snprintf(p->path, sizeof(p->path), "%s/p.dot", p->dir);
	assert_int_equal(snag_dot_write(&p->dot, p->path, NULL), 0);
	file_read(p);
}

static void assert_has(const struct picture *p, const char *part)
{
	if (!strstr(p->text, part))
		fail_msg("'%s' is not in\n%s", part, p->text);
}

static void test_text(void **state)
{
	struct picture *p = *state;
	write_text(p);
	assert_has(p, "label=\"a \\\"title\\\"\";");
	assert_has(p, "s1 [label=\"1: task 1\\n2:3 w x\\l\", color=red");
	assert_has(p, "s3 [label=\"3: task 0, isolated 1\\n3:9 w \\\"x\\\\\\l\", peripheries=2];");
	assert_has(p, "s0 -> s1 [color=blue];");
	assert_has(p, "s2 -> s3;");
	assert_has(p, "s1 -> s4 [dir=none, constraint=false, color=red");
	assert_has(p, "t0 [label=\"finish\"");
	assert_has(p, "[label=\"task 1\", color=blue];");
	assert_has(p, "t0 -> t1;");
	assert_null(strstr(p->text, "of 5 steps"));
	assert_null(strstr(p->text, "splines"));
	assert_string_equal(p->text + strlen(p->text) - 2, "}\n");
}

/* The steps that race come first, and without races the first ones. */
static void test_limit(void **state)
{
	struct picture *p = *state;
	p->dot.limit = 2;
	write_text(p);
	assert_has(p, "\\n2 of 5 steps\";");
	assert_has(p, "s1 -> s4 [dir=none");
	assert_null(strstr(p->text, "s0 "));
	assert_null(strstr(p->text, "s2"));
	p->dot.nfindings = 0;
	write_text(p);
	assert_has(p, "\\nthe first 2 of 5 steps\";");
	assert_has(p, "s0 -> s1 [color=blue];");
	assert_null(strstr(p->text, "s2"));
	assert_null(strstr(p->text, "s1 -> s4"));
}

/* Of a large graph graphviz is asked for less. */
static void test_large(void **state)
{
	struct picture *p = *state;
	for (uint32_t i = 0; i < 100; i++)
		snag_cgraph_set(&p->graph, 0, i);
	write_text(p);
	assert_has(p, "\tsplines=line;\n");
	assert_has(p, "style=bold, tooltip=\"x\"];");
	assert_has(p, "s103 -> s104;");
}

/* A program of that name in the only folder of PATH. */
static void dot_install(struct picture *p, const char *script)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/dot", p->dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("PATH", p->dir, 1);
}

static void dot_remove(struct picture *p)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/dot", p->dir);
	unlink(path);
}

static void test_svg(void **state)
{
	struct picture *p = *state;
	struct snag_error err = {0};
	snprintf(p->path, sizeof(p->path), "%s/p.svg", p->dir);
	setenv("PATH", p->dir, 1);
	assert_int_equal(snag_dot_write(&p->dot, p->path, &err), SNAG_EIO);
	assert_non_null(strstr(err.msg, "p.svg: cannot run graphviz's 'dot': No such file"));
	assert_int_equal(access(p->path, F_OK), -1);

	dot_install(p, "#!/bin/sh\necho \"<svg> $1\"; /bin/cat\n");
	assert_int_equal(snag_dot_write(&p->dot, p->path, &err), 0);
	file_read(p);
	assert_has(p, "<svg> -Tsvg\ndigraph snag {\n");
	unlink(p->path);

	dot_install(p, "#!/bin/sh\necho half; exit 1\n");
	assert_int_equal(snag_dot_write(&p->dot, p->path, &err), SNAG_EIO);
	assert_non_null(strstr(err.msg, "p.svg: graphviz's 'dot' failed"));
	assert_int_equal(access(p->path, F_OK), -1);
	dot_remove(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large, setup, teardown),
		cmocka_unit_test_setup_teardown(test_svg, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
