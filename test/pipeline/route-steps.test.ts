import { describe, expect, it } from 'vitest'
import type { RouteModel } from '../../src/contracts/route-model.js'
import type { StepFactory as PluginStage, PluginSteps } from '../../src/contracts/steps.js'
import {
  compileProbe,
  compileRoute,
  compileRouterAccess,
  stepsOf,
} from '../../src/pipeline/compile-route.js'
import {
  NO_STAGES,
  type PipelineConfig,
  type RouteParts,
  type RouteStages,
} from '../../src/pipeline/route-parts.js'
import { foldSteps, NO_STEPS, type RouteSteps, STEPS } from '../../src/pipeline/route-steps.js'
import type { VisibilityStages } from '../../src/pipeline/visibility/visibility-stages.js'
import { Refusal } from '../../src/step/refusal.js'
import type { RunRoute, StepFactory } from '../../src/step/step.js'

const names = STEPS.map(({ name }) => name)
const [req, res] = [{}, { headersSent: true }] as unknown as Parameters<RunRoute>

/** A stage whose step records its name, then calls the next step. */
function noting(name: string, seen: string[]): StepFactory {
  return (next) => (req, res) => {
    seen.push(name)
    return next(req, res)
  }
}

const bare = {
  name: 'Things.list',
  handler: 'list',
  method: 'GET',
  status: null,
  redirect: null,
  headers: null,
  envelope: true,
  isEnveloped: true,
  parameters: null,
  abilities: null,
  isProtected: false,
  guards: [],
  isAuthOptional: false,
  inputs: { params: null, query: null, headers: null, cookies: null, body: null },
  bodies: null,
  cookies: null,
  produces: null,
  webhook: null,
  pages: null,
  uses: null,
  operation: { responses: [] },
} as unknown as RouteModel

type Case = [step: string, route: Partial<RouteModel>, changed: Partial<RouteParts>]

const pass: PluginStage = (next) => (req, res) => next(req, res)
const passing = { intercept: (_req: unknown, next: () => unknown) => next() }
const PLACES = [
  'enter',
  'beforeGuard',
  'afterGuard',
  'beforeBody',
  'beforeHandler',
  'aroundHandler',
] as const
const ALL_PLACES: PluginSteps = {
  ...Object.fromEntries(PLACES.map((place) => [place, pass])),
  onEnd() {},
}
const adding = (steps: PluginSteps) => [{ plugin: 'own', steps }]

const instance = { list: () => undefined }
const parts: RouteParts = {
  instance,
  inputs: [],
  bodies: null,
  negotiate: null,
  upload: null,
  cookies: null,
  stages: NO_STAGES,
  fields: null,
  dates: null,
  visibility: null,
  added: [],
  middlewares: [],
  interceptors: [],
  parameters: [],
  underTest: null,
}

/** The stages of a route with marked fields. */
function visibilityWith(stage: StepFactory | null): VisibilityStages {
  return {
    marks: [['a']],
    fields: [],
    limitsResponses: true,
    limitsRequests: true,
    forHeld: () => ({}) as never,
    ask: () => stage as StepFactory,
    hideUntilAsked: () => (next) => next,
    refuseSent: () => (next) => next,
    hide: () => stage as StepFactory,
  }
}

const parameter = {
  definition: { read: () => 1, place: null, schema: null, values: new WeakMap() },
  check: null,
}

function guardOf(canActivate: () => boolean) {
  const never = { challenge: 'Bearer', tenantOf: null, abilityChallenge: null }
  return { name: null, guard: { canActivate }, carries: () => true, isPlaced: () => true, ...never }
}

const config: PipelineConfig = {
  guards: [guardOf(() => true)],
  logDenial: () => {},
  can: undefined,
  bodyLimits: { bodyBytes: 1, depth: 1 },
  validationStatus: 400,
  deadlines: null,
  onError: (error) => {
    throw error
  },
  onLateError: () => {},
  log: () => {},
  mayFailLate: false,
  mayRespondToErrorsLater: false,
  scopes: null,
  isObserved: false,
  onStep: null,
  streamOf: null,
}

