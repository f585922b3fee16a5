/* A flag of pthread_once that is used again: in memory that was freed and allocated again, and after
 * it was initialised again.  Its function runs each time; if it does not, the status is 1.
 */
#include <pthread.h>
#include <stdlib.h>

struct object {
	pthread_once_t once;
	int value;
};

static struct object fixed, *object;
static int made;

static void make(void)
{
	object->value = 7;
	made++;
}

static void *use(void *unused)
{
	(void)unused;
	pthread_once(&object->once, make);
	return object->value == 7 ? NULL : &fixed;
}

static int both_use(struct object *o)
{
	pthread_t t;
	void *first, *second;
	o->once = (pthread_once_t)PTHREAD_ONCE_INIT;
	o->value = 0;
	object = o;
	pthread_create(&t, NULL, use, NULL);
	first = use(NULL);
	pthread_join(t, &second);
	return first || second;
}

int main(void)
{
	int is_wrong = 0;
	for (int i = 0; i < 3; i++) {
		struct object *o = malloc(sizeof(*o));
		is_wrong |= both_use(o);
		free(o);
		is_wrong |= both_use(&fixed);
	}
	return is_wrong || made != 6;
}
