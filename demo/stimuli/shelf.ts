import { chance, pick, type Random, shuffled, wholeBetween } from '../random.ts'
import { type Palette, pickPalette } from './palettes.ts'
import { type Box, createSketch, type Drawing, type Sketch } from './sketch.ts'

const BRANDS = [
  { name: 'Oatmill', word: 'Granola', fill: '#c8553d', cap: '#f28f3b', shape: 'box' },
  { name: 'Solis', word: 'Orange', fill: '#f2a541', cap: '#2a9d55', shape: 'carton' },
  { name: 'Bergtal', word: 'Muesli', fill: '#2f6690', cap: '#81c3d7', shape: 'box' },
  { name: 'Mavi', word: 'Yoghurt', fill: '#5b8e7d', cap: '#f4e285', shape: 'jar' },
  { name: 'Crunchy O', word: 'Honey', fill: '#7d5ba6', cap: '#fcde67', shape: 'box' },
  { name: 'Pomona', word: 'Apple', fill: '#8ab17d', cap: '#b23a48', shape: 'carton' },
]
const ROWS = 3
const SLOTS = 9

/** A supermarket shelf: six brands with several facings each, price tags, a sign. */
export function drawShelf(random: Random): Drawing {
  const colours = pickPalette(random)
  const sketch = createSketch(1600, 1000, '#e9e5df')
  const { rect, text, mark } = sketch
  const brands = shuffled(random, BRANDS)
  const facings: Box[][] = brands.map(() => [])
  const tags: Box[] = []

  rect({ x: 0, y: 0, width: 1600, height: 110 }, { fill: colours.deep })
  text(60, 74, 'Breakfast', { size: 46, fill: '#ffffff', isBold: true })
  text(1540, 70, 'Aisle 7', { size: 30, fill: colours.soft, anchor: 'end' })
  for (let floor = 372; floor < 1000; floor += 290) {
    rect({ x: 40, y: floor - 262, width: 1520, height: 262 }, { fill: '#d8d2c8' })
    rect({ x: 40, y: floor - 262, width: 1520, height: 22 }, { fill: '#000000', opacity: 0.1 })
    rect({ x: 40, y: floor, width: 1520, height: 28 }, { fill: '#f7f5f2', stroke: '#b9b2a6' })
  }
  for (let row = 0; row < ROWS; row++) {
    const floor = 372 + row * 290
    const pair = [brands[row * 2], brands[row * 2 + 1]]
    const turn = wholeBetween(random, 3, 6)
    for (let slot = 0; slot < SLOTS; slot++) {
      // A facing of the next row's brand between its neighbours: areas of interest of several parts.
      const stray = slot === SLOTS - 1
      const brand = stray ? brands[(row * 2 + 2) % 6] : pair[slot < turn ? 0 : 1]
      const height = brand.shape === 'box' ? 206 : brand.shape === 'carton' ? 216 : 150
      const box = { x: 66 + slot * 167, y: floor - height, width: brand.shape === 'jar' ? 128 : 136, height }
      drawPackage(sketch, box, brand)
      facings[brands.indexOf(brand)].push(box)
    }
    for (const slot of [0, turn, SLOTS - 1]) tags.push(drawTag(sketch, 70 + slot * 167, floor + 2, colours, random))
  }
  const sign = { x: 640, y: 18, width: 320, height: 132 }
  rect(sign, { fill: '#ffd23f', stroke: colours.ink, strokeWidth: 3, radius: 12 })
  text(800, 76, '2 for 1', { size: 50, fill: '#b3001b', isBold: true, anchor: 'middle' })
  text(800, 122, `all ${brands[0].name}`, { size: 28, fill: colours.ink, isBold: true, anchor: 'middle' })

  mark('Sign', sign, { pull: 2.2, lines: 2 })
  for (const [i, brand] of brands.entries())
    mark(`${brand.name} ${brand.word}`, facings[i], { pull: i < 2 ? 2.6 : i < 4 ? 1.8 : 1, isButton: i === 0 })
  mark('Price tags', tags, { pull: 2 })
  mark('Top shelf', { x: 40, y: 110, width: 1520, height: 290 }, { pull: 0 })
  return sketch.finish()
}

