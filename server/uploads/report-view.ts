import type { ImportReport } from '../../engine/uploads/import-job.ts'
import type { ImportView } from '../schemas/import.ts'

/** Returns the view of a report of an import for clients. @param told rewrites its sentences */
export function viewReport(
  report: ImportReport,
  told = (sentence: string) => sentence,
): NonNullable<ImportView['report']> {
  const { studyId, snapshotId, published, counts, conversion, left, nothingNew, change = null } = report
  const { participants, items, tests, samples } = counts
  return {
    study: { id: studyId },
    snapshot: snapshotId,
    published,
    counts: { participants, items, tests, samples },
    conversion: conversion && {
      format: conversion.format,
      title: conversion.title,
      files: conversion.files,
      participants: conversion.participants,
      // Absent in reports of earlier versions.
      items: conversion.items ?? [],
      pictures: conversion.pictures ?? null,
      messages: conversion.messages ?? [],
      left: conversion.left.map(told),
      assumed: conversion.assumed.map(told),
      check: conversion.doubts.map(told),
    },
    change,
    nothingNew,
    left: left.map(told),
  }
}
