// The screens of apps.

package screens

import (
	"fmt"
	"image/color"

	"repscope/stat"
)

// The size of a design in pixels.
const (
	Width  = 360
	Height = 780

	margin = 16
	inner  = Width - 2*margin
)

// kinds are the kinds of screens; samples take them in turn.
var kinds = []struct {
	name  string
	fill  func(b *builder, root *node)
	title []string
}{
	{"shop", (*builder).shop, []string{"Bikes", "Plants", "Shoes", "Lamps", "Chairs"}},
	{"inbox", (*builder).inbox, []string{"Inbox", "Messages", "Chats", "Team"}},
	{"feed", (*builder).feed, []string{"Trails", "Journal", "Discover", "Stories"}},
	{"form", (*builder).form, []string{"Sign up", "Checkout", "Delivery", "Booking"}},
	{"dashboard", (*builder).dashboard, []string{"Activity", "Budget", "Energy", "Sleep"}},
}

// screen is a design with its kind and texts.
type screen struct {
	root  *node
	kind  string
	title string
}

// newScreen makes a screen.
func newScreen(sample int, r *stat.Random) screen {
	b := &builder{theme: newTheme(r), random: r, sample: sample}
	k := &kinds[sample%len(kinds)]
	s := screen{kind: k.name, title: one(r, k.title)}
	s.root = b.node(typeFrame, s.title, 0, 0, Width, Height)
	s.root.fill = solid(b.back)
	b.status(s.root)
	b.header(s.root, s.title)
	k.fill(b, s.root)
	b.navigation(s.root)
	b.guides(s.root)
	return s
}

// status is the bar with the time.
func (b *builder) status(root *node) {
	bar := b.frame(root, "Status bar", 0, 0, Width, 28, 0, solid(b.surface))
	b.label(bar, "Time", fmt.Sprintf("%d:%02d", 1+b.random.Intn(12), b.random.Intn(60)), margin, 7, 12, true, b.ink, left)
	signal := b.group(bar, "Signal", 292, 9, 18, 11)
	for i := range 4 {
		height := float64(5 + 2*i)
		b.shape(signal, "Bar", 292+float64(5*i), 20-height, 3, height, 1, solid(b.ink))
	}
	battery := b.frame(bar, "Battery", 318, 9, 26, 11, 3, solid(b.line))
	b.shape(battery, "Charge", 320, 11, float64(8+b.random.Intn(15)), 7, 1, solid(b.ink))
}

// header is the title and the elements next to it.
func (b *builder) header(root *node, title string) {
	bar := b.frame(root, "Header", 0, 28, Width, 56, 0, solid(b.surface))
	b.label(bar, "Title", title, margin, 40, 24, true, b.ink, left)
	button := b.frame(bar, "Action", 312, 40, 32, 32, 16, solid(b.soft))
	b.disc(button, "Dot", 323, 51, 10, solid(b.accent))
}

// navigation is the bar at the bottom.
func (b *builder) navigation(root *node) {
	bar := b.frame(root, "Navigation", 0, 724, Width, 56, 0, solid(b.surface))
	b.shape(bar, "Line", 0, 724, Width, 1, 0, solid(b.line))
	active := b.random.Intn(4)
	for i, name := range []string{"Home", "Search", "Saved", "Profile"} {
		item := b.group(bar, name, float64(90*i), 730, 90, 46)
		c, ink := b.muted, b.muted
		if i == active {
			c, ink = b.accent, b.ink
		}
		x := float64(90*i + 45)
		if i%2 == 0 {
			b.shape(item, "Icon", x-10, 734, 20, 20, 6, solid(c))
		} else {
			b.disc(item, "Icon", x-10, 734, 20, solid(c))
		}
		b.label(item, "Label", name, x, 758, 10, i == active, ink, center)
	}
}

// guides are hidden, as designers leave them in their files.
func (b *builder) guides(root *node) {
	g := b.group(root, "Guides", margin, 0, inner, Height)
	g.hidden = true
	b.shape(g, "Margin", margin, 0, inner, Height, 0, solid(color.NRGBA{255, 0, 128, 40}))
}

