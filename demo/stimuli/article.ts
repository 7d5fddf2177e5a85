import { pick, type Random, shuffled } from '../random.ts'
import { drawFace } from './face.ts'
import { pickPalette } from './palettes.ts'
import { type Box, createSketch, type Drawing, ellipsePoints, grown } from './sketch.ts'

const STORIES = [
  { title: 'The people who listen to rivers', by: 'Nora Feld' },
  { title: 'A bakery that opens at midnight', by: 'Samir Osei' },
  { title: 'How a village bought its own railway', by: 'Lena Borg' },
]
const SENTENCES = [
  'It begins, as such things do, with somebody who had time and a notebook.',
  'Nobody had asked for it, and for most of a year nobody noticed.',
  'She keeps the records in a cupboard that used to hold fishing nets.',
  'The numbers are small, but they have never once gone down.',
  'On the first morning eleven people came, on the second forty.',
  'What surprised the council was how little money it took.',
  'The neighbours complained at first, then they started to help.',
  'There is a map on the wall with pins in four colours.',
  'You can hear the difference from the bridge if the wind is right.',
  'He laughs when asked about plans and points at the kettle.',
  'By spring the waiting list was longer than the street.',
  'None of it would have lasted without the school next door.',
]

/** A long read: headline, portrait, three runs of text, a quotation and an advert between them. */
export function drawArticle(random: Random): Drawing {
  const colours = pickPalette(random)
  const story = pick(random, STORIES)
  const sketch = createSketch(1200, 2500, '#ffffff')
  const { rect, ellipse, path, text, paragraph, mark, markPolygons } = sketch
  rect({ x: 0, y: 0, width: 1200, height: 84 }, { fill: colours.ink })
  const masthead = text(600, 56, 'The Evening Ledger', {
    size: 36,
    fill: '#ffffff',
    isBold: true,
    isSerif: true,
    anchor: 'middle',
  })
  text(200, 156, 'LONG READ', { size: 19, fill: colours.main, isBold: true })
  const title = paragraph(
    200,
    224,
    800,
    story.title,
    { size: 56, fill: colours.ink, isBold: true, isSerif: true },
    1.15,
  )
  let y = title.y + title.height + 34
  const byline = text(200, y, `By ${story.by} · 7 minutes`, { size: 20, fill: '#5d6770' })

  const photo = { x: 200, y: y + 40, width: 800, height: 520 }
  rect(photo, { fill: colours.soft })
  path(
    `M200 ${photo.y + 340}Q420 ${photo.y + 240} 640 ${photo.y + 330}T1000 ${photo.y + 280}L1000 ${photo.y + 520}L200 ${photo.y + 520}Z`,
    { fill: colours.main, opacity: 0.5 },
  )
  ellipse({ x: 250, y: photo.y + 60, width: 110, height: 110 }, { fill: colours.accent })
  const { head } = drawFace(sketch, { x: 400, y: photo.y + 20, width: 480, height: 500 }, colours.deep, random)
  y = photo.y + photo.height + 30
  const caption = text(200, y, 'Mornings are for measuring, afternoons for tea. Photograph: staff', {
    size: 17,
    fill: '#7a848c',
  })

  const sentences = shuffled(random, SENTENCES)
  const body = (from: number, count: number) => {
    const words = Array.from({ length: count }, (_, i) => sentences[(from + i) % sentences.length]).join(' ')
    const box = paragraph(200, y, 800, words, { size: 25, fill: colours.ink, isSerif: true }, 1.6)
    y = box.y + box.height + 60
    return box
  }
  y += 66
  const texts = [body(0, 6), body(6, 4)]
  const quote = paragraph(
    260,
    y + 40,
    680,
    `“${sentences[3]}”`,
    { size: 38, fill: colours.main, isBold: true, isSerif: true },
    1.3,
  )
  rect({ x: 210, y: quote.y, width: 10, height: quote.height }, { fill: colours.accent })
  y = quote.y + quote.height + 60
  const banner: Box = { x: 200, y: y - 20, width: 800, height: 190 }
  rect(banner, { fill: colours.paper, stroke: '#dde3e7' })
  text(216, banner.y + 24, 'Advertisement', { size: 13, fill: '#8b959c' })
  ellipse({ x: 250, y: banner.y + 44, width: 110, height: 110 }, { fill: colours.accent })
  text(400, banner.y + 90, 'Fly north for less', { size: 36, fill: colours.ink, isBold: true })
  text(400, banner.y + 130, 'Thirty cities from €29', { size: 23, fill: '#5d6770' })
  const bannerButton = { x: 812, y: banner.y + 70, width: 160, height: 56 }
  rect(bannerButton, { fill: colours.deep, radius: 8 })
  text(892, banner.y + 106, 'Book', { size: 22, fill: '#ffffff', isBold: true, anchor: 'middle' })
  y = banner.y + banner.height + 80
  texts.push(body(9, 5))

  y += 10
  rect({ x: 0, y: y - 40, width: 1200, height: 2540 - y }, { fill: colours.soft })
  const further = STORIES.filter((other) => other !== story).map(({ title: name }, i): Box => {
    const card = { x: 200 + i * 410, y: y + 20, width: 390, height: 250 }
    rect(card, { fill: '#ffffff', radius: 10 })
    rect({ ...card, height: 130 }, { fill: i === 0 ? colours.main : colours.accent, radius: 10 })
    paragraph(card.x + 22, card.y + 176, 340, name, { size: 25, fill: colours.ink, isBold: true, isSerif: true }, 1.25)
    return card
  })

  mark('Masthead', grown(masthead, 10), { pull: 0.4 })
  mark('Headline', grown(title, 8), { pull: 2.6, lines: title.lines })
  mark('Byline', grown(byline, 6), { pull: 0.5, lines: 1 })
  mark('Photograph', photo, { pull: 0.6 })
  markPolygons('Face', [ellipsePoints(grown(head, 8), 24)], { pull: 2.4 })
  mark('Caption', grown(caption, 6), { pull: 0.6, lines: 1 })
  mark(
    'Text',
    texts.map((box) => grown(box, 8)),
    { pull: 6, lines: 7 },
  )
  mark('Quotation', grown(quote, 10), { pull: 1.6, lines: quote.lines })
  mark('Advertisement', banner, { pull: 0.9 })
  mark('Advertisement, first three seconds', banner, { pull: 0, timeRange: { fromMs: 0, toMs: 3000 } })
  mark('Book', bannerButton, { pull: 0.3, isButton: true })
  mark('Read next', further, { pull: 0.8, lines: 2 })
  return sketch.finish()
}
