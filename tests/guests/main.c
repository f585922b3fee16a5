/* Runs the guest that the first argument names. */
#include "guest.h"

static const struct {
	const char *name;
	int (*run)(void);
} guests[] = {
#define GUEST(name) {#name, name},
#include "guests.def"
#undef GUEST
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++)
		if (argc > 1 && strcmp(guests[i].name, argv[1]) == 0)
			return guests[i].run();
	return 99;
}
