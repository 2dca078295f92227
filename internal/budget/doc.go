// Package budget holds what the program may cost: the bytes that it takes of a
// model's context, the size of its binary, and what the usual calls allocate.
// The numbers are in budgets.txt; the tests measure, and fail where a number is
// exceeded, or so far from what is measured that it guards nothing. Time is no
// part of it: it depends on the machine, and bench/ reports it.
package budget
