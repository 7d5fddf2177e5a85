import { createRandom } from './random.ts'
import { drawAdvert } from './stimuli/advert.ts'
import { drawArticle } from './stimuli/article.ts'
import { drawChart } from './stimuli/chart.ts'
import { drawForm } from './stimuli/form.ts'
import { drawMenu } from './stimuli/menu.ts'
import { drawPoster } from './stimuli/poster.ts'
import { drawShelf } from './stimuli/shelf.ts'
import { drawShop } from './stimuli/shop.ts'
import type { Drawing } from './stimuli/sketch.ts'

/** An item of the demo, before it has ids. */
export type DemoItem = {
  filename: string
  drawing: Drawing
  isScrolling: boolean
  isFinishOnKey: boolean
  isFinishOnClick: boolean
  question: string
  answers: string[]
}

const YES_NO = ['Yes', 'No', 'I am not sure']
const TEMPLATES = [
  {
    stem: 'advert',
    draw: drawAdvert,
    ends: '',
    question: 'Which of these did the advert mention?',
    answers: ['The price', 'A discount code', 'A shop near me', 'None of them'],
  },
  { stem: 'shop', draw: drawShop, ends: '', question: 'Would you look further in this shop?', answers: YES_NO },
  { stem: 'shelf', draw: drawShelf, ends: 'key', question: 'Was there an offer on the shelf?', answers: YES_NO },
  { stem: 'poster', draw: drawPoster, ends: 'key', question: '', answers: [] },
  {
    stem: 'chart',
    draw: drawChart,
    ends: '',
    question: 'What does the remark in the chart say?',
    answers: ['One line passes another', 'All lines fall', 'Figures are missing'],
  },
  { stem: 'form', draw: drawForm, ends: 'click', question: '', answers: [] },
  { stem: 'article', draw: drawArticle, ends: '', question: 'Did you notice an advertisement?', answers: YES_NO },
  {
    stem: 'menu',
    draw: drawMenu,
    ends: 'key',
    question: 'Which course would you order first?',
    answers: ['To start', 'Mains', 'Sweet'],
  },
] as const
const SCROLLING = ['shop', 'article']

/** The stream of an item's drawing; no other purpose uses it. */
const DRAWING = 0x1731

/** The item of that index: the templates in turn, each time in other colours and words. */
export function drawItem(seed: number, index: number): DemoItem {
  const { stem, draw, ends, question, answers } = TEMPLATES[index % TEMPLATES.length]
  return {
    filename: `${stem}-${String(index + 1).padStart(2, '0')}.svg`,
    drawing: draw(createRandom(seed, DRAWING, index)),
    isScrolling: SCROLLING.includes(stem),
    isFinishOnKey: ends === 'key',
    isFinishOnClick: ends === 'click',
    question,
    answers: [...answers],
  }
}
