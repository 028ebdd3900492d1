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
  /** Whether a request without a key gets a 400. Default `false`: it runs without protection. */
  readonly required?: boolean
  /** How long a response is stored. At most 30 days. Default `'24h'`. */
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
 * Runs a write once for each `Idempotency-Key`, however often a client repeats the request. The first request runs, and its
 * response is kept. A repetition gets the same status, headers and body, with `Idempotency-Replayed: true`. The same key
 * with another URL or body is a 422, and a repetition while the first request runs is a 409 with `Retry-After`. A request
 * that fails keeps nothing, so its key can be used again.
 *
 * Keys of different routes, tenants and callers are different keys. With `postgres()` of `blazon/postgres`, the response is
 * kept in the transaction of the request: the effect and the record are saved together, or not at all.
 *
 * Source: The Idempotency-Key HTTP Header Field (draft-ietf-httpapi-idempotency-key-header).
 *
 * @param options `required` and `ttl`. Default: the key may be left out, and a response is kept for 24 hours.
 * @throws ConfigError at boot: `E_OPTION_INVALID` for a wrong option; `E_IDEMPOTENT_ROUTE` on a route whose method is
 * safe, that streams, or that receives files.
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

/** How a route stores its responses. */
export interface IdempotentRoute {
  /** Whether a request without a key is refused. */
  readonly isRequired: boolean
  /** How long a response is stored, in milliseconds. */
  readonly ttlMs: number
}

/**
 * Returns how a route keeps its responses for repeated requests; `null` without `@Idempotent()`.
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

/** Whether a route of an application stores its responses. */
export function usesIdempotency({ routes }: AppModel): boolean {
  return routes.some((route) => idempotencyOf(route) !== null)
}

/** The characters of a key: visible ASCII. */
export const KEY_PATTERN = '^[!-~]{1,255}$'

/** Adds the key, the error responses and the header of repeated responses to the operations. */
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

/** Finds routes that cannot store their responses. */
export function checkIdempotency(route: RouteModel): Problem[] {
  const cause = idempotencyOf(route) === null ? undefined : mistakeOf(route)
  if (cause === undefined) return []
  const subject = `${route.name} @Idempotent()`
  return [{ code: 'E_IDEMPOTENT_ROUTE', subject, cause, remedy: 'Remove @Idempotent().' }]
}

function mistakeOf({ method, stream, upload }: RouteModel): string | undefined {
  if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    return `A repeated ${method} needs no key; POST, PUT, PATCH and DELETE do.`
  if (stream !== null) return 'The route sends a stream, which cannot be stored.'
  if (upload !== null) return 'The route receives files, which cannot be compared.'
  return undefined
}
