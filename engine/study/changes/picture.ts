import { haveSameShape, type Size } from '../../../shared/same-shape.ts'
import { ServiceError } from '../../model/errors.ts'
import { originOf, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { GivenTest } from '../../snapshot/table-columns.ts'
import type { Change } from '../change-study.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'

/** A picture of an item, checked. */
export type GivenPicture = {
  itemId: string
  bytes: Buffer
  /** Name that the item has from then on; null for its own. */
  filename: string | null
  /** Size that the item gets, whose tests are placed anew then; null for its own. */
  size: Size | null
}

/** Gives an item of a study a picture. @throws ServiceError not_found, conflict where it cannot have that */
export function picture({ itemId, bytes, filename, size }: GivenPicture): Change {
  return {
    did: 'picture changed',
    isTold: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const rows = rowsOf(parent)
      const { items } = rows.study
      const place = items.findIndex(({ id }) => id === itemId)
      if (place < 0) throw new ServiceError('not_found', `there is no item ${itemId}`)
      const name = filename ?? items[place].filename
      const isTaken = name !== items[place].filename && items.some((item) => item.filename === name)
      if (isTaken) throw new ServiceError('conflict', `another item is called ${name}`)
      const isOther = ({ itemId: shown, display }: GivenTest) =>
        shown === itemId && display !== null && size !== null && !haveSameShape(display, size)
      if (rows.tests.some(isOther))
        throw new ServiceError('conflict', 'the files say how the item was shown, in another shape than the picture')
      const sha256 = sha256Of(bytes)
      const { manifest } = parent.snapshot
      const isSame = name === items[place].filename && size === null
      if (isSame && manifest.files[`images/${name}`] === sha256) return null
      const item = { ...items[place], filename: name, ...size }
      const study = isSame ? rows.study : { ...rows.study, items: items.with(place, item) }
      const named = new Set(study.items.map(({ filename: each }) => each))
      const others = rows.images.filter((image) => image.name !== name && named.has(image.name))
      const described = isSame ? manifest.bundle['study.json'] : sha256Of(study)
      const origin = originOf(described, present.id, [`images/${name}`, sha256])
      const samples = samplesKept(parent, rows.tests, workspace)
      return rewritten({ ...rows, study, images: [...others, { name, bytes }] }, samples, origin, workspace)
    },
  }
}
