import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Clock, InjectionToken, inject, Outgoing, signWebhook } from '../../index.js'
import type { MaybePromise } from '../../plugin/index.js'
import { defineJob, type JobDefinition, type JobRun } from './job.js'
import { DeadJobError } from './run-job.js'
import { Jobs, type SendOptions } from './sender.js'
import type { StoredJob } from './stored-jobs.js'
import { Job, Worker } from './worker.js'

/** The destination of events. */
export interface WebhookEndpoint {
  /** The URL. It comes from an untrusted party, so only public addresses are called. */
  readonly url: string
  /** The secrets for signing: base64 of 24 bytes or more, with or without `whsec_`. Pass several during rotation. */
  readonly secrets: string | readonly string[]
}

/**
 * Finds an endpoint by its ID, as the tenant for which the event was sent. Returns `undefined` if the endpoint was
 * removed: its deliveries then fail and are not retried.
 */
export type WebhookEndpoints = (id: string) => MaybePromise<WebhookEndpoint | undefined>

/** The token of the function that finds endpoints for {@link Webhooks}. The application provides this function. */
export const WebhookEndpoints: InjectionToken<WebhookEndpoints> =
  new InjectionToken<WebhookEndpoints>(
    'WebhookEndpoints: provide a function that finds an endpoint',
  )

/** An event for another system. */
export interface WebhookEvent {
  /** The type of the event, such as `order.paid`. */
  readonly type: string
  /** The data of the event, sent as JSON. */
  readonly data: unknown
}

/** A delivery of an event, finished or not. */
export interface WebhookDeliveryLog extends Omit<StoredJob, 'name' | 'tenant' | 'input'> {
  /** The endpoint ID. */
  readonly endpoint: string
  /** The type of the event. */
  readonly type: string
}

/** The body is a string, because the database would change the order of an object's fields. */
interface Sent extends Pick<WebhookEvent, 'type'> {
  readonly endpoint: string
  readonly body: string
}

/** No validation is needed, because `send` creates the input itself. */
const INPUT: StandardSchemaV1<Sent, Sent> = {
  '~standard': { version: 1, vendor: 'blazon', validate: (value) => ({ value: value as Sent }) },
}

/** Delivers an event. The delays between the attempts add up to about half a day. */
const Delivery: JobDefinition<Sent, Sent> = defineJob('webhook', {
  input: INPUT,
  retries: 20,
  retryDelay: '10s',
  concurrency: 4,
  keep: '30d',
})

/** The time limit of one call. */
const TIMEOUT_SECONDS = 15
/** The status with which an endpoint refuses all future events. */
const GONE = 410

/**
 * Sends events to other systems' endpoints, as signed webhooks. This class is a worker: list it in `jobs({ workers:
 * [Webhooks] })`, and provide {@link WebhookEndpoints}.
 *
 * @see docs/jobs.md#webhooks
 * @example
 * private readonly webhooks = inject(Webhooks)
 * await this.webhooks.send(endpointId, { type: 'order.paid', data: { orderId } })
 */
export class Webhooks {
  readonly #jobs = inject(Jobs)
  readonly #outgoing = inject(Outgoing)
  readonly #find = inject(WebhookEndpoints)
  readonly #clock = inject(Clock)

  /**
   * Sends an event in the current transaction, like `Jobs.send`. If the transaction does not commit, nothing is
   * delivered. Delivery is attempted until the endpoint responds with a 2xx status or 410, at most 21 times.
   *
   * @param endpoint The endpoint ID.
   * @returns the event ID, which the receiver gets as `webhook-id`.
   * @throws the errors of `Jobs.send`.
   */
  async send(endpoint: string, event: WebhookEvent, options?: SendOptions): Promise<string> {
    const timestamp = new Date(this.#clock.now()).toISOString()
    const { type, data } = event
    const body = JSON.stringify({ type, timestamp, data })
    const id = await this.#jobs.send(Delivery, { endpoint, type, body }, options)
    // There is no policy that could exclude the job.
    return id as string
  }

  /** Lists the current tenant's deliveries, newest first. */
  async deliveries(limit = 50): Promise<WebhookDeliveryLog[]> {
    const stored = await this.#jobs.list({ name: Delivery.name, limit })
    return stored.map(({ input, name: _name, tenant: _tenant, ...job }) => {
      const { endpoint, type } = input as Sent
      return { ...job, endpoint, type }
    })
  }

  /** @internal Delivers one event. */
  async deliver({ id, input, signal }: JobRun<Sent>): Promise<void> {
    const endpoint = await this.#find(input.endpoint)
    if (endpoint === undefined) throw new DeadJobError('The endpoint no longer exists.')
    const { body } = input
    const signed = await signWebhook({ id, nowMs: this.#clock.now(), body }, endpoint.secrets)
    const response = await this.#outgoing(endpoint.url, {
      ...{ method: 'POST', body, signal, redirect: 'manual', public: true },
      headers: { 'content-type': 'application/json', ...signed },
      timeout: TIMEOUT_SECONDS,
    })
    await response.body?.cancel()
    if (response.status === GONE)
      throw new DeadJobError('The endpoint no longer accepts events (410).')
    if (!response.ok) throw new Error(`The endpoint responded with ${response.status}.`)
  }
}

Worker()(Webhooks)
const { deliver } = Webhooks.prototype
Job(Delivery)(Webhooks.prototype, 'deliver', { value: deliver })
