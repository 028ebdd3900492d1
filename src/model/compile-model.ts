import type { FactOf } from '../contracts/facts.js'
import type { OperationFacts } from '../contracts/operation.js'
import type { Class } from '../contracts/provider.js'
import type { AppModel, ParameterModel, RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { checkController, checkMethod } from './check-controller.js'
import { checkLimits } from './check-limits.js'
import { checkOptions } from './check-options.js'
import { checkRepeated } from './check-repeated.js'
import { checkRoutes } from './check-routes.js'
import { compileOptions } from './compile-options.js'
import { expressMethods, expressStack } from './express-route.js'
import { type FactsByKind, factsOf, firstOf, groupFacts } from './facts-by-kind.js'
import { type InheritedController, inherit, type ReadChain } from './inherit.js'
import { joinPaths, pathParameters } from './paths.js'

/** The input of the compiler besides the controllers. */
export interface ModelOptions {
  readonly readChain: ReadChain
  /** The access of a route that has no decorator for it. */
  readonly defaultAccess: 'public' | 'protected'
  readonly hasGuard: boolean
}

/** The model, with all errors and warnings about it. */
export interface CompiledModel {
  readonly model: AppModel
  readonly problems: readonly Problem[]
}

/** Compiles the facts of the controllers into the frozen model. Collects problems and throws none. */
export function compileModel(controllers: readonly Class[], options: ModelOptions): CompiledModel {
  const problems: Problem[] = []
  const routes: RouteModel[] = []
  for (const controller of controllers) {
    const chain = options.readChain(controller)
    const inherited = inherit(chain)
    problems.push(...checkController(controller, inherited))
    // One class of the chain at a time: a fact of a base class does not count as repeated in the subclass.
    for (const { facts } of chain) problems.push(...checkLink(controller.name, groupFacts(facts)))
    if (firstOf(inherited.facts, 'controller') === undefined) continue
    const owner = ownerOf(controller, inherited, options)
    for (const [handler, facts] of inherited.methods) {
      problems.push(...checkMethod(controller, handler, facts))
      for (const verb of factsOf(facts, 'route')) {
        routes.push(compileRouteModel({ handler, facts, verb, index: routes.length }, owner))
      }
    }
  }
  problems.push(...checkRoutes(routes, options))
  const { hasGuard } = options
  return { model: Object.freeze({ routes: Object.freeze(routes), hasGuard }), problems }
}

function checkLink(subject: string, facts: FactsByKind): Problem[] {
  return [
    ...checkLimits(subject, facts),
    ...checkRepeated(subject, facts),
    ...checkOptions(subject, facts),
  ]
}

/** The values that all routes of a controller share. */
interface Owner {
  readonly controller: Class
  readonly facts: FactsByKind
  readonly prefix: string
  readonly tags: readonly string[]
  readonly defaultAccess: 'public' | 'protected'
}

function ownerOf(
  controller: Class,
  { facts }: InheritedController,
  { defaultAccess }: ModelOptions,
): Owner {
  const prefix = firstOf(facts, 'controller')?.prefix ?? ''
  // The facts of the class come first, then those of its bases: the tags of a subclass replace those of its base.
  const tags = firstOf(facts, 'tags')?.tags ?? [defaultTag(controller.name)]
  return { controller, facts, prefix, tags: Object.freeze([...new Set(tags)]), defaultAccess }
}

interface Draft {
  readonly handler: PropertyKey
  readonly facts: FactsByKind
  readonly verb: FactOf<'route'>
  readonly index: number
}

function compileRouteModel({ handler, facts, verb, index }: Draft, owner: Owner): RouteModel {
  const { controller } = owner
  const path = joinPaths(owner.prefix, verb.path)
  const { isProtected, abilities } = compileAccess(facts, owner)
  return Object.freeze({
    index,
    method: verb.method,
    path,
    methods: expressMethods(verb.method),
    stack: expressStack(controller, handler, verb.method),
    pathParameters: Object.freeze(pathParameters(path)),
    controller,
    handler,
    name: `${controller.name}.${String(handler)}`,
    inputs: compileInputs(facts),
    isProtected,
    abilities,
    tenant: compileTenant(firstOf(facts, 'tenant') ?? firstOf(owner.facts, 'tenant')),
    cache: firstOf(facts, 'cache')?.options ?? null,
    limits: compileLimits(facts, false) ?? compileLimits(owner.facts, true),
    status: firstOf(facts, 'status')?.status ?? null,
    headers: compileHeaders(facts),
    redirect: compileRedirect(firstOf(facts, 'redirect')),
    responseFields:
      (firstOf(facts, 'responseFields') ?? firstOf(owner.facts, 'responseFields'))?.mode ?? null,
    parameters: compileParameters(facts),
    ...compileOptions(owner.facts, facts),
    operation: compileOperation(facts, owner),
  })
}

/** The first schema of each part. A second one is an error, which `checkInputs` reports. */
function compileInputs(facts: FactsByKind): RouteModel['inputs'] {
  const inputs: Record<InputSource, Schema | null> = {
    params: null,
    query: null,
    headers: null,
    body: null,
  }
  for (const { source, schema } of factsOf(facts, 'input').toReversed()) {
    inputs[source] = schema ?? null
  }
  return Object.freeze(inputs)
}

/** Access decorators of a method replace those of its class; the abilities of both add up. */
function compileAccess(
  facts: FactsByKind,
  { facts: classFacts, defaultAccess }: Owner,
): Pick<RouteModel, 'isProtected' | 'abilities'> {
  if (facts.public !== undefined) return { isProtected: false, abilities: null }
  const isAuth = facts.auth !== undefined || classFacts.auth !== undefined
  const isCan = facts.can !== undefined || classFacts.can !== undefined
  const isProtected = isAuth || isCan || defaultAccess === 'protected'
  if (!isCan) return { isProtected, abilities: null }
  const stated = [...factsOf(classFacts, 'can'), ...factsOf(facts, 'can')]
  const abilities = new Set(stated.flatMap((fact) => fact.abilities))
  return { isProtected, abilities: orNull([...abilities]) }
}

function compileTenant(fact: FactOf<'tenant'> | undefined): RouteModel['tenant'] {
  return fact === undefined ? null : { isOptional: fact.options?.optional === true }
}

function compileHeaders(facts: FactsByKind): RouteModel['headers'] {
  const headers = factsOf(facts, 'header')
  return orNull(headers.map(({ name, value }) => Object.freeze([name, value] as const)))
}

function compileRedirect(fact: FactOf<'redirect'> | undefined): RouteModel['redirect'] {
  return fact === undefined ? null : Object.freeze({ url: fact.url, status: fact.status })
}

function compileLimits(facts: FactsByKind, isOfClass: boolean): RouteModel['limits'] {
  const fact = firstOf(facts, 'rateLimit')
  if (fact === undefined) return null
  return Object.freeze({ policies: fact.policies === false ? [] : fact.policies, isOfClass })
}

function compileOperation(facts: FactsByKind, { facts: classFacts, tags }: Owner): OperationFacts {
  const responses = factsOf(facts, 'responseDoc').map(({ options }) => Object.freeze(options))
  return Object.freeze({
    tags,
    isHidden: classFacts.hidden !== undefined || facts.hidden !== undefined,
    operation: Object.freeze({ ...firstOf(facts, 'operation')?.options }),
    body: firstOf(facts, 'bodyDoc')?.options ?? null,
    responses: Object.freeze(responses),
  })
}

/** The tag of `UsersController` is `Users`. */
function defaultTag(name: string): string {
  return name.replace(/(?<=.)Controller$/, '') || 'Default'
}

function compileParameters(facts: FactsByKind): RouteModel['parameters'] {
  const parameters: ParameterModel[] = factsOf(facts, 'parameter').map(({ index, source }) =>
    Object.freeze({ index, source }),
  )
  return orNull(parameters.sort((a, b) => a.index - b.index))
}

/** An empty list becomes `null`: a reader tests for one value and leaves the step out. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : Object.freeze(list)
}
