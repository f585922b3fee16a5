/* Two threads take two locks in different orders. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static void deposit(void)
{
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	balance++;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
}
static void withdraw(void)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	balance--;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
}
static void *one(void *x)
{
	deposit();
	return x;
}
static void *two(void *x)
{
	withdraw();
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
