import type { Fact, FactOf } from '../contracts/facts.js'
import type { OperationFacts } from '../contracts/operation.js'
import type { Class } from '../contracts/provider.js'
import type { AppModel, ParameterModel, RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { checkController, checkMethod } from './check-controller.js'
import { checkLimits } from './check-limits.js'
import { checkRoutes } from './check-routes.js'
import { factsOf, firstOf, type InheritedController, inherit, type ReadChain } from './inherit.js'
import { joinPaths, pathParameters } from './paths.js'

/** What the compiler needs beside the controllers. */
export interface ModelOptions {
  readonly readChain: ReadChain
  /** What a route is that says nothing about access. */
  readonly defaultAccess: 'public' | 'protected'
  readonly hasGuard: boolean
}

/** The model, and everything that is wrong or suspicious about it. */
export interface CompiledModel {
  readonly model: AppModel
  readonly problems: readonly Problem[]
}

/** Turns the facts of controllers into the frozen model. Collects problems, throws none. */
export function compileModel(controllers: readonly Class[], options: ModelOptions): CompiledModel {
  const problems: Problem[] = []
  const routes: RouteModel[] = []
  for (const controller of controllers) {
    const chain = options.readChain(controller)
    const inherited = inherit(chain)
    problems.push(...checkController(controller, inherited))
    // One link at a time: what a base class states is not stated twice.
    for (const link of chain) problems.push(...checkLimits(controller.name, link.facts))
    if (firstOf(inherited.facts, 'controller') === undefined) continue
    for (const [handler, facts] of inherited.methods) {
      problems.push(...checkMethod(controller, handler, facts))
      for (const verb of factsOf(facts, 'route')) {
        const draft = { controller, handler, facts, verb, index: routes.length }
        routes.push(compileRouteModel(draft, inherited, options))
      }
    }
  }
  problems.push(...checkRoutes(routes, options))
  const { hasGuard } = options
  return { model: Object.freeze({ routes: Object.freeze(routes), hasGuard }), problems }
}

interface Draft {
  readonly controller: Class
  readonly handler: PropertyKey
  readonly facts: readonly Fact[]
  readonly verb: FactOf<'route'>
  readonly index: number
}

function compileRouteModel(
  { controller, handler, facts, verb, index }: Draft,
  inherited: InheritedController,
  options: ModelOptions,
): RouteModel {
  const path = joinPaths(firstOf(inherited.facts, 'controller')?.prefix ?? '', verb.path)
  const redirect = firstOf(facts, 'redirect')
  return Object.freeze({
    index,
    method: verb.method,
    path,
    pathParameters: Object.freeze(pathParameters(path)),
    controller,
    handler,
    name: `${controller.name}.${String(handler)}`,
    inputs: Object.freeze({
      params: schemaOf(facts, 'params'),
      query: schemaOf(facts, 'query'),
      headers: schemaOf(facts, 'headers'),
      body: schemaOf(facts, 'body'),
    }),
    ...compileAccess(facts, inherited.facts, options.defaultAccess),
    ...compileFeatures(facts, inherited.facts),
    status: firstOf(facts, 'status')?.status ?? null,
    headers: orNull(
      factsOf(facts, 'header').map(({ name, value }) => Object.freeze([name, value] as const)),
    ),
    redirect:
      redirect === undefined ? null : Object.freeze({ url: redirect.url, status: redirect.status }),
    parameters: orNull(compileParameters(facts)),
    operation: compileOperation(controller, inherited.facts, facts),
  })
}

/** A method's own word on access wins over its class's; abilities of both add up. */
function compileAccess(
  method: readonly Fact[],
  controller: readonly Fact[],
  defaultAccess: 'public' | 'protected',
): Pick<RouteModel, 'isProtected' | 'abilities'> {
  if (firstOf(method, 'public') !== undefined) return { isProtected: false, abilities: null }
  const facts = [...controller, ...method]
  const abilities = [...new Set(factsOf(facts, 'can').flatMap((fact) => fact.abilities))]
  const isStated = firstOf(facts, 'auth') !== undefined || firstOf(facts, 'can') !== undefined
  return {
    isProtected: isStated || defaultAccess === 'protected',
    abilities: orNull(abilities),
  }
}

/** A method's own word wins over its class's. */
function compileFeatures(
  method: readonly Fact[],
  controller: readonly Fact[],
): Pick<RouteModel, 'tenant' | 'cache' | 'limits'> {
  const tenant = firstOf([...method, ...controller], 'tenant')
  return {
    tenant: tenant === undefined ? null : { isOptional: tenant.options?.optional === true },
    cache: firstOf(method, 'cache')?.options ?? null,
    limits: compileLimits(method, false) ?? compileLimits(controller, true),
  }
}

function compileLimits(facts: readonly Fact[], isOfClass: boolean): RouteModel['limits'] {
  const fact = firstOf(facts, 'rateLimit')
  if (fact === undefined) return null
  return Object.freeze({ policies: fact.policies === false ? [] : fact.policies, isOfClass })
}

/** Class facts are nearest first: the tags of a subclass replace those of its base. */
function compileOperation(
  controller: Class,
  classFacts: readonly Fact[],
  facts: readonly Fact[],
): OperationFacts {
  const tags = firstOf(classFacts, 'tags')?.tags ?? [defaultTag(controller.name)]
  const isHidden = [...classFacts, ...facts].some(({ kind }) => kind === 'hidden')
  const responses = factsOf(facts, 'responseDoc').map(({ options }) => Object.freeze(options))
  return Object.freeze({
    tags: Object.freeze([...new Set(tags)]),
    isHidden,
    operation: Object.freeze({ ...firstOf(facts, 'operation')?.options }),
    body: firstOf(facts, 'bodyDoc')?.options ?? null,
    responses: Object.freeze(responses),
  })
}

/** `UsersController` is about users. */
function defaultTag(name: string): string {
  return name.replace(/(?<=.)Controller$/, '') || 'Default'
}

function compileParameters(facts: readonly Fact[]): ParameterModel[] {
  return factsOf(facts, 'parameter')
    .map(({ index, source }) => Object.freeze({ index, source }))
    .sort((a, b) => a.index - b.index)
}

function schemaOf(facts: readonly Fact[], source: InputSource): Schema | null {
  return factsOf(facts, 'input').find((fact) => fact.source === source)?.schema ?? null
}

/** Absent is `null`: a reader tests for one value and leaves the step out. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : Object.freeze(list)
}
