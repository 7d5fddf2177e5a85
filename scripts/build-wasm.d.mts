export const KERNELS: Record<string, string>
export function buildKernel(name: string): Promise<string>
