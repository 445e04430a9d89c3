// Which metrics there are, in the order of the result.

package sequence

var registry []Kind
