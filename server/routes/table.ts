import { ANALYSES_ROUTES, ANALYSIS_ROUTES, CHART_ROUTES, PREVIEW_ROUTES } from './analyses.ts'
import { CATALOG_ROUTES } from './catalog.ts'
import { EXPORT_ROUTES, PACKAGE_ROUTES } from './exports.ts'
import { IMPORT_ROUTES, UPLOAD_ROUTES } from './imports.ts'
import { JOB_ROUTES } from './jobs.ts'
import { LINK_ROUTES, SHARED_ROUTES } from './links.ts'
import { OPERATION_ROUTES } from './operations.ts'
import type { Route } from './route.ts'
import { SESSION_ROUTES } from './session.ts'
import {
  HISTORY_ROUTES,
  IMAGE_ROUTES,
  METHODS_ROUTES,
  PARTICIPANT_ROUTES,
  SEARCH_ROUTES,
  STUDY_ROUTES,
  STUDY_SCHEMA_ROUTES,
} from './studies.ts'
import { WEBHOOK_ROUTES } from './webhooks.ts'
import { PARTICIPANT_WRITES, STUDY_WRITES } from './writes.ts'

/** Every route below /api2, by the name of its operation, in the order of the document. */
export const ROUTES: Record<string, Route> = {
  ...EXPORT_ROUTES,
  ...PACKAGE_ROUTES,
  ...STUDY_ROUTES,
  ...SEARCH_ROUTES,
  ...STUDY_SCHEMA_ROUTES,
  ...METHODS_ROUTES,
  ...IMAGE_ROUTES,
  ...PARTICIPANT_ROUTES,
  ...HISTORY_ROUTES,
  ...JOB_ROUTES,
  ...ANALYSIS_ROUTES,
  ...ANALYSES_ROUTES,
  ...CHART_ROUTES,
  ...PREVIEW_ROUTES,
  ...STUDY_WRITES,
  ...PARTICIPANT_WRITES,
  ...LINK_ROUTES,
  ...SHARED_ROUTES,
  ...UPLOAD_ROUTES,
  ...IMPORT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...OPERATION_ROUTES,
  ...CATALOG_ROUTES,
  ...SESSION_ROUTES,
}
