/** A delivery to sign. */
export interface UnsignedWebhook {
  /** The ID of the event. It is the same in all deliveries of the event, and must not contain a dot. */
  readonly id: string
  /** The time of this delivery, in milliseconds since 1970. */
  readonly nowMs: number
  /** The body, exactly as sent. */
  readonly body: string
}

/**
 * Signs a delivery according to [Standard Webhooks](https://www.standardwebhooks.com), so that
 * `standardWebhooks(secret)` accepts it.
 *
 * @param secrets One or more secrets: base64 of at least 24 bytes, with or without `whsec_`. The delivery is signed
 * with each secret, so the receiver needs only one of them.
 * @returns a promise of the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 * @throws TypeError for a missing or invalid secret, and for an ID with a dot. The error does not contain the secret.
 * @example
 * const headers = await signWebhook({ id: randomUUID(), nowMs: Date.now(), body }, secret)
 */
export async function signWebhook(
  { id, nowMs, body }: UnsignedWebhook,
  secrets: string | readonly string[],
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const { keysOf, hmacOf } = await import('./schemes.js')
  const keys = keysOf('standard', secrets)
  if (keys === null)
    throw new TypeError(
      'signWebhook(): a secret is missing or invalid. Pass at least 24 bytes in base64, with or without whsec_.',
    )
  if (id.includes('.'))
    throw new TypeError('signWebhook(): the ID contains a dot. Pass an ID without dots.')
  const time = String(Math.floor(nowMs / 1000))
  const signatures = keys.map((key) => hmacOf(key, `${id}.${time}.`, body).toString('base64'))
  const signature = signatures.map((each) => `v1,${each}`).join(' ')
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature }
}
