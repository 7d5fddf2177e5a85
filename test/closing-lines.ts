import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { missingPrograms } from './missing-programs.ts'

/**
 * Says last, since thousands of lines may lie before it: which tests failed, with what was expected and what came; what
 * was skipped, and how to have it; and, alone on the last line, how many passed and failed.
 */
export function closingLines(): Reporter {
  return {
    onTestRunStart(files) {
      if (files.length > WHOLE_SUITE_FILES)
        console.log(`${files.length} files of tests: 10 to 20 minutes on two cores.`)
    },
    onTestRunEnd(modules, unhandled) {
      const tests = modules.flatMap((module) => [...module.children.allTests()])
      const of = (state: string) => tests.filter((test) => test.result().state === state)
      const broken = modules.filter((module) => module.errors().length > 0 || module.state() === 'queued')
      const failed = of('failed')
      const suites = broken.filter((module) => !failed.some((test) => test.module === module))
      for (const test of failed) console.log(failureOf(test))
      for (const module of suites) console.log(`FAILED ${module.relativeModuleId}: ${firstError(module)}`)
      for (const error of unhandled) console.log(`FAILED outside of a test: ${shortened(error.message)}`)
      const skipped = of('skipped')
      const pattern = modules[0]?.project.vitest.config.testNamePattern
      if (pattern !== undefined && skipped.length === tests.length) {
        console.log(`No test has ${pattern.source} in its title.`)
        process.exitCode = 1
      }
      // With -t, all others are skipped.
      if (skipped.length > 0 && pattern === undefined) {
        const files = new Set(skipped.map((test) => test.module.relativeModuleId))
        console.log(`Skipped ${skipped.length} tests, of ${[...files].join(', ')}.`)
        for (const { name, how } of missingPrograms()) console.log(`Not found: ${name}. To have it: ${how}`)
      }
      const late = failed.filter((test) => test.result().errors?.every(isOutOfTime))
      if (late.length > 0)
        console.log(
          `${late.length} of these tests ran out of time: the machine is busy, or they hang. Nothing wrong was seen of them.`,
        )
      const failures = failed.length + suites.length + unhandled.length
      console.log(`${of('passed').length} passed, ${failures} failed, ${skipped.length} skipped`)
    },
  }
}

/** Number of files beyond which a run is the whole suite, as by `npm test`. */
const WHOLE_SUITE_FILES = 250
/** Errors of vitest, of its polls and of Playwright after they have waited for too long. */
const OUT_OF_TIME = /timed out in \d+ms|Timeout \d+ms exceeded|did not succeed in time/

function isOutOfTime({ message, cause }: { message: string; cause?: unknown }): boolean {
  return OUT_OF_TIME.test(message) || OUT_OF_TIME.test(String((cause as Error | undefined)?.message))
}

function failureOf(test: TestCase): string {
  const { errors } = test.result()
  const lines = (errors ?? []).map((error) => {
    const { expected, actual } = error
    const values = expected === undefined ? '' : `\n  expected: ${shortened(expected)}\n  came: ${shortened(actual)}`
    return `  ${shortened(error.message)}${values}`
  })
  return `FAILED ${test.module.relativeModuleId} > ${test.fullName}\n${lines.join('\n')}`
}

function firstError(module: TestModule): string {
  return shortened(module.errors()[0]?.message ?? 'it did not run')
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const plain = stripVTControlCharacters(text).replaceAll('\n', ' ⏎ ')
  return plain.length > 500 ? `${plain.slice(0, 500)} …` : plain
}
