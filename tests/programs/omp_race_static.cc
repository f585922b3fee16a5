/* SPDX-License-Identifier: Apache-2.0
 *
 * That a static variable is made once orders nothing that comes later.
 * race: global 'made()::count'
 */
static int first();

static int &made()
{
	static int count = first();
	return count;
}

static int first()
{
	return 1;
}

int main()
{
#pragma omp parallel for
	for (int i = 0; i < 40; i++)
		made()++;
	return 0;
}
