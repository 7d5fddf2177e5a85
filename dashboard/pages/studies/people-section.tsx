import { useMemo, useState } from 'preact/hooks'
import type { Kept, Participant, Participants, Study } from '../../core/api.ts'
import { countOf, GRADES, wholeText } from '../../core/number-texts.ts'
import { SETTINGS_PLACE } from '../../core/open-settings.ts'
import { type People, usePeople, useWithLosses } from '../../core/people/people.ts'
import { AS_GIVEN, arrange, type Order, peopleNumbers, TOLD_WORDS, tellOf } from '../../core/people/people-order.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { GRADE_NAME } from '../../core/view/chart-settings.ts'
import { faultOf, type Refused } from '../../core/view/chart-view.ts'
import { namesOf, readShown } from '../../core/view/shown.ts'
import { GradeChoice } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Find } from '../../ui/controls/field.tsx'
import { ShownChoice } from '../../ui/controls/shown-choice.tsx'
import { CopyMenu } from '../../ui/copy.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { Grade, PeopleTable } from '../../ui/people/people-table.tsx'
import { Empty, HowToBringIn, RefusedLink, Trouble } from '../../ui/waiting/states.tsx'

const TOLD_NAME = 'told'
const GRADE_RANGE = { min: 1, max: 6, unit: '', kind: 'int' as const }

type PeopleSectionProps = { study: Study; people: People; first: Participants }

export function PeopleSection({ study, people, first }: PeopleSectionProps) {
  const [find, setFind] = useState('')
  // Kept here, since the table unmounts while nobody is found.
  const [order, setOrder] = useState(AS_GIVEN)
  const found = usePeopleShown(study, people, find)
  const { least, refused, filter, filtered, kept, told, withLosses, shown } = found
  if (first.total === 0) return <NoPeople />
  return (
    <section aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">Participants</h2>
        <div class="row">
          <ToldChoice {...{ told, least }} />
          <Find label="Find a participant" value={find} onText={setFind} />
        </div>
      </div>
      <div {...SETTINGS_PLACE}>
        <FilterChips
          title="Participants"
          isFolded
          filter={filter}
          facts={first}
          people={people.all}
          problem={filtered.first.problem}
          onChange={(next) => setQuery({ filter: next })}
        />
      </div>
      <RefusedLink refused={refused} />
      <p class="kept" role="status">
        {keptWords(filter === '' ? keptByGrade(first, least) : (filtered.first.data?.kept ?? null), first.total)}
        {find.trim() !== '' && `, ${wholeText(shown.length)} found`}
        {!people.isComplete && people.problem === null && ` (${wholeText(people.all.length)} loaded so far)`}
      </p>
      {withLosses.problem !== null && <Trouble problem={withLosses.problem} retry={withLosses.retry} />}
      {kept.length === 0 ? (
        <NobodyKept hasTests={first.keptTests[0] > 0} hasFilter={filter !== ''} />
      ) : shown.length === 0 ? (
        <NobodyFound among={kept.length} find={find.trim()} onShowAll={() => setFind('')} />
      ) : (
        <ShownPeople {...{ study, first, found, order }} onOrder={setOrder} />
      )}
    </section>
  )
}

/** Reads from the address which participants are kept, and finds those of a text among them. */
function usePeopleShown(study: Study, people: People, find: string) {
  const { query } = usePlace()
  const { least, refused } = leastGrade(query.get(GRADE_NAME))
  const filter = query.get('filter')?.trim() ?? ''
  const conditions = { filter, ...(least === 1 ? {} : { [GRADE_NAME]: String(least) }) }
  const filtered = usePeople(study.id, filter === '' ? null : `?${new URLSearchParams(conditions)}`)
  const isKept = ({ grades }: Participant) => least === 1 || grades.some((grade) => grade !== null && grade >= least)
  const all = filter === '' ? people.all : filtered.all
  const kept = all.filter(isKept)
  const told = readShown(query, TOLD_NAME, namesOf(TOLD_WORDS))
  const withLosses = useWithLosses(study.id, people, told === 'loss')
  const lossOf = useMemo(() => lossById(withLosses.all), [withLosses.all])
  const shown = useMemo(() => arrange(tellOf(kept, told, lossOf), find, AS_GIVEN), [all, find, least, told, lossOf])
  return { least, refused, filter, filtered, kept, told, withLosses, shown }
}

type Found = ReturnType<typeof usePeopleShown>

