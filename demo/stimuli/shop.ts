import { chance, pick, type Random, shuffled, wholeBetween } from '../random.ts'
import { drawGoods, GOODS } from './goods.ts'
import { pickPalette } from './palettes.ts'
import { type Box, createSketch, type Drawing, grown, type Sketch } from './sketch.ts'

const SHOPS = ['Fern & Field', 'Haus Nord', 'Olive Row', 'Studio Lark']
const PRAISE = [
  'Arrived in two days and looks better than in the picture.',
  'Solid, simple, and the colour is just right for our hall.',
  'The second one I bought. My sister took the first.',
]

/** A shop's home page, four windows tall: navigation, hero, eight products, reviews, newsletter, foot. */
export function drawShop(random: Random): Drawing {
  const colours = pickPalette(random)
  const sketch = createSketch(1440, 3000, '#ffffff')
  const { rect, text, paragraph, mark, polygon } = sketch
  const shop = pick(random, SHOPS)

  const logo = text(70, 62, shop, { size: 36, fill: colours.deep, isBold: true, isSerif: true })
  const links = ['New', 'Rooms', 'Sale', 'Journal'].map((name, i) =>
    text(560 + i * 130, 58, name, { size: 21, fill: colours.ink }),
  )
  const basket = { x: 1290, y: 24, width: 90, height: 52 }
  rect(basket, { fill: colours.soft, radius: 26 })
  text(1335, 57, `Bag ${wholeBetween(random, 0, 3)}`, { size: 19, fill: colours.ink, isBold: true, anchor: 'middle' })

  const hero = { x: 0, y: 100, width: 1440, height: 600 }
  rect(hero, { fill: colours.soft })
  rect({ x: 0, y: 590, width: 1440, height: 110 }, { fill: colours.main, opacity: 0.35 })
  polygon(
    [
      [770, 100],
      [1330, 100],
      [1330, 470],
      [770, 470],
    ],
    { fill: '#ffffff', opacity: 0.55 },
  )
  polygon(
    [
      [790, 120],
      [1040, 120],
      [1040, 450],
      [790, 450],
    ],
    { fill: '#dff1fb' },
  )
  polygon(
    [
      [1060, 120],
      [1310, 120],
      [1310, 450],
      [1060, 450],
    ],
    { fill: '#dff1fb' },
  )
  drawGoods(sketch, 'Reading chair', { x: 800, y: 330, width: 330, height: 330 }, colours)
  drawGoods(sketch, 'Monstera', { x: 1130, y: 300, width: 240, height: 350 }, colours)
  const claim = ['Rooms that', 'breathe out'].map((line, i) =>
    text(90, 280 + i * 84, line, { size: 74, fill: colours.deep, isBold: true, isSerif: true }),
  )
  const lead = paragraph(92, 428, 460, 'Furniture from small workshops, sent flat and built in ten minutes.', {
    size: 24,
    fill: colours.ink,
  })
  const heroButton = { x: 90, y: 510, width: 240, height: 64 }
  rect(heroButton, { fill: colours.accent, radius: 8 })
  text(210, 551, 'See the sale', { size: 23, fill: colours.ink, isBold: true, anchor: 'middle' })

  text(90, 800, 'Loved this week', { size: 40, fill: colours.ink, isBold: true, isSerif: true })
  const cards: Box[] = []
  const prices: Box[] = []
  const bagButtons: Box[] = []
  for (const [i, name] of shuffled(random, GOODS).entries()) {
    const card = { x: 90 + (i % 4) * 322, y: 850 + Math.floor(i / 4) * 470, width: 292, height: 430 }
    rect(card, { fill: colours.paper, stroke: '#dde3e7', radius: 12 })
    drawGoods(sketch, name, { x: card.x + 56, y: card.y + 36, width: 180, height: 220 }, colours)
    text(card.x + 24, card.y + 314, name, { size: 23, fill: colours.ink, isBold: true })
    const onSale = chance(random, 0.3)
    prices.push(
      text(card.x + 24, card.y + 350, `€${wholeBetween(random, 19, 289)}.00`, {
        size: 22,
        fill: onSale ? '#b3001b' : '#5d6770',
        isBold: onSale,
      }),
    )
    const add = { x: card.x + 24, y: card.y + 370, width: 244, height: 44 }
    rect(add, { stroke: colours.deep, strokeWidth: 2, radius: 6 })
    text(add.x + 122, add.y + 29, 'Add to bag', { size: 18, fill: colours.deep, isBold: true, anchor: 'middle' })
    cards.push(card)
    bagButtons.push(add)
  }

  const reviews = { x: 0, y: 1830, width: 1440, height: 470 }
  rect(reviews, { fill: colours.deep })
  text(720, 1920, 'What people say', { size: 40, fill: '#ffffff', isBold: true, isSerif: true, anchor: 'middle' })
  const quotes = PRAISE.map((words, i) => {
    const x = 90 + i * 430
    rect({ x, y: 1970, width: 400, height: 260 }, { fill: '#ffffff', radius: 12 })
    for (let star = 0; star < 5; star++) drawStar(sketch, x + 44 + star * 34, 2016, colours.accent)
    return paragraph(x + 28, 2080, 340, words, { size: 22, fill: colours.ink }, 1.5)
  })
  const newsletter = { x: 240, y: 2390, width: 960, height: 240 }
  rect(newsletter, { fill: colours.soft, radius: 16 })
  text(720, 2466, 'Ten per cent off your first order', { size: 36, fill: colours.ink, isBold: true, anchor: 'middle' })
  rect({ x: 400, y: 2510, width: 430, height: 60 }, { fill: '#ffffff', stroke: '#aeb8c0', radius: 8 })
  text(424, 2548, 'Your e-mail address', { size: 20, fill: '#8b959c' })
  const signUp = { x: 846, y: 2510, width: 200, height: 60 }
  rect(signUp, { fill: colours.main, radius: 8 })
  text(946, 2548, 'Sign me up', { size: 21, fill: '#ffffff', isBold: true, anchor: 'middle' })
  rect({ x: 0, y: 2720, width: 1440, height: 280 }, { fill: colours.ink })
  for (const [i, name] of ['About us', 'Delivery and returns', 'Workshops', 'Contact'].entries()) {
    text(90 + i * 330, 2790, name, { size: 22, fill: '#ffffff', isBold: true })
    for (let row = 0; row < 3; row++)
      rect(
        { x: 90 + i * 330, y: 2820 + row * 36, width: 130 + ((i * 37 + row * 53) % 80), height: 10 },
        { fill: '#ffffff', radius: 5, opacity: 0.35 },
      )
  }

  const foot = { x: 90, y: 2760, width: 1260, height: 170 }
  mark('Logo', grown(logo, 10), { pull: 0.6 })
  mark('Navigation', [...links.map((link) => grown(link, 12)), foot], { pull: 1.2, lines: 1 })
  mark('Bag', basket, { pull: 0.5, isButton: true })
  mark('Hero', hero, { pull: 0.8 })
  mark(
    'Claim',
    { x: 90, y: claim[0].y, width: Math.max(...claim.map(({ width }) => width)), height: 180 },
    { pull: 2.4, lines: 2 },
  )
  mark('Lead', grown(lead, 6), { pull: 1, lines: lead.lines })
  mark('Hero button', heroButton, { pull: 1, isButton: true })
  mark(
    'Products',
    cards.map((card) => ({ ...card, height: 330 })),
    { pull: 5 },
  )
  mark(
    'Prices',
    prices.map((price) => grown(price, 8)),
    { pull: 3 },
  )
  mark('Add to bag', bagButtons, { pull: 1.5, isButton: true })
  mark(
    'Reviews',
    quotes.map((quote) => grown(quote, 20)),
    { pull: 2.4, lines: 3 },
  )
  mark('Newsletter', newsletter, { pull: 1.2, lines: 2 })
  mark('Sign up', signUp, { pull: 0.8, isButton: true })
  return sketch.finish()
}

function drawStar({ polygon }: Sketch, x: number, y: number, fill: string): void {
  const point = (i: number): [number, number] => {
    const radius = i % 2 === 0 ? 15 : 6.5
    const angle = (Math.PI * i) / 5 - Math.PI / 2
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  }
  polygon(
    Array.from({ length: 10 }, (_, i) => point(i)),
    { fill },
  )
}
