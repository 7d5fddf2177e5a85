import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import {
  type DropRate,
  type ExportCatalog,
  type Flow,
  forgetAll,
  type ParameterInfo,
  type Participants,
  type Study,
} from '../../core/api.ts'
import { countOf, decimal, isolate, wholeText } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { type Loaded, useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { STUDY_PARTS, type StudyPart } from '../../core/view/chart-view.ts'
import { namesOf, readShown } from '../../core/view/shown.ts'
import { DropOut, dropOutNumbers } from '../../figures/drop-out.tsx'
import { Figure } from '../../figures/figure.tsx'
import { WithAnalysis } from '../../ui/analysis/with-analysis.tsx'
import { ShownChoice } from '../../ui/controls/shown-choice.tsx'
import { MethodsText } from '../../ui/methods-text.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Await, Empty, Loading } from '../../ui/waiting/states.tsx'
import { TourOffer } from '../tour/tour-offer.tsx'
import { AboutStudy } from './about-study.tsx'
import { FlowLine } from './flow-line.tsx'
import { ItemsSection, StudyDrop } from './items-section.tsx'
import { PeopleSection } from './people-section.tsx'
import { Fact } from './studies-page.tsx'
import { TagFigure } from './tag-figure.tsx'
import { UnsavedDrafts } from './unsaved-drafts.tsx'
import './study.css'

const ManageStudy = lazyPage(() => import('../manage/manage-study.tsx').then((loaded) => loaded.ManageStudy))
type OfStudy = { studyId: string; version: string; mayAdd: boolean }

export function StudyOverview(of: OfStudy) {
  // All cached answers of the study are outdated after a change.
  const [changes, setChanges] = useState(0)
  const changed = () => {
    forgetAll()
    setChanges(changes + 1)
  }
  return <StudyView key={changes} {...of} onChanged={changed} />
}

function StudyView({ studyId, version, mayAdd, onChanged }: OfStudy & { onChanged: () => void }) {
  const study = useData<Study>(`/api2/studies/${studyId}`)
  const catalog = useData<ExportCatalog>('/api2/exports')
  const flow = useData<Flow>(`/api2/studies/${studyId}/flow`)
  const people = usePeople(studyId)
  const { query } = usePlace()
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  return (
    <Await loaded={study} what="the study">
      {(known) => {
        const rate = drop.data?.studies.find((each) => each.study.id === known.id)
        return (
          <Await loaded={catalog} what="the settings">
            {({ parameters }) => (
              <WithAnalysis study={known} parameters={parameters} waiting={<Loading what="the analysis" />}>
                {(decided) => (
                  <>
                    <StudyHead study={known} mayAdd={mayAdd} />
                    <TourOffer study={known} />
                    <StudyFacts study={known} rate={rate} isRateComing={drop.data === null && drop.problem === null} />
                    {mayAdd && <StudyDrop study={known} onChanged={onChanged} />}
                    <UnsavedDrafts study={known} />
                    <StudyParts
                      study={known}
                      parts={partsOf(known, mayAdd, flow)}
                      drawn={{
                        items: () => (
                          <>
                            <ItemsSection study={known} mayChange={mayAdd} onChanged={onChanged} />
                            <Await loaded={people.first} what="participants">
                              {(first) => <PeopleSection study={known} people={people} first={first} />}
                            </Await>
                          </>
                        ),
                        about: () => (
                          <>
                            <AboutStudy study={known} mayWrite={mayAdd} onSaved={study.retry} />
                            <FlowSection study={known} flow={flow} />
                          </>
                        ),
                        methods: () => <MethodsText studyId={known.id} query={methodsQuery(query, decided)} />,
                        'drop-out': () => (
                          <Await loaded={people.first} what="participants">
                            {(first) => <DropOutFigure study={known} first={first} rate={rate} version={version} />}
                          </Await>
                        ),
                        tags: () => <TagFigure study={known} query={methodsQuery(query, decided)} />,
                        corrections: () => <ManageStudy study={known} onChanged={onChanged} />,
                      }}
                    />
                  </>
                )}
              </WithAnalysis>
            )}
          </Await>
        )
      }}
    </Await>
  )
}

/** Returns the parts that the page of a study has for this user. */
function partsOf(study: Study, mayChange: boolean, flow: Loaded<Flow>): StudyPart[] {
  const has: Partial<Record<StudyPart, boolean>> = {
    about: mayChange || study.about !== undefined || flow.data?.steps.length !== 0,
    tags: study.aois.some(({ tags = [] }) => tags.length > 0),
    corrections: mayChange,
  }
  return namesOf(STUDY_PARTS).filter((part) => has[part] ?? true)
}

type StudyPartsProps = { study: Study; parts: StudyPart[]; drawn: Record<StudyPart, () => VNode> }

/** Draws the chosen part of the page, which the address keeps, below the choice of parts. */
function StudyParts({ study, parts, drawn }: StudyPartsProps) {
  const part = readShown(usePlace().query, 'part', parts)
  return (
    <>
      <ShownChoice
        legend={`About ${isolate(study.name) || 'the study'}`}
        parameter="part"
        names={parts}
        words={STUDY_PARTS}
        shown={part}
      />
      {drawn[part]()}
    </>
  )
}

type Rate = DropRate['studies'][number]

/** Draws the counts of a study; the rate of drop-out, which comes later, has its place from the beginning. */
function StudyFacts({ study, rate, isRateComing }: { study: Study; rate: Rate | undefined; isRateComing: boolean }) {
  return (
    <dl class="facts wide">
      <Fact label="Participants" value={wholeText(study.participantCount)} />
      <Fact label="Items" value={wholeText(study.itemCount)} />
      <Fact label="Tests" value={wholeText(study.testCount)} />
      <Fact label="Samples" value={wholeText(study.sampleCount)} />
      {isRateComing && <Fact label="Dropped out" value="…" note="…" />}
      {rate && (
        <Fact
          label="Dropped out"
          value={rate.dropRatePercents === null ? '–' : `${decimal(rate.dropRatePercents)} %`}
          note={`${wholeText(rate.completedCount)} of ${wholeText(rate.startedCount)} completed`}
        />
      )}
    </dl>
  )
}

/** Draws the steps of a study; imported recordings have none. */
function FlowSection({ study, flow }: { study: Study; flow: Loaded<Flow> }) {
  if (flow.data?.steps.length === 0) return null
  return (
    <section aria-labelledby="flow">
      <h2 id="flow">Flow</h2>
      <Await loaded={flow} what="the flow">
        {({ steps }) => <FlowLine steps={steps} study={study} />}
      </Await>
    </section>
  )
}

function StudyHead({ study, mayAdd }: { study: Study; mayAdd: boolean }) {
  useTitle(isolate(study.name) || 'Study')
  return (
    <div class="page-head">
      <div>
        <h1>
          <bdi>{study.name || 'Study without a name'}</bdi>
        </h1>
        {study.project !== undefined && (
          <p class="hint">
            Project <bdi>{study.project}</bdi>
          </p>
        )}
      </div>
      {mayAdd && (
        <a class="button" href={`/bring-in?study=${study.id}`}>
          Add recordings
        </a>
      )}
    </div>
  )
}

type DropOutFigureProps = {
  study: Study
  first: Participants
  rate: Rate | undefined
  version: string
}

/**
 * Draws how many participants started, took each item and completed the study.
 *
 * @param first first page of participants
 */
function DropOutFigure({ study, first, rate, version }: DropOutFigureProps) {
  return (
    <Figure
      title="Drop-out"
      fileName="gazette-drop-out"
      subject={isolate(study.name)}
      narrowest={300}
      scrolls={study.items.length > 30}
      empty={
        first.total === 0 ? (
          <Empty title="Nobody has started yet">
            <p>Without participants, there is no drop-out to show.</p>
          </Empty>
        ) : null
      }
      caption={{
        short: `How many of ${countOf(first.total, 'participant')} started, took each item and completed the study.`,
        reading: 'For items: participants with a test of the item.',
        sources: [
          {
            text: `studies-all/drop-rate · ${isolate(study.name)} · n = ${countOf(first.total, 'participant')}`,
            notes: `Gazette v${version}`,
          },
        ],
      }}
      numbers={() => dropOutNumbers(study, first, rate)}
      draw={(colors, width) => <DropOut study={study} people={first} rate={rate} width={width} colors={colors} />}
    />
  )
}

/** Returns the query of the methods section: the address without the part of the page, with its analysis' version. */
function methodsQuery(query: URLSearchParams, parameters: ParameterInfo[]): string {
  const asked = new URLSearchParams(query)
  asked.delete('part')
  const analysis = parameters.find(({ name }) => name === 'analysis')?.default
  if (analysis) asked.set('analysis', String(analysis))
  else asked.delete('analysis')
  const text = asked.toString()
  return text === '' ? '' : `?${text}`
}
