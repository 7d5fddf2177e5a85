import type { Fault } from '../../engine/model/errors.ts'

/** A problem as it is answered: RFC 9457. */
export type ProblemBody = {
  type: string
  title: string
  status: number
  detail: string
  instance?: string
  errors?: Fault[]
}
