/* main uses memory that it has freed, before there is another thread.
 *
 * expect: use-after-free "heap-use-after-free"
 */
#include <stdlib.h>

int main(void)
{
	volatile char *freed = malloc(40);
	free((void *)freed);
	freed[20] = 1;
	return 0;
}
