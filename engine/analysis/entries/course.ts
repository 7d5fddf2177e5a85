import type { Study } from '../../model/study.ts'
import { survivalTable, transitionsTable, visitsTable } from '../charts/analysis-tables.ts'
import { chartPlan } from '../charts/answer-chart.ts'
import { courseAnswer } from '../charts/course-answer.ts'
import type { AnalysisTable } from '../charts/table-fields.ts'
import { type AnalysisEntry, defineAnalysis } from './analysis-entry.ts'
import { subjectOf } from './subject.ts'

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