function drawPackage(sketch: Sketch, box: Box, brand: (typeof BRANDS)[number]): void {
  const { rect, ellipse, path, text } = sketch
  const { x, y, width, height } = box
  const middle = x + width / 2
  const top = brand.shape === 'box' ? y : brand.shape === 'carton' ? y + 40 : y + 26
  rect({ x, y: top, width, height: y + height - top }, { fill: brand.fill, radius: brand.shape === 'jar' ? 22 : 5 })
  if (brand.shape === 'carton') {
    path(`M${x} ${top + 2}L${x + 26} ${y + 8}L${x + width - 26} ${y + 8}L${x + width} ${top + 2}Z`, {
      fill: brand.fill,
    })
    path(`M${x} ${top + 2}L${x + 26} ${y + 8}L${x + width - 26} ${y + 8}L${x + width} ${top + 2}Z`, {
      fill: '#ffffff',
      opacity: 0.25,
    })
    rect({ x: middle - 17, y, width: 34, height: 20 }, { fill: brand.cap, radius: 4 })
  }
  if (brand.shape === 'jar') rect({ x: x + 10, y, width: width - 20, height: 34 }, { fill: brand.cap, radius: 6 })
  rect(
    { x: x + 6, y: top + 10, width: 7, height: y + height - top - 20 },
    { fill: '#ffffff', radius: 3, opacity: 0.25 },
  )
  const band = brand.shape === 'jar' ? y + 62 : top + 30
  text(middle, band + 18, brand.name, {
    size: brand.name.length > 7 ? 22 : 27,
    fill: '#ffffff',
    isBold: true,
    anchor: 'middle',
  })
  text(middle, band + 42, brand.word, { size: 17, fill: brand.cap, anchor: 'middle' })
  const art = { x: middle - 37, y: y + height - 84, width: 74, height: 66 }
  if (brand.shape === 'box') {
    ellipse({ ...art, y: art.y - 6 }, { fill: brand.cap })
    path(
      `M${art.x - 2} ${art.y + 24}L${art.x + 76} ${art.y + 24}Q${art.x + 68} ${art.y + 66} ${middle} ${art.y + 66}Q${art.x + 6} ${art.y + 66} ${art.x - 2} ${art.y + 24}Z`,
      { fill: '#ffffff' },
    )
  } else if (brand.shape === 'carton') {
    ellipse({ x: middle - 30, y: art.y, width: 60, height: 60 }, { fill: brand.cap, stroke: '#ffffff', strokeWidth: 4 })
    path(
      `M${middle} ${art.y + 4}Q${middle + 26} ${art.y - 22} ${middle + 34} ${art.y - 2}Q${middle + 16} ${art.y + 12} ${middle} ${art.y + 4}Z`,
      { fill: '#3c7a3f' },
    )
  } else
    rect({ x: x + 18, y: y + height - 36, width: width - 36, height: 14 }, { fill: '#ffffff', radius: 7, opacity: 0.6 })
}

function drawTag(sketch: Sketch, x: number, y: number, colours: Palette, random: Random): Box {
  const isOffer = chance(random, 0.3)
  const box = { x, y, width: 104, height: 40 }
  sketch.rect(box, { fill: isOffer ? '#ffd23f' : '#ffffff', stroke: colours.ink, strokeWidth: 1.5, radius: 4 })
  const price = `€${wholeBetween(random, 1, 4)}.${pick(random, ['29', '49', '79', '99'])}`
  sketch.text(x + 52, y + 29, price, {
    size: 26,
    fill: isOffer ? '#b3001b' : colours.ink,
    isBold: true,
    anchor: 'middle',
  })
  return box
}
