import type { ResponseCause } from '../contracts/observers.js'
import type { Phase, StepName } from '../contracts/steps.js'
import type { Step, StepFactory } from '../step/step.js'

/**
 * The steps of a route, in the order in which a request passes them. A route omits every step that it does not use. The
 * order is determined only by this list. The steps of a phase are consecutive. `does` describes the step in one line,
 * for documents and tools that print the list.
 */
const LIST = [
  {
    name: 'scope',
    phase: 'enter',
    does: 'enters the async context, which contains the tenant of the request',
    by: 'feature',
  },
  {
    name: 'observe',
    phase: 'enter',
    does: 'registers `onResponse` and `onEnd` of plugins',
    by: 'plugin',
  },
  {
    name: 'enter',
    phase: 'enter',
    does: 'runs the `enter` steps of plugins; the first plugin is the outermost',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'respond',
    phase: 'enter',
    does: 'sends exactly one response for the value or the error of the later steps',
  },
  {
    name: 'ipRateLimit',
    phase: 'admit',
    does: 'counts the request against rate limits by address: 429',
    by: 'feature',
    cause: 'limit',
  },
  {
    name: 'beforeGuard',
    phase: 'admit',
    does: 'runs the `beforeGuard` steps of plugins',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'unverifiedTenant',
    phase: 'authenticate',
    does: 'passes the requested tenant to the guard, before `authorize` has allowed it',
    by: 'feature',
  },
  {
    name: 'guard',
    phase: 'authenticate',
    does: 'calls the guard of `auth`; any result other than `true` leads to a 401 response',
    cause: 'guard',
  },
  {
    name: 'tenant',
    phase: 'authenticate',
    does: 'refuses a request without a tenant if the route needs one: 400',
    by: 'feature',
    cause: 'tenant',
  },
  {
    name: 'authorizeTenant',
    phase: 'authenticate',
    does: 'calls `tenant.authorize`; any result other than `true` leads to a 403 response',
    by: 'feature',
    cause: 'tenant',
  },
  {
    name: 'afterGuard',
    phase: 'authorize',
    does: 'runs the `afterGuard` steps of plugins',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'can',
    phase: 'authorize',
    does: 'checks the abilities of `@Can`, or calls `auth.can`; any result other than `true` leads to a 403 response',
    cause: 'can',
  },
  {
    name: 'userRateLimit',
    phase: 'authorize',
    does: 'counts the request against rate limits by user or tenant: 429',
    by: 'feature',
    cause: 'limit',
  },
  {
    name: 'use',
    phase: 'select',
    does: 'runs the Express middlewares of `@Use`',
    by: 'route',
    cause: 'middleware',
  },
  {
    name: 'negotiate',
    phase: 'select',
    does: 'chooses the representation of `@Produces` by `Accept`: 406',
    by: 'route',
    cause: 'framework',
  },
  {
    name: 'beforeBody',
    phase: 'select',
    does: 'runs the `beforeBody` steps of plugins',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'visibility',
    phase: 'select',
    does: 'determines which fields with `visibleTo` the caller is allowed to see, as `@Can` does',
    by: 'route',
  },
  {
    name: 'cache',
    phase: 'select',
    does: 'sends the response from the cache, or stores the response that the later steps produce',
    by: 'feature',
    cause: 'cache',
  },
  {
    name: 'body',
    phase: 'read',
    does: 'reads and parses the body: 400, 413, 415',
    by: 'route',
    cause: 'body',
  },
  {
    name: 'queryCache',
    phase: 'read',
    does: 'does the same as `cache` for `QUERY` requests, whose keys contain the body',
    by: 'feature',
    cause: 'cache',
  },
  {
    name: 'cookies',
    phase: 'read',
    does: 'parses the cookies that `@Cookies` describes',
    by: 'route',
  },
  {
    name: 'hiddenInput',
    phase: 'prepare',
    does: 'refuses fields that the caller is not allowed to see: 403',
    by: 'route',
  },
  {
    name: 'validate',
    phase: 'prepare',
    does: 'checks `params`, `query`, `headers`, `cookies` and `body` against their schemas: 400 by default',
    by: 'route',
    cause: 'validation',
  },
  {
    name: 'unexpired',
    phase: 'prepare',
    does: 'stops a request that the handler timeout or a late error has already ended',
    by: 'route',
  },
  { name: 'headers', phase: 'prepare', does: 'sets the headers of `@Header`', by: 'route' },
  {
    name: 'fields',
    phase: 'prepare',
    does: 'removes the fields that the documented response does not name, or refuses them with a 500 response (`responses`); removes fields that the caller is not allowed to see',
    by: 'route',
  },
  {
    name: 'dates',
    phase: 'prepare',
    does: 'converts the dates of documented responses faster than `JSON.stringify` does',
    by: 'route',
  },
  {
    name: 'beforeHandler',
    phase: 'handle',
    does: 'runs the `beforeHandler` steps of plugins',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'intercept',
    phase: 'handle',
    does: 'runs the interceptors of the application, then of the class, then of the method',
    by: 'route',
    cause: 'interceptor',
  },
  {
    name: 'aroundHandler',
    phase: 'handle',
    does: 'runs the `aroundHandler` steps of plugins',
    by: 'plugin',
    cause: 'plugin',
  },
  {
    name: 'underTest',
    phase: 'handle',
    does: 'holds the request before and after its handler; in tests only',
  },
  {
    name: 'stream',
    phase: 'handle',
    does: 'reads the first item of the generator of a stream: 406',
    by: 'route',
  },
  {
    name: 'parameters',
    phase: 'handle',
    does: 'reads the values of `defineParameter`, and checks them against their schemas: 400 by default',
    cause: 'validation',
  },
  { name: 'handler', phase: 'handle', does: 'calls the method of the controller' },
] as const

/** The list of steps with a general type, for code that does not refer to individual steps. */
export const STEPS: readonly StepDescription[] = LIST

type Source = 'feature' | 'plugin' | 'route'

/** The names of the steps from one source. */
export type StepsBy<S extends Source> = Extract<(typeof LIST)[number], { readonly by: S }>['name']

interface StepDescription {
  readonly name: StepName
  readonly phase: Phase
  readonly does: string
  /**
   * The source of the stage: a feature, a plugin, or the pipeline itself because of the route's properties. If omitted,
   * the source is the pipeline, for another reason.
   */
  readonly by?: Source
  /** The cause of a response that the step sends instead of the handler. Default: none. */
  readonly cause?: ResponseCause
}

/** Returns the names of the steps from one source, in their order. */
export function stepsBy(source: Source): StepName[] {
  return STEPS.filter(({ by }) => by === source).map(({ name }) => name)
}

/** The stages of one route, by step name. `null` if the route does not use the step. */
export type RouteSteps = Readonly<Record<StepName, StepFactory | null>>

const LAST_FIRST = STEPS.map(({ name }) => name).reverse()

/** No steps. Code that needs only a few steps adds them to this object. */
export const NO_STEPS: RouteSteps = Object.freeze(
  Object.fromEntries(STEPS.map(({ name }) => [name, null])),
) as RouteSteps

/**
 * Combines the steps into one function. Each step calls the next step. A step that is `null` is skipped without cost.
 */
export function foldSteps(stages: RouteSteps): Step {
  let step: Step = withoutHandler
  for (const name of LAST_FIRST) {
    const stage = stages[name]
    if (stage !== null) step = stage(step)
  }
  return step
}

/** Runs after the last step if that step is not a handler. */
function withoutHandler(): never {
  throw new Error('A route has no handler')
}
