/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fixed_address.c - which arguments of calls the code around them shows to be fixed
 */
#include "runtime/access/fixed_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

enum { RETURN_AT = 64 };
static uint8_t code[2 * RETURN_AT];

static uint8_t *put(uint8_t *at, const uint8_t *bytes, size_t n)
{
	return (uint8_t *)memcpy(at, bytes, n) + n;
}

/* Writes `before`, a call, and returns the address behind it. */
static uint8_t *call_behind(const uint8_t *before, size_t n)
{
	memset(code, 0x90, sizeof(code));
	put(code + RETURN_AT - 5 - n, before, n);
	return put(code + RETURN_AT - 5, BYTES(0xe8, 0x90, 0x90, 0x90, 0x90));
}

/* Writes a distance that leads from behind it, and `more` bytes further, to addr. */
static uint8_t *put_distance(uint8_t *at, uintptr_t addr, unsigned more)
{
	int32_t distance = (int32_t)(addr - (uintptr_t)(at + sizeof(distance) + more));
	return put(at, (const void *)&distance, sizeof(distance));
}

static void computed_before_the_call(void **state)
{
	(void)state;
	uintptr_t any = 0x1234;
	assert_true(rt_is_fixed_address(call_behind(BYTES(0x48, 0x8d, 0x3d, 1, 2, 3, 4)), any));
	assert_true(rt_is_fixed_address(call_behind(BYTES(0x48, 0x8d, 0x7c, 0x24, 8)), any));
	assert_true(rt_is_fixed_address(call_behind(BYTES(0x48, 0x89, 0xe7)), any));
	/* mov rdi, rbx; mov rdi, [rip + d]; lea rdi, [rbx + d] */
	assert_false(rt_is_fixed_address(call_behind(BYTES(0x48, 0x89, 0xdf)), any));
	assert_false(rt_is_fixed_address(call_behind(BYTES(0x48, 0x8b, 0x3d, 1, 2, 3, 4)), any));
	assert_false(rt_is_fixed_address(call_behind(BYTES(0x48, 0x8d, 0x7b, 8)), any));
}

static const uint8_t mov_rdi_rbx[] = {0x48, 0x89, 0xdf};

static uint8_t *computed_call(void)
{
	return call_behind(mov_rdi_rbx, sizeof(mov_rdi_rbx));
}

static void operand_behind_the_call(void **state)
{
	(void)state;
	uintptr_t there = (uintptr_t)code + 0x1000;
	uint8_t *pc = computed_call();
	put_distance(put(pc, BYTES(0x89, 0x2d)), there, 0); /* mov [rip + d], ebp */
	assert_true(rt_is_fixed_address(pc, there));
	assert_false(rt_is_fixed_address(pc, there + 8));

	pc = computed_call(); /* mov dword [rip + d], 7 */
	put(put_distance(put(pc, BYTES(0xc7, 0x05)), there, 4), BYTES(7, 0, 0, 0));
	assert_true(rt_is_fixed_address(pc, there));

	pc = computed_call(); /* another call comes first */
	put_distance(put(put(pc, BYTES(0xe8, 1, 2, 3, 4)), BYTES(0x89, 0x2d)), there, 0);
	assert_false(rt_is_fixed_address(pc, there));

	pc = computed_call(); /* lea rdi, [rip + d] is no access */
	put_distance(put(pc, BYTES(0x48, 0x8d, 0x3d)), there, 0);
	assert_false(rt_is_fixed_address(pc, there));
}

/* The argument of the next call is computed in between, at a distance with the byte of a call. */
static void operand_behind_the_next_argument(void **state)
{
	(void)state;
	uintptr_t there = (uintptr_t)code + 0x1000;
	uint8_t *pc = computed_call();
	uint8_t *at = put(pc, BYTES(0x48, 0x8d, 0x3d, 0xe8, 0x7b, 0x13, 0x04));
	put_distance(put(at, BYTES(0x89, 0x2d)), there, 0);
	assert_true(rt_is_fixed_address(pc, there));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(computed_before_the_call),
		cmocka_unit_test(operand_behind_the_call),
		cmocka_unit_test(operand_behind_the_next_argument),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
