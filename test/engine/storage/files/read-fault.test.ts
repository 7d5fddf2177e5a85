import { expect, test } from 'vitest'
import { ServiceError } from '../../../../engine/model/errors.ts'
import { readFault } from '../../../../engine/storage/files/read-fault.ts'

test('too many open files mean overload, known errors stay, and all others mean corrupt', () => {
  const shortage = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
  expect(readFault(shortage, 'a.table cannot be read')).toMatchObject({ code: 'overloaded', cause: shortage })
  const known = new ServiceError('overloaded', 'too many files are open')
  expect(readFault(known, 'a.table cannot be read')).toBe(known)
  const damage = new Error('a.table has changed')
  const fault = readFault(damage, 'a.table cannot be read')
  expect(fault).toMatchObject({ code: 'corrupt', message: 'a.table cannot be read', cause: damage })
})
