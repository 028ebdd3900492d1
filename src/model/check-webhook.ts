import type { WebhookOptions, WebhookVerifier } from '../contracts/webhook.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../errors/option-group.js'
import { checkDuration } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { isScheme } from './webhook-headers.js'

const NAMES: OptionNames<WebhookOptions> = { tolerance: true, replays: true }

/** Checks the `@Webhook` of a method. Secrets are read and checked when the application starts. */
export function checkWebhook(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'webhook').flatMap(({ verifier }) => {
    if (isScheme(verifier)) {
      const place = `${subject} @Webhook `
      return [
        // A misspelt `tolerance` or `replays` would accept a delivery again.
        ...unknownOptions(place, verifier.options, NAMES),
        ...checkDuration(`${place}tolerance`, verifier.options?.tolerance),
      ]
    }
    const { verify } = Object(verifier) as Partial<WebhookVerifier>
    if (typeof verify === 'function') return []
    const remedy =
      'Write @Webhook(standardWebhooks(secret)), or give an object with the function verify.'
    return [invalid(subject, '@Webhook was given no verifier.', remedy)]
  })
}
