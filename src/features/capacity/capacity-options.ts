import type { Duration } from '../../contracts/limits.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { checkDuration, toSeconds } from '../../http/units.js'

/** The `capacity` option. */
export interface CapacityOptions {
  /**
   * The maximum number of requests that run at the same time: an integer above 0.
   *
   * @defaultValue required
   */
  readonly concurrent: number
  /**
   * The maximum number of requests that wait for their turn: an integer of 0 or more. If one more arrives, a request is
   * refused with a 503 response: the new request or, with `perTenant`, a request of the tenant that has the most
   * waiting requests.
   *
   * @defaultValue as many as `concurrent`
   */
  readonly queue?: number
  /**
   * The maximum number of requests that wait for the rest of their body: an integer above 0. These requests do not
   * count towards `concurrent`. If one more arrives, the request that has waited longest is refused with a 503
   * response.
   *
   * @defaultValue ten times `concurrent`
   */
  readonly bodies?: number
  /**
   * How long a request waits for its turn, as a duration. After this time, the request is refused with a 503 response.
   *
   * @defaultValue `'1s'`
   */
  readonly wait?: Duration
  /**
   * The maximum number of requests of one tenant that run at the same time: an integer from 1 to `concurrent`. If it is
   * set, tenants take turns in the queue, and requests are counted after the guard has run, because the guard
   * authorizes the tenant.
   *
   * @defaultValue none: the requests of all tenants are counted together, before the guard runs
   */
  readonly perTenant?: number
  /**
   * The time in the `Retry-After` header of refused requests: a duration, rounded up to seconds.
   *
   * @defaultValue `'1s'`
   */
  readonly retryAfter?: Duration
}

/** The `capacity` option, resolved. */
export interface CapacitySettings {
  readonly concurrent: number
  readonly queue: number
  readonly bodies: number
  readonly waitMs: number
  /** `null` if all tenants share the whole capacity. */
  readonly perTenant: number | null
  readonly retrySeconds: number
}

type Option = CapacityOptions | undefined

const NAMES: OptionNames<CapacityOptions> = {
  concurrent: true,
  queue: true,
  bodies: true,
  wait: true,
  perTenant: true,
  retryAfter: true,
}
const REMEDY =
  'Pass { concurrent: 100 } and, optionally, queue, bodies, wait, perTenant and retryAfter.'

/** The `capacity` option. An unknown field causes an error, because a misspelt `perTenant` would have no effect. */
export const capacityGroup: OptionGroup<Option, CapacitySettings | null> = {
  unknown: (capacity) => unknownOptions('capacity.', capacity, NAMES),
  check,
  resolve(capacity) {
    if (capacity === undefined) return null
    const { concurrent, queue = concurrent, bodies = 10 * concurrent } = capacity
    const { wait = 1, perTenant = null, retryAfter = 1 } = capacity
    return Object.freeze({
      concurrent,
      queue,
      bodies,
      waitMs: 1000 * (toSeconds(wait) as number),
      perTenant,
      retrySeconds: Math.ceil(toSeconds(retryAfter) as number),
    })
  },
}

function check(capacity: unknown): Problem[] {
  if (capacity === undefined) return []
  if (typeof capacity !== 'object' || capacity === null || Array.isArray(capacity)) {
    return [invalid('capacity', `${shown(capacity)} is not an object of options.`, REMEDY)]
  }
  const { concurrent, queue, bodies, wait, perTenant, retryAfter } = capacity as CapacityOptions
  return [
    ...checkConcurrent(concurrent, queue !== undefined),
    ...checkWhole('capacity.queue', queue, { least: 0 }),
    ...checkWhole('capacity.bodies', bodies, { least: 1 }),
    ...checkWhole('capacity.perTenant', perTenant, { least: 1, most: concurrent }),
    ...checkDuration('capacity.wait', wait),
    ...checkDuration('capacity.retryAfter', retryAfter),
  ]
}

function checkConcurrent(concurrent: unknown, hasQueue: boolean): Problem[] {
  if (concurrent !== undefined) return checkWhole('capacity.concurrent', concurrent, { least: 1 })
  const cause = hasQueue
    ? 'It is missing, so requests would never wait in `queue`.'
    : 'It is missing.'
  return [invalid('capacity.concurrent', cause, REMEDY)]
}

function checkWhole(
  name: string,
  value: unknown,
  { least, most }: { readonly least: number; readonly most?: number },
): Problem[] {
  if (value === undefined) return []
  const remedy = `Pass a whole number from ${least}${Number.isInteger(most) ? ` to ${most}, which is \`concurrent\`` : ''}.`
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    return [invalid(name, `${shown(value)} is not a valid number of requests.`, remedy)]
  }
  if (most === undefined || (value as number) <= most) return []
  return [invalid(name, `${shown(value)} is more than \`concurrent\`.`, remedy)]
}

/** Reports `perTenant` if the application has no tenants. */
export function checkPerTenant(settings: CapacitySettings | null, hasTenants: boolean): Problem[] {
  if (settings === null || settings.perTenant === null || hasTenants) return []
  const cause = 'The application has no tenants, so the limit would never apply.'
  return [invalid('capacity.perTenant', cause, 'Set the option `tenant`, or omit `perTenant`.')]
}
