import { type RequestHandler, Router } from 'express'
import { ProblemError } from '../http/problems.ts'

/** Refuses requests that would change studies: of a server that reads them from an object store. */
export function refuseChanges(): Router {
  const router = Router({ caseSensitive: true })
  const refuse: RequestHandler = () => {
    throw new ProblemError('read_only')
  }
  router.post(['/studies', '/studies/:studyId/participants', '/studies/:studyId/imports', '/imports'], refuse)
  router.route('/studies/:studyId').put(refuse).delete(refuse)
  router.put(
    ['/studies/:studyId/about', '/studies/:studyId/items/:itemId/aois', '/studies/:studyId/items/:itemId/image'],
    refuse,
  )
  router.route('/studies/:studyId/participants/:participantId').patch(refuse).delete(refuse)
  router.post(['/uploads', '/webhooks'], refuse)
  return router
}
