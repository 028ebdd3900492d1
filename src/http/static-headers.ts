/** Headers that every answer carries unless it says otherwise, in the forms the response needs. */
export interface StaticHeaders {
  /** `[name, value, name, value, …]`, as `writeHead` takes it. */
  readonly flat: readonly string[]
  /** Value by lower-case name. */
  readonly byName: ReadonlyMap<string, { readonly name: string; readonly value: string }>
}

/** Freezes recorded headers; `null` when there are none, so that the response can skip the step. */
export function staticHeaders(entries: Iterable<readonly [string, string]>): StaticHeaders | null {
  const byName = new Map<string, { name: string; value: string }>()
  for (const [name, value] of entries) byName.set(name.toLowerCase(), { name, value })
  if (byName.size === 0) return null
  const flat = [...byName.values()].flatMap(({ name, value }) => [name, value])
  return { flat: Object.freeze(flat), byName }
}
