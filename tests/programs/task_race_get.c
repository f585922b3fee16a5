/* SPDX-License-Identifier: Apache-2.0
 *
 * The consumer gets the wrong promise: what it reads is not ordered after its producer.
 * race: result
 */
#include <snag/task.h>

static volatile int result;
static struct snag_promise *ready, *other;

static void produce(void *arg)
{
	(void)arg;
	result = 42;
	snag_promise_set(ready, 0);
}

static void set_other(void *arg)
{
	(void)arg;
	snag_promise_set(other, 0);
}

static void consume(void *arg)
{
	(void)arg;
	snag_promise_get(other);
	if (result > 42)
		result = 0;
}

static void first(void *arg)
{
	(void)arg;
	ready = snag_promise_new();
	other = snag_promise_new();
	snag_finish {
		snag_async(consume, 0);
		snag_async(produce, 0);
		snag_async(set_other, 0);
	}
	snag_promise_get(ready);
	snag_promise_free(ready);
	snag_promise_free(other);
}

int main(void)
{
	return snag_launch(first, 0);
}
