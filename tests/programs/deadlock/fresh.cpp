/* A lock in memory that was freed and allocated again is another lock. */
#include <malloc.h>
#include <mutex>
#include <thread>
struct big {
	std::mutex m;
	char room[4000];
};
static std::mutex g;
static void in()
{
	big *o = new big;
	{
		std::lock_guard<std::mutex> x(o->m);
		std::lock_guard<std::mutex> y(g);
	}
	delete o;
}
static void out()
{
	big *o = new big;
	{
		std::lock_guard<std::mutex> x(g);
		std::lock_guard<std::mutex> y(o->m);
	}
	delete o;
}
int main()
{
	mallopt(M_ARENA_MAX, 1);
	std::thread a(in), b(out);
	a.join();
	b.join();
}
