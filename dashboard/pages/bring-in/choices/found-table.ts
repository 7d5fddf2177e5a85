import type { Import } from '../../../core/api.ts'

type FoundTable = NonNullable<NonNullable<Import['found']>['table']>

export type Look = Pick<FoundTable, 'conditions' | 'thresholds'>
