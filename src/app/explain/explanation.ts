import type { ResponseFieldsMode } from '../../contracts/operation.js'
import type { RouteTableEntry } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'

/** A function, with the place that names it: `{ name: 'cors', from: 'middlewares[0]' }`. */
export interface NamedFunction {
  readonly name: string
  /** The option or decorator that has the function. */
  readonly from: string
}

/** A step that requests of the route pass. */
export interface ExplainedStep {
  readonly name: StepName
  /** What the step does, in one line. */
  readonly does: string
  /** `false` if only the running application knows whether the route has the step, because plugins decide. */
  readonly isCertain: boolean
  /** What the step uses: names, limits, schemas. A line each. */
  readonly sources: readonly string[]
}

/** What is known of a plugin before the application runs. */
export interface ExplainedPlugin {
  readonly name: string
  /** Whether the plugin may add steps to the route. Which ones is known when the application runs. */
  readonly mayAddSteps: boolean
  /** What `contract(route)` of the plugin adds to the operation of the route; `null` if it adds nothing. */
  readonly contract: {
    readonly errors: readonly number[]
    readonly responses: readonly number[]
    readonly headers: readonly string[]
    readonly parameters: readonly string[]
    readonly tags: readonly string[]
    readonly security: readonly string[]
  } | null
}

/** Where the tenant of a request comes from. */
export interface ExplainedTenant {
  /** In the order in which they are asked; empty if only middlewares of the application set tenants. */
  readonly sources: readonly string[]
  readonly isRequired: boolean
  /** Whether `tenant.authorize` decides about the tenant on this route. */
  readonly isAuthorized: boolean
  /** Whether `tenant.store` confirms the tenant. */
  readonly isConfirmed: boolean
  /** Whether the route runs without a tenant: `tenant.authorize` does not run, so nobody has allowed the tenant. */
  readonly isIgnored: boolean
}

/** One rate limit. */
export interface ExplainedLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  /** `ip`, `user`, `tenant`, or `function` and the name of the function. */
  readonly by: string
  readonly from: string
}

/** The options of `@Cache`. */
export interface ExplainedCache {
  readonly ttlSeconds: number
  readonly staleWhileRevalidateSeconds: number
  /** The name of the function, or `default`. */
  readonly key: string
  readonly isShared: boolean
  /** The tags; the name of the function, if a function returns them. */
  readonly tags: readonly string[]
  /** Further response headers that are cached. */
  readonly headers: readonly string[]
}

/** A part of the request with a schema. */
export interface ExplainedInput {
  readonly in: 'params' | 'query' | 'headers' | 'cookies' | 'body'
  /** `zod`, `valibot`, `arktype`, another vendor, or `JSON Schema`. */
  readonly library: string
  /** The schema of the document in short: `{ id: integer, tags?: string[] }`. */
  readonly schema: string
}

/** A response in the document. */
export interface ExplainedResponse {
  /** `200`, or `2XX` if the handler may choose. */
  readonly status: string
  readonly description: string
  /** The names of its headers. */
  readonly headers: readonly string[]
}

/** A line of a file, relative to the working directory. */
export interface SourcePlace {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** A decorator of the route or of its class. */
export interface ExplainedDecorator {
  /** `@Get`. */
  readonly name: string
  readonly on: 'class' | 'method' | 'parameter'
  /** The class that has the decorator, or whose method has it: the controller, or a base class. */
  readonly class: string
  /** The method; `null` for a decorator on the class. */
  readonly method: string | null
  /** The position of the parameter, counted from 0; `null` for none. */
  readonly parameter: number | null
  /** Whether an override of the method replaces the decorator, so that it has no effect. */
  readonly isReplaced: boolean
  /** Where the decorator is on its target; `null` if its stack shows no file. */
  readonly at: SourcePlace | null
  /** Where the decorator itself is written, if this is elsewhere: in `compose`, or in a function. */
  readonly writtenAt: SourcePlace | null
}

/** Everything that a request of one route passes. The names of the fields are stable; docs/cli.md lists them. */
export interface RouteExplanation extends RouteTableEntry {
  /** Express middlewares of `middlewares` and of plugins, in order. They run before the route. */
  readonly before: readonly NamedFunction[]
  readonly steps: readonly ExplainedStep[]
  readonly plugins: readonly ExplainedPlugin[]
  /** The guard, or several with their names; `null` if the route is public, or the application has no guard. */
  readonly guard: string | null
  readonly abilities: readonly string[]
  /** `null` if requests have no tenants. */
  readonly tenant: ExplainedTenant | null
  readonly rateLimits: readonly ExplainedLimit[]
  readonly cache: ExplainedCache | null
  /** The Express middlewares of `@Use`. */
  readonly middlewares: readonly NamedFunction[]
  readonly interceptors: readonly NamedFunction[]
  readonly inputs: readonly ExplainedInput[]
  /** Limits of a JSON body; `null` if the body is not read. */
  readonly body: { readonly maxBytes: number; readonly maxDepth: number } | null
  /** `null` if handlers have no time limit. */
  readonly handlerTimeoutSeconds: number | null
  /** What happens to fields that the documented responses do not name, and what decides about it. */
  readonly responseFields: {
    readonly mode: ResponseFieldsMode
    readonly from: 'responses' | '@ResponseFields'
  }
  /** The fields with an audience (`visibleTo`), and the abilities that callers need for each. */
  readonly audience: readonly { readonly field: string; readonly abilities: readonly string[] }[]
  readonly responses: readonly ExplainedResponse[]
  /** The headers of `@Header`. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** The options of `defineOption`, as JSON. */
  readonly options: readonly { readonly name: string; readonly value: unknown }[]
  /** Class decorators first, then those of the method; the controller first, then its base classes. */
  readonly decorators: readonly ExplainedDecorator[]
}

/** The route to explain. */
export interface RouteQuery {
  /** In upper case; `null` for any. */
  readonly method: string | null
  /** The path of a request, or of a route, with `:id` or `{id}`. */
  readonly path: string
}

/** The explanation of a route, or the routes that the user may have meant. */
export type ExplainResult =
  | { readonly kind: 'route'; readonly route: RouteExplanation }
  /** Several routes match, because the query has no method. */
  | { readonly kind: 'several'; readonly candidates: readonly RouteTableEntry[] }
  /** The path matches, but not with this method. */
  | { readonly kind: 'method'; readonly candidates: readonly RouteTableEntry[] }
  /** No route matches; the candidates are all routes, the most similar first. */
  | { readonly kind: 'none'; readonly candidates: readonly RouteTableEntry[] }
