import { type Measure, READING_MEASURES, withUnit } from '../../../isomorphic/measures.ts'
import type { Aoi, Item, ReadingData, Study } from '../../core/api.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, decimal, isolate, slug, wholeText } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { LINE_LABELS } from '../../core/view/named-settings.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import type { Caption } from '../../figures/caption.ts'
import { cutWords, NO_CAPTION, ofWhom, sourceOf } from '../../figures/captions.ts'
import { EndsBar } from '../../figures/ends-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { tallest } from '../../ui/waiting/await-item.tsx'
import { TextDrawing } from './text-drawing.tsx'
import {
  averagesOf,
  colorEnds,
  drawnWords,
  placeOf,
  SKIPPED,
  valueText,
  wordColor,
  wordNumbers,
  wordSentence,
} from './words.ts'

export type TextFigureProps = {
  study: Study
  item: Item
  aois: Aoi[]
  loaded: Loaded<ReadingData>
  picture: Picture
  settings: Settings
  subject: string
  title?: string
}

/** Draws a text with its words in the colours of a measure, and tells the chosen word. */
export function TextFigure({ title = 'Text', study, item, aois, loaded, picture, settings, subject }: TextFigureProps) {
  const { query } = usePlace()
  const { colors } = useTheme()
  const { data } = loaded
  const measure = READING_MEASURES.find(({ column }) => column === query.get('measure')) ?? READING_MEASURES[0]
  const words = data === null ? [] : drawnWords(data, measure, aois)
  const chosen = data === null ? -1 : data.words.findIndex((word) => placeOf(word) === query.get('word'))
  const ends = data && colorEnds(averagesOf(data, measure.column), measure)
  const what = withUnit(measure)
  const bar = ends && { ends, what, colorAt: wordColor }
  const choose = (w: number) => setQuery({ word: w === -1 || w === chosen ? null : placeOf(data!.words[w]) })
  return (
    <Figure
      {...{ title, loaded }}
      subject={`${subject}, ${measure.label}`}
      fileName={`gazette-reading-${slug(item.filename)}`}
      caption={data === null ? NO_CAPTION : captionOf(data, { measure, settings, subject })}
      aspect={picture.aspect}
      narrowest={280}
      numbers={() => wordNumbers(data!)}
      controls={<TextControls {...{ data, measure, chosen }} onChoose={choose} />}
      draw={
        data &&
        ((own, width) => (
          <TextDrawing
            {...{ words, chosen, item, picture, what }}
            width={Math.round(Math.min(width, tallest(picture.aspect) * picture.aspect))}
            colors={own}
            onChoose={choose}
          />
        ))
      }
      madeOf={[data, measure, chosen, picture, aois]}
      bar={bar && ((own) => <EndsBar {...bar} colors={own} />)}
      below={
        <>
          {bar && <EndsBar {...bar} colors={colors} />}
          {words.some(({ isSkippedByMost }) => isSkippedByMost) && <p class="hint">Dotted: skipped by most readers.</p>}
          {data !== null && chosen !== -1 && <ChosenWord {...{ study, item, data, chosen, measure }} />}
        </>
      }
    />
  )
}

type TextControlsProps = {
  data: ReadingData | null
  measure: Measure
  chosen: number
  onChoose: (w: number) => void
}

/** Draws the choices of the measure and of a word. */
function TextControls({ data, measure, chosen, onChoose }: TextControlsProps) {
  return (
    <div class="row">
      <Choice
        isInline
        label="Colour shows"
        help={<Explain of={measure.column} name={measure.label} />}
        value={measure.column}
        of={READING_MEASURES.map((each): ChoiceOption => [each.column, withUnit(each)])}
        onChange={(column) => setQuery({ measure: column === READING_MEASURES[0].column ? null : column })}
      />
      <Choice
        isInline
        label="Word"
        value={String(chosen)}
        of={[['-1', 'None'], ...(data?.words ?? []).map((word, w): ChoiceOption => [String(w), nameOf(word)])]}
        onChange={(w) => onChoose(Number(w))}
      />
    </div>
  )
}

function nameOf(word: ReadingData['words'][number]): string {
  return `${placeOf(word)} ${isolate(word.text)}`
}

type ChosenWordProps = { study: Study; item: Item; data: ReadingData; chosen: number; measure: Measure }

/** Draws the numbers of the chosen word, and a link to its comparison between groups. */
function ChosenWord({ study, item, data, chosen, measure }: ChosenWordProps) {
  const linkTo = useStudyLink(study.id)
  return (
    <p class="summary" role="status">
      <strong>
        <bdi>{data.words[chosen].text}</bdi>
      </strong>
      , {wordSentence(data, chosen, measure)}{' '}
      <a href={linkTo('/groups', { item: item.id, measure: measure.column })}>Compare groups by this measure</a>
    </p>
  )
}

type CaptionOf = { measure: Measure; settings: Settings; subject: string }

function captionOf(data: ReadingData, { measure, settings, subject }: CaptionOf): Caption {
  const { lines } = settings
  const own = averagesOf(data, measure.column).ofText
  const skipped = averagesOf(data, SKIPPED).ofText
  const onWords =
    own.mean === null
      ? ''
      : ` On average ${valueText(own.mean, measure.unit)} a word${own.sd === null ? '' : ` (SD ${decimal(own.sd)} over ${wholeText(own.n)} readers)`}.`
  const skip =
    measure.column === SKIPPED || skipped.mean === null
      ? ''
      : ` ${decimal(skipped.mean)} % of words skipped in first pass.`
  return {
    short: `${measure.label} of each of ${countOf(data.words.length, 'word')}, mean of the readers with a value, ${ofWhom(data)}${onWords}${skip}${measure.unit === 'ms' ? cutWords(data) : ''}`,
    reading: `${data.methods} A word without a fill has no value; a dotted line is below words that more than half of the readers skipped. ${lines === 'as-recorded' ? 'A fixation belongs to the word that contains it' : `Lines of fixations: ${LINE_LABELS[lines]}`}. Column ${measure.column} of the export reading (docs/reading.md).`,
    sources: [sourceOf(subject, data)],
  }
}
