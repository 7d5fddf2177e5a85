/** Does work with something open, and closes it afterwards, also if the work fails. */
export async function closing<Opened extends { close: () => unknown }, Result>(
  opened: Opened,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
