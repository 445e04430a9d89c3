// What the tests of the examples need of this package.

package plots

// Difference compares images for the tests of the examples.
var Difference = difference
