import type { JSON_ANSWERS, JsonAnswer } from './json-answers.ts'

/** Prints the answer of a command with `--json`, as its schema in docs/command-line.schema.json describes it. */
export function printJson<Name extends keyof typeof JSON_ANSWERS>(_name: Name, answer: JsonAnswer<Name>): void {
  console.log(JSON.stringify(answer, null, 2))
}