function usedBy(steps: RouteSteps): string[] {
  return names.filter((name) => steps[name] !== null)
}

describe('the list of steps', () => {
  it('contains each name once, with a description of one line', () => {
    expect(new Set(names).size).toBe(names.length)
    expect(STEPS.filter(({ does }) => !/^[a-z].*[^.]$/.test(does))).toEqual([])
  })

  it('has the order in which a request passes the steps', () => {
    const seen: string[] = []
    const all = Object.fromEntries(names.map((name) => [name, noting(name, seen)])) as RouteSteps
    const run = foldSteps({ ...all, handler: () => () => seen.push('handler') })
    run(req, res)
    expect(seen).toEqual(names)
  })

  it('adds no function for an unused step', () => {
    const handle = () => 'handled'
    expect(foldSteps({ ...NO_STEPS, handler: () => handle })).toBe(handle)
    const outer: StepFactory = (next) => Object.assign(() => 'outer', { next })
    const folded = foldSteps({ ...NO_STEPS, scope: outer, handler: () => handle })
    expect(folded).toHaveProperty('next', handle)
  })

  it('throws a clear error if there is no handler', () => {
    expect(() => foldSteps(NO_STEPS)(req, res)).toThrow('A route has no handler')
  })
})

describe('a route', () => {
  it('has only two steps if it uses no feature', () => {
    expect(usedBy(stepsOf(bare, parts, config))).toEqual(['respond', 'handler'])
  })

  it('has its steps in the order of the list', () => {
    expect(Object.keys(stepsOf(bare, parts, config))).toEqual(names)
  })

  it('has every step if it uses all features', () => {
    const stage: StepFactory = (next) => next
    const stages: RouteStages = {
      scope: stage,
      ipRateLimit: stage,
      unverifiedTenant: stage,
      tenant: stage,
      authorizeTenant: stage,
      userRateLimit: stage,
      cache: stage,
    }
    const route: RouteModel = {
      ...bare,
      method: 'POST',
      headers: [['X-A', '1']],
      abilities: ['a'],
      isProtected: true,
      inputs: { ...bare.inputs, query: {} },
      cookies: { signed: [] },
      uses: { middlewares: [() => {}], interceptors: [] },
    }
    const partsOfAll: RouteParts = {
      ...parts,
      stages,
      inputs: [{ source: 'query', validate: (value) => ({ value }), declares: null }],
      fields: { mode: 'strip', byStatus: new Map() },
      dates: () => null,
      visibility: visibilityWith(stage),
      negotiate: stage,
      cookies: stage,
      added: [{ plugin: 'all', steps: ALL_PLACES }],
      middlewares: [() => {}],
      interceptors: [passing],
      parameters: [parameter],
      underTest: stage,
    }
    const all = (method: RouteModel['method']) =>
      usedBy(
        stepsOf({ ...route, method }, partsOfAll, {
          ...config,
          mayFailLate: true,
          streamOf: () => ({ isAccepted: () => true, open: (value) => value, send: () => {} }),
        }),
      )
    expect(all('POST')).toEqual(names.filter((name) => name !== 'queryCache'))
    expect(all('QUERY')).toEqual(names.filter((name) => name !== 'cache'))
  })

  it.each<Case>([
    ['guard', { isProtected: true }, {}],
    ['guard', { isAuthOptional: true }, {}],
    ['can', { abilities: ['a'] }, {}],
    ['body', { method: 'PUT' }, {}],
    ['cookies', { cookies: { signed: [] } }, { cookies: (next) => next }],
    ['headers', { headers: [['X-A', '1']] }, {}],
    ['fields', {}, { fields: { mode: 'strip', byStatus: new Map() } }],
    ['dates', {}, { dates: () => null }],
    ['hiddenInput', {}, { visibility: visibilityWith(null) }],
    ['intercept', {}, { interceptors: [passing] }],
    ['observe', {}, { added: adding({ onEnd() {} }) }],
    ['observe', {}, { added: adding({ onResponse() {} }) }],
    ...PLACES.map((place): Case => [place, {}, { added: adding({ [place]: pass }) }]),
    ['parameters', {}, { parameters: [parameter] }],
    ['underTest', {}, { underTest: (next) => next }],
    ['userRateLimit', {}, { stages: { ...NO_STAGES, userRateLimit: (next) => next } }],
    ['cache', {}, { stages: { ...NO_STAGES, cache: () => (next) => next } }],
  ])('has only the additional step %s if it uses one feature: case %#', (step, route, changed) => {
    const steps = stepsOf({ ...bare, ...route }, { ...parts, ...changed }, config)
    expect(usedBy(steps).sort()).toEqual(['handler', 'respond', step].sort())
  })

  it('reads and validates a body with any method if it has a schema for the body', () => {
    const described = { ...bare, inputs: { ...bare.inputs, body: {} } }
    const used = usedBy(stepsOf(described, parts, config))
    expect(used).toEqual(['respond', 'body', 'validate', 'handler'])
  })

  it('has the step `unexpired` only if it may wait and the request may end during this time', () => {
    const waiting = { ...bare, isProtected: true }
    const isStopped = (route: RouteModel, mayFailLate: boolean) =>
      stepsOf(route, parts, { ...config, mayFailLate }).unexpired !== null
    expect(isStopped(waiting, true)).toBe(true)
    expect(isStopped(waiting, false)).toBe(false)
    expect(isStopped(bare, true)).toBe(false)
  })

  it('runs its interceptors in their order', () => {
    const seen: string[] = []
    const noted = (name: string): RouteParts['interceptors'][number] => ({
      intercept: (_req, next) => {
        seen.push(name)
        return next()
      },
    })
    compileRoute(
      bare,
      { ...parts, interceptors: [noted('first'), noted('second')] },
      config,
    )(req, res)
    expect(seen).toEqual(['first', 'second'])
  })

  it('throws an error if its controller lacks the method', () => {
    const route = { ...bare, handler: 'absent' }
    expect(() => compileRoute(route, parts, config)).toThrow('Things.list is not a method')
  })
})