/** Draws the choice of what the table tells of each test, and of the lowest grade. */
function ToldChoice({ told, least }: Pick<Found, 'told' | 'least'>) {
  return (
    <>
      <ShownChoice
        legend="Told of each test"
        parameter={TOLD_NAME}
        names={namesOf(TOLD_WORDS)}
        words={TOLD_WORDS}
        shown={told}
      />
      {(told === 'grade' || least > 1) && (
        <GradeChoice
          isInline
          least={least}
          onChange={(grade) => setQuery({ [GRADE_NAME]: grade === 1 ? null : String(grade) })}
        />
      )}
    </>
  )
}

type ShownPeopleProps = Pick<PeopleSectionProps, 'study' | 'first'> & {
  found: Found
  order: Order
  onOrder: (order: Order) => void
}

function ShownPeople({ study, first, found: { shown, told, least }, order, onOrder }: ShownPeopleProps) {
  return (
    <div class="data-table">
      <PeopleTable
        studyId={study.id}
        items={study.items}
        people={shown}
        facts={first}
        {...{ told, least, order, onOrder }}
      />
      <CopyMenu title="Participants" numbers={() => peopleNumbers(shown, study.items, told, first)} />
      {told === 'grade' ? (
        <GradeKey />
      ) : (
        <p class="hint">
          Samples without gaze, of those from the start of an item on; · stands for a test without samples.
        </p>
      )}
    </div>
  )
}

function lossById(people: Participant[]) {
  return new Map(people.flatMap(({ id, loss }) => (loss === undefined ? [] : [[id, loss] as const])))
}

/** Reads the minimum grade of an address; an invalid one is refused. */
function leastGrade(text: string | null): { least: number; refused: Refused[] } {
  const rule = text === null ? null : faultOf(GRADE_RANGE, text)
  if (rule !== null) return { least: 1, refused: [{ name: GRADE_NAME, value: text ?? '', rule }] }
  return { least: Number(text ?? 1), refused: [] }
}

/** Returns how many tests and participants a lowest grade keeps. */
function keptByGrade({ total, keptParticipants, keptTests }: Participants, least: number): Kept {
  return {
    tests: keptTests[least - 1],
    testsTotal: keptTests[0],
    participants: least === 1 ? total : keptParticipants[least - 1],
    participantsTotal: total,
  }
}

/** @param all participants of the study, of whom some may have no test */
function keptWords(kept: Kept | null, all: number): string {
  if (kept === null) return '\u00a0'
  const { tests, testsTotal, participants, participantsTotal } = kept
  return `${wholeText(participants)} of ${countOf(participantsTotal, 'participant')}${participantsTotal < all ? ' with a test' : ''} kept, ${wholeText(tests)} of ${countOf(testsTotal, 'test')} kept`
}

function NoPeople() {
  return (
    <section aria-labelledby="people">
      <h2 id="people">Participants</h2>
      <Empty title="This study has no participants yet">
        <HowToBringIn />
      </Empty>
    </section>
  )
}

/** Says why no participant is kept, and what to do about it. */
function NobodyKept({ hasTests, hasFilter }: { hasTests: boolean; hasFilter: boolean }) {
  if (!hasTests)
    return (
      <Empty title="No participant has a test yet">
        <HowToBringIn />
      </Empty>
    )
  return hasFilter ? (
    <Empty title="No participant has a test that meets the conditions">
      Remove a condition, or choose a lower grade.
    </Empty>
  ) : (
    <Empty title="No participant has a test of that grade">Choose a lower grade.</Empty>
  )
}

function NobodyFound({ among, find, onShowAll }: { among: number; find: string; onShowAll: () => void }) {
  return (
    <Empty title="No participant found">
      <p>
        None of {countOf(among, 'participant')} has “<bdi>{find}</bdi>” in a name, an id, tags or external data.{' '}
        <Button class="link" onClick={onShowAll}>
          Show all
        </Button>
      </p>
    </Empty>
  )
}

function GradeKey() {
  return (
    <details class="advanced">
      <summary>What the grades mean</summary>
      <p class="hint grade-key">
        {[1, 2, 3, 4, 5, 6].map((grade) => (
          <span key={grade}>
            <Grade grade={grade} /> {GRADES[grade]}
          </span>
        ))}
        <span>
          <span class="grade g4 dropped">4</span> not kept
        </span>
      </p>
    </details>
  )
}