// shop shows products in two columns.
func (b *builder) shop(root *node) {
	chips := b.group(root, "Filters", margin, 96, inner, 30)
	x := float64(margin)
	for i, name := range few(b.random, []string{"All", "New", "Sale", "Used", "Near", "Top", "Gifts"}, 4) {
		width := 62.
		f, c := solid(b.faint), b.ink
		if i == 0 {
			f, c = solid(b.accent), white
		}
		chip := b.frame(chips, "Filter "+name, x, 96, width, 30, 15, f)
		b.label(chip, "Name", name, x+width/2, 103, 12, i == 0, c, center)
		x += width + 10
	}
	names := few(b.random, []string{"Willow", "Atlas", "Nordic", "Harbor", "Ember", "Juniper", "Cobalt", "Sierra", "Maple", "Onyx"}, 4)
	for i, name := range names {
		x, y := float64(margin+168*(i%2)), float64(140+288*(i/2))
		card := b.frame(root, "Product", x, y, 160, 276, 14, solid(b.surface))
		b.picture(card, "Photo", x+8, y+8, 144, 150, 10)
		b.label(card, "Name", name+one(b.random, []string{" One", " Two", " Mini", " Plus", " Air"}), x+12, y+168, 15, true,
			b.ink, left)
		b.label(card, "Detail", one(b.random, []string{"In stock", "Only 3 left", "Ships today", "Free returns"}), x+12,
			y+190, 12, false, b.muted, left)
		b.label(card, "Price", fmt.Sprintf("$%d.%02d", 9+b.random.Intn(190), 10*b.random.Intn(10)), x+12, y+210, 14, true,
			b.ink, left)
		button := b.frame(card, "Buy", x+12, y+236, 136, 30, 8, solid(b.accent))
		b.label(button, "Caption", "Add to cart", x+80, y+243, 12, true, white, center)
	}
}

// inbox shows a list of messages.
func (b *builder) inbox(root *node) {
	field := b.frame(root, "Search", margin, 98, inner, 40, 12, solid(b.faint))
	b.disc(field, "Glass", margin+14, 112, 12, solid(b.muted))
	b.label(field, "Placeholder", one(b.random, []string{"Search people", "Search messages", "Find a chat"}), margin+36,
		109, 13, false, b.muted, left)
	people := few(b.random, []string{"Amara Lind", "Tomas Reyes", "Yuki Mori", "Lena Falk", "Omar Haddad", "Priya Nair", "Jonas Weber", "Mina Cole"}, 6)
	for i, name := range people {
		y := float64(150 + 94*i)
		row := b.frame(root, "Conversation", margin, y, inner, 86, 14, solid(b.surface))
		b.disc(row, "Avatar", margin+14, y+19, 48, solid(hsl(b.random.Float64(), 0.45, 0.6)))
		b.label(row, "Name", name, margin+76, y+16, 15, true, b.ink, left)
		b.label(row, "Message", one(b.random, []string{"See you at the station", "The draft looks great", "Can we move the call?", "Thanks for the photos", "Dinner on Friday?", "Sent you the invoice"}),
			margin+76, y+40, 13, false, b.muted, left)
		b.label(row, "Time", fmt.Sprintf("%d:%02d", 1+b.random.Intn(12), b.random.Intn(60)), Width-margin-14, y+18, 11, false,
			b.muted, right)
		if b.random.Float64() < 0.6 {
			badge := b.frame(row, "Unread", Width-margin-36, y+42, 22, 22, 11, solid(b.accent))
			b.label(badge, "Count", fmt.Sprint(1+b.random.Intn(9)), Width-margin-25, y+46, 11, true, white, center)
		}
	}
}

// feed shows two posts.
func (b *builder) feed(root *node) {
	authors := few(b.random, []string{"Nora Blix", "Kai Tanaka", "Elif Demir", "Sam Ortega", "Ines Roche"}, 2)
	titles := few(b.random, []string{"Above the tree line", "Slow mornings", "Two days by canoe", "Bread for beginners", "Night market notes"}, 2)
	for i, author := range authors {
		y := float64(96 + 312*i)
		card := b.frame(root, "Post", margin, y, inner, 300, 16, solid(b.surface))
		who := b.group(card, "Author", margin+12, y+10, 220, 36)
		b.disc(who, "Avatar", margin+12, y+10, 36, solid(hsl(b.random.Float64(), 0.45, 0.6)))
		b.label(who, "Name", author, margin+58, y+11, 14, true, b.ink, left)
		b.label(who, "Place", one(b.random, []string{"Bergen", "Kyoto", "Lisbon", "Oaxaca", "Turin"}), margin+58, y+30, 11,
			false, b.muted, left)
		b.picture(card, "Photo", margin, y+56, inner, 152, 0)
		b.label(card, "Headline", titles[i], margin+12, y+218, 17, true, b.ink, left)
		b.label(card, "Teaser", one(b.random, []string{"A quiet route with a view at the end", "What we packed and what we left", "Notes, maps and a few mistakes"}), margin+12, y+242, 12, false, b.muted, left)
		actions := b.group(card, "Reactions", margin+12, y+266, 200, 24)
		b.disc(actions, "Like", margin+12, y+268, 18, solid(b.accent))
		b.label(actions, "Likes", fmt.Sprint(20+b.random.Intn(900)), margin+36, y+270, 12, true, b.ink, left)
		b.shape(actions, "Reply", margin+92, y+268, 18, 18, 5, solid(b.muted))
		b.label(actions, "Replies", fmt.Sprint(2+b.random.Intn(80)), margin+116, y+270, 12, false, b.ink, left)
	}
}