/** A stage for each step of a feature. */
function notingStages(seen: string[]): RouteStages {
  const { cache: _, ...stages } = NO_STAGES
  const noted = Object.keys(stages).map((name) => [name, noting(name, seen)])
  return { ...Object.fromEntries(noted), cache: () => noting('cache', seen) }
}

describe('the steps that decide about access', () => {
  const route: RouteModel = { ...bare, isProtected: true, abilities: ['a'] }

  function recording(seen: string[]): PipelineConfig {
    const note = (name: string) => {
      seen.push(name)
      return true
    }
    return { ...config, guards: [guardOf(() => note('guard'))], can: () => note('can') }
  }

  it('run for a probe in the same order as for the route, and end with a 204 response', () => {
    const seen: string[] = []
    const sent: number[] = []
    // Node's status 200 is on the prototype. An own property would mean that a middleware has set it.
    const response = Object.assign(
      Object.create({ statusCode: 200, getHeader() {}, setHeader() {} }),
      {
        status(status: number) {
          sent.push(status)
          return response
        },
        end() {},
      },
    )
    const parts = {
      stages: notingStages(seen),
      added: [],
      visibility: null,
      handler: () => undefined,
    }
    compileProbe(route, parts, recording(seen))(req, response)
    expect(seen).toEqual(['scope', 'unverifiedTenant', 'guard', 'tenant', 'authorizeTenant', 'can'])
    expect(sent).toEqual([204])
  })

  it('run before a router, except `can`, and return `true` if all of them allow the request', () => {
    const seen: string[] = []
    const admit = compileRouterAccess(notingStages(seen), recording(seen))
    expect(admit(req, res)).toBe(true)
    expect(seen).toEqual(['unverifiedTenant', 'guard', 'tenant', 'authorizeTenant'])
  })

  it('refuse a request before a router if the guard refuses it', () => {
    const guards = [guardOf(() => false)]
    expect(compileRouterAccess(NO_STAGES, { ...config, guards })(req, res)).toBeInstanceOf(Refusal)
  })
})
