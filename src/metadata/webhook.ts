import type { DualMethodDecorator } from '../contracts/decorator.js'
import type {
  WebhookOptions,
  WebhookScheme,
  WebhookSecrets,
  WebhookVerifier,
} from '../contracts/webhook.js'
import { methodOnly, refuseBare } from './write.js'

/**
 * Accepts only requests that their sender has signed. The bytes of the body are verified before they are parsed; a
 * request without a valid signature is refused with 401, and a repeated request with 409. The signature replaces the
 * guard: the route has no guard unless it has `@Auth()`.
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
 * The scheme of Standard Webhooks and of Svix: `webhook-id`, `webhook-timestamp` and `webhook-signature`, or the same
 * names with `svix-`.
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
 * The scheme of Stripe: `Stripe-Signature` with a time and signatures.
 *
 * @param secrets The secrets of the endpoint, which begin with `whsec_`.
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
 * The scheme of GitHub: `X-Hub-Signature-256`, and the ID in `X-GitHub-Delivery`. It has no time, and the ID is not
 * signed, so an old delivery with another ID is accepted.
 *
 * @param secrets The secrets of the webhook.
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
