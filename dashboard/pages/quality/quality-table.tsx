import { useMemo, useState } from 'preact/hooks'
import { groupBy } from '../../../isomorphic/group-by.ts'
import { withUnit } from '../../../isomorphic/measures.ts'
import type { QualityData, Study } from '../../core/api.ts'
import { decimal, exactValue, isolate, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { whoOf } from '../../core/people/people.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { type EyeMeasure, nameOfEyeMeasure } from './eye-measures.ts'
import { failuresOf, type QualityTest, qualityMeasures, type Thresholds } from './thresholds.ts'

/** Rows until all are asked for, and then. */
const [FEW, MOST] = [22, 500]

type QualityTableProps = {
  tests: QualityTest[]
  participants: QualityData['participants']
  measures: QualityData['measures']
  eyes: EyeMeasure[]
  out: Set<QualityTest>
  thresholds: Thresholds
  names: Map<string, string>
  study: Study
  isOne: boolean
}

/** Lists participants with the medians of their tests, the worst first; or the tests of one participant. */
export function QualityTable(props: QualityTableProps) {
  const { tests, participants, measures, eyes, out, thresholds, names, study, isOne } = props
  const linkTo = useStudyLink(study.id)
  const items = new Map(study.items.map(({ id, filename }) => [id, filename]))
  const nameOf = ({ participantId, itemId }: QualityTest) =>
    isOne ? (items.get(itemId) ?? '') : whoOf({ names }, participantId)
  const sorted = useMemo(
    () => (isOne ? rowsOfTests(tests, out, thresholds, linkTo) : rowsOfPeople(tests, participants, out, linkTo)),
    [isOne, tests, participants, out, thresholds, linkTo('')],
  )
  const shown = qualityMeasures(measures)
  const places = [...shown.keys(), ...eyes.map(({ place }) => place)]
  const [most, setMost] = useState(FEW)
  const hidden = sorted.length - most
  const columns = [
    isOne ? 'Item' : 'Participant',
    isOne ? 'Excluded' : 'Excluded tests',
    ...shown.map(withUnit),
    ...eyes.map(nameOfEyeMeasure),
  ]
  const numbers = () => ({
    columns,
    rows: sorted.map((row) => [
      nameOf(row.first),
      excludedText(row, isOne),
      ...places.map((m) => (Number.isNaN(row.values[m]) ? null : row.values[m])),
    ]),
  })
  const stop = useOneStop<HTMLTableSectionElement>('th a')
  const label = isOne ? 'Tests of the participant' : 'Participants and their quality'
  return (
    <section aria-labelledby="quality-table">
      <h2 id="quality-table">{isOne ? 'Tests' : 'Participants'}</h2>
      <DataTable class="table-scroll tall cells" {...{ label, numbers }}>
        <table>
          <ColumnNames of={columns} />
          <tbody {...stop}>
            {sorted.slice(0, most).map((row) => (
              <Row key={row.key} {...{ row, isOne, places }} name={nameOf(row.first)} />
            ))}
          </tbody>
        </table>
      </DataTable>
      <p class="hint">
        {isOne
          ? 'Values beyond their threshold are bold.'
          : 'Medians of each participant’s tests; participants with the most excluded tests come first, then those with the most loss.'}
        {hidden > 0 && most === MOST && ` ${wholeText(hidden)} more are in the table of the figure above.`}
        {hidden > 0 && most === FEW && (
          <>
            {' '}
            <Button class="link" onClick={() => setMost(MOST)}>
              Show {sorted.length > MOST ? wholeText(MOST) : 'all'} of {wholeText(sorted.length)}
            </Button>
          </>
        )}
      </p>
    </section>
  )
}

type LinkTo = ReturnType<typeof useStudyLink>

/** Row of the table: a test, or the tests of a participant. */
type QualityRow = {
  key: string
  first: QualityTest
  href: string
  tests: number
  out: number
  values: number[]
  failures: number[]
}

function excludedText({ out, tests }: QualityRow, isOne: boolean): string {
  if (isOne) return out === 1 ? 'yes' : 'no'
  return `${wholeText(out)} of ${wholeText(tests)}`
}

function Row({ row, name, isOne, places }: { row: QualityRow; name: string; isOne: boolean; places: number[] }) {
  const { href, values, failures } = row
  return (
    <tr>
      <th scope="row">
        <a href={href}>
          <bdi>{isolate(name) || 'without a name'}</bdi>
        </a>
        {!isOne && <IgnoreButton participantId={row.first.participantId} name={name} isShort />}
      </th>
      <td>{excludedText(row, isOne)}</td>
      {places.map((m) => (
        <td key={m} class={`number${failures.includes(m) ? ' failing' : ''}`} data-value={exactValue(values[m])}>
          {decimal(values[m])}
        </td>
      ))}
    </tr>
  )
}

function rowsOfTests(
  tests: QualityTest[],
  out: Set<QualityTest>,
  thresholds: Thresholds,
  linkTo: LinkTo,
): QualityRow[] {
  return tests.map((test) => ({
    key: test.testId,
    first: test,
    href: linkTo(`/items/${test.itemId}`, { participant: test.participantId }),
    tests: 1,
    out: out.has(test) ? 1 : 0,
    values: test.values,
    failures: failuresOf(test, thresholds),
  }))
}

/** Returns a row for each participant, the worst first. */
function rowsOfPeople(
  tests: QualityTest[],
  participants: QualityData['participants'],
  out: Set<QualityTest>,
  linkTo: LinkTo,
): QualityRow[] {
  const medians = new Map(participants.map((each) => [each.participantId, each.medians]))
  const rows = byParticipant(tests).map((own) => ({
    key: own[0].participantId,
    first: own[0],
    href: linkTo('/quality', { participant: own[0].participantId }),
    tests: own.length,
    out: own.filter((test) => out.has(test)).length,
    values: medians.get(own[0].participantId)!.map((value) => value ?? Number.NaN),
    failures: [],
  }))
  // A participant without samples has lost all.
  const lossOf = ({ values: [loss] }: QualityRow) => (Number.isNaN(loss) ? 100 : loss)
  return rows.sort((a, b) => b.out / b.tests - a.out / a.tests || lossOf(b) - lossOf(a))
}

function byParticipant(tests: QualityTest[]): QualityTest[][] {
  return [...groupBy(tests, ({ participantId }) => participantId).values()]
}
