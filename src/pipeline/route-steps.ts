import type { StepName } from '../contracts/steps.js'
import type { Stage, Step } from '../step/step.js'

/**
 * The steps of a route, in the order in which a request passes them. A route leaves out every step that it does
 * not use. Only this list decides the order. `does` describes the step in one line, for documents and tools
 * that print the list.
 */
export const STEPS: readonly StepDescription[] = [
  { name: 'scope', does: 'enters the async context with the tenant of the request' },
  { name: 'observe', does: 'registers `onResponse` and `onEnd` of plugins' },
  { name: 'enter', does: 'runs the `enter` steps of plugins; the first plugin is the outermost' },
  {
    name: 'respond',
    does: 'sends exactly one response for the value or the error of the later steps',
  },
  { name: 'admission', does: 'counts the request against rate limits by address: 429' },
  { name: 'beforeGuard', does: 'runs the `beforeGuard` steps of plugins' },
  {
    name: 'claim',
    does: 'gives the guard the requested tenant, before `authorize` has allowed it',
  },
  { name: 'guard', does: 'calls the guard of `auth`; any result but `true` is a 401' },
  { name: 'tenant', does: 'refuses a request without a tenant if the route needs one: 400' },
  { name: 'membership', does: 'calls `tenant.authorize`; any result but `true` is a 403' },
  { name: 'afterGuard', does: 'runs the `afterGuard` steps of plugins' },
  {
    name: 'can',
    does: 'checks the abilities of `@Can`, or calls `auth.can`; any result but `true` is a 403',
  },
  { name: 'quota', does: 'counts the request against rate limits by user or tenant: 429' },
  { name: 'use', does: 'runs the Express middlewares of `@Use`' },
  { name: 'negotiate', does: 'chooses the representation of `@Produces` by `Accept`: 406' },
  { name: 'beforeBody', does: 'runs the `beforeBody` steps of plugins' },
  {
    name: 'audience',
    does: 'finds out which fields with an audience (`visibleTo`) the caller may see, as `@Can` does',
  },
  {
    name: 'cache',
    does: 'sends the response from the cache, or stores the response that the later steps make',
  },
  { name: 'body', does: 'reads and parses the body: 400, 413, 415' },
  { name: 'cookies', does: 'parses the cookies that `@Cookies` describes' },
  { name: 'sendable', does: 'refuses fields that the caller may not see: 403' },
  {
    name: 'validate',
    does: 'checks `params`, `query`, `headers`, `cookies` and `body` against their schemas: 400',
  },
  {
    name: 'unexpired',
    does: 'stops a request that has already ended by the handler timeout or by a late error',
  },
  { name: 'headers', does: 'sets the headers of `@Header`' },
  {
    name: 'fields',
    does: 'drops the fields that the documented response does not name, or refuses them with a 500 (`responses`); drops fields that the caller may not see',
  },
  {
    name: 'dates',
    does: 'converts the dates of documented responses faster than `JSON.stringify` does',
  },
  { name: 'beforeHandler', does: 'runs the `beforeHandler` steps of plugins' },
  {
    name: 'intercept',
    does: 'runs the interceptors of the application, then of the class, then of the method',
  },
  { name: 'aroundHandler', does: 'runs the `aroundHandler` steps of plugins' },
  { name: 'underTest', does: 'holds the request before and after its handler; in tests only' },
  { name: 'stream', does: 'reads the first item of the generator of a stream: 406' },
  {
    name: 'parameters',
    does: 'reads the values of `defineParameter`, and checks them against their schemas: 400',
  },
  { name: 'handler', does: 'calls the method of the controller' },
]

interface StepDescription {
  readonly name: StepName
  readonly does: string
}

/** The stages of one route, by step name. `null` if the route does not use the step. */
export type RouteSteps = Readonly<Record<StepName, Stage | null>>

const LAST_FIRST = STEPS.map(({ name }) => name).reverse()

/** No steps. Code that needs only a few steps starts from this. */
export const NO_STEPS: RouteSteps = Object.freeze(
  Object.fromEntries(STEPS.map(({ name }) => [name, null])),
) as RouteSteps

/**
 * Combines the steps to one function. Each step calls the next one. A step that is `null` adds no function and
 * no call.
 */
export function foldSteps(stages: RouteSteps): Step {
  let step: Step = withoutHandler
  for (const name of LAST_FIRST) {
    const stage = stages[name]
    if (stage !== null) step = stage(step)
  }
  return step
}

/** Called after the last step, if that step is not a handler. */
function withoutHandler(): never {
  throw new Error('A route has no handler')
}
