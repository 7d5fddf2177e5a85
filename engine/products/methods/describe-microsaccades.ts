import { RATE_MIN_HZ } from '../../exports/columns/test-microsaccades.ts'
import type { MethodsFacts } from './methods-facts.ts'
import type { Cite } from './phrases.ts'

/**
 * Describes how binocular saccades were found (docs/microsaccades.md); empty if the plan has no settings of them, or no
 * test has the sampling rate for them.
 */
export function microsaccadeSentences({ parameters, measured }: MethodsFacts, cite: Cite): string[] {
  const { microsaccadeLambda: lambda, microsaccadeMinSamples: samples } = parameters
  if (lambda === undefined || (measured?.rateHz && measured.rateHz.max < RATE_MIN_HZ)) return []
  return [
    `Binocular microsaccades were detected in the two-dimensional velocity space of each eye, with an elliptic threshold of ${lambda} times its median-based standard deviation and a minimum duration of ${samples} samples, and had to overlap in both eyes (${cite('engbert2003')}; ${cite('engbert2006')}).`,
  ]
}
