// Opening without waiting, where no file of a folder makes one wait.

//go:build !unix

package regular

const withoutWaiting = 0
