import type { RouteModel } from '../contracts/route-model.js'
import type { WebhookScheme } from '../contracts/webhook.js'

/** The headers that a request of each scheme has. */
const HEADERS = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['Stripe-Signature'],
  github: ['X-Hub-Signature-256', 'X-GitHub-Delivery'],
} as const

/** Whether a verifier is one of the built-in schemes. A verifier of your own may have a property `scheme`, too. */
export function isScheme(verifier: unknown): verifier is WebhookScheme {
  const { scheme, verify } = Object(verifier) as { scheme?: unknown; verify?: unknown }
  return verify === undefined && typeof scheme === 'string' && Object.hasOwn(HEADERS, scheme)
}

/** The headers of a signature; none for a route without `@Webhook`. */
export function webhookHeaders({ webhook }: Pick<RouteModel, 'webhook'>): readonly string[] {
  if (webhook === null) return []
  return isScheme(webhook) ? HEADERS[webhook.scheme] : (webhook.headers ?? [])
}
