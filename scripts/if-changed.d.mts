export function compileProgram(compile: (args: string[]) => void, options: { checksTypes: boolean }): void
