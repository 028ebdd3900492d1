/** What one request cost the process that answered it. */
export interface Measured {
  readonly name: string
  /** Milliseconds of CPU when it came first. */
  readonly first: number
  /** The most milliseconds when it came again. */
  readonly worst: number
  /** The most megabytes the process had until then. */
  readonly rss: number
}

export function pageOf(version: string, measured: readonly Measured[]): string {
  const rows = [...measured]
    .sort((a, b) => Math.max(b.first, b.worst) - Math.max(a.first, a.worst))
    .slice(0, 60)
    .map(({ name, first, worst, rss }) => `${name} | ${first.toFixed(0)} | ${worst.toFixed(0)} | ${rss.toFixed(0)}`)
  return [version, ...rows].join('\n')
}
