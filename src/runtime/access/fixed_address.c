/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed_address.c - does the code around a call show that the call's first argument is fixed?
 * See fixed_address.h.
 */
#include "runtime/access/fixed_address.h"

#include <stddef.h>

#ifdef __x86_64__
enum {
	CALL = 0xe8,
	JUMP = 0xe9,
	RETURN = 0xc3,
	LEA = 0x8d,
	DISTANCE = 4, /* bytes of a distance from the program counter */
	FAR = 32,     /* bytes behind the call in which the access is looked for */
};

/* The instructions that may stand before the call of an access whose address is fixed, with their
 * number of bytes in front; -1 is any byte. */
static const int16_t before_call[][11] = {
	{7, 0x48, 0x8d, 0x3d, -1, -1, -1, -1},			  /* lea rdi, [rip + d] */
	{5, 0x48, 0x8d, 0x7c, 0x24, -1},			  /* lea rdi, [rsp + d] */
	{8, 0x48, 0x8d, 0xbc, 0x24, -1, -1, -1, -1},		  /* the same, 32 bits */
	{3, 0x48, 0x89, 0xe7},					  /* mov rdi, rsp */
	{4, 0x48, 0x8d, 0x7d, -1},				  /* lea rdi, [rbp + d] */
	{7, 0x48, 0x8d, 0xbd, -1, -1, -1, -1},			  /* the same, 32 bits */
	{10, 0x48, 0x8d, 0x05, -1, -1, -1, -1, 0x48, 0x89, 0xc7}, /* lea rax, ...; mov rdi, rax */
	{7, 0x48, 0x8d, 0x45, -1, 0x48, 0x89, 0xc7},
	{10, 0x48, 0x8d, 0x85, -1, -1, -1, -1, 0x48, 0x89, 0xc7},
};

static bool ends_with(const uint8_t *end, const int16_t *pattern)
{
	for (int i = 0; i < pattern[0]; i++)
		if (pattern[1 + i] >= 0 && end[i - pattern[0]] != pattern[1 + i])
			return false;
	return true;
}

struct distance {
	int32_t bytes;
} __attribute__((packed));

/* Returns whether a byte says that an operand is in memory, at a distance from the program
 * counter that follows.  The byte before it is the operation. */
static bool has_distance(uint8_t operand)
{
	return (operand & 0xc7) == 0x05;
}

/* Returns whether addr is where a distance leads to.  It counts from behind the instruction, which
 * may have an operand of 1, 2 or 4 bytes more. */
static bool leads_to(const struct distance *distance, uintptr_t addr)
{
	uintptr_t rest = addr - (uintptr_t)(distance + 1) - (uintptr_t)(intptr_t)distance->bytes;
	return rest <= 2 || rest == 4;
}

/* Returns whether the code behind a call has addr as the operand of an access.  Looks up to the
 * next call, jump or return. */
static bool is_accessed_next(const uint8_t *code, uintptr_t addr)
{
	for (unsigned i = 1; i < FAR; i++) {
		if (code[i - 1] == CALL || code[i - 1] == JUMP || code[i - 1] == RETURN)
			return false;
		if (!has_distance(code[i]))
			continue;
		/* A `lea` prepares the next call.  Its distance may have the byte of a call. */
		if (code[i - 1] == LEA)
			i += DISTANCE + 1;
		else if (leads_to((const void *)(code + i + 1), addr))
			return true;
	}
	return false;
}

bool rt_is_fixed_address(const uint8_t *pc, uintptr_t addr)
{
	if (is_accessed_next(pc, addr))
		return true;
	const uint8_t *call = pc - 5;
	if (*call != CALL)
		call--; /* through a pointer */
	for (size_t i = 0; i < sizeof(before_call) / sizeof(before_call[0]); i++)
		if (ends_with(call, before_call[i]))
			return true;
	return false;
}
#else
bool rt_is_fixed_address(const uint8_t *pc, uintptr_t addr)
{
	(void)pc;
	(void)addr;
	return false;
}
#endif
