import { haveSameShape, type Size } from '../../../isomorphic/same-shape.ts'
import { ServiceError } from '../../model/errors.ts'
import { originOf, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { GivenTest } from '../../snapshot/table-columns.ts'
import type { Change } from '../change-study.ts'
import type { Image } from '../parent-snapshot.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'

/** Bytes of a picture: in memory, or in a file, as those of a video. */
export type PictureContent = { bytes: Buffer } | { path: string; sha256: string }

/** A picture of an item, checked. */
export type GivenPicture = {
  itemId: string
  content: PictureContent
  /** Name that the item has from then on; null for its own. */
  filename: string | null
  /** Size that the item gets, whose tests are placed anew then; null for its own. */
  size: Size | null
}

/** Sets the picture of an item. @throws ServiceError not_found, conflict where it cannot have that */
export function picture({ itemId, content, filename, size }: GivenPicture): Change {
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
      const sha256 = 'bytes' in content ? sha256Of(content.bytes) : content.sha256
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
      const images = [...others, imageOf(name, content)]
      const details = [`picture of “${items[place].filename}” changed`]
      return { ...rewritten({ ...rows, study, images }, samples, origin, workspace), details }
    },
  }
}

function imageOf(name: string, content: PictureContent): Image {
  return 'bytes' in content ? { name, bytes: content.bytes } : { name, path: content.path }
}
