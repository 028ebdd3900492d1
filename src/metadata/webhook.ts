import type { DualMethodDecorator } from '../contracts/decorator.js'
import type {
  WebhookOptions,
  WebhookScheme,
  WebhookSecrets,
  WebhookVerifier,
} from '../contracts/webhook.js'
import { methodOnly, refuseBare } from './write.js'

/**
 * Accepts only requests that the sender has signed. The bytes of the body are verified before they are parsed. A
 * request without a valid signature is refused with a 401 response. With a built-in scheme, a repeated request is
 * refused with a 409 response. The signature replaces the guard: the route has a guard only if it has `@Auth()`.
 *
 * The body is JSON, unless `@Body` describes it otherwise. With `@Body({ type: 'bytes' })`, the handler receives the
 * bytes.
 *
 * @param verifier {@link standardWebhooks}, {@link stripeWebhooks}, {@link githubWebhooks}, or your own verifier.
 * @example
 * @Post('payments')
 * @Webhook(stripeWebhooks(() => process.env['STRIPE_WEBHOOK_SECRET'] ?? ''))
 * @Body(z.object({ type: z.string() }))
 * paid(req: Request) { return payments.handle(req.body) }
 */
export function Webhook(verifier: WebhookScheme | WebhookVerifier): DualMethodDecorator
export function Webhook(...args: unknown[]): DualMethodDecorator {
  refuseBare('@Webhook', args[0], args[1])
  const verifier = args[0] as WebhookScheme | WebhookVerifier
  return methodOnly('@Webhook()', { kind: 'webhook', verifier })
}

/**
 * Creates the scheme for Standard Webhooks and Svix, with the headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`, or the same names with `svix-`.
 *
 * @param secrets The secrets in base64, with or without the prefix `whsec_`: 24 bytes or more.
 * @see https://www.standardwebhooks.com
 * @example
 * @Webhook(standardWebhooks(['whsec_new…', 'whsec_old…']))
 */
export function standardWebhooks(
  secrets: WebhookSecrets,
  options: WebhookOptions = {},
): WebhookScheme {
  return Object.freeze({ scheme: 'standard', secrets, options })
}

/**
 * Creates the scheme for Stripe, with the header `Stripe-Signature`, which contains a time and signatures.
 *
 * @param secrets The endpoint's secrets, which begin with `whsec_`.
 * @see https://docs.stripe.com/webhooks
 * @example
 * @Webhook(stripeWebhooks(({ get }) => get(Env).STRIPE_SECRET))
 */
export function stripeWebhooks(
  secrets: WebhookSecrets,
  options: WebhookOptions = {},
): WebhookScheme {
  return Object.freeze({ scheme: 'stripe', secrets, options })
}

/**
 * Creates the scheme for GitHub, with the signature in `X-Hub-Signature-256` and the ID in `X-GitHub-Delivery`. There
 * is no timestamp, and the ID is not signed, so an old delivery with another ID is accepted.
 *
 * @param secrets The webhook's secrets.
 * @see https://docs.github.com/webhooks
 * @example
 * @Webhook(githubWebhooks(({ get }) => get(Env).GITHUB_SECRET))
 */
export function githubWebhooks(
  secrets: WebhookSecrets,
  options: WebhookOptions = {},
): WebhookScheme {
  return Object.freeze({ scheme: 'github', secrets, options })
}
