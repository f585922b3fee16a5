/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.h - inside the parser: one pass from tokens to bytecode
 *
 * parser.c reads declarations, parser_statement.c statements, parser_expression.c expressions.
 * parser_scope.c resolves names, parser_code.c emits instructions, and parser_checks.c makes the
 * checks that are possible only when everything has been read.
 *
 * Functions that can fail return 0, or a negative code with p->err filled.
 */
#ifndef SNAG_LANG_PARSER_H
#define SNAG_LANG_PARSER_H

#include "lang/bytecode.h"
#include "lang/lexer.h"

/* Limits on what a text can ask for. */
enum {
	MAX_NESTING = 500,   /* of blocks and parentheses */
	MAX_ARGUMENTS = 100, /* of a procedure */
	MAX_SLOTS = 1 << 24, /* shared variables and array elements */
};

#define NO_PC UINT32_MAX   /* the end of a chain of jumps */
#define IN_MAIN UINT32_MAX /* instead of a procedure number */

enum symbol_kind { SYMBOL_UNKNOWN, SYMBOL_VARIABLE, SYMBOL_ARRAY, SYMBOL_PROMISE };

/* What a name means, apart from procedures, which are told by the parentheses. */
struct symbol {
	enum symbol_kind kind;	    /* as declared at the top */
	uint32_t index;		    /* array number or promise number */
	struct snag_place declared; /* at the top, as anything */
	uint32_t procedure;	    /* 1 + its number; 0: none */
	uint32_t local;		    /* 1 + the innermost local in scope; 0: none */
};

struct local {
	uint32_t symbol;
	uint32_t shadowed; /* as symbol.local */
	struct snag_place place;
};

/* What later checks need to know of a procedure. */
struct procedure_notes {
	uint32_t symbol;
	struct snag_place declared; /* line 0: not yet */
	/* The first thing in it that isolated excludes; line 0: none. */
	struct snag_place forbidden;
	const char *forbidden_word;
};

struct parser_call {
	uint32_t from;	    /* procedure number, or IN_MAIN */
	uint32_t procedure; /* called */
	uint32_t nargs;
	struct snag_place place;
	bool is_isolated;
};

/* A finish or isolated block around the place being parsed, in the same body. */
struct enclosing {
	struct enclosing *outer;
	enum code end; /* the instruction that closes the scope */
};

/* The body of a procedure, of main or of a task block. */
struct body {
	bool has_spawn, has_sync;
	uint32_t returns; /* chain of jumps to its end, through insn.a; NO_PC: end */
	struct enclosing *enclosing;
};

struct lang_parser {
	struct lexer lexer;
	struct lang_token token; /* the next one */
	struct snag_error *err;
	struct snag_program *program;
	struct snag_place *place; /* of each instruction */
	size_t place_cap;

	struct symbol *symbol; /* by symbol number */
	size_t symbol_cap;
	struct local *local; /* in scope */
	size_t nlocals, local_cap;
	size_t scope; /* the first local of the innermost block */
	struct procedure_notes *notes;
	size_t notes_cap;
	struct parser_call *call;
	size_t ncalls, call_cap;

	uint32_t procedure;	     /* being read, or IN_MAIN */
	struct body *body;	     /* likewise */
	struct snag_place block_end; /* the closing brace of the block read last */
	unsigned nesting;	     /* of blocks and expressions */
	unsigned is_isolated;	     /* depth of isolated blocks */
};

/* parser.c */
int parse_program(struct lang_parser *p);
int parser_advance(struct lang_parser *p); /* to the next token */
int parser_expect(struct lang_parser *p, char character);
int parser_expect_name(struct lang_parser *p, const char *what, struct lang_token *ret_name);
int parser_nest(struct lang_parser
			*p); /* one level deeper, if the limit allows; paired with p->nesting-- */
bool parser_is(const struct lang_parser *p, char character);
/* "(" X ("," X)* ")" or "()"; `parse` reads an X.  *ret_n is how many there are. */
int parser_arguments(struct lang_parser *p, int (*parse)(struct lang_parser *p), uint32_t *ret_n);
/* "name:line:column: ..." */
int parser_fail(struct lang_parser *p, struct snag_place place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "name:line:column: expected ..., not ..." at the next token. */
int parser_expected(struct lang_parser *p, const char *what);

/* parser_statement.c */
/* The body of a procedure, of main or of a task block, up to and with its end. */
int parse_body(struct lang_parser *p, struct body *body);

/* parser_expression.c */
int parse_expression(struct lang_parser *p);
int parse_dereferenced(struct lang_parser *p); /* what stands behind `*` */
int parse_index(struct lang_parser *p, const struct lang_token *name, uint32_t *ret_array);

/* parser_scope.c */
struct symbol *scope_symbol(struct lang_parser *p, const struct lang_token *name);
int scope_declare(struct lang_parser *p, const struct lang_token *name, struct symbol **ret_symbol);
int scope_declare_local(struct lang_parser *p,
			const struct lang_token *name); /* the value on the stack */
size_t scope_open(struct lang_parser *p);		/* returns what close needs */
void scope_close(struct lang_parser *p, size_t outer);
uint32_t scope_procedure(struct lang_parser *p,
			 const struct lang_token *name); /* declared yet or not */

/* parser_updates.c */
/* Marks the accesses of a store to a plain variable, or of an `if` without `else`, whose code
 * begins there, if it is an update. */
void update_store(struct lang_parser *p, uint32_t begin);
void update_if(struct lang_parser *p, uint32_t begin);

/* parser_code.c */
uint32_t emit(struct lang_parser *p, enum code code, uint32_t a, struct snag_place place);
void emit_constant(struct lang_parser *p, int64_t value, struct snag_place place);
void emit_target(struct lang_parser *p, uint32_t pc); /* the jump at pc comes here */
void emit_first(struct lang_parser *p, enum snag_op op, struct snag_place place);
void emit_locations(struct lang_parser *p); /* in the end: numbers the places */

/* parser_checks.c */
int check_calls(struct lang_parser *p);

#endif
