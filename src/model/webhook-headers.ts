import type { RouteModel } from '../contracts/route-model.js'

/** The headers that a request of each scheme has. */
const HEADERS = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['Stripe-Signature'],
  github: ['X-Hub-Signature-256', 'X-GitHub-Delivery'],
} as const

/** Whether a value names one of the built-in schemes. */
export function isScheme(name: unknown): name is keyof typeof HEADERS {
  return typeof name === 'string' && Object.hasOwn(HEADERS, name)
}

/** The headers of a signature; none for a route without `@Webhook`. */
export function webhookHeaders({ webhook }: Pick<RouteModel, 'webhook'>): readonly string[] {
  if (webhook === null) return []
  return 'scheme' in webhook ? HEADERS[webhook.scheme] : (webhook.headers ?? [])
}
