export function hashOfBuild(): string
export function isBuilt(hash: string): boolean
