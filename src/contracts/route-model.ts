import type { CacheOptions } from './cache.js'
import type { OperationFacts } from './operation.js'
import type { Class } from './provider.js'
import type { RateLimitPolicy } from './rate-limit.js'
import type { InputSource, Schema } from './schema.js'

/** Methods a route can be declared for; `ALL` stands for every one of them that is not declared itself. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL'

/** Where a handler parameter of the legacy dialect takes its value from. */
export type ParameterSource = InputSource | 'req' | 'res' | 'user' | 'tenant'

/** A decorated handler parameter. */
export interface ParameterModel {
  /** Its position, counted from 0. */
  readonly index: number
  /** The part of the request, or the object, that the parameter receives. */
  readonly source: ParameterSource
}

/** As much of a layer of Express' routes as says what it is. */
export interface RouteLayer {
  /** The name of the controller's method. */
  readonly name: string
  /** In lower case; `undefined` for `ALL`. */
  readonly method: string | undefined
  /** The method itself, which needs its controller to be called. */
  readonly handle: unknown
}

/** One operation: plain frozen data, the single description that every reader draws from. */
export interface RouteModel {
  /** Position in `AppModel.routes`; closures that belong to the route are kept beside it by this number. */
  readonly index: number
  /** The method of the request; `ALL` matches every method that has no route of its own. */
  readonly method: HttpMethod
  /** Full path with `:param` segments and, at the end, `*rest`. */
  readonly path: string
  /** `{ get: true }`, `{ _all: true }` for `ALL`: as Express' routes say it, for packages that measure requests. */
  readonly methods: Readonly<Record<string, true>>
  /** The handler as Express' routes list theirs; for the same packages. */
  readonly stack: readonly RouteLayer[]
  /** Names of the path's parameters, in order. */
  readonly pathParameters: readonly string[]
  /** The class that declares the route. */
  readonly controller: Class
  /** The method of `controller` that answers. */
  readonly handler: PropertyKey
  /** `UsersController.getById`, for messages. */
  readonly name: string
  /** Schemas by part of the request; `null` where a part is not described. */
  readonly inputs: Readonly<Record<InputSource, Schema | null>>
  /** Whether the guard must allow the request. */
  readonly isProtected: boolean
  /** Abilities of `@Can`; `null` without. */
  readonly abilities: readonly string[] | null
  /** What `@Tenant` says; `null` without. */
  readonly tenant: {
    /** Whether a request without a tenant reaches the handler. */
    readonly isOptional: boolean
  } | null
  /** What `@Cache` says; `null` without. */
  readonly cache: CacheOptions | null
  /** What `@RateLimit` says, no policies for `@RateLimit(false)`; `null` leaves it to the application. */
  readonly limits: {
    /** The limits; a request must be within each of them. */
    readonly policies: readonly RateLimitPolicy[]
    /** Whether it is the class that says so: its routes are then counted together. */
    readonly isOfClass: boolean
  } | null
  /** Status of `@HttpCode`; `null` without. */
  readonly status: number | null
  /** Headers of `@Header`, in source order; `null` without. */
  readonly headers: readonly (readonly [name: string, value: string])[] | null
  /** Target of `@Redirect`; `null` without. */
  readonly redirect: {
    /** The value of the `Location` header. */
    readonly url: string
    /** The status of the response: 301, 302, 303, 307 or 308. */
    readonly status: number
  } | null
  /** Decorated handler parameters; `null` means the handler is called `(req, res, next)`. */
  readonly parameters: readonly ParameterModel[] | null
  /** What only the document is interested in. */
  readonly operation: OperationFacts
}

/** The whole application as data. */
export interface AppModel {
  /** Every route, in the order of declaration. */
  readonly routes: readonly RouteModel[]
  /** Whether `auth.guard` is configured. */
  readonly hasGuard: boolean
}

/** One row of `getRouteTable()` (specification section 2.6). */
export interface RouteTableEntry {
  /** The method: `GET`, …, or `ALL`. */
  readonly method: string
  /** The full path, with `:param` segments. */
  readonly path: string
  /** The name of the controller class. */
  readonly controller: string
  /** The name of the method that handles the request. */
  readonly handler: string
  /** Whether the guard must allow the request. */
  readonly isProtected: boolean
}

/** The router's answer to a method and a URL. */
export type RouteMatch =
  | { readonly kind: 'route'; readonly index: number; readonly params: Record<string, string> }
  /** No path of ours. */
  | { readonly kind: 'none' }
  /** A path of ours, but not with this method. */
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  /** A path that cannot be decoded. */
  | { readonly kind: 'malformed' }
