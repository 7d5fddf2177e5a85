import type { ComponentChildren } from 'preact'
import { Panel } from '../../ui/controls/panel.tsx'
import { GradeFilter } from './settings-panel.tsx'
import { TestFilter, type TestFilterProps } from './test-filter.tsx'

type TestsPanelProps = TestFilterProps & { children?: ComponentChildren }

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
