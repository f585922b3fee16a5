/* SPDX-License-Identifier: Apache-2.0
 *
 * sites.c - places of the code whose accesses move by the same distance each time
 */
#include "runtime/access/sites.h"

#include "runtime/channel/judge.h"

enum { FEW = 4 }; /* accesses */

struct rt_sites rt_sites;
static struct rt_site *listed[RT_SITES];

static bool is_short(int64_t bytes, int64_t stride)
{
	return stride > 0 ? bytes < FEW * stride : bytes >= FEW * stride;
}

static void site_close(struct rt_site *site) /* [close] */
{
	const int64_t bytes = (int64_t)(site->next - site->begin), stride = site->stride;
	const uint64_t size = site->size;
	site->next = 0;
	site->stride = 0;
	if (is_short(bytes, stride)) /* [tired] */
		site->tired++;
	else
		site->tired -= site->tired < FEW ? site->tired : FEW;
	site->fits = bytes != stride;
	if (!site->fits && size <= 8)
		rt_judge_access(site->begin, (unsigned)size, site->is_write);
	else if (stride == (int64_t)size)
		rt_judge_places(site->begin, (uint64_t)bytes, 0, 1, site->is_write);
	else
		rt_judge_places(site->begin, size, stride, stride ? (uint64_t)(bytes / stride) : 1,
				site->is_write);
}

bool rt_site_access(struct rt_site *site, uint64_t address, unsigned size, bool is_write)
{
	if (site->next)
		site_close(site);
	int64_t moved = (int64_t)(address - site->last);
	site->last = address;
	if (!site->fits && moved != site->moved) { /* [learn] */
		site->moved = moved;
		return false;
	}
	if (!site->is_listed && rt_sites.n == RT_SITES)
		return false;
	if (!site->is_listed) {
		site->is_listed = true;
		listed[rt_sites.n++] = site;
	}
	site->size = (uint8_t)size; /* [open] */
	site->is_write = is_write;
	site->begin = address;
	site->stride = site->moved;
	site->next = address + (uint64_t)site->stride;
	return true;
}

void rt_sites_end(void)
{
	for (unsigned i = 0; i < rt_sites.n; i++) {
		listed[i]->is_listed = false;
		if (listed[i]->next)
			site_close(listed[i]);
	}
	rt_sites.n = 0;
}
