import { pick, type Random, shuffled, wholeBetween } from '../random.ts'
import { drawFace } from './face.ts'
import { pickPalette } from './palettes.ts'
import { createSketch, type Drawing, ellipsePoints, grown } from './sketch.ts'

const TITLES = ['Night Signals', 'Paper Moon', 'The Long Field', 'Blue Hour', 'Salt and Wire']
const VENUES = ['Old Tram Depot', 'Harbour Hall', 'Kino Central', 'Glasshouse Stage']
const ACTS = [
  'Ada Venn',
  'Northbound',
  'Mira Solis Trio',
  'The Quiet Engines',
  'Otto Kraft',
  'Lowland Choir',
  'Tin Orchard',
  'June & the Tides',
]

/** A concert poster: a portrait before a low sun, title, date, line-up, tickets. */
export function drawPoster(random: Random): Drawing {
  const colours = pickPalette(random)
  const sketch = createSketch(900, 1260, colours.deep)
  const { rect, ellipse, path, text, mark, markPolygons } = sketch

  for (let ring = 6; ring >= 1; ring--)
    ellipse(
      { x: 450 - ring * 78, y: 470 - ring * 78, width: ring * 156, height: ring * 156 },
      { fill: colours.accent, opacity: 0.1 + (6 - ring) * 0.035 },
    )
  ellipse({ x: 190, y: 210, width: 520, height: 520 }, { fill: colours.accent })
  const { head, eyes } = drawFace(sketch, { x: 170, y: 200, width: 560, height: 580 }, colours.main, random)
  path('M0 760C180 700 330 790 480 752C640 712 760 776 900 734L900 1260L0 1260Z', { fill: colours.ink })

  const title = text(450, 128, pick(random, TITLES).toUpperCase(), {
    size: 78,
    fill: colours.paper,
    isBold: true,
    anchor: 'middle',
  })
  const subtitle = text(450, 176, 'A weekend of live music and film', {
    size: 27,
    fill: colours.soft,
    anchor: 'middle',
  })

  const acts = shuffled(random, ACTS).slice(0, 6)
  const lines = acts.map((act, i) =>
    text(450, 862 + i * 46, act, {
      size: i < 2 ? 40 : 28,
      fill: i < 2 ? colours.accent : colours.paper,
      isBold: i < 2,
      anchor: 'middle',
    }),
  )
  const widest = Math.max(...lines.map(({ width }) => width)) + 24
  const lineUp = { x: 450 - widest / 2, y: lines[0].y, width: widest, height: 862 + 5 * 46 + 12 - lines[0].y }

  const day = wholeBetween(random, 1, 20)
  const date = { x: 56, y: 1136, width: 270, height: 84 }
  rect(date, { fill: colours.accent, radius: 10 })
  text(191, 1190, `${day} – ${day + 2} ${pick(random, ['June', 'July', 'August'])}`, {
    size: 34,
    fill: colours.ink,
    isBold: true,
    anchor: 'middle',
  })
  const venue = text(450, 1172, pick(random, VENUES), { size: 25, fill: colours.paper, anchor: 'middle' })
  text(450, 1206, 'Doors open at 18:00', { size: 18, fill: colours.soft, anchor: 'middle' })
  const tickets = { x: 574, y: 1136, width: 270, height: 84 }
  rect(tickets, { stroke: colours.paper, strokeWidth: 3, radius: 10 })
  text(709, 1174, 'Tickets', { size: 26, fill: colours.paper, isBold: true, anchor: 'middle' })
  text(709, 1204, `from €${wholeBetween(random, 18, 49)}`, { size: 21, fill: colours.accent, anchor: 'middle' })

  markPolygons('Face', [ellipsePoints(grown(head, 10), 24)], { pull: 2.2 })
  mark('Eyes', eyes, { pull: 2.4 })
  mark('Title', grown(title, 8), { pull: 2.2, lines: 1 })
  mark('Subtitle', grown(subtitle, 6), { pull: 0.6, lines: 1 })
  mark('Line-up', lineUp, { pull: 1.8, lines: 6 })
  mark('Date and venue', [date, { x: venue.x, y: venue.y, width: venue.width, height: 64 }], { pull: 1.5, lines: 1 })
  mark('Tickets', tickets, { pull: 0.9, lines: 2 })
  mark('Tickets, from second 4 to 8', tickets, { pull: 0, timeRange: { fromMs: 4000, toMs: 8000 } })
  return sketch.finish()
}
