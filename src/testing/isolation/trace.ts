/** A text that was logged or cached for a tenant. */
export interface Trace {
  readonly kind: 'log' | 'cache'
  /** The name of a side. */
  readonly owner: string
  readonly text: string
  /** `the message “…”`, `the key …`. */
  readonly where: string
}
