/* SPDX-License-Identifier: Apache-2.0
 *
 * Two launches, with main in between: all of the first comes before all of the second.
 * verdict: race-free
 */
#include <snag/task.h>

static int number;
static struct snag_promise done;

static void step(void *arg)
{
	(void)arg;
	number++;
	snag_promise_set(&done, 0);
}

static void first(void *arg)
{
	(void)arg;
	snag_promise_init(&done);
	snag_async(step, 0);
	snag_promise_get(&done);
	number++;
}

int main(void)
{
	int bad = snag_launch(first, 0);
	number++;
	bad |= snag_launch(first, 0);
	return bad || number != 5;
}
