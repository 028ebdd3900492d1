/** Something that was written down for a tenant, elsewhere than in its answers. */
export interface Trace {
  readonly kind: 'log' | 'cache'
  /** The name of a side. */
  readonly owner: string
  readonly text: string
  /** `the message “…”`, `the key …`. */
  readonly where: string
}
