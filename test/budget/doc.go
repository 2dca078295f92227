// Package budget limits what the program costs: how much of a model's
// context it takes, the size of its binary, the allocations of the usual calls,
// the memory that a server keeps, and the round trips of batches. The limits are in budgets.txt. The tests measure these numbers and
// fail if one exceeds its limit, or is so far below it that the limit is
// useless. There is no limit for time, which depends on the machine: benchmarks
// measure it.
package budget
