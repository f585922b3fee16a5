/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads run fibers of their own; a fiber's memory is used before and after switches.
 */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);

struct coroutine {
	ucontext_t caller, own;
	void *caller_fiber, *own_fiber;
	int value;
};

static void leave(struct coroutine *c)
{
	__tsan_switch_to_fiber(c->caller_fiber, 0);
	swapcontext(&c->own, &c->caller);
}

static void enter(struct coroutine *c)
{
	__tsan_switch_to_fiber(c->own_fiber, 0);
	swapcontext(&c->caller, &c->own);
}

static void body(unsigned low, unsigned high)
{
	struct coroutine *c = (struct coroutine *)((unsigned long)high << 32 | low);
	for (int i = 0; i < 3; i++) {
		c->value++;
		leave(c);
	}
	abort();
}

static void *run(void *arg)
{
	struct coroutine c = {0};
	char *stack = malloc(65536);
	getcontext(&c.own);
	c.own.uc_stack.ss_sp = stack;
	c.own.uc_stack.ss_size = 65536;
	c.caller_fiber = __tsan_get_current_fiber();
	c.own_fiber = __tsan_create_fiber(0);
	makecontext(&c.own, (void (*)(void))body, 2, (unsigned)(unsigned long)&c,
		    (unsigned)((unsigned long)&c >> 32));
	for (int i = 0; i < 3; i++) {
		enter(&c);
		if (c.value != i + 1)
			abort();
		c.value += 0;
	}
	__tsan_destroy_fiber(c.own_fiber);
	free(stack);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
