import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { missingPrograms } from './missing-programs.ts'

/**
 * Says last, since thousands of lines may lie before it: which tests failed, with what was expected and what came; what
 * was skipped, and how to have it; and, alone on the last line, how many passed and failed.
 */
export function closingLines(): Reporter {
  return {
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
      const failures = failed.length + suites.length + unhandled.length
      console.log(`${of('passed').length} passed, ${failures} failed, ${skipped.length} skipped`)
    },
  }
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
