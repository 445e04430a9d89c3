package plots

// Difference compares images for the tests of the examples.
var Difference = difference
