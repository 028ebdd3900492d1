import type { Clock } from '../../contracts/clock.js'
import type { GuardSetup } from '../../contracts/guard.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { WebhookReplays, WebhookScheme, WebhookVerifier } from '../../contracts/webhook.js'
import { ConfigError, invalid } from '../../errors/config-error.js'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { toSeconds } from '../../http/units.js'
import { isScheme } from '../../model/webhooks.js'
import { keysOf, verifySignature } from './schemes.js'

/** Verifies the bytes of a request. Resolves with an error to refuse the request, or with `null` to accept it. */
export type WebhookCheck = (req: Request, res: Response, body: Buffer) => Promise<HttpError | null>

/** The parts of the application that the checks use. */
export interface WebhookApp extends GuardSetup {
  readonly clock: Clock
}

/** How long the ID of a delivery without a timestamp is stored, in seconds. */
const DAY = 86_400

/**
 * Creates the check for a `@Webhook` route.
 *
 * @throws ConfigError if a secret is missing or invalid.
 */
export async function webhookCheck(
  { webhook, name }: Pick<RouteModel, 'webhook' | 'name'>,
  app: WebhookApp,
): Promise<WebhookCheck> {
  const verifier = webhook as WebhookScheme | WebhookVerifier
  if (!isScheme(verifier)) return ownCheck(verifier, app.clock)
  const keys = await keysFor(name, verifier, app)
  return schemeCheck(verifier, { name, keys, clock: app.clock })
}

function ownCheck(verifier: WebhookVerifier, clock: Clock): WebhookCheck {
  return async function verifyOwn({ headers }, _res, body) {
    const isSigned = await verifier.verify({ headers, body, nowMs: clock.now() })
    return isSigned === true ? null : unverified()
  }
}

interface SchemeConfig {
  readonly name: string
  readonly keys: readonly Buffer[]
  readonly clock: Clock
}

function schemeCheck(scheme: WebhookScheme, { name, keys, clock }: SchemeConfig): WebhookCheck {
  const { tolerance = '5m', replays = new ReplayMemory(clock) } = scheme.options
  const seconds = toSeconds(tolerance) as number
  // The timestamp of a delivery may be in the future. The delivery can then be valid for twice the tolerance. One
  // second is added because stores count in whole seconds.
  const kept = Math.ceil(2 * seconds) + 1
  return async function verifyScheme({ headers }, res, body) {
    const nowMs = clock.now()
    const verified = verifySignature(scheme, keys, { headers, body, nowMs })
    if (verified === null) return unverified()
    const { seconds: sent, id } = verified
    if (sent !== null && Math.abs(nowMs / 1000 - sent) > seconds) {
      return unverified('The webhook timestamp is not within the tolerance')
    }
    const key = `${name} ${id}`
    if (!(await replays.claim(key, sent === null ? DAY : kept))) return replayed()
    releaseUnhandled(res, replays, key)
    return null
  }
}

/**
 * Releases the key of a failed delivery. The sender will send the delivery again, and it must not count as a replay.
 * Senders also treat a redirect as a failure.
 */
function releaseUnhandled(res: Response, replays: WebhookReplays, key: string): void {
  const release = async () => {
    try {
      await replays.release(key)
    } catch {
      // If the key cannot be released, it expires with the delivery.
    }
  }
  const releaseUnlessSent = () => {
    if (!res.writableFinished || res.statusCode >= 300) void release()
  }
  // The sender may have disconnected while the key was being claimed.
  if (res.closed) void release()
  else res.once('close', releaseUnlessSent)
}

async function keysFor(
  name: string,
  scheme: WebhookScheme,
  app: GuardSetup,
): Promise<readonly Buffer[]> {
  let cause = 'The secret of its @Webhook is missing or invalid.'
  try {
    const { secrets } = scheme
    const given = typeof secrets === 'function' ? await secrets(app) : secrets
    const keys = keysOf(scheme.scheme, given)
    if (keys !== null) return keys
  } catch (error) {
    cause = `The function that returns the secret of its @Webhook threw ${String(error)}.`
  }
  throw new ConfigError([invalid(name, cause, remedyOf(scheme))])
}

function unverified(message = 'The signature of the webhook is missing or invalid'): HttpError {
  const headers = { 'WWW-Authenticate': 'Webhook' }
  return refuse('WEBHOOK_UNVERIFIED', message, { headers })
}

function replayed(): HttpError {
  return refuse('WEBHOOK_REPLAYED', 'This webhook delivery has already been handled')
}

function remedyOf({ scheme }: WebhookScheme): string {
  return scheme === 'standard'
    ? 'Pass the secret of the sender: at least 24 bytes in base64, with or without whsec_.'
    : 'Pass the secret of the sender. If it comes from the environment, check that the variable is set.'
}

/**
 * The maximum number of stored deliveries, which is more than any sender repeats. The oldest deliveries are removed
 * first.
 */
const MOST = 10_000

/**
 * Stores deliveries in the memory of this process. Only verified deliveries are stored, so outsiders cannot fill the
 * memory.
 */
class ReplayMemory implements WebhookReplays {
  readonly #clock: Clock
  readonly #expiries = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  claim(key: string, seconds: number): boolean {
    const now = this.#clock.now()
    const known = this.#expiries.get(key)
    if (known !== undefined && known >= now) return false
    this.#forget(now)
    this.#expiries.delete(key)
    this.#expiries.set(key, now + seconds * 1000)
    return true
  }

  release(key: string): void {
    this.#expiries.delete(key)
  }

  /** Removes expired deliveries, the oldest first. Also removes other old deliveries if there are too many. */
  #forget(now: number): void {
    for (const [key, expiry] of this.#expiries) {
      if (expiry > now && this.#expiries.size < MOST) return
      this.#expiries.delete(key)
    }
  }
}
