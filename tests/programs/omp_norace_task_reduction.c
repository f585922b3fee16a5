/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions that tasks take part in: of a taskgroup, a taskloop, a region, a loop; also by tasks
 * that create others and go on, and of objects that need to be initialized; with a barrier inside.
 * verdict: race-free for this input on every schedule
 */
struct most {
	int is_set, value;
};

static void most_add(struct most *to, int value)
{
	if (!to->is_set || value > to->value)
		to->value = value;
	to->is_set = 7;
}

#pragma omp declare reduction(most : struct most : most_add(&omp_out, omp_in.value)) initializer( \
		omp_priv = {7, -1})

int main(void)
{
	int sum = 0, product = 1, region = 0, loop = 0, single = 0, parts[3] = {0};
	struct most most = {0};
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
		for (int i = 1; i <= 4; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product)
			{
#pragma omp task in_reduction(+ : sum)
				sum += 10;
				sum += i;
				product *= i;
			}
		}
#pragma omp taskloop reduction(most : most)
		for (int i = 0; i < 9; i++)
			most_add(&most, i * (8 - i));
	}
#pragma omp parallel reduction(task, + : region) num_threads(3)
	{
		region++;
#pragma omp task in_reduction(+ : region)
		region += 2;
	}
#pragma omp parallel num_threads(3)
#pragma omp for reduction(task, + : loop)
	for (int i = 0; i < 6; i++) {
		loop++;
#pragma omp task in_reduction(+ : loop)
		loop += i;
	}
#pragma omp parallel reduction(task, + : single) num_threads(3) /* with a barrier in it */
#pragma omp single
	for (int i = 0; i < 6; i++) {
#pragma omp task in_reduction(+ : single)
		single += i;
	}
#pragma omp parallel num_threads(3)
#pragma omp taskgroup
	{
#pragma omp for
		for (int i = 0; i < 3; i++) {
#pragma omp task
			parts[i] = i;
		}
#pragma omp single
		parts[0] = parts[1] + parts[2];
	}
	return single != 15 || parts[0] != 3 || sum != 50 || product != 24 || most.value != 16 || region != 9 || loop != 21;
}
