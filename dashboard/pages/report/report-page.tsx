import './report.css'
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Item, type MethodsData, type QualityData, useData } from '../../core/api.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { type People, useDescribedParticipants, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { readContents, type Section } from '../../core/view/report-contents.ts'
import { Figure } from '../../figures/figure.tsx'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy, useLinkSettings } from '../../ui/waiting/await-item.tsx'
import { Await, Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { readGroups } from '../groups/group-list.ts'
import { qualityCaption, Strips } from '../quality/strips.tsx'
import { QUALITY_MEASURES, qualityNumbers, testsOf } from '../quality/thresholds.ts'
import { ContentsPanel } from './contents-panel.tsx'
import { storedLogo } from './own-words.tsx'
import { ReportGroups } from './report-groups.tsx'
import { ReportItem } from './report-item.tsx'
import { ReportPeople } from './report-people.tsx'
import { ReportQuality } from './report-quality.tsx'
import { useBusyParts } from './use-busy-parts.ts'

/**
 * A study as pages to be printed: method, participants and exclusions, quality, and the figures and tables of each
 * item.
 */
export function ReportPage({ studyId, version }: { studyId: string; version: string }) {
  const people = usePeople(studyId)
  return <AwaitStudy studyId={studyId}>{(known) => <Report {...known} people={people} version={version} />}</AwaitStudy>
}

function Report({ study, parameters, people, version }: KnownStudy & { people: People; version: string }) {
  const { query } = usePlace()
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const item = study.items.find(({ id }) => id === query.get('item')) ?? null
  const itemId = item?.id ?? null
  const items = item === null ? study.items : [item]
  const methodsPath = `/api2/studies/${study.id}/methods${queryString(settings, defaults, { itemId })}`
  const methods = useData<MethodsData>(methodsPath, 0, methodsPath)
  const qualityPath = `/api2/studies/${study.id}/analysis/quality${queryString(settings, defaults, { itemId })}`
  const quality = useData<QualityData>(qualityPath, 0, qualityPath)
  const described = useDescribedParticipants(study.id)
  const { contents, refused: refusedContents } = readContents(query)
  const [ready, setReady] = useState<Record<string, boolean>>({})
  const missing =
    (contents.sections.includes('items') ? items.filter(({ id }) => !ready[id]).length : 0) +
    [methods, quality, described].filter(({ data }) => data === null).length
  useEffect(() => {
    document.title = `Report · ${isolate(study.name)} · Gazette`
  }, [study])
  const names = useMemo(() => new Map(people.all.map((each) => [each.id, nameOf(each)])), [people.all])
  const [logo, setLogo] = useState(storedLogo)
  const article = useRef<HTMLElement | null>(null)
  const waiting = useBusyParts(article) + missing
  const drawn: Record<Section, () => ComponentChildren> = {
    text: () => <OwnText text={query.get('text') ?? ''} />,
    methods: () => (
      <section aria-labelledby="report-methods">
        <h2 id="report-methods">Method</h2>
        <Await loaded={methods} what="the method">
          {({ paragraph }) => <p class="paragraph">{paragraph}</p>}
        </Await>
      </section>
    ),
    people: () => (
      <Await loaded={methods} what="participants">
        {({ facts }) => <ReportPeople {...{ study, people, described, facts, settings, defaults, itemId }} />}
      </Await>
    ),
    quality: () => (
      <section aria-labelledby="report-quality">
        <h2 id="report-quality">Data quality</h2>
        <WindowNote settings={settings}>
          Data quality covers whole recordings; figures and tables of items cover the time window.
        </WindowNote>
        <Await loaded={quality} what="the quality">
          {(data) =>
            data.tests.length === 0 ? (
              <Empty title="No tests remain" />
            ) : (
              <>
                <ReportQuality measures={data.measures} />
                <QualityFigure {...{ data, subject: item === null ? 'all items' : isolate(item.filename) }} />
              </>
            )
          }
        </Await>
      </section>
    ),
    items: () => (
      <>
        {' '}
        {items.map((each) => (
          <ReportItem
            key={`${each.id} ${JSON.stringify(settings)}`}
            {...{ study, item: each, settings, defaults, names }}
            parts={contents.parts}
            onReady={() => setReady((before) => (before[each.id] ? before : { ...before, [each.id]: true }))}
          />
        ))}
      </>
    ),
    groups: () => (
      <section aria-labelledby="report-groups">
        <h2 id="report-groups">Groups</h2>
        <ReportGroups {...{ study, items, settings, defaults, names }} groups={readGroups(query)} />
      </section>
    ),
    sources: () => (
      <Await loaded={methods} what="the sources">
        {({ sources }) => (
          <section aria-labelledby="report-sources">
            <h2 id="report-sources">Sources</h2>
            <ul class="bulleted references">
              {sources.map(({ key, reference, doi }) => (
                <li key={key}>
                  {reference} doi:{doi}
                </li>
              ))}
            </ul>
          </section>
        )}
      </Await>
    ),
  }
  return (
    <article ref={article} class="report" aria-busy={waiting > 0}>
      <header>
        <Crumbs study={study} />
        {logo !== null && <img class="logo" src={logo} alt="Logo" />}
        <div class="page-head">
          <h1>
            {query.get('title') || (
              <>
                <bdi>{study.name || 'Study without a name'}</bdi>: report
              </>
            )}
          </h1>
          <div class="row no-print">
            <ItemChoice items={study.items} itemId={itemId} />
            <GradeFilter settings={settings} onChange={change} />
            <Button class="primary" disabled={waiting > 0} onClick={() => window.print()}>
              {waiting > 0 ? `Loading ${waiting} parts …` : 'Print or save as PDF'}
            </Button>
          </div>
        </div>
        {people.first.data !== null && (
          <div class="no-print">
            <FilterChips
              title="Tests"
              filter={settings.filter}
              facts={people.first.data}
              people={people.all}
              problem={methods.problem}
              onChange={(filter) => change({ ...settings, filter })}
            />
          </div>
        )}
        <div class="no-print">
          <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
        </div>
        <ContentsPanel {...{ contents, logo }} onLogo={setLogo} />
        <RefusedLink refused={[...refused, ...refusedContents]} />
        <p class="hint">
          {item === null ? 'All items' : isolate(item.filename)} · Gazette v{version} · snapshot{' '}
          <code>{study.snapshot.slice(0, 12)}</code> · {new Date().toISOString().slice(0, 10)}
        </p>
      </header>
      {contents.sections.map((section) => (
        <Fragment key={section}>{drawn[section]()}</Fragment>
      ))}
    </article>
  )
}

function ItemChoice({ items, itemId }: { items: Item[]; itemId: string | null }) {
  return (
    <Choice
      isInline
      label="Item"
      value={itemId ?? ''}
      of={itemOptions(items, items.length === 1 ? null : 'All items')}
      onChange={(value) => setQuery({ item: value })}
    />
  )
}

/** Draws a person's own text; an empty line begins a paragraph. */
function OwnText({ text }: { text: string }) {
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
  if (paragraphs.length === 0) return null
  return (
    <section aria-label="Own text">
      {paragraphs.map((paragraph, p) => (
        <p key={p} class="paragraph own-text" dir="auto">
          {paragraph}
        </p>
      ))}
    </section>
  )
}

function QualityFigure({ data, subject }: { data: QualityData; subject: string }) {
  const tests = useMemo(() => testsOf(data), [data])
  const thresholds = QUALITY_MEASURES.map(() => null)
  return (
    <Figure
      title="Measures of the tests"
      subject={subject}
      fileName="gazette-quality"
      narrowest={320}
      caption={qualityCaption(subject, data)}
      numbers={() => qualityNumbers(data)}
      draw={(colors, width) => <Strips {...{ tests, thresholds, width, colors }} measures={data.measures} />}
    />
  )
}
