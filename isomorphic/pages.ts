/** Addresses of the dashboard's pages: the server answers each, and the dashboard draws a page for each. */
export const PAGES = [
  '/',
  '/sign-in',
  '/studies/:studyId',
  '/studies/:studyId/items/:itemId',
  '/studies/:studyId/items/:itemId/aois',
  '/studies/:studyId/items/:itemId/microsaccades',
  '/studies/:studyId/items/:itemId/pupils',
  '/studies/:studyId/items/:itemId/reading',
  '/studies/:studyId/items/:itemId/replay',
  '/studies/:studyId/items/:itemId/scanpaths',
  '/studies/:studyId/items/:itemId/transitions',
  '/studies/:studyId/groups',
  '/studies/:studyId/quality',
  '/studies/:studyId/report',
  '/studies/:studyId/export',
  '/bring-in',
  '/jobs',
  '/operations',
  '/help',
  '/help/:page',
] as const
export type PageAddress = (typeof PAGES)[number]

/** Pages of an item, besides its own, to which a link for others may lead. */
export const ITEM_VIEWS = ['replay', 'pupils', 'microsaccades', 'reading', 'scanpaths', 'transitions'] as const
