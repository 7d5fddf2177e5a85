import { pick, type Random } from '../random.ts'
import { pickPalette } from './palettes.ts'
import { type Box, createSketch, type Drawing, grown } from './sketch.ts'

const OCCASIONS = [
  {
    title: 'Create your account',
    lead: 'It takes a minute. You can change everything later.',
    fields: ['Full name', 'E-mail address', 'Password', 'Country'],
    button: 'Create account',
  },
  {
    title: 'Book your appointment',
    lead: 'We call you back within one working day.',
    fields: ['Full name', 'Telephone', 'Preferred date', 'Reason for your visit'],
    button: 'Send request',
  },
  {
    title: 'Renew your library card',
    lead: 'Your card stays valid for another twelve months.',
    fields: ['Card number', 'Date of birth', 'E-mail address', 'Home branch'],
    button: 'Renew card',
  },
]

/** What stands in the first two fields; the second is wrong. */
const TYPED: Record<string, string[]> = {
  'Full name': ['Robin Winter', 'Alex Moreau', 'Kim Sandberg'],
  'Card number': ['4471 0892 16', '4471 2350 08'],
  'E-mail address': ['robin@example'],
  Telephone: ['030 55'],
  'Date of birth': ['31 February'],
}

/** A form on a card: four fields of which one is wrong, a tick box, a button. */
export function drawForm(random: Random): Drawing {
  const colours = pickPalette(random)
  const occasion = pick(random, OCCASIONS)
  const sketch = createSketch(1200, 900, colours.soft)
  const { rect, ellipse, path, text, mark } = sketch
  rect({ x: 0, y: 0, width: 1200, height: 74 }, { fill: colours.deep })
  ellipse({ x: 40, y: 21, width: 32, height: 32 }, { fill: colours.accent })
  const brand = text(86, 46, pick(random, ['Meridian', 'Lindenhof', 'Cityline']), {
    size: 25,
    fill: '#ffffff',
    isBold: true,
  })
  const help = text(1160, 45, 'Help', { size: 20, fill: colours.soft, anchor: 'end' })

  rect({ x: 256, y: 116, width: 696, height: 744 }, { fill: colours.ink, radius: 18, opacity: 0.12 })
  rect({ x: 252, y: 110, width: 696, height: 744 }, { fill: '#ffffff', radius: 18 })
  const title = text(312, 184, occasion.title, { size: 38, fill: colours.ink, isBold: true })
  const lead = text(312, 222, occasion.lead, { size: 19, fill: '#5d6770' })
  for (let step = 0; step < 3; step++)
    rect(
      { x: 312 + step * 196, y: 246, width: 184, height: 8 },
      { fill: step === 0 ? colours.main : colours.soft, radius: 4 },
    )

  const labels: Box[] = []
  const fields: Box[] = []
  let hint: Box | null = null
  for (const [i, name] of occasion.fields.entries()) {
    const y = 300 + i * 104 + (i > 1 ? 24 : 0)
    const isWrong = i === 1
    labels.push(text(312, y, name, { size: 20, fill: colours.ink, isBold: true }))
    const field = { x: 312, y: y + 12, width: 576, height: 52 }
    rect(field, {
      fill: colours.paper,
      stroke: isWrong ? '#c0272d' : '#aeb8c0',
      strokeWidth: isWrong ? 2.5 : 1.5,
      radius: 8,
    })
    if (i < 2) text(332, y + 45, i === 0 ? pick(random, TYPED[name]) : TYPED[name][0], { size: 21, fill: colours.ink })
    if (i === 3) path(`M852 ${y + 33}L862 ${y + 45}L872 ${y + 33}`, { stroke: colours.ink, strokeWidth: 3 })
    if (isWrong)
      hint = text(312, y + 87, 'This does not look complete. Please check it.', { size: 17, fill: '#c0272d' })
    fields.push(field)
  }
  rect({ x: 312, y: 716, width: 26, height: 26 }, { fill: colours.main, radius: 5 })
  path('M318 729L324 736L333 722', { stroke: '#ffffff', strokeWidth: 3.5 })
  const terms = text(352, 736, 'I have read the terms and how my data is used', { size: 19, fill: colours.ink })
  const button = { x: 312, y: 770, width: 576, height: 60 }
  rect(button, { fill: colours.accent, radius: 10 })
  text(600, 808, occasion.button, { size: 24, fill: colours.ink, isBold: true, anchor: 'middle' })

  mark('Brand', { x: 40, y: 18, width: brand.x + brand.width - 30, height: 38 }, { pull: 0.4 })
  mark('Help', grown(help, 8), { pull: 0.25, isButton: true })
  mark(
    'Title',
    grown({ ...title, height: lead.y + lead.height - title.y, width: Math.max(title.width, lead.width) }, 6),
    { pull: 1.8, lines: 2 },
  )
  mark(
    'Labels',
    labels.map((label) => grown(label, 4)),
    { pull: 3, lines: 1 },
  )
  mark('Fields', fields, { pull: 3, isButton: true })
  if (hint) mark('Error hint', grown(hint, 5), { pull: 1.6, lines: 1 })
  mark('Terms', { x: 308, y: 710, width: terms.x + terms.width - 304, height: 38 }, { pull: 0.7, lines: 1 })
  mark('Button', button, { pull: 2, isButton: true })
  mark('Card', { x: 252, y: 110, width: 696, height: 744 }, { pull: 0 })
  return sketch.finish()
}
