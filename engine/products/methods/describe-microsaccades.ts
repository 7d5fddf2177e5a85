import type { MethodsFacts } from './methods-facts.ts'
import type { Cite } from './phrases.ts'

/** Describes how binocular saccades were found (docs/microsaccades.md); empty if the plan has no settings of them. */
export function microsaccadeSentences({ parameters }: MethodsFacts, cite: Cite): string[] {
  const { microsaccadeLambda: lambda, microsaccadeMinSamples: samples } = parameters
  if (lambda === undefined) return []
  return [
    `Binocular microsaccades were detected in the two-dimensional velocity space of each eye, with an elliptic threshold of ${lambda} times its median-based standard deviation and a minimum duration of ${samples} samples, and had to overlap in both eyes (${cite('engbert2003')}; ${cite('engbert2006')}).`,
  ]
}
