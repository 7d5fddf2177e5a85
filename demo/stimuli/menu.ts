import { pick, type Random, shuffled, wholeBetween } from '../random.ts'
import { pickPalette } from './palettes.ts'
import { type Box, createSketch, type Drawing } from './sketch.ts'

const PLACES = ['Trattoria Luna', 'The Copper Pot', 'Casa Verde', 'Little Harbour']
const COURSES = [
  {
    name: 'To start',
    dishes: ['Tomato soup, basil', 'Grilled sardines', 'Burrata, peach', 'Beetroot carpaccio', 'Warm bread, olives'],
  },
  {
    name: 'Mains',
    dishes: ['Lemon risotto', 'Roast chicken, thyme', 'Mushroom ravioli', 'Sea bass, fennel', 'Aubergine bake'],
  },
  { name: 'Sweet', dishes: ['Tiramisù', 'Almond tart', 'Plum sorbet', 'Cheese, quince', 'Olive oil cake'] },
]

/** A restaurant's menu: three courses with prices, the chef's special in a frame, a bowl. */
export function drawMenu(random: Random): Drawing {
  const colours = pickPalette(random)
  const sketch = createSketch(1000, 1300, '#fbf7ef')
  const { rect, ellipse, path, text, mark } = sketch
  rect({ x: 26, y: 26, width: 948, height: 1248 }, { stroke: colours.deep, strokeWidth: 3 })
  rect({ x: 38, y: 38, width: 924, height: 1224 }, { stroke: colours.deep, strokeWidth: 1 })
  const name = text(500, 138, pick(random, PLACES), {
    size: 68,
    fill: colours.deep,
    isBold: true,
    isSerif: true,
    anchor: 'middle',
  })
  text(500, 186, 'Lunch and dinner', { size: 24, fill: colours.main, isSerif: true, anchor: 'middle' })

  const courses: Box[] = []
  const prices: Box[] = []
  let y = 268
  for (const [i, course] of COURSES.entries()) {
    const top = y - 36
    text(96, y, course.name, { size: 36, fill: colours.main, isBold: true, isSerif: true })
    for (const [row, dish] of shuffled(random, course.dishes).slice(0, 4).entries()) {
      const line = y + 56 + row * 46
      const words = text(96, line, dish, { size: 26, fill: colours.ink, isSerif: true })
      const price = text(
        590,
        line,
        `${wholeBetween(random, 5 + i * 4, 9 + i * 6)}.${pick(random, ['00', '50', '90'])}`,
        { size: 26, fill: colours.ink, isBold: true, anchor: 'end' },
      )
      for (let x = words.x + words.width + 14; x < price.x - 14; x += 13)
        ellipse({ x, y: line - 5, width: 3, height: 3 }, { fill: colours.ink })
    }
    courses.push({ x: 86, y: top, width: 420, height: 262 })
    prices.push({ x: 516, y: y + 26, width: 84, height: 184 })
    y += 300
  }

  const special = { x: 650, y: 250, width: 268, height: 470 }
  rect(special, { fill: colours.deep, radius: 14 })
  text(784, 312, "Chef's special", { size: 29, fill: colours.accent, isBold: true, isSerif: true, anchor: 'middle' })
  const bowl = { x: 684, y: 350, width: 200, height: 170 }
  for (const [dx, fill] of [
    [30, '#d1495b'],
    [78, '#edae49'],
    [122, '#66a182'],
  ] as const)
    ellipse({ x: bowl.x + dx, y: bowl.y + 34, width: 54, height: 54 }, { fill })
  path('M684 420L884 420Q878 516 784 520Q690 516 684 420Z', { fill: colours.paper })
  for (const dx of [40, 96, 150])
    path(`M${bowl.x + dx} ${bowl.y + 24}q-12 -16 0 -30q12 -14 0 -30`, {
      stroke: colours.soft,
      strokeWidth: 4,
      opacity: 0.7,
    })
  text(784, 584, 'Harvest bowl', { size: 28, fill: '#ffffff', isBold: true, isSerif: true, anchor: 'middle' })
  text(784, 620, 'with a glass of wine', { size: 20, fill: colours.soft, anchor: 'middle' })
  text(784, 684, `${wholeBetween(random, 14, 24)}.50`, {
    size: 44,
    fill: colours.accent,
    isBold: true,
    anchor: 'middle',
  })
  const drinks = { x: 650, y: 770, width: 268, height: 300 }
  rect(drinks, { stroke: colours.main, strokeWidth: 2, radius: 14 })
  text(784, 824, 'To drink', { size: 28, fill: colours.main, isBold: true, isSerif: true, anchor: 'middle' })
  for (const [row, drink] of ['Still or sparkling', 'Elderflower soda', 'House red, white', 'Espresso'].entries())
    text(784, 880 + row * 46, drink, { size: 23, fill: colours.ink, isSerif: true, anchor: 'middle' })
  const allergies = text(500, 1216, 'Please tell us about allergies. Prices in euros, service included.', {
    size: 18,
    fill: colours.ink,
    anchor: 'middle',
  })

  mark('Name', name, { pull: 1.2, lines: 1 })
  for (const [i, course] of COURSES.entries()) mark(course.name, courses[i], { pull: 2.2 - i * 0.4, lines: 5 })
  mark('Prices', prices, { pull: 2.4, lines: 4 })
  mark("Chef's special", special, { pull: 2.2 })
  mark('Bowl', bowl, { pull: 1.4 })
  mark('Drinks', drinks, { pull: 1.2, lines: 5 })
  mark('Allergies', allergies, { pull: 0.2, lines: 1 })
  return sketch.finish()
}
