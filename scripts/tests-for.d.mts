/** Paths of test files for a path like `src/http/csv.ts`, the nearest first. Empty for a path outside of `src/`. */
export function testsFor(source: string): string[]

/** Parts of paths in the table that no test has. */
export function unusedParts(): string[]
