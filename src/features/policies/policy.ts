import type { RequestUser } from '../../contracts/handler.js'
import type {
  Policy,
  PolicyOptions,
  PolicyRequest,
  PolicyRule,
  PolicyRules,
  PolicyUser,
} from '../../contracts/policy.js'
import type { TokenLike } from '../../contracts/provider.js'
import { HttpError } from '../../errors/http-error.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { refuse } from '../../errors/refuse.js'
import { noteOf } from '../../http/observed-request.js'
import { ignoreRejection, isThenable } from '../../step/step.js'
import { declaredChecks, noteChecks } from './noted-checks.js'

/** A class, identified by its `prototype`, because its constructor may be private. */
interface ClassOf<T> {
  /** The type of an instance, for type inference. */
  readonly prototype: T
}

/** The subject of a policy: a class, a token, or a name. */
export type PolicySubject<T> = ClassOf<T> | TokenLike<T> | string

/**
 * Defines which users are allowed to perform which actions on objects of one kind. Each rule is a function of a user
 * and an object. An action without a rule is never allowed. Pass the result to `@Checks` on the routes that use the
 * policy.
 *
 * @param subject The class of the objects, or a token or a name for rows and plain objects. With a name, the first rule
 * specifies the type of the object. The policy for a class `Order` has the name `order`.
 * @param rules The rules, by action.
 * @param options `anonymous`: whether the rules also decide about requests without a user.
 * @throws TypeError if a rule is not a function, or if the name is empty or contains a colon; ConfigError for an
 * unknown option.
 *
 * @example
 * export const OrderPolicy = policy(Order, {
 *   read: (user, order) => order.ownerId === user.id,
 *   pay: async (user, order) => order.ownerId === user.id && (await credit.suffices(order)),
 * })
 *
 * class OrdersController {
 *   @Auth()
 *   @Checks(OrderPolicy, 'read')
 *   @Get(':id')
 *   show(req: Request) {
 *     return OrderPolicy.load(req, 'read', () => orders.find(req.params.id))
 *   }
 * }
 */
export function policy<T, A extends string>(
  subject: PolicySubject<T>,
  rules: PolicyRules<T, A, RequestUser | undefined>,
  options: PolicyOptions & { readonly anonymous: true },
): Policy<T, A>
export function policy<T, A extends string>(
  subject: PolicySubject<T>,
  rules: PolicyRules<T, A>,
  options?: PolicyOptions,
): Policy<T, A>
export function policy(
  subject: PolicySubject<unknown>,
  rules: PolicyRules<unknown, string>,
  options: PolicyOptions = {},
): Policy<unknown, string> {
  const name = nameOf(subject)
  if (name === '' || name.includes(':')) {
    throw new TypeError(
      `policy() cannot use the name '${name}'. Use a non-empty name without a colon.`,
    )
  }
  refuseUnknown('policy()', options, NAMES)
  const byAction = new Map(Object.entries(rules ?? {}))
  for (const [action, rule] of byAction) {
    if (typeof rule === 'function') continue
    throw new TypeError(
      `policy(${name}): '${action}' is not a function. Pass (user, object) => boolean.`,
    )
  }
  const decider = { name, byAction, allowsAnonymous: options.anonymous === true }
  const open = policyOf(decider, { isHidden: false, or404: () => hidden })
  const hidden = policyOf(decider, { isHidden: true, or404: () => hidden })
  return open
}

const NAMES: OptionNames<PolicyOptions> = { anonymous: true }

function nameOf(subject: PolicySubject<unknown>): string {
  if (typeof subject === 'string') return subject
  const { name } = subject as { readonly name?: unknown }
  if (typeof subject === 'function' && typeof name === 'string') {
    return name.slice(0, 1).toLowerCase() + name.slice(1)
  }
  const { description } = (subject ?? {}) as { readonly description?: unknown }
  return typeof description === 'string' ? description : ''
}

/** The deciding part of a policy. A policy and its `or404` form share this object. */
interface Decider {
  readonly name: string
  readonly byAction: ReadonlyMap<string, PolicyRule<unknown>>
  readonly allowsAnonymous: boolean
}

type Form = Pick<Policy, 'isHidden' | 'or404'>

