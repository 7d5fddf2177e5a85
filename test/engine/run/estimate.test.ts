import { expect, test } from 'vitest'
import type { FormatName } from '../../../engine/model/format-names.ts'
import type { Plan } from '../../../engine/model/plan.ts'
import { checkLeastRows } from '../../../engine/run/estimate.ts'

const plan = (name: Plan['export'], format: FormatName) => ({ export: name, format }) as Plan

test.each(['samples', 'mouse'] as const)(
  '%s of more samples than a sheet has rows is refused as XLSX alone',
  (name) => {
    expect(() => checkLeastRows(plan(name, 'xlsx'), 1_048_575)).not.toThrow()
    expect(() => checkLeastRows(plan(name, 'xlsx'), 1_048_576)).toThrow(
      expect.objectContaining({
        code: 'format_limit',
        message: 'the table has more rows than the 1,048,575 that XLSX holds: choose another format, or fewer tests',
      }),
    )
    expect(() => checkLeastRows(plan(name, 'parquet'), 1_048_576)).not.toThrow()
  },
)

test('an export with fewer rows than samples is computed first', () => {
  expect(() => checkLeastRows(plan('fixations', 'xlsx'), 1e9)).not.toThrow()
})
