import type { Study } from '../../model/study.ts'
import { comparisonsTable, survivalTable, transitionsTable, visitsTable } from '../charts/analysis-tables.ts'
import { chartPlan } from '../charts/answer-chart.ts'
import { comparisonsAnswer } from '../charts/comparisons-answer.ts'
import { courseAnswer } from '../charts/course-answer.ts'
import { readingAnswer } from '../charts/reading-answer.ts'
import { readingTable } from '../charts/reading-table.ts'
import { scanpathsAnswer } from '../charts/scanpaths-answer.ts'
import { scanpathsTable } from '../charts/scanpaths-table.ts'
import type { AnalysisTable } from '../charts/table-fields.ts'
import { type AnalysisEntry, defineAnalysis } from './analysis-entry.ts'
import { subjectOf } from './subject.ts'

/** Groups of participants in each AOI of an item. */
export const comparisons = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), asked.measure.export),
  key: ({ measure, test, groups }) => ['comparisons', measure.column, JSON.stringify({ kind: test, groups })],
  compute: (asked, run) => comparisonsAnswer(subjectOf(asked), { ...asked, kind: asked.test }, run),
  print: (answer, { groups, snapshot }) => comparisonsTable(answer, groups, snapshot.study),
})

/** Words of an item, averaged over participants. */
export const reading = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), 'reading'),
  key: ({ participantIndex }) => ['reading', participantIndex],
  compute: (asked, run) => readingAnswer(subjectOf(asked), run),
  print: readingTable,
})

/** Scanpaths of each pair of participants on an item. */
export const scanpaths = defineAnalysis({
  plan: (asked) => chartPlan(subjectOf(asked), 'scanpaths'),
  key: () => ['scanpaths'],
  compute: (asked, run) => scanpathsAnswer(subjectOf(asked), run),
  print: scanpathsTable,
})

type Course = Awaited<ReturnType<typeof courseAnswer>>

/** Transitions, visits and times to first fixation of the AOIs of an item: one answer, of which each prints a part. */
function course(print: (answer: Course, study: Study) => AnalysisTable): AnalysisEntry<Course> {
  return defineAnalysis({
    plan: (asked) => chartPlan(subjectOf(asked), 'aoi-visits'),
    key: ({ participantIndex, nested }) => ['course', participantIndex, nested],
    compute: (asked, run) => courseAnswer(subjectOf(asked), run, asked),
    print: (answer, { snapshot }) => print(answer, snapshot.study),
  })
}

export const transitions = course(transitionsTable)
export const visits = course(visitsTable)
export const survival = course(survivalTable)
