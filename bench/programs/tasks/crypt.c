/* SPDX-License-Identifier: Apache-2.0
 *
 * crypt.c - IDEA encryption and decryption: Crypt of the Java Grande suite
 *
 * One task per block of 8 bytes, all blocks encrypted, then all decrypted. That has to give the
 * text again.
 *
 * Mistake: decryption does not wait for encryption.
 */
#include "program.h"

enum { BLOCK = 8, ROUNDS = 8, KEYS = 6 * ROUNDS + 4 };
static const int sizes[] = {8000, 4000000, 50000000};

static int n;
static unsigned char *text, *coded, *decoded;
static unsigned short encryption[KEYS], decryption[KEYS];

static unsigned multiply(unsigned a, unsigned b) /* modulo 65537, where 0 stands for 65536 */
{
	if (a == 0)
		return (1 - b) & 0xffff;
	if (b == 0)
		return (1 - a) & 0xffff;
	unsigned product = a * b, low = product & 0xffff, high = product >> 16;
	return (low - high + (low < high)) & 0xffff;
}

static unsigned inverse(unsigned x) /* x^65535 modulo 65537 */
{
	unsigned result = 1;
	for (int i = 0; i < 16; i++, x = multiply(x, x))
		result = multiply(result, x);
	return result;
}

static void crypt_block(const unsigned char *from, unsigned char *to, const unsigned short *key)
{
	unsigned x[4];
	for (int i = 0; i < 4; i++)
		x[i] = from[2 * i] | (unsigned)from[2 * i + 1] << 8;
	for (int round = 0; round < ROUNDS; round++, key += 6) {
		x[0] = multiply(x[0], key[0]);
		x[1] = (x[1] + key[1]) & 0xffff;
		x[2] = (x[2] + key[2]) & 0xffff;
		x[3] = multiply(x[3], key[3]);
		unsigned t = multiply(x[0] ^ x[2], key[4]);
		unsigned u = multiply(((x[1] ^ x[3]) + t) & 0xffff, key[5]);
		t = (t + u) & 0xffff;
		x[0] ^= u;
		x[3] ^= t;
		t ^= x[1];
		x[1] = x[2] ^ u;
		x[2] = t;
	}
	unsigned y[4] = {multiply(x[0], key[0]), x[2] + key[1], x[1] + key[2],
			 multiply(x[3], key[3])};
	for (int i = 0; i < 4; i++) {
		to[2 * i] = (unsigned char)y[i];
		to[2 * i + 1] = (unsigned char)(y[i] >> 8);
	}
}

static void make_keys(void)
{
	unsigned random = 1;
	for (int i = 0; i < 8; i++)
		encryption[i] = (unsigned short)program_random(&random);
	for (int i = 8; i < KEYS; i++) { /* the key, turned by 25 bits for each 8 words */
		int at = i & ~7, j = i & 7;
		encryption[i] = (unsigned short)(encryption[at - 8 + ((j + 1) & 7)] << 9 |
						 encryption[at - 8 + ((j + 2) & 7)] >> 7);
	}
	for (int round = 0; round <= ROUNDS; round++) {
		const unsigned short *e = &encryption[6 * (ROUNDS - round)];
		unsigned short *d = &decryption[6 * round];
		bool swapped = round > 0 && round < ROUNDS;
		d[0] = (unsigned short)inverse(e[0]);
		d[1] = (unsigned short)-e[swapped ? 2 : 1];
		d[2] = (unsigned short)-e[swapped ? 1 : 2];
		d[3] = (unsigned short)inverse(e[3]);
		if (round < ROUNDS) {
			d[4] = e[-2];
			d[5] = e[-1];
		}
	}
}

static void encrypt(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i += BLOCK)
		crypt_block(text + i, coded + i, encryption);
}

static void decrypt(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i += BLOCK)
		crypt_block(coded + i, decoded + i, decryption);
}

static void first(void *arg)
{
	(void)arg;
	snag_finish_begin();
	program_for(n, BLOCK, encrypt);
	if (!MISTAKE) {
		snag_finish_end();
		snag_finish_begin();
	}
	program_for(n, BLOCK, decrypt);
	snag_finish_end();
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	text = program_array((size_t)n, 1);
	coded = program_array((size_t)n, 1);
	decoded = program_array((size_t)n, 1);
	unsigned random = 2;
	for (int i = 0; i < n; i++)
		text[i] = (unsigned char)program_random(&random);
	make_keys();
	program_launch(first);
	return program_end(memcmp(text, decoded, (size_t)n) == 0 &&
			   memcmp(text, coded, (size_t)n) != 0);
}
