import { pick, type Random, wholeBetween } from '../random.ts'
import { pickPalette } from './palettes.ts'
import { createSketch, type Drawing, grown } from './sketch.ts'

const PRODUCTS = [
  {
    brand: 'Nordlys',
    line: ['Mornings taste', 'better slowly'],
    kind: 'Cold Brew Coffee',
    text: 'Steeped for eighteen hours in spring water. Smooth, low in acid and ready when you are.',
  },
  {
    brand: 'Verdana Hills',
    line: ['Pressed once.', 'Never rushed.'],
    kind: 'Extra Virgin Olive Oil',
    text: 'From trees older than our village. Bottled within a day, with pepper and green almond.',
  },
  {
    brand: 'Lumen',
    line: ['Clear skin starts', 'with less'],
    kind: 'Daily Face Serum',
    text: 'Five ingredients, no perfume. Tested with dermatologists for twelve weeks.',
  },
  {
    brand: 'Kiru',
    line: ['A garden in', 'every glass'],
    kind: 'Botanical Lemonade',
    text: 'Elderflower, cucumber and real lemon. Half the sugar, all of the summer.',
  },
]

/** A landscape advert: words and a button on the left, a bottle on the right. */
export function drawAdvert(random: Random): Drawing {
  const colours = pickPalette(random)
  const product = pick(random, PRODUCTS)
  const sketch = createSketch(1280, 800, colours.paper)
  const { rect, ellipse, path, text, paragraph, mark, markPolygons } = sketch

  path('M760 0C640 230 900 520 700 800L1280 800L1280 0Z', { fill: colours.soft })
  ellipse({ x: 770, y: 150, width: 460, height: 460 }, { fill: colours.main, opacity: 0.28 })
  ellipse({ x: 830, y: 690, width: 340, height: 44 }, { fill: colours.ink, opacity: 0.18 })

  ellipse({ x: 72, y: 58, width: 44, height: 44 }, { fill: colours.main })
  path('M94 66Q112 80 94 96Q76 80 94 66Z', { fill: colours.paper })
  const logo = text(130, 91, product.brand, { size: 30, fill: colours.deep, isBold: true })
  const first = text(72, 258, product.line[0], { size: 66, fill: colours.deep, isBold: true, isSerif: true })
  const second = text(72, 336, product.line[1], { size: 66, fill: colours.deep, isBold: true, isSerif: true })
  const copy = paragraph(74, 404, 500, product.text, { size: 23, fill: colours.ink }, 1.45)
  const button = { x: 72, y: 540, width: 250, height: 68 }
  rect(button, { fill: colours.accent, radius: 34 })
  text(197, 583, pick(random, ['Try it free', 'Order now', 'Find a shop']), {
    size: 24,
    fill: colours.ink,
    isBold: true,
    anchor: 'middle',
  })
  const small = text(74, 742, 'Offer ends Sunday. One per household, while stocks last.', {
    size: 15,
    fill: colours.ink,
  })

  const bottle: [number, number][] = [
    [966, 170],
    [1034, 170],
    [1034, 262],
    [1048, 300],
    [1088, 344],
    [1098, 384],
    [1098, 684],
    [1086, 708],
    [914, 708],
    [902, 684],
    [902, 384],
    [912, 344],
    [952, 300],
    [966, 262],
  ]
  path(
    'M966 170L1034 170L1034 262Q1036 296 1066 318Q1098 340 1098 384L1098 684Q1098 708 1074 708L926 708Q902 708 902 684L902 384Q902 340 934 318Q964 296 966 262Z',
    { fill: colours.deep },
  )
  rect({ x: 958, y: 128, width: 84, height: 52 }, { fill: colours.accent, radius: 8 })
  rect({ x: 922, y: 350, width: 14, height: 330 }, { fill: '#ffffff', radius: 7, opacity: 0.25 })
  const label = { x: 902, y: 430, width: 196, height: 190 }
  rect(label, { fill: colours.paper })
  rect({ x: 902, y: 442, width: 196, height: 4 }, { fill: colours.main })
  rect({ x: 902, y: 604, width: 196, height: 4 }, { fill: colours.main })
  text(1000, 500, product.brand, {
    size: product.brand.length > 8 ? 24 : 34,
    fill: colours.deep,
    isBold: true,
    isSerif: true,
    anchor: 'middle',
  })
  text(1000, 540, product.kind, { size: 16, fill: colours.ink, anchor: 'middle' })
  text(1000, 586, `${pick(random, [250, 330, 500])} ml`, {
    size: 18,
    fill: colours.main,
    isBold: true,
    anchor: 'middle',
  })

  const badge = { x: 1104, y: 96, width: 148, height: 148 }
  ellipse(badge, { fill: colours.accent })
  text(1178, 152, 'only', { size: 22, fill: colours.ink, anchor: 'middle' })
  const price = `€${wholeBetween(random, 2, 9)}.${pick(random, ['49', '90', '95', '99'])}`
  text(1178, 196, price, { size: 42, fill: colours.ink, isBold: true, anchor: 'middle' })

  const headline = { x: 72, y: 190, width: Math.max(first.width, second.width), height: 172 }
  mark('Logo', grown({ ...logo, x: 72, width: logo.x + logo.width - 72 }, 10), { pull: 0.5 })
  mark('Headline', headline, { pull: 2.6, lines: 2 })
  mark('Copy', grown(copy, 6), { pull: 1.2, lines: copy.lines })
  mark('Button', button, { pull: 1.1, isButton: true })
  markPolygons('Product', [bottle], { pull: 1.6 })
  mark('Label', label, { pull: 1.7, lines: 3 })
  mark('Price', badge, { pull: 1.9 })
  mark('First look at the headline', headline, { pull: 0, timeRange: { fromMs: 0, toMs: 1500 } })
  mark('Small print', grown(small, 6), { pull: 0.15, lines: 1 })
  return sketch.finish()
}
