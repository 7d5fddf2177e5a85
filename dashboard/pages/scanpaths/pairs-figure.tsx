import type { Item, ScanpathsData } from '../../core/api.ts'
import { cellColor } from '../../core/colors/heat-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, slug, wholeText } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Caption } from '../../figures/caption.ts'
import { NO_CAPTION, ofWhom, sourceOf } from '../../figures/captions.ts'
import { EndsBar } from '../../figures/ends-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { endsOf, narrowestOf, PairMatrix } from './pair-matrix.tsx'
import {
  cellsOf,
  orderOf,
  type PathOrder,
  pairNumbers,
  SIMILARITIES,
  SIMILARITY_NAMES,
  type SimilarityName,
} from './similarities.ts'

export type ScanpathFigureProps = {
  item: Item
  loaded: Loaded<ScanpathsData>
  subject: string
  /** Names by participant id, in natural order. */
  names: Map<string, string>
}

const ORDERS: Record<PathOrder, string> = { similarity: 'mean similarity to the others', name: 'name' }

/** Draws how alike the scanpaths of each two participants are. */
export function PairsFigure({ item, loaded, subject, names }: ScanpathFigureProps) {
  const { query } = usePlace()
  const { colors } = useTheme()
  const { data } = loaded
  const of = SIMILARITY_NAMES.find((name) => name === query.get('similarity')) ?? 'levenshteinSimilarity'
  const order: PathOrder = query.get('order') === 'name' ? 'name' : 'similarity'
  const { name: what } = SIMILARITIES[of]
  const { scanpaths = [], pairs = [] } = data ?? {}
  const nameOf = (s: number) => names.get(scanpaths[s].participantId) ?? scanpaths[s].participantId
  const ordered = orderOf(scanpaths, order, of, new Map([...names.keys()].map((id, place) => [id, place])))
  const cells = cellsOf(pairs, ordered, of)
  const ends = endsOf(cells)
  return (
    <Figure
      title="Similarity of scanpaths"
      explains={[
        { of: 'Levenshtein distance', name: 'Levenshtein similarity' },
        { of: 'Needleman–Wunsch score', name: 'Needleman–Wunsch score' },
        { of: 'MultiMatch', name: 'MultiMatch' },
      ]}
      subject={`${subject}, ${what}`}
      fileName={`gazette-scanpath-pairs-${slug(item.filename)}`}
      caption={data === null ? NO_CAPTION : captionOf(data, { of, order, subject })}
      loaded={loaded}
      narrowest={narrowestOf(scanpaths.length)}
      numbers={() => pairNumbers(data!, nameOf)}
      empty={data === null ? null : emptyWords(data, ends !== null)}
      controls={
        <div class="row">
          <Choice
            isInline
            label="Similarity"
            value={of}
            of={SIMILARITY_NAMES.map((name): [SimilarityName, string] => [name, SIMILARITIES[name].name])}
            onChange={(name) => setQuery({ similarity: name === 'levenshteinSimilarity' ? null : name })}
          />
          <Choice
            isInline
            label="Order by"
            value={order}
            of={ORDERS}
            onChange={(by) => setQuery({ order: by === 'name' ? by : null })}
          />
        </div>
      }
      draw={
        data && ((own, width) => <PairMatrix {...{ cells, what, width }} names={ordered.map(nameOf)} colors={own} />)
      }
      bar={ends && ((own) => <EndsBar {...{ ends, what }} colorAt={cellColor} colors={own} />)}
      below={ends && <EndsBar {...{ ends, what, colors }} colorAt={cellColor} />}
    />
  )
}

/** Explains why there is no matrix; null if there is one. */
function emptyWords({ scanpaths }: ScanpathsData, hasValues: boolean) {
  if (scanpaths.length < 2)
    return (
      <Empty title="There is no pair of scanpaths">
        <p>
          {scanpaths.length === 0 ? 'No participant has' : 'Only one participant has'} a kept test with gaze on this
          item; a comparison takes two.
        </p>
      </Empty>
    )
  if (hasValues) return null
  return (
    <Empty title="No pair has this similarity">
      <p>MultiMatch takes at least three fixations of both participants, and AOI strings at least one of either.</p>
    </Empty>
  )
}

type CaptionOf = { of: SimilarityName; order: PathOrder; subject: string }

function captionOf(data: ScanpathsData, { of, order, subject }: CaptionOf): Caption {
  const { pairs, methods } = data
  const known = pairs.filter((pair) => pair[of] !== null)
  const missing = pairs.length - known.length
  const without =
    missing === 0 ? '' : ` ${countOf(missing, 'pair')} without a value ${missing === 1 ? 'is' : 'are'} grey.`
  return {
    short: `${SIMILARITIES[of].name} of ${wholeText(known.length)} of ${countOf(pairs.length, 'pair')}, by the first test with gaze of each participant, ${ofWhom(data)} Participants in the order of ${ORDERS[order]}; cells that stand out more from the page are more alike.${without}`,
    reading: `${methods} Colours go from the least to the greatest value of these pairs. The mean similarity to the others is that of a participant’s pairs with a value (docs/scanpaths.md, Pairs of participants).`,
    sources: [sourceOf(subject, data)],
  }
}
