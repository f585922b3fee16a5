#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C file of many small functions, such as large programs consist of.

    bench/functions.py NUMBER > functions.c

The functions come in groups of eight that work on one struct: access to fields, updates, a buffer, a
list, a table.  Two of the eight have a loop; one of the two is a loop over an array.  The text of
the output depends on NUMBER only."""
import sys

HEAD = "struct node { struct node *next, *prev; long key, value; };\n"

GROUP = """
struct s{n} {{
	int state, flags, count, size;
	long total, {fields};
	struct node *head, *tail;
	struct s{n} *owner;
	char name[16];
	long table[64];
}};

long s{n}_get(const struct s{n} *s) {{ return s->total + s->f{a}; }}
void s{n}_set(struct s{n} *s, long v, int flags) {{ s->f{a} = v; s->flags |= flags; s->state = 1; }}
void s{n}_move(struct s{n} *to, struct s{n} *from)
{{
	to->total += from->total;
	to->f{b} = from->f{b};
	to->count = from->count + to->owner->count;
	from->total = 0;
	from->owner = to;
}}
int s{n}_put(struct s{n} *s, long v)
{{
	if (s->count >= s->size || (s->flags & {bit}))
		return -1;
	s->table[s->count++ & 63] = v;
	s->total += v;
	return 0;
}}
void s{n}_link(struct s{n} *s, struct node *x)
{{
	x->next = 0;
	x->prev = s->tail;
	if (s->tail)
		s->tail->next = x;
	else
		s->head = x;
	s->tail = x;
	s->count++;
}}
struct node *s{n}_find(struct s{n} *s, long key)
{{
	for (struct node *x = s->head; x; x = x->next)
		if (x->key == key)
			return x;
	return 0;
}}
void s{n}_clear(struct s{n} *s)
{{
	for (int i = 0; i < s->size; i++)
		s->table[i] = s->f{b};
	s->total = s->count = 0;
}}
int s{n}_step(struct s{n} *s, struct node *x)
{{
	switch (s->state & 3) {{
	case 0: s{n}_link(s, x); s->state = 1; break;
	case 1: s->f{a} += x->value; s->state = s->f{a} > s->f{b} ? 2 : 0; break;
	case 2: s->owner->total -= s->total; s->name[x->key & 15] = (char)x->value; break;
	default: return s{n}_put(s->owner, x->value);
	}}
	return s->flags;
}}
"""
IN_GROUP, FIELDS = 8, 6


def source(number):
    """The text of at least that many functions."""
    fields = ", ".join(f"f{i}" for i in range(FIELDS))
    groups = (GROUP.format(n=n, fields=fields, a=n % FIELDS, b=(n + 1) % FIELDS, bit=1 << n % 30)
              for n in range(-(-number // IN_GROUP)))
    return HEAD + "".join(groups)


if __name__ == "__main__":
    sys.stdout.write(source(int(sys.argv[1])))
