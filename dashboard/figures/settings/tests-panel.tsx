import type { ComponentChildren } from 'preact'
import type { People } from '../../core/people/people.ts'
import type { Problem } from '../../core/problem.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { GradeFilter } from './settings-panel.tsx'
import { TestFilter } from './test-filter.tsx'

type TestsPanelProps = {
  people: People
  settings: Settings
  problem: Problem | null
  onChange: (settings: Settings) => void
  children?: ComponentChildren
}

/** Draws which tests count on a page of an item: minimum grade, filter, and what else the page has. */
export function TestsPanel({ people, settings, problem, onChange, children }: TestsPanelProps) {
  return (
    <Panel title="Tests" class="who-panel">
      <GradeFilter settings={settings} onChange={onChange} />
      <TestFilter {...{ people, settings, problem, onChange }} />
      {children}
    </Panel>
  )
}
