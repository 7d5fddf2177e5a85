import type { MicrosaccadesData } from '../../core/api.ts'
import { usePeople } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { hasBothEyes } from '../../core/view/eyes-seen.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { TestsPanel } from '../../figures/settings/tests-panel.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow } from '../../ui/window/window-slider.tsx'
import { readGroups, withGroups } from '../groups/group-list.ts'
import { SplitOrOne } from '../groups/split-by.tsx'
import { MainSequenceFigure } from './main-sequence-figure.tsx'
import { RateFigure } from './rate-figure.tsx'

export const MicrosaccadesPage = itemPage(MicrosaccadesView)

function MicrosaccadesView({ study, item, parameters }: KnownItem) {
  const link = useLinkSettings(parameters)
  return (
    <ItemPlaces {...{ study, item }}>
      <ItemTitle {...{ study, item }} what="Microsaccades on" />
      <RefusedLink refused={link.refused} />
      {hasBothEyes(study) ? (
        <Microsaccades {...{ study, item, parameters, link }} />
      ) : (
        <Empty title="This study has no gaze of both eyes">
          <p>Microsaccades are found in recordings of the gaze of each eye, at 200 Hz or more.</p>
        </Empty>
      )}
    </ItemPlaces>
  )
}

type MicrosaccadesProps = Omit<KnownItem, 'catalog'> & { link: LinkSettings }

function Microsaccades({ study, item, parameters, link: { settings, defaults, change } }: MicrosaccadesProps) {
  const { query } = usePlace()
  const people = usePeople(study.id)
  const given = readGroups(query)
  const groups = given.length === 0 ? [{ name: 'All tests', filter: '' }] : given
  const asked = withGroups(queryString(settings, defaults, { itemId: item.id }), given)
  const path = `/api2/studies/${study.id}/analysis/microsaccades${asked}`
  const loaded = useData<MicrosaccadesData>(path, 0, `${item.id} ${given.length}`)
  const untilMs = useSpan(study.id, item, [])
  const figures = { item, groups, loaded }
  return (
    <div class="item-grid">
      <div class="item-main">
        <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: change }}>
          <div class="stack">
            <RateFigure {...figures} />
            <MainSequenceFigure {...figures} />
          </div>
        </ChartsWindow.Provider>
      </div>
      <Side>
        <TestsPanel {...{ people, settings }} problem={loaded.problem} onChange={change}>
          <SplitOrOne {...{ study, people }} />
        </TestsPanel>
        <CalmSettings {...{ parameters, settings, defaults }} listed={LISTED} onChange={change} />
      </Side>
    </div>
  )
}

/** Settings of the page. */
const LISTED = ['microsaccadeLambda', 'microsaccadeMinSamples', 'microsaccadeMaxDeg', 'binMs']
