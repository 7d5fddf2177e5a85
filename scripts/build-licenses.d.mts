export type ThirdParty = { name: string; version: string; license: string; author: string | null; texts: string[] }
export function thirdParties(root?: string): ThirdParty[]
export function licensesText(parties: ThirdParty[]): string
