import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Clock, InjectionToken, inject, Outgoing, signWebhook } from '../../index.js'
import type { MaybePromise } from '../../plugin/index.js'
import { defineJob, type JobDefinition, type JobRun } from './job.js'
import { DeadJobError } from './run-job.js'
import { Jobs, type SendOptions } from './sender.js'
import type { StoredJob } from './stored-jobs.js'
import { Job, Worker } from './worker.js'

/** Where events are sent. */
export interface WebhookEndpoint {
  /** The URL. It comes from an untrusted party, so only public addresses are called. */
  readonly url: string
  /** The secrets that sign: base64 of 24 bytes or more, with or without `whsec_`. Several are for rotation. */
  readonly secrets: string | readonly string[]
}

/**
 * Finds an endpoint by its id, as the tenant for which the event was sent. `undefined`: it was removed, so its deliveries are dead.
 */
export type WebhookEndpoints = (id: string) => MaybePromise<WebhookEndpoint | undefined>

/** The token of the function that finds the endpoints of {@link Webhooks}. The application provides it. */
export const WebhookEndpoints: InjectionToken<WebhookEndpoints> =
  new InjectionToken<WebhookEndpoints>(
    'WebhookEndpoints: provide a function that finds an endpoint',
  )

/** An event for another system. */
export interface WebhookEvent {
  /** The kind of the event: `order.paid`. */
  readonly type: string
  /** Its data, as JSON. */
  readonly data: unknown
}

/** A delivery of an event, finished or not. */
export interface WebhookDeliveryLog extends Omit<StoredJob, 'name' | 'tenant' | 'input'> {
  /** The id of the endpoint. */
  readonly endpoint: string
  /** The type of the event. */
  readonly type: string
}

/** The database would change the order of the fields of an object, so the body is a text. */
interface Sent extends Pick<WebhookEvent, 'type'> {
  readonly endpoint: string
  readonly body: string
}

/** `send` creates the input itself. */
const INPUT: StandardSchemaV1<Sent, Sent> = {
  '~standard': { version: 1, vendor: 'blazon', validate: (value) => ({ value: value as Sent }) },
}

/** The waits add up to about half a day. */
const Delivery: JobDefinition<Sent, Sent> = defineJob('webhook', {
  input: INPUT,
  retries: 20,
  retryDelay: '10s',
  concurrency: 4,
  keep: '30d',
})

/** The time limit of one call. */
const TIMEOUT_SECONDS = 15
/** The status with which an endpoint refuses all later events. */
const GONE = 410

/**
 * Sends events to endpoints of others, as signed webhooks. It is a worker: list it in `jobs({ workers: [Webhooks] })`, and provide
 * {@link WebhookEndpoints}.
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
   * Sends an event, in the transaction of the current code, as `Jobs.send` does: without its commit, nothing is delivered. It is
   * delivered until the endpoint answers with 2xx, 21 times at most.
   *
   * @param endpoint The id of the endpoint.
   * @returns the id of the event, which the receiver gets as `webhook-id`.
   * @throws the errors of `Jobs.send`.
   */
  async send(endpoint: string, event: WebhookEvent, options?: SendOptions): Promise<string> {
    const timestamp = new Date(this.#clock.now()).toISOString()
    const { type, data } = event
    const body = JSON.stringify({ type, timestamp, data })
    const id = await this.#jobs.send(Delivery, { endpoint, type, body }, options)
    // Without a policy, no job is excluded.
    return id as string
  }

  /** Lists the deliveries of the tenant of this code, the newest first. */
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
