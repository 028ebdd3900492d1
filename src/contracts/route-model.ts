import type { OptionTarget, OptionValue, ParameterDefinition, RouteOption } from './extensions.js'
import type { BodyModel, UploadModel } from './inputs.js'
import type { UsedByRoute } from './interceptor.js'
import type { RouteBounds } from './limits.js'
import type { OperationFacts, ResponseFieldsMode } from './operation.js'
import type { PagesDefinition } from './pages.js'
import type { Class } from './provider.js'
import type { ProducedModel, StreamModel } from './representation.js'
import type { InputSource, Schema } from './schema.js'
import type { DeprecatedOptions } from './version.js'
import type { WebhookScheme, WebhookVerifier } from './webhook.js'
import type { EnvelopeChoice } from './wire-format.js'

/**
 * The methods for which a route can be declared. `ALL` means all methods that have no route of their own on the path.
 */
export type HttpMethod =
  | 'GET'
  | 'QUERY'
  | 'POST'
  | 'PUT'
  | 'PATCH'
  | 'DELETE'
  | 'HEAD'
  | 'OPTIONS'
  | 'ALL'

/** The statuses of success responses, by the method of the route. */
export type DefaultStatus = { readonly [M in HttpMethod]?: number }

/** The source of a handler parameter's value (legacy dialect). */
export type ParameterSource = InputSource | 'req' | 'res' | 'user' | 'tenant' | 'defined'

/** A decorated handler parameter. */
export interface ParameterModel {
  /** The position of the parameter, counted from 0. */
  readonly index: number
  /** The part of the request, or the object, that the parameter receives. */
  readonly source: ParameterSource
  /** The single key of the source that the parameter receives; `null` for the whole source. */
  readonly key: string | null
  /** The parameter of `defineParameter`, if the source is `defined`; otherwise `null`. */
  readonly definition: ParameterDefinition | null
}

/** A parameter of `defineParameter` that a route uses. */
export interface DefinedParameter {
  /** The data of the parameter. */
  readonly definition: ParameterDefinition
  /** The part of the request that contains the parameter; `null` if the parameter has no `in`. */
  readonly source: InputSource | null
  /** The schema of an object with the name of the parameter as its only key; `null` without a schema. */
  readonly input: Schema | null
}

/** The descriptive fields of a layer in an Express route. */
export interface RouteLayer {
  /** The name of the controller's method. */
  readonly name: string
  /** The HTTP method in lower case; `undefined` for `ALL`. */
  readonly method: string | undefined
  /** The handler itself, which must be called with its controller as `this`. */
  readonly handle: unknown
}