function policyOf(decider: Decider, form: Form): Policy<unknown, string> {
  const { name, byAction, allowsAnonymous } = decider
  const allows: Policy['allows'] = (user, action, object) =>
    decide(decider, { user, action, object })
  /**
   * Records only allowed actions. A handler that does not await a refused check therefore cannot send a success
   * response.
   */
  const check = async <T>(
    req: PolicyRequest,
    action: string,
    object: T,
  ): Promise<NonNullable<T>> => {
    const declared = declaredChecks(req, made, action)
    const isAllowed = await allows(req.user, action, object)
    noteDecided({ req, policy: name, action }, isAllowed, isMissing(object))
    if (isAllowed) {
      noteChecks(req, declared)
      return object as NonNullable<T>
    }
    // A missing object is treated like a hidden object.
    const isMissed = isMissing(object) && mayDecide(decider, req.user, action)
    if (form.isHidden || isMissed) throw notFound()
    throw refuse('FORBIDDEN', 'You do not have permission to do this')
  }
  const load: Policy['load'] = async (req, action, find) => {
    declaredChecks(req, made, action)
    // A caller without permission must not receive any information, not even through the duration of the search.
    const object = mayDecide(decider, req.user, action) ? await search(find, form) : undefined
    return (await check(req, action, object)) as NonNullable<typeof object>
  }
  const filter = async <T>(req: PolicyRequest, action: string, objects: Iterable<T>) => {
    const listed = [...objects]
    const declared = declaredChecks(req, made, action)
    const verdicts = await Promise.all(listed.map((each) => allows(req.user, action, each)))
    noteChecks(req, declared)
    return listed.filter((_, index) => verdicts[index])
  }
  const made: Policy<unknown, string> = Object.freeze({
    ...form,
    name,
    actions: Object.freeze([...byAction.keys()]),
    allowsAnonymous,
    allows,
    check: quiet(check) as Policy['check'],
    load: quiet(load) as Policy['load'],
    filter: quiet(filter),
    can: quiet(async (req, action, object) => {
      const declared = declaredChecks(req, made, action)
      const verdict = await allows(req.user, action, object)
      noteDecided({ req, policy: name, action }, verdict, isMissing(object))
      noteChecks(req, declared)
      return verdict
    }),
  } satisfies Policy<unknown, string>)
  return made
}

interface Decided {
  readonly req: PolicyRequest
  readonly policy: string
  readonly action: string
}

function noteDecided({ req, policy, action }: Decided, isAllowed: boolean, isAbsent: boolean) {
  const why = isAbsent ? { reason: 'there is no object' } : {}
  const verdict = isAllowed ? 'allowed' : 'refused'
  noteOf(req)?.({ by: 'policy', verdict, ...(isAllowed ? {} : why), facts: { policy, action } })
}

/**
 * Wraps a function so that an unhandled rejection of its promise cannot end the process. Otherwise, if a handler does
 * not await the promise, any refused request could end the process.
 */
function quiet<TArgs extends unknown[], T>(ask: (...args: TArgs) => Promise<T>) {
  return (...args: TArgs): Promise<T> => {
    const promise = ask(...args)
    ignoreRejection(promise)
    return promise
  }
}

/** Whether there is a rule that can decide about the request. */
function mayDecide({ byAction, allowsAnonymous }: Decider, user: unknown, action: string): boolean {
  return byAction.has(action) && (allowsAnonymous || !isMissing(user))
}

function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

/**
 * Searches for an object. If the search throws its own 404 error for a missing object, the response must not differ
 * from the response for a hidden object.
 */
async function search<T>(find: () => T, { isHidden }: Form): Promise<Awaited<T>> {
  try {
    return await find()
  } catch (error) {
    throw isHidden && HttpError.is(error) && error.status === 404 ? notFound() : error
  }
}

function notFound(): HttpError {
  return refuse('NOT_FOUND', 'Not found')
}

interface Question {
  readonly user: RequestUser | undefined
  readonly action: string
  readonly object: unknown
}

async function decide(decider: Decider, { user, action, object }: Question): Promise<boolean> {
  const { name, byAction } = decider
  const rule = byAction.get(action)
  if (rule === undefined || !mayDecide(decider, user, action) || isMissing(object)) return false
  if (isThenable(object))
    throw new TypeError(`policy '${name}': the object is a promise. Await it.`)
  try {
    // Only a rule that allows anonymous requests is called without a user.
    return (await rule(user as PolicyUser, object)) === true
  } catch (cause) {
    // If a rule throws an HTTP error, that error must not determine the status: a 404 error would look like a decision.
    throw new Error(`policy '${name}' threw while it checked '${action}'.`, { cause })
  }
}
