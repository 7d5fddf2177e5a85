import { useAoisOf } from '../../core/aois-of.ts'
import type { ReadingData } from '../../core/api.ts'
import { usePeople, useWithLosses, whoOf } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { LABELS, queryString } from '../../core/view/chart-settings.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { LINE_LABELS, READING_START_LABELS } from '../../core/view/named-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { hasWords } from '../../core/view/words-of.ts'
import { figureSubject } from '../../figures/captions.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { TestsPanel } from '../../figures/settings/tests-panel.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow } from '../../ui/window/window-slider.tsx'
import { TextFigure } from './text-figure.tsx'
import { WordsTable } from './words-table.tsx'

export const ReadingPage = itemPage(ReadingView)

function ReadingView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const people = useWithLosses(study.id, usePeople(study.id))
  const hasLists = useHasLists()
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const aois = useAoisOf(study, item)
  const picture = usePicture(study.id, item, settings)
  const participantId = query.get('participant') || null
  const asked = queryString(settings, defaults, { itemId: item.id, participantId })
  const path = hasWords(aois) ? `/api2/studies/${study.id}/analysis/reading${asked}` : null
  const loaded = useData<ReadingData>(path, 0, `${item.id} ${participantId}`)
  const untilMs = useSpan(study.id, item, [])
  const empty = hasWords(aois) ? emptyOf(loaded.data, people, settings) : NO_WORDS
  const subject = figureSubject(item, whoOf(people, participantId))
  return (
    <ItemPlaces {...{ study, item, people }} who="Reader">
      <ItemTitle {...{ study, item }} what="Reading of" />
      <RefusedLink refused={refused} />
      <div class="item-grid">
        <div class="item-main">
          {empty ?? (
            <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: change }}>
              <div class="stack">
                <TextFigure {...{ study, item, aois, loaded, picture, settings, subject }} />
                {loaded.data !== null && <WordsTable data={loaded.data} />}
              </div>
            </ChartsWindow.Provider>
          )}
        </div>
        <Side>
          <TestsPanel {...{ people, settings }} problem={loaded.problem} onChange={change}>
            {!hasLists && (
              <div class="field">
                <span>Reader</span>
                <ParticipantChoice all={people.all} itemIndex={study.items.indexOf(item)} />
              </div>
            )}
            <Choice
              label={LABELS.lines}
              value={settings.lines}
              of={LINE_LABELS}
              onChange={(lines) => change({ ...settings, lines })}
            />
            <Choice
              label={LABELS.readingFrom}
              value={settings.readingFrom}
              of={startsOf(settings.readingFrom)}
              onChange={(readingFrom) => change({ ...settings, readingFrom })}
            />
            {loaded.data !== null && <KeptLine counts={loaded.data} />}
          </TestsPanel>
          <CalmSettings {...{ parameters, settings, defaults }} onChange={change} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

/** Returns where reading may begin, with the time in ms that the address or the analysis has. */
function startsOf(readingFrom: string): Record<string, string> {
  return readingFrom in READING_START_LABELS
    ? READING_START_LABELS
    : { ...READING_START_LABELS, [readingFrom]: `${readingFrom} ms` }
}

const NO_WORDS = (
  <Empty title="This item has no words">
    <p>
      Words are areas of interest whose names begin with a line and a place, such as <code>1.2 quick</code>. A CSV of
      their boxes can be dropped on the AOI editor: <a href="/help/reading">how words are named</a>.
    </p>
  </Empty>
)
