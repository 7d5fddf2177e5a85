import { relative } from 'node:path'
import { CODE_MINUTES } from '../../engine/access/sessions.ts'
import { PROGRAM } from '../terminal/program-name.ts'
import { type StartToken, TOKEN_DAYS } from './start-token.ts'

/**
 * Returns the next steps after a start: commands to paste. They read the token from its file, so they are the same on a
 * terminal and in a log that others may read. Only a terminal also gets the address that signs in by itself.
 */
export function welcome(
  url: string,
  studyId: string,
  { path, code }: StartToken,
  { isTerminal }: { isTerminal: boolean },
): string {
  const given = fromHere(path)
  const exports = `${url}/api2/studies/${studyId}/collected-data/eye-tracking`
  const curl = `curl -fsS -H ${word(`@${given}`)}`
  const dashboard = isTerminal ? `${url}/sign-in#code=${code}` : url
  const how = isTerminal
    ? `signs in once, within ${CODE_MINUTES} minutes; after that with the token`
    : `sign in with the token in ${given}`
  return `
  Dashboard  ${dashboard}
             (${how})

  A small table, at once:

    ${curl} -o fixations.csv '${exports}/fixations' &&
      head -n 3 fixations.csv

  A large one, as a job: queued, waited for, downloaded:

    while c=$(${curl} -H 'Prefer: respond-async, wait=60' -o gazes.csv -w '%{http_code}' \\
      '${exports}/gazes/raw-denoises-normalized-split') && [ "$c" = 202 ]; do :; done
    [ "$c" = 200 ] && head -n 3 gazes.csv

  Token      in ${given}, which only you may read: role ops, all studies, until this stops,
             ${TOKEN_DAYS} days at most; ${PROGRAM} token create makes lasting ones
  Docs       ${url}/docs
  Queue      ${url}/ops/queues

  Ctrl-C stops it all.
`
}

/** Returns a path relative to the working directory, if that is shorter. */
function fromHere(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}

/** Quotes a word for a shell. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
