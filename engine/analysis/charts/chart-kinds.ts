import type { Chart, ChartRequest } from './chart.ts'
import { courseChart } from './course-chart.ts'
import { fixationsChart } from './fixation-chart.ts'
import { gazeChart } from './gaze-chart.ts'
import { heatmapChart } from './heatmap.ts'
import { looksChart } from './looks-chart.ts'
import { microsaccadesChart } from './microsaccades-chart.ts'
import { offsetsChart } from './offset-chart.ts'
import { pupilTracesChart } from './pupil-traces-chart.ts'
import { pupilsChart } from './pupils-chart.ts'
import { qualityChart } from './quality-chart.ts'
import { recordingChart } from './recording-chart.ts'
import { scanpathsChart } from './scanpaths-chart.ts'
import { tableChart } from './table-preview.ts'

/** Returns the chart of a request. Threads use it to compute parts, and the caller to merge them. */
export function chartOf(request: ChartRequest): Chart<unknown> {
  if (request.kind === 'fixations') return fixationsChart(request.fixationsMax) as Chart<unknown>
  if (request.kind === 'gaze') return gazeChart(request.binMs, request.binsMax, request.pointsEvery) as Chart<unknown>
  if (request.kind === 'table') return tableChart(request) as Chart<unknown>
  if (request.kind === 'course') return courseChart(request.aoiCount, request.smallestFirst) as Chart<unknown>
  if (request.kind === 'quality') return qualityChart() as Chart<unknown>
  if (request.kind === 'offsets') return offsetsChart() as Chart<unknown>
  if (request.kind === 'recording') return recordingChart() as Chart<unknown>
  if (request.kind === 'pupils') return pupilsChart(request.event) as Chart<unknown>
  if (request.kind === 'pupil-traces') return pupilTracesChart() as Chart<unknown>
  if (request.kind === 'scanpaths') return scanpathsChart() as Chart<unknown>
  if (request.kind === 'microsaccades') return microsaccadesChart(request.binsMax) as Chart<unknown>
  if (request.kind === 'looks') return looksChart(request.names, request.binsMax) as Chart<unknown>
  const { of, weighting, columns, rows } = request
  return heatmapChart(of, weighting, columns, rows) as Chart<unknown>
}
