// Package house holds the rules of the project's house as tests: who imports
// whom, that the samples of package comments compile, that the commands of the
// README and of the manuals run, how long functions may be. It has no code of
// its own.
package house
