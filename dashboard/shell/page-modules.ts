const loadHelp = () => import('../pages/help/help-page.tsx').then((loaded) => loaded.HelpPage)

/** Loads the code of the page at each address. */
export const PAGE_MODULES = {
  '/': () => import('../pages/studies/studies-page.tsx').then((loaded) => loaded.StudiesPage),
  '/sign-in': () => import('../pages/sign-in/sign-in.tsx').then((loaded) => loaded.SignInPage),
  '/studies/:studyId': () => import('../pages/studies/study-page.tsx').then((loaded) => loaded.StudyOverview),
  '/studies/:studyId/items/:itemId': () => import('../pages/item/item-page.tsx').then((loaded) => loaded.ItemPage),
  '/studies/:studyId/items/:itemId/aois': () =>
    import('../pages/aoi-editor/aoi-editor-page.tsx').then((loaded) => loaded.AoiEditorPage),
  '/studies/:studyId/items/:itemId/microsaccades': () =>
    import('../pages/microsaccades/microsaccades-page.tsx').then((loaded) => loaded.MicrosaccadesPage),
  '/studies/:studyId/items/:itemId/pupils': () =>
    import('../pages/pupils/pupils-page.tsx').then((loaded) => loaded.PupilsPage),
  '/studies/:studyId/items/:itemId/reading': () =>
    import('../pages/reading/reading-page.tsx').then((loaded) => loaded.ReadingPage),
  '/studies/:studyId/items/:itemId/replay': () =>
    import('../pages/replay/replay-page.tsx').then((loaded) => loaded.ReplayPage),
  '/studies/:studyId/items/:itemId/scanpaths': () =>
    import('../pages/scanpaths/scanpaths-page.tsx').then((loaded) => loaded.ScanpathsPage),
  '/studies/:studyId/items/:itemId/transitions': () =>
    import('../pages/transitions/transitions-page.tsx').then((loaded) => loaded.TransitionsPage),
  '/studies/:studyId/groups': () => import('../pages/groups/groups-page.tsx').then((loaded) => loaded.GroupsPage),
  '/studies/:studyId/quality': () => import('../pages/quality/quality-page.tsx').then((loaded) => loaded.QualityPage),
  '/studies/:studyId/report': () => import('../pages/report/report-page.tsx').then((loaded) => loaded.ReportPage),
  '/studies/:studyId/export': () => import('../pages/exporting/export-page.tsx').then((loaded) => loaded.ExportPage),
  '/bring-in': () => import('../pages/bring-in/bring-in-page.tsx').then((loaded) => loaded.BringInPage),
  '/jobs': () => import('../pages/exporting/jobs-page.tsx').then((loaded) => loaded.JobsPage),
  '/operations': () => import('../pages/operations/operations-page.tsx').then((loaded) => loaded.OperationsPage),
  '/help': loadHelp,
  '/help/:page': loadHelp,
}
