import type { Import } from '../../../core/api.ts'

type FoundTable = NonNullable<NonNullable<Import['found']>['table']>

export type TableLook = Pick<FoundTable, 'conditions' | 'thresholds'>
