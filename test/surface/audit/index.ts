import { randomUUID } from 'node:crypto'
import { Clock, defineOption, type Plugin } from 'blazon'
import { Refusal } from 'blazon/plugin'

/** What an audited route does, and for whom it is closed. */
export interface AuditOptions {
  /** The name of the action in the log: `order.pay`. */
  readonly action: string
  /** Countries whose callers receive a 451. Default: none. */
  readonly closedIn?: readonly string[]
}

/** One line of the log. */
export interface AuditLine {
  readonly id: string
  readonly action: string
  readonly at: Date
  readonly status: number
  readonly outcome: 'sent' | 'aborted' | 'timeout'
}

/** Writes a line of the audit log for each request of the route. */
export const Audit = defineOption<AuditOptions>('Audit', {
  check: ({ action }) => (/^\w+\.\w+$/.test(action) ? undefined : 'Its action is not like a.b.'),
})

/** Acts on {@link Audit}. `write` receives the lines. */
export function auditing(write: (line: AuditLine) => void): Plugin {
  return {
    name: 'auditing',
    contract(route) {
      const audit = route.option(Audit)
      if (audit === undefined) return null
      const header = { 'X-Audit-Id': { schema: { type: 'string', format: 'uuid' } } }
      return audit.closedIn === undefined ? { headers: header } : { headers: header, errors: [451] }
    },
    steps(route, { get }) {
      const audit = route.option(Audit)
      if (audit === undefined) return null
      const clock = get(Clock)
      const ids = new WeakMap<object, string>()
      return {
        afterGuard: (next) => (req, res) => {
          const country = req.get('x-country')
          if (country !== undefined && audit.closedIn?.includes(country)) return Refusal.of(451)
          const id = randomUUID()
          ids.set(req, id)
          res.setHeader('X-Audit-Id', id)
          return next(req, res)
        },
        onEnd(req, { statusCode: status }, outcome) {
          const id = ids.get(req) ?? 'refused'
          write({ id, action: audit.action, at: new Date(clock.now()), status, outcome })
        },
      }
    },
  }
}