// form asks for an address.
func (b *builder) form(root *node) {
	b.picture(root, "Illustration", margin, 96, inner, 130, 16)
	b.label(root, "Heading", one(b.random, []string{"Almost there", "Tell us about you", "One last step"}), margin, 242,
		22, true, b.ink, left)
	b.label(root, "Hint", one(b.random, []string{"It takes less than a minute", "You can change this later", "We never share your data"}), margin, 272, 13, false, b.muted, left)
	fields := few(b.random, []string{"Full name", "Email", "Street", "City", "Phone", "Company"}, 4)
	for i, name := range fields {
		y := float64(304 + 74*i)
		item := b.group(root, "Field", margin, y, inner, 64)
		b.label(item, "Label", name, margin, y, 12, true, b.ink, left)
		box := b.frame(item, "Input", margin, y+20, inner, 44, 10, solid(b.surface))
		box.stroke = &b.line
		b.label(box, "Value", one(b.random, []string{"Type here", "Required", "As on your card", "Optional"}), margin+14,
			y+33, 14, false, b.muted, left)
	}
	terms := b.group(root, "Terms", margin, 606, inner, 20)
	b.shape(terms, "Box", margin, 606, 20, 20, 6, solid(b.accent))
	b.label(terms, "Text", "I agree to the terms of use", margin+30, 608, 12, false, b.ink, left)
	button := b.frame(root, "Submit", margin, 648, inner, 52, 14, solid(b.accent))
	b.label(button, "Caption", one(b.random, []string{"Continue", "Place order", "Create account"}), Width/2, 664, 16,
		true, white, center)
}

// dashboard shows a number, a chart and tiles.
func (b *builder) dashboard(root *node) {
	hero := b.frame(root, "Summary", margin, 96, inner, 132, 18, &fill{kind: fillGradient, from: b.accent, to: b.deep})
	b.label(hero, "Label", one(b.random, []string{"This week", "Today", "This month"}), margin+20, 114, 13, false, white,
		left)
	b.label(hero, "Number", fmt.Sprintf("%d,%03d", 1+b.random.Intn(9), b.random.Intn(1000)), margin+20, 138, 38, true,
		white, left)
	b.label(hero, "Change", fmt.Sprintf("%d%% more than before", 2+b.random.Intn(30)), margin+20, 194, 12, false, white,
		left)
	chart := b.frame(root, "Chart", margin, 240, inner, 216, 18, solid(b.surface))
	b.label(chart, "Name", "Last seven days", margin+20, 256, 15, true, b.ink, left)
	for i, day := range []string{"M", "T", "W", "T", "F", "S", "S"} {
		x, height := float64(margin+22+42*i), float64(30+b.random.Intn(100))
		f := solid(b.soft)
		if i == 4 {
			f = solid(b.accent)
		}
		b.shape(chart, "Bar", x, 424-height, 26, height, 6, f)
		b.label(chart, "Day", day, x+13, 432, 11, false, b.muted, center)
	}
	labels := few(b.random, []string{"Average", "Best day", "Goal", "Streak", "Saved", "Rank"}, 4)
	for i, name := range labels {
		x, y := float64(margin+168*(i%2)), float64(468+126*(i/2))
		tile := b.frame(root, "Tile", x, y, 160, 114, 16, solid(b.surface))
		b.shape(tile, "Icon", x+16, y+16, 26, 26, 8, solid(b.soft))
		b.label(tile, "Number", fmt.Sprint(10+b.random.Intn(900)), x+16, y+52, 22, true, b.ink, left)
		b.label(tile, "Label", name, x+16, y+84, 12, false, b.muted, left)
	}
}
