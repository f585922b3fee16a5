/* dup2 gives a descriptor a new file, while another thread closes it.
 *
 * found by: hb m2
 */
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int fd;

static void *closes(void *unused)
{
	close(fd);
	return unused;
}

int main(void)
{
	pthread_t t;
	fd = open("/dev/null", O_RDONLY);
	int other = open("/dev/zero", O_RDONLY);
	pthread_create(&t, NULL, closes, NULL);
	dup2(other, fd);
	pthread_join(t, NULL);
	return 0;
}
