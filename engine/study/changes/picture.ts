import { ServiceError } from '../../model/errors.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { Change } from '../change-study.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'

/** Gives an item of a study a picture. @param bytes checked. @throws ServiceError not_found */
export function picture(itemId: string, bytes: Buffer): Change {
  return {
    did: 'picture changed',
    isTold: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const rows = rowsOf(parent)
      const name = rows.study.items.find(({ id }) => id === itemId)?.filename
      if (name === undefined) throw new ServiceError('not_found', `there is no item ${itemId}`)
      const sha256 = sha256Of(bytes)
      const { manifest } = parent.snapshot
      if (manifest.files[`images/${name}`] === sha256) return null
      const images = [...rows.images.filter((image) => image.name !== name), { name, bytes }]
      const origin = originAfter(manifest, `images/${name}`, sha256)
      return rewritten({ ...rows, images }, samplesKept(parent, rows.tests, workspace), origin, workspace)
    },
  }
}
