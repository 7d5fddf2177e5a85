/** The part of the WebAssembly interface that we use; TypeScript has it only in its types for browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Record<string, unknown>
  }
  function validate(bytes: Uint8Array): boolean
}