/** One route, as plain frozen data. It is the only description of the route, and all other code reads it. */
export interface RouteModel {
  /**
   * The position in `AppModel.routes`. Functions that belong to the route are stored outside the model, by this number.
   */
  readonly index: number
  /** The method of the request; `ALL` matches every method without its own route. */
  readonly method: HttpMethod
  /**
   * The full path in the syntax of decorators: with `:param`, `*rest` at the end, and a backslash before some literal
   * characters.
   */
  readonly path: string
  /**
   * The method in the form of Express routes, for packages that measure requests: `{ get: true }`, or `{ _all: true }`
   * for `ALL`.
   */
  readonly methods: Readonly<Record<string, true>>
  /** The handler in the form of Express routes, for packages that measure requests. */
  readonly stack: readonly RouteLayer[]
  /**
   * The version of `@Version`; `null` for a route in every version. A route with several versions has one model for
   * each.
   */
  readonly version: string | null
  /**
   * The header that specifies the version, such as `Accept`; `null` if the path specifies it, or if there are no
   * versions.
   */
  readonly versionHeader: string | null
  /** The path for requests without a version (`by: 'path'`), if such requests reach this route; otherwise `null`. */
  readonly plainPath: string | null
  /** How the version of the route is retired; `null` if it is not retired, or if there are no versions. */
  readonly versionEnd: DeprecatedOptions | null
  /** Names of the path's parameters, in order. */
  readonly pathParameters: readonly string[]
  /** The controller class of the route. The route can be declared by a base class. */
  readonly controller: Class
  /** The method of `controller` that handles the request. */
  readonly handler: PropertyKey
  /** The name in messages: `UsersController.getById`. */
  readonly name: string
  /** Schemas by part of the request; `null` for a part without a schema. */
  readonly inputs: Readonly<Record<InputSource, Schema | null>>
  /**
   * The ways in which the body can be read. `inputs.body` is the first schema among them. `null` for the default: JSON
   * only.
   */
  readonly bodies: readonly BodyModel[] | null
  /** The form that `@Upload` describes; `null` without `@Upload`. Its schema is `inputs.body`. */
  readonly upload: UploadModel | null
  /** How the `Cookie` header is read; `null` if the route has no `@Cookies`. */
  readonly cookies: {
    /** The names of the signed cookies. */
    readonly signed: readonly string[]
  } | null
  /** How the route streams: `@Sse`, `@JsonLines`, or both; `null` if it does not stream. */
  readonly stream: StreamModel | null
  /** The argument of `@Webhook`; `null` without `@Webhook`. */
  readonly webhook: WebhookScheme | WebhookVerifier | null
  /** Whether the guard must allow the request. */
  readonly isProtected: boolean
  /**
   * Whether the guard runs only for requests with credentials, which it must allow (`@Auth({ optional: true })`). Never
   * `true` together with `isProtected`.
   */
  readonly isAuthOptional: boolean
  /**
   * The names of the guards of `auth.guards` that the route accepts. The first guard that allows a request determines
   * `req.user`. Empty for a public route, and in an application with one `auth.guard`, which has no name.
   */
  readonly guards: readonly string[]
  /** Abilities of `@Can`; `null` without `@Can`. */
  readonly abilities: readonly string[] | null
  /** Limits of `@Limits`; `null` if the application's limits apply. */
  readonly limits: RouteBounds | null
  /**
   * The status from `@HttpCode`, otherwise from the option `defaultStatus`; `null` if there is neither, for a stream,
   * and for a redirect without `@HttpCode`.
   */
  readonly status: number | null
  /** Headers of `@Header`, in source order; `null` if there are none. */
  readonly headers: readonly (readonly [name: string, value: string])[] | null
  /** Target of `@Redirect`; `null` without `@Redirect`. */
  readonly redirect: {
    /** The value of the `Location` header. */
    readonly url: string
    /** The status of the response: 301, 302, 303, 307 or 308. */
    readonly status: number
  } | null
  /**
   * The envelope around the data of success responses, from `@Envelope`, otherwise from the option `envelope`. `true`
   * means the framework's own envelope; `false` means bare data.
   */
  readonly envelope: EnvelopeChoice
  /**
   * The representations of `@Produces`, starting with the preferred representation; `null` if every success response is
   * JSON.
   */
  readonly produces: readonly ProducedModel[] | null
  /**
   * Whether every success response is sent in the framework's own envelope: the route has neither `@Produces` nor an
   * `@ApiResponseDoc` without the envelope.
   */
  readonly isEnveloped: boolean
  /** The mode of `@ResponseFields`; `null` if the `responses` option of the application applies. */
  readonly responseFields: ResponseFieldsMode | null
  /** The pages of `@Paged`; `null` without `@Paged`. */
  readonly pages: PagesDefinition | null
  /** Decorated handler parameters; `null` means that the handler is called with `(req, res, next)`. */
  readonly parameters: readonly ParameterModel[] | null
  /** The parameters of `defineParameter`, on the method or its parameters; `null` if there are none. */
  readonly definedParameters: readonly DefinedParameter[] | null
  /** The values of the options of `defineOption`, for tools; in the order in which the decorators are written. */
  readonly options: readonly OptionValue[]
  /**
   * Returns the value of an option; `undefined` if neither the handler nor its controller has the decorator.
   *
   * @example
   * route.option(Audit)?.action
   */
  readonly option: <TValue, TFound, TTarget extends OptionTarget>(
    option: RouteOption<TValue, TFound, TTarget>,
  ) => TFound | undefined
  /** The entries of `@Use` on the class, then on the method; `null` if there are none. */
  readonly uses: UsedByRoute | null
  /** The data that only the OpenAPI document uses. */
  readonly operation: OperationFacts
}

/** The whole application as data. */
export interface AppModel {
  /** Every route, in the order of declaration. */
  readonly routes: readonly RouteModel[]
  /** Whether `auth.guard` or `auth.guards` is configured. */
  readonly hasGuard: boolean
}

/** One row of `getRouteTable()`. */
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
  /** Whether the guard runs only for requests with credentials, which it must allow. */
  readonly isAuthOptional: boolean
  /** The names of the guards that the route accepts; only in an application with `auth.guards`. */
  readonly guards?: readonly string[]
  /** The version of `@Version`; absent for a route in every version. */
  readonly version?: string
  /** Whether the sender must sign the request (`@Webhook`); absent for all other routes. */
  readonly isSigned?: true
}

/** The result of the router for a method and a URL. */
export type RouteMatch =
  | { readonly kind: 'route'; readonly index: number; readonly params: Record<string, string> }
  /** No route matches this path. */
  | { readonly kind: 'none' }
  /** Routes match this path, but not this method. */
  | {
      readonly kind: 'method'
      readonly allow: readonly string[]
      /** The index of the `QUERY` route of this path. */
      readonly query?: number
    }
  /** The path cannot be decoded. */
  | { readonly kind: 'malformed' }
  /** The request specifies no version, or a version that does not exist. */
  | { readonly kind: 'version'; readonly message: string }
