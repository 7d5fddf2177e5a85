import { useEffect, useMemo } from 'preact/hooks'
import { type TransitionsData, useData } from '../../core/api.ts'
import { paintAois } from '../../core/colors/aoi-colors.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { pageQuery, queryString } from '../../core/view/chart-settings.ts'
import { readView } from '../../core/view/chart-view.ts'
import { AoiChooser } from '../../figures/aoi-legend.tsx'
import { AoiOrderChoice, useAoiOrder } from '../../figures/aoi-order.tsx'
import { subjectOf } from '../../figures/captions.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { CopyLink, KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { Choice, type Option } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { AwaitItem, type KnownItem, useLinkSettings } from '../../ui/waiting/await-item.tsx'
import { Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow, WindowSlider } from '../../ui/window/window-slider.tsx'
import { TransitionCharts } from './transition-charts.tsx'

export function TransitionsPage({ studyId, itemId }: { studyId: string; itemId: string }) {
  return (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => <TransitionsView {...known} />}
    </AwaitItem>
  )
}

function TransitionsView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const people = usePeople(study.id)
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const aois = useMemo(() => study.aois.filter((aoi) => aoi.itemId === item.id), [study, item])
  const { view, refused: refusedView } = readView(query, { isOne: false, aoiCount: aois.length })
  const picture = usePicture(study.id, item, settings)
  const order = useAoiOrder()
  const loaded = useData<TransitionsData>(
    aois.length === 0
      ? null
      : `/api2/studies/${study.id}/analysis/transitions${queryString(settings, defaults, { itemId: item.id, nested: order })}`,
    0,
    item.id,
  )
  useEffect(() => {
    document.title = `Transitions on ${isolate(item.filename) || 'an item'} · ${isolate(study.name)} · Gazette`
  }, [item, study])
  const untilMs = loaded.data?.untilMs ?? 0
  const empty = emptyOf(loaded.data, people, settings)
  const who = people.all.length === 1 ? nameOf(people.all[0]) : 'all participants'
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          Transitions on <bdi>{item.filename || 'an item'}</bdi>
        </h1>
        <a class="button" href={`/studies/${study.id}/items/${item.id}${pageQuery(settings, defaults)}`}>
          Charts of this item
        </a>
      </div>
      <RefusedLink refused={[...refused, ...refusedView]} />
      <div class="item-grid">
        <div class="item-main">
          <WindowSlider {...{ item, settings, defaults, untilMs }} onChange={change} />
          {aois.length === 0 ? (
            <Empty title="This item has no areas of interest">
              <p>Transitions and visits are between areas of interest, so there is nothing to draw.</p>
            </Empty>
          ) : (
            (empty ?? (
              <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: change }}>
                <TransitionCharts
                  {...{ item, aois, loaded, picture }}
                  chosen={view.chosen}
                  colors={paintAois(aois.length, view.chosen)}
                  subject={subjectOf(item, who)}
                />
              </ChartsWindow.Provider>
            ))
          )}
        </div>
        <Side startsFolded>
          <Panel title="Tests" class="who-panel">
            <GradeFilter settings={settings} onChange={change} />
            <TestFilter people={people} settings={settings} onChange={change} problem={loaded.problem} />
            {loaded.data !== null && <KeptLine counts={loaded.data} />}
          </Panel>
          <CalmSettings {...{ parameters, settings, defaults }} onChange={change} />
          {aois.length > 0 && (
            <Panel title="Areas of interest">
              <AoiChooser aois={aois} chosen={view.chosen} colors={paintAois(aois.length, view.chosen)} />
              <AoiOrderChoice />
              <Choice
                label={<span class="hint">Arrows, at most</span>}
                value={query.get('arrows') ?? '30'}
                of={['10', '30', '100'].map((most): Option => [most, most])}
                onChange={(value) => setQuery({ arrows: value === '30' ? null : value })}
              />
              <CopyLink />
            </Panel>
          )}
        </Side>
      </div>
    </>
  )
}
