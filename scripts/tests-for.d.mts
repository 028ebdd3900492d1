/**
 * Paths of test files for a path such as `src/http/csv.ts`, the most closely related first. Empty for a path outside
 * `src/`.
 */
export function testsFor(source: string): string[]

/** The path parts in the table that no test path contains. */
export function unusedParts(): string[]
