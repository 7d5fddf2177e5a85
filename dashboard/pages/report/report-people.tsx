import { useEffect, useState } from 'preact/hooks'
import { splitConditions } from '../../../isomorphic/conditions.ts'
import { leftOutBy } from '../../../isomorphic/quality-words.ts'
import { useAnalysis } from '../../core/analysis/analysis-seen.ts'
import {
  type DescribedParticipants,
  type MethodsData,
  type Participant,
  type Problem,
  problemFrom,
  type Study,
  type StudyAnalysis,
} from '../../core/api.ts'
import { useIsView } from '../../core/link-seen.ts'
import { countOf, decimal, wholeText } from '../../core/number-texts.ts'
import { keptIds, type People, useDescribedParticipants } from '../../core/people/people.ts'
import { defaultsFor, GRADE_NAME, queryString, type Settings } from '../../core/view/chart-settings.ts'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Await, Loading, Trouble } from '../../ui/waiting/states.tsx'

type Facts = MethodsData['facts']

type ReportPeopleProps = {
  study: Study
  people: People
  facts: Facts
  settings: Settings
  defaults: Settings
  itemId: string | null
}

/** Lists participants, exclusions step by step, and the excluded participants with their reasons. */
export function ReportPeople({ study, people, facts, settings, defaults, itemId }: ReportPeopleProps) {
  const isView = useIsView()
  const described = useDescribedParticipants(study.id)
  return (
    <section aria-labelledby="report-people">
      <h2 id="report-people">Participants and exclusions</h2>
      <Await loaded={described} what="participants">
        {(all) => <p>{wordsOf(all, facts, isView)}</p>}
      </Await>
      <DataTable label="Exclusions, in order">
        <table>
          <ColumnNames of={['Kept', 'Tests', 'Participants']} />
          <tbody>
            <tr>
              <th scope="row">All recorded</th>
              <td class="number">{wholeText(facts.tests)}</td>
              <td class="number">{wholeText(facts.participantsWithTests)}</td>
            </tr>
            {facts.exclusions.map(({ because, value, tests, participants }, i) => (
              <tr key={`${because} ${value}`}>
                <th scope="row">
                  {KEPT[because]} <bdi>{value}</bdi>
                  {because === 'quality' && ` (${leftOut(facts, i)})`}
                </th>
                <td class="number">{wholeText(tests)}</td>
                <td class="number">{wholeText(participants)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </DataTable>
      {isView ? (
        <p class="hint">This link does not show who was excluded.</p>
      ) : (
        <LeftOut {...{ study, people, settings, defaults, itemId }} />
      )}
    </section>
  )
}

/** Phrases for kept tests, before the condition. */
const KEPT: Record<Facts['exclusions'][number]['because'], string> = {
  item: 'of the item',
  grade: 'of at least grade',
  ignored: 'without',
  quality: 'without tests with',
  filter: 'for which',
}

/** Says how many tests a condition excluded, of how many before it. */
function leftOut({ tests, exclusions }: Facts, i: number): string {
  const before = exclusions[i - 1]?.tests ?? tests
  return `${wholeText(before - exclusions[i].tests)} of ${wholeText(before)}`
}

function wordsOf(
  { age, genders }: DescribedParticipants,
  { participants, completed, participantsWithTests }: Facts,
  isView: boolean,
): string {
  const parts = [
    `${countOf(participants, 'participant')} took part, ${wholeText(completed)} completed the study, and ${wholeText(participantsWithTests)} have a test.`,
    age.n > 1 &&
      `Age is known for ${wholeText(age.n)}: M = ${decimal(age.mean)}, SD = ${decimal(age.sd)}, ${wholeText(age.min ?? 0)} to ${wholeText(age.max ?? 0)}.`,
    genders.length > 0 &&
      `Gender: ${genders.map(({ displayGender, participants: n }) => `${displayGender || 'unknown'} ${wholeText(n)}`).join(', ')}.`,
    isView && 'Age and gender describe the remaining participants.',
  ]
  return parts.filter(Boolean).join(' ')
}

/** Single condition, as a sentence and as a query. */
type Reason = { text: string; query: string }

/** Returns the conditions of the settings and of the analysis. */
function reasonsOf(settings: Settings, ofAnalysis: string | undefined, itemId: string | null): Reason[] {
  const grade = settings[GRADE_NAME]
  const queryOf = (some: Record<string, string>) =>
    `?${new URLSearchParams({ ...(itemId === null ? {} : { itemId }), ...some })}`
  return [
    ...(itemId === null ? [] : [{ text: 'no test of the item', query: queryOf({}) }]),
    ...(grade > 1
      ? [{ text: `no test of at least grade ${grade}`, query: queryOf({ [GRADE_NAME]: String(grade) }) }]
      : []),
    ...[settings.filter, ofAnalysis ?? ''].flatMap(splitConditions).map((condition) => ({
      text: reasonOf(condition),
      query: queryOf({ filter: condition }),
    })),
  ]
}

function reasonOf(condition: string): string {
  const words = leftOutBy(condition)
  return words === null ? `no test for which ${condition}` : `only tests with ${words}`
}

type LeftOutProps = { study: Study; people: People; settings: Settings; defaults: Settings; itemId: string | null }

/** Lists the excluded participants, each with every condition that alone excludes all of their tests. */
function LeftOut(props: LeftOutProps) {
  const { found, problem } = useLeftOut(props)
  const { names } = props.people
  if (problem !== null) return <Trouble problem={problem} />
  if (found === null) return <Loading what="the excluded participants" />
  if (found.length === 0) return <p>Every participant has a remaining test.</p>
  return (
    <DataTable
      label="Excluded participants"
      numbers={() => ({
        columns: ['participant', 'reason'],
        rows: found.map(({ id, reasons }) => [names.get(id) ?? id, reasons.join('; ')]),
      })}
    >
      <table>
        <ColumnNames of={['Excluded participant', 'Reason']} />
        <tbody>
          {found.map(({ id, reasons }) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{names.get(id)}</bdi>
                <span class="no-print">
                  <IgnoreButton participantId={id} name={names.get(id)} isShort />
                </span>
              </th>
              <td>
                <bdi>{reasons.join('; ')}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}

/** Requests the participants that each condition alone excludes. */
function useLeftOut({ study, people, settings, defaults, itemId }: LeftOutProps) {
  const analysis = useAnalysis()?.current?.analysis ?? {}
  const [found, setFound] = useState<{ id: string; reasons: string[] }[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    setFound(null)
    setProblem(null)
    const look = async () => {
      const reasons = reasonsOf(settings, analysis.filter, itemId)
      // A time window excludes nobody.
      const tests = { ...defaultsFor(settings, defaults), fromMs: defaults.fromMs, toMs: defaults.toMs }
      const all = queryString(tests, defaults, { itemId })
      // A participant without any test is in the list of participants anyway.
      const kept = await keptIds(study.id, all === '' ? `?${GRADE_NAME}=1` : all, controller.signal)
      const byReason: Set<string>[] = []
      for (const { query } of reasons) byReason.push(await keptIds(study.id, query, controller.signal))
      const lacking = (id: string) => reasons.filter((_, r) => !byReason[r].has(id)).map(({ text }) => text)
      const out = people.all.filter(({ id }) => !kept.has(id))
      setFound(out.map((each) => ({ id: each.id, reasons: reasonsFor(each, analysis, lacking(each.id)) })))
    }
    if (people.isComplete)
      look().catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(problemFrom(error))
      })
    return () => controller.abort()
  }, [people.isComplete, people.all, settings, itemId])
  return { found, problem }
}

/** Says why a participant is excluded. @param lacking conditions that none of their tests meets */
function reasonsFor({ id, grades }: Participant, { ignored = [] }: StudyAnalysis, lacking: string[]): string[] {
  if (grades.every((grade) => grade === null)) return ['no test at all']
  const own = ignored.find(({ participantId }) => participantId === id)
  const words = own === undefined ? [] : [own.reason === '' ? 'ignored' : `ignored: ${own.reason}`]
  const all = [...words, ...lacking]
  return all.length > 0 ? all : ['only all conditions together exclude all tests']
}
