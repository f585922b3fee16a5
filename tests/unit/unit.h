/* SPDX-License-Identifier: Apache-2.0
 *
 * unit.h - what every cmocka program includes, in the order cmocka wants
 */
#ifndef SNAG_TESTS_UNIT_H
#define SNAG_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
