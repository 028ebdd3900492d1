import type { DualMethodDecorator } from '../../contracts/decorator.js'
import type { Duration } from '../../contracts/limits.js'
import type { ContractOf } from '../../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { defineOption } from '../../metadata/option.js'

/** Options of {@link Idempotent}. */
export interface IdempotentOptions {
  /**
   * Whether a request without a key is refused with a 400 response. Default: `false`, so that a request without a key
   * runs without protection.
   */
  readonly required?: boolean
  /** How long a response is stored: at most 30 days. Default: `'24h'`. */
  readonly ttl?: Duration
}

const NAMES: OptionNames<IdempotentOptions> = { required: true, ttl: true }
const DAY_SECONDS = 86_400
const LONGEST_DAYS = 30

const option = defineOption<IdempotentOptions, 'method'>('Idempotent', {
  on: 'method',
  check(options) {
    if (typeof options !== 'object' || options === null) return 'It is not an object of options.'
    const [unknown] = unknownOptions('', options, NAMES)
    if (unknown !== undefined) return `'${unknown.subject}': ${unknown.cause}`
    const { required = false, ttl = 1 } = options
    if (typeof required !== 'boolean') return '`required` is not a boolean.'
    const seconds = toSeconds(ttl) ?? 0
    if (seconds >= 1 && seconds <= LONGEST_DAYS * DAY_SECONDS) return undefined
    return `\`ttl\` is ${String(ttl)}; pass a duration from 1 second to ${LONGEST_DAYS} days, such as '24h'.`
  },
})

/**
 * Runs a write once for each `Idempotency-Key`, even if a client repeats the request. The first request runs, and its
 * response is stored. A repeated request receives the same status, headers and body, with `Idempotency-Replayed: true`.
 * The same key with another URL or body results in a 422 response. Repeating a request while the first one is running
 * results in a 409 response with `Retry-After`. The response of a failed request is not stored, so the key can be used
 * again. A response that is longer than 256 KiB, or is sent in parts, is not stored either, and a repeated request
 * receives a 409 response.
 *
 * Keys of different routes, tenants or callers are independent, even if they are equal. With `postgres()` from
 * `blazon/postgres`, the response is stored in the request's transaction: either both the effect and the response are
 * saved, or neither is.
 *
 * Source: The Idempotency-Key HTTP Header Field (draft-ietf-httpapi-idempotency-key-header).
 *
 * @param options `required` and `ttl`. Default: the key is optional, and a response is stored for 24 hours.
 * @throws ConfigError at boot: `E_OPTION_INVALID` for an invalid option; `E_IDEMPOTENT_ROUTE` for a route whose method
 * is safe, that streams its response, or that receives files.
 * @see docs/idempotency.md
 * @example
 * class OrdersController {
 *   @Idempotent({ required: true })
 *   @Post()
 *   create(req: Request) { return this.orders.create(req.body) }
 * }
 */
export function Idempotent(options?: IdempotentOptions): DualMethodDecorator
export function Idempotent(...args: [IdempotentOptions?]): DualMethodDecorator {
  return args.length === 0 ? option({}) : option(...(args as [IdempotentOptions]))
}

/** The settings for storing a route's responses. */
export interface IdempotentRoute {
  /** Whether a request without a key is refused. */
  readonly isRequired: boolean
  /** How long a response is stored, in milliseconds. */
  readonly ttlMs: number
}

/**
 * Returns the settings for storing a route's responses for repeated requests; `null` without `@Idempotent()`.
 *
 * @example
 * const isRepeatable = route.method === 'GET' || idempotencyOf(route) !== null
 */
export function idempotencyOf(route: Pick<RouteModel, 'option'>): IdempotentRoute | null {
  const options = route.option(option)
  if (options === undefined) return null
  const { required = false, ttl = DAY_SECONDS } = options
  return { isRequired: required, ttlMs: 1000 * (toSeconds(ttl) as number) }
}

/** Whether an application has a route that stores its responses for repeated requests. */
export function usesIdempotency({ routes }: AppModel): boolean {
  return routes.some((route) => idempotencyOf(route) !== null)
}

/** The pattern of a key: 1 to 255 visible ASCII characters. */
export const KEY_PATTERN = '^[!-~]{1,255}$'

/** Adds the key header, the error responses and the header that marks repeated responses to the operations. */
export const idempotencyContract: ContractOf = (route) => {
  const found = idempotencyOf(route)
  if (found === null) return null
  const parameter = {
    name: 'Idempotency-Key',
    in: 'header',
    required: found.isRequired,
    description:
      'A unique value for this write, such as a random UUID. Send the same value when you repeat the request.',
    schema: { type: 'string', pattern: KEY_PATTERN },
  } as const
  return {
    errors: [400, 409, 422, 503],
    parameters: [parameter],
    headers: {
      'Idempotency-Replayed': {
        description:
          'Present if this is the stored response to an earlier request with the same key.',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  }
}

/** Reports routes whose responses cannot be stored. */
export function checkIdempotency(route: RouteModel): Problem[] {
  const cause = idempotencyOf(route) === null ? undefined : mistakeOf(route)
  if (cause === undefined) return []
  const subject = `${route.name} @Idempotent()`
  return [{ code: 'E_IDEMPOTENT_ROUTE', subject, cause, remedy: 'Remove @Idempotent().' }]
}

function mistakeOf({ method, stream, upload }: RouteModel): string | undefined {
  if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    return `A repeated ${method} request needs no key; only POST, PUT, PATCH and DELETE need one.`
  if (stream !== null) return 'The route sends a stream, which cannot be stored.'
  if (upload !== null) return 'The route receives files, which cannot be compared.'
  return undefined
}
