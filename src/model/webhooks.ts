import type { RouteModel } from '../contracts/route-model.js'
import type { WebhookOptions, WebhookScheme, WebhookVerifier } from '../contracts/webhook.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../errors/option-group.js'
import { checkDuration } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The headers of a request, for each scheme. */
const HEADERS = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['Stripe-Signature'],
  github: ['X-Hub-Signature-256', 'X-GitHub-Delivery'],
} as const

/** Whether a verifier is a built-in scheme. A custom verifier may also have a `scheme` property. */
export function isScheme(verifier: unknown): verifier is WebhookScheme {
  const { scheme, verify } = Object(verifier) as { scheme?: unknown; verify?: unknown }
  return verify === undefined && typeof scheme === 'string' && Object.hasOwn(HEADERS, scheme)
}

/** Returns the signature headers; empty for a route without `@Webhook`. */
export function webhookHeaders({ webhook }: Pick<RouteModel, 'webhook'>): readonly string[] {
  if (webhook === null) return []
  return isScheme(webhook) ? HEADERS[webhook.scheme] : (webhook.headers ?? [])
}

const NAMES: OptionNames<WebhookOptions> = { tolerance: true, replays: true }

/** Checks `@Webhook` on a method. The secrets are read and checked at startup. */
export function checkWebhook(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'webhook').flatMap(({ verifier }) => {
    if (isScheme(verifier)) {
      const place = `${subject} @Webhook `
      return [
        // With a misspelled `tolerance` or `replays`, a repeated delivery could be accepted.
        ...unknownOptions(place, verifier.options, NAMES),
        ...checkDuration(`${place}tolerance`, verifier.options?.tolerance),
      ]
    }
    const { verify } = Object(verifier) as Partial<WebhookVerifier>
    if (typeof verify === 'function') return []
    const remedy =
      'Write @Webhook(standardWebhooks(secret)), or pass an object with a `verify` function.'
    return [invalid(subject, '@Webhook was called without a verifier.', remedy)]
  })
}
