/* SPDX-License-Identifier: Apache-2.0
 *
 * gen.c - writes a random trace to a file: gen [options] -o OUT.{std,csv,snag}[.gz|.zst]
 */
#include <stdio.h>
#include <string.h>

#include "bench/arguments.h"
#include "bench/generate.h"
#include "trace/sink.h"

static void usage(FILE *to)
{
	fputs("usage: gen [options] -o OUT.{std,csv,snag}[.gz|.zst]\n"
	      "Writes a random well-formed trace; numbers may end in k, M or G.\n",
	      to);
	snag_arguments_help(to);
}

static int copy(struct snag_source *src, struct snag_sink *sink, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		rc = snag_sink_write(sink, &batch, src->names, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int generate(const struct snag_generate_options *options, const char *path,
		    struct snag_error *err)
{
	struct snag_source *src;
	struct snag_sink *sink;
	int rc = snag_generate_source(options, &src, err);
	if (rc < 0)
		return rc;
	rc = snag_sink_open(path, options->threads, &sink, err);
	if (rc < 0)
		goto out;
	rc = copy(src, sink, err);
	if (rc < 0)
		snag_sink_abort(sink);
	else
		rc = snag_sink_commit(sink, err);
out:
	snag_source_close(src);
	return rc;
}

int main(int argc, char **argv)
{
	struct snag_generate_options options = snag_generate_defaults;
	struct snag_error err;
	const char *path = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(stdout);
			return 0;
		}
		if (i + 1 == argc) {
			usage(stderr);
			return 2;
		}
		if (strcmp(argv[i], "-o") == 0)
			path = argv[i + 1];
		else if (snag_arguments_set(&options, argv[i], argv[i + 1], &err) < 0)
			goto fail;
		i++;
	}
	if (!path) {
		usage(stderr);
		return 2;
	}
	if (generate(&options, path, &err) == 0)
		return 0;
fail:
	fprintf(stderr, "gen: %s\n", err.msg);
	return 2;
}
