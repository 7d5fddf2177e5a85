import { between, pick, type Random, wholeBetween } from '../random.ts'
import { pickPalette } from './palettes.ts'
import { createSketch, type Drawing, grown } from './sketch.ts'

const TOPICS = [
  {
    title: 'Cycling overtakes the bus in city traffic',
    unit: 'Trips a day, thousands',
    series: ['Bicycle', 'Bus', 'Tram'],
  },
  { title: 'Wind power has tripled in nine years', unit: 'Output, terawatt hours', series: ['Wind', 'Coal', 'Solar'] },
  { title: 'More people borrow e-books than films', unit: 'Loans, thousands', series: ['E-books', 'Films', 'Music'] },
]
const YEARS = 10
const PLOT = { x: 120, y: 210, width: 800, height: 440 }

/** A line chart as in a newspaper: three series, a legend, a remark where the lines cross. */
export function drawChart(random: Random): Drawing {
  const colours = pickPalette(random)
  const topic = pick(random, TOPICS)
  const sketch = createSketch(1200, 800, '#ffffff')
  const { rect, ellipse, path, text, paragraph, mark, markPolygons } = sketch
  rect({ x: 60, y: 44, width: 64, height: 10 }, { fill: colours.accent })
  const title = text(60, 106, topic.title, { size: 42, fill: colours.ink, isBold: true, isSerif: true })
  const unit = text(60, 152, topic.unit, { size: 22, fill: '#5d6770' })

  const values = [series(random, 18, 84), series(random, 62, 36), series(random, 30, 46)]
  const shades = [colours.accent, colours.deep, colours.main]
  const xAt = (year: number) => PLOT.x + (PLOT.width * year) / (YEARS - 1)
  const yAt = (value: number) => PLOT.y + PLOT.height * (1 - value / 100)
  for (let tick = 0; tick <= 100; tick += 20) {
    path(`M${PLOT.x} ${yAt(tick)}L${PLOT.x + PLOT.width} ${yAt(tick)}`, {
      stroke: tick === 0 ? colours.ink : '#d9dee2',
      strokeWidth: tick === 0 ? 2 : 1,
    })
    text(PLOT.x - 14, yAt(tick) + 7, String(tick), { size: 19, fill: '#5d6770', anchor: 'end' })
  }
  const firstYear = wholeBetween(random, 2008, 2014)
  for (let year = 0; year < YEARS; year++)
    text(xAt(year), PLOT.y + PLOT.height + 34, String(firstYear + year), {
      size: 19,
      fill: '#5d6770',
      anchor: 'middle',
    })

  const area = values[0].map((value, year) => `${xAt(year)} ${yAt(value)}`).join('L')
  path(`M${area}L${xAt(YEARS - 1)} ${yAt(0)}L${xAt(0)} ${yAt(0)}Z`, { fill: colours.accent, opacity: 0.16 })
  for (const i of [2, 1, 0]) {
    path(`M${values[i].map((value, year) => `${xAt(year)} ${yAt(value)}`).join('L')}`, {
      stroke: shades[i],
      strokeWidth: i === 0 ? 6 : 4,
    })
    for (const [year, value] of values[i].entries())
      ellipse(
        { x: xAt(year) - 6, y: yAt(value) - 6, width: 12, height: 12 },
        { fill: '#ffffff', stroke: shades[i], strokeWidth: 3 },
      )
  }
  const ends = spread(values.map((list) => yAt(list[YEARS - 1])))
  const labels = topic.series.map((name, i) =>
    text(PLOT.x + PLOT.width + 24, ends[i] + 9, name, { size: 26, fill: shades[i], isBold: true }),
  )

  const cross = values[0].findIndex((value, year) => value > values[1][year])
  const note = { x: xAt(cross) - 390, y: PLOT.y - 4, width: 282, height: 86 }
  rect(note, { fill: colours.ink, radius: 8 })
  const remark = paragraph(
    note.x + 18,
    note.y + 34,
    250,
    `${firstYear + cross}: ${topic.series[0]} ahead for the first time`,
    { size: 20, fill: '#ffffff' },
  )
  path(
    `M${note.x + note.width} ${note.y + 60}Q${xAt(cross) - 30} ${note.y + 64} ${xAt(cross) - 4} ${yAt(values[0][cross]) - 18}`,
    { stroke: colours.ink, strokeWidth: 2.5 },
  )
  const source = text(60, 756, 'Source: made up for this demonstration. Figures are rounded.', {
    size: 17,
    fill: '#7a848c',
  })

  const ribbon = (list: number[]): [number, number][] => [
    ...list.map((value, year): [number, number] => [xAt(year), yAt(value) - 28]),
    ...list.map((value, year): [number, number] => [xAt(year), yAt(value) + 28]).reverse(),
  ]
  mark('Title', grown(title, 8), { pull: 2.4, lines: 1 })
  mark('Unit', grown(unit, 6), { pull: 0.7, lines: 1 })
  mark('Plot', PLOT, { pull: 0.8 })
  markPolygons(`Line of ${topic.series[0]}`, [ribbon(values[0])], { pull: 0 })
  markPolygons('Other lines', [ribbon(values[1]), ribbon(values[2])], { pull: 0 })
  sketch.mark('Crossing', { x: xAt(cross) - 70, y: yAt(values[0][cross]) - 60, width: 120, height: 120 }, { pull: 2 })
  mark('Remark', note, { pull: 2, lines: remark.lines })
  mark(
    'Legend',
    labels.map((label) => grown(label, 8)),
    { pull: 1.8 },
  )
  mark(
    'Years',
    { x: PLOT.x - 30, y: PLOT.y + PLOT.height + 8, width: PLOT.width + 60, height: 40 },
    { pull: 0.8, lines: 1 },
  )
  mark('Source', grown(source, 6), { pull: 0.2, lines: 1 })
  return sketch.finish()
}

/** A wavering course from one value to another. */
function series(random: Random, from: number, to: number): number[] {
  return Array.from({ length: YEARS }, (_, year) => {
    const share = year / (YEARS - 1)
    return (
      from +
      (to - from) * share * share * (3 - 2 * share) +
      (year === 0 || year === YEARS - 1 ? 0 : between(random, -4, 4))
    )
  })
}

/** Moves label positions apart, keeping their order. */
function spread(ys: number[]): number[] {
  const order = ys.map((_, i) => i).sort((a, b) => ys[a] - ys[b])
  const apart = [...ys]
  for (let k = 1; k < order.length; k++) apart[order[k]] = Math.max(apart[order[k]], apart[order[k - 1]] + 34)
  return apart
}
